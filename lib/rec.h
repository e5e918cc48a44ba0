/* rec.h - one NDJSON line as a flat record: the top-level keys, values as
 * slices.  yajl checks that the line is exactly one JSON object.
 *
 * One struct rec_parser a stream (one yajl handle, renewed after an error:
 * measured 1.5 times as fast as a handle a line; plain lines do without it).  A
 * record is valid until the next rec_parse on its parser, and while its line
 * stays where it is.
 *
 * A string may hold any code point, NUL too; the line must be strict UTF-8
 * (utf8.h), but an escaped lone surrogate (\udc00) comes out as bytes that are
 * none: text_fix_utf8() where it is kept.  Of a key that stands twice the last
 * one counts: rec_get() sees to that, field[] has both. */
#ifndef TP_REC_H
#define TP_REC_H

#include "base.h"
#include "buf.h"

/* Limits: a longer line, deeper nesting or more keys is a bad record. */
#define REC_LINE_MAX (16u << 20)
#define REC_DEPTH_MAX 64
#define REC_KEYS_MAX 256

enum rec_type { REC_NULL, REC_BOOL, REC_NUM, REC_STR, REC_OBJ, REC_ARR };

struct rec_field {
	struct text key;   /* decoded */
	enum rec_type type;
	struct text value; /* strings decoded; others the raw text */
};

struct rec {
	struct text line;  /* the whole line without its newline, for pass-through */
	struct text kind;  /* value of key "kind", or empty */
	struct rec_field *field;
	size_t nfield;
};

struct rec_parser; /* private */
struct rec_parser *rec_parser_new(void);
void rec_parser_free(struct rec_parser *p);
/* 0, or -1 with *why (static text) set; nothing printed. */
int rec_parse(struct rec_parser *p, struct text line, struct rec *out,
	const char **why) RESULT_USED;

/* The same for a line of line.h, which has a NUL and padding behind it: it is not
 * copied. */
int rec_parse_padded(struct rec_parser *p, struct text line, struct rec *out,
	const char **why) RESULT_USED;

/* Last key wins.  NULL when absent. */
const struct rec_field *rec_get(const struct rec *r, const char *key);
/* A number or a string holding one, as an exact int64; -1 absent or not so. */
int rec_int(const struct rec *r, const char *key, int64_t *out) RESULT_USED;
int rec_u64(const struct rec *r, const char *key, uint64_t *out) RESULT_USED;
struct text rec_text(const struct rec *r, const char *key); /* {NULL,0} when absent or no string */
bool rec_true(const struct rec *r, const char *key);

/* Append json (one value of any type) without white space, strings escaped as
 * jw.h does, numbers as they are; the same text again comes out unchanged.
 * -1: not one JSON value within the limits (b untouched). */
int rec_compact(struct buf *b, struct text json) RESULT_USED;

/* Walk a nested value ("[...]" or "{...}" as in field->value): the callback
 * gets key (empty in an array), type and decoded value, both its own only until
 * it returns; it returns 0 to go on.  -1: not that form, or fn said so. */
typedef int rec_each_fn(void *arg, struct text key, enum rec_type type,
	struct text value);
int rec_each(struct text json, rec_each_fn *fn, void *arg) RESULT_USED;

#endif
