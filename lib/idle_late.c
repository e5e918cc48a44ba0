/* idle_late.c - the host-late part of a gap: what the thread that issued its
 * ending op, or one that stands in for it, did; and the pieces it all becomes. */
#include "base.h"
#include "idle_late.h"

/* Pieces: neighbours of one gap that say the same are one. */

int piece_flush(struct idle *v)
{
	if (!v->have_last)
		return 0;
	v->have_last = false;
	return v->hook.piece(v->hook.arg, &v->last);
}

static bool piece_joins(const struct idle_piece *a, const struct idle_piece *b)
{
	return a->device == b->device && a->ts_ns + a->dur_ns == b->ts_ns &&
		a->cause == b->cause && a->after == b->after &&
		a->anchor.frame == b->anchor.frame && a->anchor.op == b->anchor.op &&
		a->anchor.how == b->anchor.how;
}

/* p joins the last piece: whose doing counts? */
static void doing_join(struct idle *v, const struct idle_piece *p)
{
	v->doing_ns = v->doing == p->doing ? v->doing_ns + p->dur_ns : p->dur_ns;
	v->doing = p->doing;
	if (p->doing && v->doing_ns > v->longest_ns) {
		v->longest_ns = v->doing_ns;
		v->last.doing = p->doing;
	}
}

int piece_put(struct idle *v, const struct gap *gap, struct stretch s,
	enum idle_cause cause, const struct lane_state *state)
{
	if (s.from_ns >= s.to_ns)
		return 0;
	struct idle_piece p = {
		.ts_ns = s.from_ns, .dur_ns = s.to_ns - s.from_ns,
		.device = gap->device, .cause = cause,
		.before = gap->before, .after = gap->after,
	};
	if (state) {
		p.anchor = state->anchor;
		p.doing = gap->end_ns - gap->ts_ns >= IDLE_LOSS_NS ? state->doing : 0;
		if (p.anchor.frame)
			p.anchor.op = 0;
	}
	bool detail = gap->end_ns - gap->ts_ns >= IDLE_DETAIL_NS;
	if (v->have_last && piece_joins(&v->last, &p) &&
	    (!detail || v->last.doing == p.doing)) {
		v->last.dur_ns += p.dur_ns;
		doing_join(v, &p);
		return 0;
	}
	if (piece_flush(v) < 0)
		return -1;
	v->last = p;
	v->have_last = true;
	v->doing = p.doing;
	v->doing_ns = p.dur_ns;
	v->longest_ns = p.doing ? p.dur_ns : 0;
	return 0;
}

/* Host-late: what the issuing thread, or one that stands in for it, did. */

struct late {
	struct idle *v;
	const struct gap *gap;
	const struct lane *lane;
	bool stands_in;
	size_t point, wait;
	int64_t hole_ns;       /* start of the part without a record, -1: none */
	bool in_hole;
};

/* The wait that the ns at at_ns belongs to, or NULL; it is so until *until_ns.
 * Of several the one that started last, before any has the first. */
static const struct lane_wait *wait_at(struct late *c, int64_t at_ns, int64_t *until_ns)
{
	const struct lane *l = c->lane;
	const struct lane_wait *best = NULL, *coming = NULL;
	int64_t late_ns = c->gap->ts_ns + IDLE_WAIT_LATE_NS;
	*until_ns = INT64_MAX;
	c->wait = MAX(c->wait, l->first_wait);
	for (size_t i = c->wait; i < l->nwait; i++) {
		const struct lane_wait *w = &l->wait[i];
		bool emptied = w->ts_ns <= late_ns;
		int64_t stop_ns = emptied ? w->end_ns + LANE_REFILL_NS : w->end_ns;
		if ((emptied && w->end_ns <= c->gap->ts_ns) || stop_ns <= at_ns) {
			if (i == c->wait)
				c->wait++;
			continue;
		}
		if (w->ts_ns <= at_ns) {
			best = w;
			*until_ns = MIN(*until_ns, stop_ns);
			continue;
		}
		if (emptied && !coming)
			coming = w;
		*until_ns = MIN(*until_ns, w->ts_ns);
		if (!emptied)
			break;
	}
	return best ? best : coming;
}

static int late_walk(struct late *c, struct stretch s);

static const struct lane *stand_in(const struct late *c, struct stretch s)
{
	const struct lane *best = NULL;
	int64_t most_ns = 0;
	for (size_t i = 0; i < c->v->nlane; i++) {
		const struct lane *l = &c->v->lane[i];
		if (l == c->lane || l->n == l->first)
			continue;
		int64_t cover_ns = lane_cover(l, s.from_ns, s.to_ns);
		if (cover_ns > most_ns || (best && cover_ns == most_ns && l->issued > best->issued)) {
			best = l;
			most_ns = cover_ns;
		}
	}
	return best;
}

/* The thread left no record in this part: the one that stands in for it is walked
 * once, and leaves no such part.  NOLINTNEXTLINE(misc-no-recursion) */
static int hole_close(struct late *c, int64_t to_ns)
{
	if (!c->in_hole)
		return 0;
	c->in_hole = false;
	struct stretch s = { c->hole_ns, to_ns };
	const struct lane *other = stand_in(c, s);
	if (!other)
		return piece_put(c->v, c->gap, s, IDLE_UNKNOWN, NULL);
	struct late stand = { .v = c->v, .gap = c->gap, .lane = other, .stands_in = true };
	return late_walk(&stand, s);
}

static int late_put(struct late *c, struct stretch s, const struct lane_wait *w,
	struct lane_state state)
{
	enum idle_cause cause = IDLE_SYNC;
	if (w) {
		state.anchor = w->anchor;
		if (s.from_ns < w->end_ns)
			state.doing = w->name;
	} else {
		static const enum idle_cause of[] = {
			[DO_NONE] = IDLE_UNKNOWN, [DO_BETWEEN] = IDLE_HOST,
			[DO_HOST] = IDLE_HOST, [DO_INPUT] = IDLE_INPUT, [DO_ALLOC] = IDLE_ALLOC,
		};
		cause = of[state.what];
	}
	if (cause == IDLE_UNKNOWN)
		return piece_put(c->v, c->gap, s, cause, NULL);
	if (c->stands_in)
		state.anchor.how = AT_OTHER_THREAD;
	else if (!w && state.what == DO_BETWEEN)
		state.anchor.how = AT_BETWEEN;
	return piece_put(c->v, c->gap, s, cause, &state);
}

/* NOLINTNEXTLINE(misc-no-recursion): see hole_close() */
static int late_walk(struct late *c, struct stretch s)
{
	const struct lane *l = c->lane;
	c->point = lane_find(l, s.from_ns);
	for (int64_t at_ns = s.from_ns, to_ns; at_ns < s.to_ns; at_ns = to_ns) {
		int64_t wait_ns;
		struct lane_state state = lane_at(l, c->point, &to_ns);
		const struct lane_wait *w = wait_at(c, at_ns, &wait_ns);
		to_ns = MIN(MIN(to_ns, wait_ns), s.to_ns);
		if (!w && state.what == DO_NONE && !c->stands_in) {
			if (!c->in_hole)
				c->hole_ns = at_ns;
			c->in_hole = true;
		} else if (hole_close(c, at_ns) < 0 ||
		    late_put(c, (struct stretch){ at_ns, to_ns }, w, state) < 0) {
			return -1;
		}
		if (c->point == l->n)
			c->point = lane_find(l, to_ns);
		while (c->point + 1 < l->n && l->point[c->point + 1].ts_ns <= to_ns)
			c->point++;
	}
	return hole_close(c, s.to_ns);
}

int late_put_part(struct idle *v, const struct gap *g, struct stretch s)
{
	struct late c = { .v = v, .gap = g, .lane = &v->lane[g->issue_track] };
	return s.from_ns < s.to_ns ? late_walk(&c, s) : 0;
}
