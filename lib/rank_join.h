/* rank_join.h - what one view knows of a row of another, so that causes can
 * ask for it: which operators and calls a site's ns went to, which copies its
 * line makes, how much of a collective is waiting for a late rank.
 *
 * The index holds the rows of a kind in order of unit; it lives as long as the
 * rows do. */
#ifndef TP_RANK_JOIN_H
#define TP_RANK_JOIN_H

#include "rank_job.h"

struct rank_index {
	struct rank_row **row;     /* of one kind, in order of unit */
	size_t n;
};
void rank_index_init(struct rank_index *x, struct rank_rows *rows, const char *kind);
/* The rows of that unit: first, *n of them. */
struct rank_row **rank_index_unit(const struct rank_index *x, int unit, size_t *n);
void rank_index_release(struct rank_index *x);

void rank_join(const struct rank_job *job, struct rank_rows *rows);

#endif
