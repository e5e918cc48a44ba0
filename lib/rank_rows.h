/* rank_rows.h - the rows of the views, as tp-rank holds them.
 *
 *	rank_rows_init; a rank_rows_head per head, rank_rows_add per row, in any
 *	order; rank_rows_settle once; then read; rank_rows_release.
 * Everything after settle depends on the set of rows alone, never on the order
 * in which they came: rows are sorted, an exact repeat is dropped, and of two
 * rows with one identity (store, view, trace, key) but other values the first
 * in order stays and `clashes` counts the other.
 *
 * Memory: about 2 KB a row; view5.sample is counted, not kept, and of the losses at
 * one place some (rank_loss.h), so that it does not grow with a trace but by its
 * steps.  More than RANK_ROWS_MAX rows are refused, since a report on a part of them
 * would lie. */
#ifndef TP_RANK_ROWS_H
#define TP_RANK_ROWS_H

#include "base.h"
#include "buf.h"
#include "rank_loss.h"
#include "rec.h"

#define RANK_ROWS_MAX (1u << 20)
#define RANK_VIEWS 5
#define NO_NUM INT64_MIN

struct rank_field {
	struct text key, value;
	enum rec_type type;
};

struct rank_row {
	struct text kind, key, device;
	int view;                /* 1..5 */
	int64_t trace, rank;     /* NO_NUM: absent */
	size_t segment;          /* the head it came under */
	int64_t epoch_ns;        /* settle: of that head */
	int store;               /* settle: 0, 1, ... in order of epoch */
	int unit;                /* rank_job: index of its unit, -1 none */
	struct rank_field *field;
	size_t nfield;
	char *block;             /* owns field and all text */
	/* rank_join: */
	struct buf doing;        /* what its ns were spent in, one a line */
	struct buf copies;       /* copies at its anchor, one a line */
	struct buf ops;          /* of sites: operators of the kernels launched there */
	const char *loader;      /* of input sites: "main" or "workers"; NULL unknown */
	int64_t wait_permille;   /* comm rows, NO_NUM unknown */
	const struct rank_row *late; /* comm rows: view4.rank of who came last, NULL unknown */
	int cause;               /* rank: the rule that took it, -1 none */
};

struct rank_rows {
	struct rank_row *row;
	size_t n, cap;
	struct rank_loss losses;     /* until settle */
	bool seen[RANK_VIEWS + 1];   /* by a head or a row of that view */
	size_t clashes;
	int64_t *segment;            /* epoch of each head */
	size_t nsegment, capsegment;
	int64_t epoch_ns;            /* settle: the smallest, the output's epoch */
	int nstore;
};

void rank_rows_init(struct rank_rows *rows);
/* Number of the view that a kind or program belongs to ("view2.site",
 * "tp-view2"); 0: none. */
int rank_view_of(struct text name);
/* A head came, of that program. */
void rank_rows_head(struct rank_rows *rows, struct text program, int64_t epoch_ns);
/* The views tell their epoch behind their rows (epoch_add_ns of `run`). */
void rank_rows_epoch_add(struct rank_rows *rows, int64_t add_ns);
/* 1 taken, 0 not a row of a view (the caller's to pass on), -1 said. */
int rank_rows_add(struct rank_rows *rows, const struct rec *r) RESULT_USED;
void rank_rows_settle(struct rank_rows *rows);
void rank_rows_release(struct rank_rows *rows);

/* A copy of one; not part of the rows. */
void rank_row_make(struct rank_row *row, const struct rec *r);
void rank_row_release(struct rank_row *row);
/* By their fields, in order. */
int rank_row_compare_rec(const struct rec *r, const struct rank_row *row);

bool row_is(const struct rank_row *r, const char *kind);
const struct rank_field *row_get(const struct rank_row *r, const char *key);
struct text row_text(const struct rank_row *r, const char *key); /* {NULL,0} absent */
/* A whole number; false and *out untouched when absent or none. */
bool row_int(const struct rank_row *r, const char *key, int64_t *out);
int64_t row_num(const struct rank_row *r, const char *key);      /* 0 when absent */
/* The same kept within 0 and NS_MAX: sums and differences of a few cannot
 * overflow.  ns_add keeps a sum of any number of them there. */
#define NS_MAX (INT64_MAX / 8)
int64_t row_ns(const struct rank_row *r, const char *key);
static inline void ns_add(int64_t *sum, int64_t ns)
{
	*sum = *sum > NS_MAX - ns ? NS_MAX : *sum + ns;
}
bool row_true(const struct rank_row *r, const char *key);
/* A number in millionths ("0.125" is 125000); beyond int64 it is the limit. */
bool row_micro(const struct rank_row *r, const char *key, int64_t *out);
/* The strings of a list (or of the objects in it), one a line, into b. */
void row_words(const struct rank_row *r, const char *key, struct buf *b);
bool row_flag(const struct rank_row *r, const char *flag);       /* in flags[] */
bool row_same_anchor(const struct rank_row *a, const struct rank_row *b);
/* A total order by what the rows say. */
int row_compare(const struct rank_row *a, const struct rank_row *b);
int text_compare(struct text a, struct text b);
/* a x times / over in 128 bits, towards zero, kept within int64; over > 0. */
int64_t scale(int64_t a, int64_t times, int64_t over);

#endif
