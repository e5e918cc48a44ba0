/* lane.c - a thread as a step function of time. */
#include "base.h"
#include "lane.h"

#include <stdlib.h>

#include "mem.h"

void lane_release(struct lane *l)
{
	free(l->open);
	free(l->point);
	free(l->wait);
	*l = (struct lane){ 0 };
}

static bool state_same(const struct lane_state *a, const struct lane_state *b)
{
	return a->what == b->what && a->doing == b->doing &&
		a->anchor.frame == b->anchor.frame && a->anchor.op == b->anchor.op &&
		a->anchor.how == b->anchor.how;
}

/* Points before the one that holds at keep_ns are of no use any more. */
static void points_trim(struct lane *l, int64_t keep_ns)
{
	while (l->first + 1 < l->n && l->point[l->first + 1].ts_ns <= keep_ns)
		l->first++;
	if (l->first < 64 || l->first < l->n / 2)
		return;
	l->n -= l->first;
	memmove(l->point, l->point + l->first, l->n * sizeof *l->point);
	l->first = 0;
}

static void point_add(struct lane *l, int64_t ts_ns, const struct lane_state *state,
	int64_t keep_ns)
{
	struct lane_point *last = l->n > l->first ? &l->point[l->n - 1] : NULL;
	if (last && last->ts_ns == ts_ns) {
		last->state = *state;
		return;
	}
	/* two holes side by side are two: a record of no length lies between */
	if (last && state->what != DO_NONE && state_same(&last->state, state))
		return;
	if (last && keep_ns == INT64_MAX)
		l->n = l->first = 0;
	GROW(l->point, l->n, l->cap);
	HOLDS(l->point);
	l->point[l->n++] = (struct lane_point){ ts_ns, *state };
	points_trim(l, keep_ns);
}

void lane_settle(struct lane *l, int64_t now_ns, int64_t keep_ns)
{
	static const struct lane_state none = { .what = DO_NONE };
	while (l->nopen && l->open[l->nopen - 1].end_ns <= now_ns) {
		int64_t end_ns = l->open[--l->nopen].end_ns;
		while (l->nopen && l->open[l->nopen - 1].end_ns <= end_ns)
			l->nopen--;
		point_add(l, end_ns, l->nopen ? &l->open[l->nopen - 1].state : &none, keep_ns);
	}
}

/* A record begins: the hole before it is no longer open-ended. */
static void hole_close(struct lane *l, int64_t ts_ns)
{
	if (l->n == l->first)
		return;
	struct lane_point *last = &l->point[l->n - 1];
	if (last->state.what == DO_NONE && ts_ns - last->ts_ns < LANE_BETWEEN_NS)
		last->state.what = DO_BETWEEN;
}

static void open_push(struct lane *l, const struct lane_record *r,
	const struct lane_state *state)
{
	if (l->nopen == LANE_DEPTH_MAX) {
		struct lane_open *top = &l->open[l->nopen - 1];
		top->end_ns = MAX(top->end_ns, r->end_ns);
		return;
	}
	GROW(l->open, l->nopen, l->capopen);
	l->open[l->nopen++] = (struct lane_open){ r->end_ns, r->anchor_end_ns, *state };
}

void lane_add(struct lane *l, const struct lane_record *r, int64_t keep_ns)
{
	lane_settle(l, r->ts_ns, keep_ns);
	hole_close(l, r->ts_ns);
	struct lane_state state = { r->what, r->anchor, r->is_frame ? 0 : r->name };
	if (l->nopen) {
		const struct lane_state *outer = &l->open[l->nopen - 1].state;
		state.what = MAX(state.what, outer->what);
		if (r->is_frame)
			state.doing = outer->doing;
	}
	if (r->end_ns > r->ts_ns) {
		open_push(l, r, &state);
		point_add(l, r->ts_ns, &state, keep_ns);
	} else if (!l->nopen) {
		state = (struct lane_state){ .what = DO_NONE };
		point_add(l, r->ts_ns, &state, keep_ns);
	}
}

void lane_add_wait(struct lane *l, const struct lane_wait *w, int64_t keep_ns)
{
	/* one that returned before keep_ns says nothing about later gaps */
	int64_t keep = MIN(keep_ns, w->ts_ns);
	while (l->first_wait < l->nwait &&
	    l->wait[l->first_wait].end_ns + LANE_REFILL_NS <= keep)
		l->first_wait++;
	if (l->first_wait >= 64 && l->first_wait >= l->nwait / 2) {
		l->nwait -= l->first_wait;
		memmove(l->wait, l->wait + l->first_wait, l->nwait * sizeof *l->wait);
		l->first_wait = 0;
	}
	GROW(l->wait, l->nwait, l->capwait);
	l->wait[l->nwait++] = *w;
}

size_t lane_find(const struct lane *l, int64_t ts_ns)
{
	size_t lo = l->first, hi = l->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->point[mid].ts_ns <= ts_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > l->first ? lo - 1 : l->n;
}

struct lane_state lane_at(const struct lane *l, size_t point, int64_t *until_ns)
{
	if (point == l->n) { /* before its first record */
		*until_ns = l->n > l->first ? l->point[l->first].ts_ns : INT64_MAX;
		return (struct lane_state){ .what = DO_NONE };
	}
	*until_ns = point + 1 < l->n ? l->point[point + 1].ts_ns : INT64_MAX;
	return l->point[point].state;
}

int64_t lane_cover(const struct lane *l, int64_t from_ns, int64_t to_ns)
{
	int64_t sum_ns = 0, until_ns;
	for (int64_t at_ns = from_ns; at_ns < to_ns; at_ns = until_ns) {
		struct lane_state state = lane_at(l, lane_find(l, at_ns), &until_ns);
		until_ns = MIN(until_ns, to_ns);
		if (state.what >= DO_HOST)
			sum_ns += until_ns - at_ns;
	}
	return sum_ns;
}
