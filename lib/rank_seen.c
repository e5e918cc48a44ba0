/* rank_seen.c - evidence beside the charged rows (rank.h). */
#include "base.h"
#include "rank.h"

static bool cause_sees(const struct cause *c, const struct rank_row *row)
{
	for (size_t i = 0; i < c->nsee; i++)
		if (clause_holds(&c->see[i], row))
			return true;
	return false;
}

/* Rows that have an anchor count where a charged row of their unit has it too;
 * rows of a whole device or job always do. */
static bool row_beside(const struct finding *f, const struct rank_row *row)
{
	if (!row_get(row, "file") && !row_get(row, "op"))
		return true;
	for (size_t i = 0; i < f->n; i++)
		if (f->row[i]->unit == row->unit && row_same_anchor(f->row[i], row))
			return true;
	return false;
}

/* How much a row beside says: the ns or bytes it is about. */
static int64_t row_weight(const struct rank_row *row)
{
	static const char *const KEYS[] = { "others_waited_ns", "cost_ns", "exposed_ns",
		"own_ns", "time_ns", "bytes" };
	int64_t n;
	for (size_t i = 0; i < ARRAY_LEN(KEYS); i++)
		if (row_int(row, KEYS[i], &n))
			return n;
	return 0;
}

/* A run of kernels that cost nothing is no evidence of a cost. */
static bool row_says(const struct rank_row *row)
{
	return row_is(row, "view5.device") || row_weight(row) > 0;
}

static bool heavier(const struct rank_row *a, const struct rank_row *b)
{
	int64_t wa = row_weight(a), wb = row_weight(b);
	return wa != wb ? wa > wb : row_compare(a, b) < 0;
}

static void seen_put(struct finding *f, const struct rank_row *row)
{
	size_t at = f->nseen;
	while (at > 0 && heavier(row, f->seen[at - 1]))
		at--;
	if (at >= RANK_SEEN_MAX)
		return;
	size_t last = MIN(f->nseen, (size_t)RANK_SEEN_MAX - 1);
	memmove(&f->seen[at + 1], &f->seen[at], (last - at) * sizeof f->seen[0]);
	f->seen[at] = row;
	f->nseen = last + 1;
}

void finding_see(struct finding *f, const struct rank *rank)
{
	if (!f->cause->nsee)
		return;
	for (size_t i = 0; i < rank->rows->n; i++) {
		const struct rank_row *row = &rank->rows->row[i];
		if (!row_is_aside(rank->job, row) && cause_sees(f->cause, row) &&
		    row_beside(f, row) && row_says(row))
			seen_put(f, row);
	}
}
