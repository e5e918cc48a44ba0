/* rank_loss.h - the view2.loss rows that a report can show.
 *
 * A long trace has more losses than memory: each is evidence beside a site, and of
 * those at one place a report names the heaviest few and looks at what the first
 * ones did.  So of each place - the losses of one head, trace, rank and device with
 * the same loss, cause and anchor - the LOSSES_FIRST first in order of their keys
 * and the LOSSES_HEAVY with most cost_ns are kept, in whatever order they come.
 *
 *	rank_loss_add(&v, segment, &rec);      each
 *	rank_loss_take(&v, row)                then each kept one, false at the end
 *	rank_loss_release(&v);                 always
 *
 * Memory: 70 rows a place. */
#ifndef TP_RANK_LOSS_H
#define TP_RANK_LOSS_H

#include "base.h"
#include "rec.h"

struct rank_row; /* rank_rows.h */

/* What the words of a site are gathered from (DOING_MAX bytes: some 40 losses). */
#define LOSSES_FIRST 64
/* RANK_SEEN_MAX are shown. */
#define LOSSES_HEAVY 6

struct rank_loss {
	struct loss_place **place;
	size_t n, cap;
	uint32_t *bucket;      /* 1 + place */
	size_t nbucket;
	size_t rows;           /* kept at the moment */
};

void rank_loss_add(struct rank_loss *v, size_t segment, const struct rec *r);
bool rank_loss_take(struct rank_loss *v, struct rank_row *row) RESULT_USED;
void rank_loss_release(struct rank_loss *v);

#endif
