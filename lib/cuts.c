/* cuts.c - device ops with impossible lengths. */
#include "base.h"
#include "devs.h"

#include <stdlib.h>

#include "mem.h"

/* Ops of one stream that are open at a time.  Programmatic dependent launch makes
 * two or three overlap; more than this and the oldest is let go. */
#define OPEN_MAX 32
#define CUTS_MAX 1000000u

struct open {
	int64_t end, n, ts, inner_ts;
	int inner;             /* later ops that lie inside */
};
struct lane {
	struct open op[OPEN_MAX];
	int n;
};

static void cut(struct load *l, const struct open *o)
{
	if (l->ncut >= CUTS_MAX)
		return;
	GROW(l->cut, l->ncut, l->capcut);
	l->cut[l->ncut++] = (struct cut){ o->n, o->inner_ts - o->ts };
	l->count.impossible_ops++;
}

static void drop_ended(struct lane *a, int64_t ts)
{
	int i, n = 0;

	for (i = 0; i < a->n; i++)
		if (a->op[i].end > ts)
			a->op[n++] = a->op[i];
	a->n = n;
}

static void see(struct load *l, struct lane *a, const struct dev *d, int64_t n)
{
	int64_t end = d->ts + d->dur;
	int i;

	drop_ended(a, d->ts);
	for (i = 0; i < a->n; i++) {
		struct open *o = &a->op[i];

		if (end > o->end)
			continue;
		if (o->inner++ == 0)
			o->inner_ts = d->ts;
		if (o->inner == 2)
			cut(l, o);
	}
	if (a->n == OPEN_MAX)
		memmove(a->op, a->op + 1, (size_t)--a->n * sizeof a->op[0]);
	a->op[a->n++] = (struct open){ end, n, d->ts, 0, 0 };
}

static int cut_by_n(const void *pa, const void *pb)
{
	const struct cut *a = pa, *b = pb;

	return cmp_int(a->n, b->n);
}

int cuts_find(struct load *l)
{
	struct lane **lane = xcalloc(l->tracks.n + 1, sizeof *lane);
	struct dev_walk w;
	uint32_t i;
	int rc = dev_walk_first(&w, l);

	if (rc == 0) {
		while (dev_walk_next(&w)) {
			if (w.dev.dur == 0 || w.dev.flags & DEV_UNTIMED)
				continue;
			if (lane[w.dev.track] == NULL)
				lane[w.dev.track] = xcalloc(1, sizeof **lane);
			see(l, lane[w.dev.track], &w.dev, w.n);
		}
		rc = dev_walk_end(&w);
	}
	for (i = 0; i <= l->tracks.n; i++)
		free(lane[i]);
	free(lane);
	if (l->ncut > 1)
		qsort(l->cut, l->ncut, sizeof *l->cut, cut_by_n);
	return rc;
}
