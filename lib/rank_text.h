/* rank_text.h - words for findings: anchors, placeholders, numbers. */
#ifndef TP_RANK_TEXT_H
#define TP_RANK_TEXT_H

#include "buf.h"
#include "rank.h"

/* Names of code stand between backticks in the report, so that Markdown leaves
 * them alone, and bare in records. */
enum face_of_names { NAMES_BARE, NAMES_MARKED };

/* Text of the input between backticks: its own become ', so that nothing of it is
 * Markdown or HTML to whoever shows the report. */
void code_add(struct buf *b, struct text t);
/* The same for words that stand bare: between backticks when they have what
 * Markdown would take for more than text. */
void plain_add(struct buf *b, struct text t);

/* "file:line (function)", else the operator, else words for none. */
void anchor_add(struct buf *b, const struct rank_row *row, enum face_of_names face);
/* "function (file:line)" without directories, else "the job (most in ...)": the
 * subject of a sentence. */
void anchor_add_short(struct buf *b, const struct rank_row *row, enum face_of_names face);
/* Is there anything to call it by: a line, an operator, a name? */
bool row_has_place(const struct rank_row *row);
/* A cause's words with {anchor} {func} {mostly} {op} {late} or any field of the row
 * that weighs most filled in; an unknown {name} stays. */
void words_add(struct buf *b, const char *words, const struct rank_row *row,
	enum face_of_names face);

/* The fields of a row that are evidence, in a fixed order: 0.. until NULL. */
const char *evidence_field(const struct rank_row *row, size_t i);
enum unit_kind { UNIT_NS, UNIT_BYTES, UNIT_COUNT };
enum unit_kind unit_of_field(const char *field);
void number_add(struct buf *b, const char *field, int64_t n); /* for a person */
void percent_add(struct buf *b, int64_t micro);               /* "12.3 %" */
void micro_put(struct buf *b, int64_t micro);                 /* "0.123456" */

#endif
