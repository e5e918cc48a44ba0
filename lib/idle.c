/* idle.c - gaps as they come and go along the sweep, and what each of their ns
 * is put down to. */
#include "base.h"
#include "idle_late.h"

#include <stdlib.h>

#include "mem.h"
#include "trait.h"

/* A gap is decided this long behind its end: by then every hole that began in
 * it is known to be short or not. */
#define IDLE_DELAY_NS LANE_BETWEEN_NS
#define IDLE_COUNT_EVERY 4096

const char *idle_cause_name(enum idle_cause c)
{
	static const char *const name[] = {
#define X(e, n, h, w) n,
		IDLE_CAUSES(X)
#undef X
	};
	return name[c];
}

const char *idle_cause_words(enum idle_cause c)
{
	static const char *const words[] = {
#define X(e, n, h, w) w,
		IDLE_CAUSES(X)
#undef X
	};
	return words[c];
}

bool idle_cause_is_host(enum idle_cause c)
{
	static const bool host[] = {
#define X(e, n, h, w) h,
		IDLE_CAUSES(X)
#undef X
	};
	return host[c];
}

static int gap_pull(struct idle *v)
{
	int got = v->hook.next_gap(v->hook.arg, &v->next);
	v->more = got > 0;
	return got < 0 ? -1 : 0;
}

int idle_init(struct idle *v, const struct idle_hooks *hook)
{
	*v = (struct idle){
		.hook = *hook,
		.keep_ns = INT64_MAX, .keep_any_ns = INT64_MAX, .due_ns = INT64_MAX,
	};
	return gap_pull(v);
}

void idle_release(struct idle *v)
{
	for (size_t i = 0; i < v->nlane; i++)
		lane_release(&v->lane[i]);
	free(v->lane);
	lane_release(&v->profiler);
	lane_release(&v->load);
	free(v->open);
	v->lane = NULL;
	v->open = NULL;
	v->nlane = v->nopen = 0;
}

static struct lane *lane_of(struct idle *v, uint32_t track)
{
	if (track >= v->nlane) {
		size_t n = MAX((size_t)track + 1, v->nlane * 2);
		v->lane = xreallocarray(v->lane, n, sizeof *v->lane);
		memset(v->lane + v->nlane, 0, (n - v->nlane) * sizeof *v->lane);
		v->nlane = n;
	}
	return &v->lane[track];
}

void idle_issued(struct idle *v, uint32_t track, int64_t ops)
{
	lane_of(v, track)->issued = ops;
}

/* One gap, as far as it can be decided. */

static bool gap_is_late(const struct gap *g)
{
	return g->after && g->issue_track && g->issue_end_ns > g->ts_ns &&
		!(g->end_ns - g->ts_ns < IDLE_TURNAROUND_NS && g->issue_ns < g->ts_ns);
}

/* A stretch that no overhead record claims. */
static int stretch_put(struct idle *v, const struct gap *g, struct stretch s)
{
	if (!g->after)
		return piece_put(v, g, s, IDLE_AFTER_LAST, NULL);
	if (!g->issue_track)
		return piece_put(v, g, s, IDLE_UNLINKED, NULL);
	if (g->end_ns - g->ts_ns < IDLE_TURNAROUND_NS && g->issue_ns < g->ts_ns)
		return piece_put(v, g, s, IDLE_TURNAROUND, NULL);
	int64_t late_ns = MAX(g->ts_ns, MIN(g->issue_end_ns, g->end_ns));
	int64_t start_ns = MAX(g->ts_ns, g->issue_end_ns);
	/* a call that never ends in the file may end beyond all times */
	int64_t launch_ns = start_ns < g->end_ns ? start_ns + IDLE_LAUNCH_NS : start_ns;
	struct stretch late = { s.from_ns, MIN(s.to_ns, late_ns) };
	lane_of(v, g->issue_track);
	if (late_put_part(v, g, late) < 0)
		return -1;
	struct stretch launch = { MAX(s.from_ns, start_ns), MIN(s.to_ns, launch_ns) };
	struct stretch queued = { MAX(s.from_ns, launch_ns), s.to_ns };
	if (piece_put(v, g, launch, IDLE_LAUNCH, NULL) < 0)
		return -1;
	return piece_put(v, g, queued, IDLE_QUEUED, NULL);
}

static bool lane_busy(const struct lane *l, int64_t at_ns, int64_t *until_ns)
{
	int64_t to_ns;
	bool busy = lane_at(l, lane_find(l, at_ns), &to_ns).what >= DO_HOST;
	*until_ns = MIN(*until_ns, to_ns);
	return busy;
}

enum overhead { OVERHEAD_NONE, OVERHEAD_PROFILER, OVERHEAD_LOAD };

static enum overhead overhead_at(const struct idle *v, int64_t at_ns, int64_t *until_ns)
{
	bool profiler = lane_busy(&v->profiler, at_ns, until_ns);
	bool load = lane_busy(&v->load, at_ns, until_ns);
	return profiler ? OVERHEAD_PROFILER : load ? OVERHEAD_LOAD : OVERHEAD_NONE;
}

static int gap_decide(struct idle *v, struct idle_open *o, int64_t to_ns)
{
	struct gap *g = &o->gap;
	to_ns = MIN(to_ns, g->end_ns);
	while (o->done_ns < to_ns) {
		int64_t until_ns = to_ns;
		enum overhead what = overhead_at(v, o->done_ns, &until_ns);
		while (until_ns < to_ns) {
			int64_t more_ns = to_ns;
			if (overhead_at(v, until_ns, &more_ns) != what)
				break;
			until_ns = more_ns;
		}
		struct stretch s = { o->done_ns, until_ns };
		int bad = what == OVERHEAD_NONE ? stretch_put(v, g, s) :
			piece_put(v, g, s, what == OVERHEAD_LOAD ? IDLE_LOAD : IDLE_PROFILER, NULL);
		if (bad)
			return -1;
		o->done_ns = until_ns;
	}
	return 0;
}

static void keep_update(struct idle *v)
{
	v->keep_ns = v->keep_any_ns = v->due_ns = INT64_MAX;
	for (size_t i = 0; i < v->nopen; i++) {
		const struct idle_open *o = &v->open[i];
		v->keep_any_ns = MIN(v->keep_any_ns, o->done_ns);
		if (gap_is_late(&o->gap))
			v->keep_ns = MIN(v->keep_ns, o->done_ns);
		v->due_ns = MIN(v->due_ns, o->gap.end_ns);
	}
}

/* Decide what can be decided at now_ns; `all`: also the part that is past of
 * gaps that still go on. */
static int gaps_decide(struct idle *v, int64_t now_ns, bool all)
{
	size_t left = 0;
	lane_settle(&v->profiler, now_ns, v->keep_any_ns);
	lane_settle(&v->load, now_ns, v->keep_any_ns);
	for (size_t i = 0; i < v->nlane; i++)
		lane_settle(&v->lane[i], now_ns, v->keep_ns);
	for (size_t i = 0; i < v->nopen; i++) {
		struct idle_open *o = &v->open[i];
		bool due = o->gap.end_ns <= now_ns - IDLE_DELAY_NS;
		if ((due || all) && gap_decide(v, o, now_ns - IDLE_DELAY_NS) < 0)
			return -1;
		if (!due)
			v->open[left++] = *o;
	}
	v->nopen = left;
	keep_update(v);
	return 0;
}

static int gaps_begin(struct idle *v, int64_t now_ns)
{
	while (v->more && v->next.ts_ns <= now_ns) {
		GROW(v->open, v->nopen, v->capopen);
		struct idle_open *o = &v->open[v->nopen++];
		*o = (struct idle_open){ v->next, v->next.ts_ns };
		v->keep_any_ns = MIN(v->keep_any_ns, o->done_ns);
		if (gap_is_late(&o->gap))
			v->keep_ns = MIN(v->keep_ns, o->done_ns);
		v->due_ns = MIN(v->due_ns, o->gap.end_ns);
		if (gap_pull(v) < 0)
			return -1;
	}
	return 0;
}

static bool holds_too_much(struct idle *v)
{
	if (++v->records < IDLE_COUNT_EVERY)
		return false;
	v->records = 0;
	size_t held = v->profiler.n - v->profiler.first + v->load.n - v->load.first;
	for (size_t i = 0; i < v->nlane; i++) {
		const struct lane *l = &v->lane[i];
		held += l->n - l->first + l->nwait - l->first_wait;
	}
	return held > IDLE_HOLD_MAX;
}

/* Records inside a frame, or inside an operator whose forward one is known, are
 * where that is; asking for each would cost a walk along the stack.  A record
 * that overlaps its frame's end can outlast it. */
static void anchor_set(const struct idle *v, const struct lane *l,
	const struct idle_record *r, struct lane_record *rec)
{
	const struct lane_open *outer = lane_outer(l);
	const struct lane_anchor *at = outer ? &outer->state.anchor : NULL;
	bool holds = at && at->frame && outer->anchor_end_ns > r->ts_ns;
	rec->anchor_end_ns = r->end_ns;
	if (r->own_frame) {
		rec->anchor = (struct lane_anchor){ r->name, 0,
			r->own_line ? AT_LINE : AT_FUNCTION };
	} else if (r->has_anchor) {
		rec->anchor = r->anchor;
	} else if ((holds && !r->backward && at->how != AT_OTHER_THREAD) ||
	    (r->cat == CAT_PYTHON && (!at || !at->frame || holds))) {
		rec->anchor = at ? *at : (struct lane_anchor){ 0, 0, AT_NONE };
		rec->anchor_end_ns = outer ? outer->anchor_end_ns : r->end_ns;
	} else {
		rec->anchor = v->hook.anchor(v->hook.arg, r);
	}
}

static void record_add(struct idle *v, const struct idle_record *r, unsigned traits)
{
	struct lane_record rec = {
		.ts_ns = r->ts_ns, .end_ns = r->end_ns, .what = DO_HOST,
		.is_frame = r->cat == CAT_PYTHON, .name = r->name,
	};
	if (r->cat == CAT_OVERHEAD) {
		if (traits & (TRAIT_PROFILER | TRAIT_LOAD))
			lane_add(traits & TRAIT_LOAD ? &v->load : &v->profiler, &rec,
				v->keep_any_ns);
		return;
	}
	struct lane *l = lane_of(v, r->track);
	lane_settle(l, r->ts_ns, v->keep_ns);
	anchor_set(v, l, r, &rec);
	rec.what = traits & TRAIT_ALLOC ? DO_ALLOC : traits & TRAIT_INPUT ? DO_INPUT : DO_HOST;
	lane_add(l, &rec, v->keep_ns);
	if (traits & TRAIT_WAIT || (traits & TRAIT_ASYNC_COPY && r->pageable)) {
		struct lane_wait w = { r->ts_ns, r->end_ns, rec.anchor, r->name };
		lane_add_wait(l, &w, v->keep_ns);
	}
}

static bool is_record(enum event_cat cat, unsigned traits)
{
	switch (cat) {
	case CAT_CPU_OP:
	case CAT_RUNTIME:
	case CAT_DRIVER:
	case CAT_PYTHON:
	case CAT_ANNOTATION:
	case CAT_OTHER:
		return !(traits & TRAIT_STEP);
	case CAT_OVERHEAD:
		return true;
	default:
		return false;
	}
}

int idle_add(struct idle *v, const struct idle_record *r)
{
	unsigned traits = r->traits & trait_mask(r->cat);
	if (!is_record(r->cat, traits))
		return 0;
	if (gaps_begin(v, r->ts_ns) < 0)
		return -1;
	/* wait for a batch: looking through the open gaps costs more than keeping them */
	if (v->due_ns < r->ts_ns - 2 * IDLE_DELAY_NS && gaps_decide(v, r->ts_ns, false) < 0)
		return -1;
	record_add(v, r, traits);
	return holds_too_much(v) ? gaps_decide(v, r->ts_ns, true) : 0;
}

int idle_end(struct idle *v)
{
	const int64_t end_ns = INT64_MAX - 1;
	if (gaps_begin(v, end_ns) < 0 || gaps_decide(v, end_ns, false) < 0)
		return -1;
	return piece_flush(v);
}
