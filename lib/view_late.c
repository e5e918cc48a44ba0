/* view_late.c - see view_late.h. */
#include "base.h"
#include "view_late.h"
#include "idle.h"
#include "mem.h"
#include "num.h"
#include "sorter.h"

#include <stdlib.h>

struct stretch {
	int64_t start_ns, end_ns; /* on the trace's own clock */
};

/* Time by place: few of them, runs of one are the rule. */
struct place {
	int64_t track, cause, frame, how, ns;
};

struct late {
	struct view *v;
	struct comm_trace *ct;
	struct stretch *stretch;  /* apart from each other, in order of time */
	size_t n, cap;
	int64_t ns;               /* of all stretches */
	struct place *place;
	size_t nplace, capplace, last;
};

/* Stretches come in order of their ends. */
static void stretch_add(struct late *l, struct stretch s)
{
	while (l->n > 0 && l->stretch[l->n - 1].end_ns >= s.start_ns) {
		l->n--;
		l->ns -= l->stretch[l->n].end_ns - l->stretch[l->n].start_ns;
		s.start_ns = MIN(s.start_ns, l->stretch[l->n].start_ns);
	}
	GROW(l->stretch, l->n, l->cap);
	l->stretch[l->n++] = s;
	l->ns += s.end_ns - s.start_ns;
}

static void stretches_find(struct late *l, const struct arrive *run)
{
	size_t me = l->ct->member;
	int64_t clock_ns = run->rank[me].offset_ns - l->ct->t->base_ns;
	for (size_t i = 0; i < run->nset; i++) {
		const struct arrive_set *s = &run->set[i];
		struct stretch x = { s->last_start_ns - s->skew_ns + clock_ns,
			s->last_start_ns + clock_ns };
		if (s->last == me && s->skew_ns >= IDLE_LOSS_NS)
			stretch_add(l, x);
	}
}

/* How much of [start, end) lies in stretches. */
static int64_t covered(const struct late *l, int64_t start_ns, int64_t end_ns)
{
	size_t lo = 0, hi = l->n;
	int64_t sum = 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->stretch[mid].end_ns <= start_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < l->n && l->stretch[lo].start_ns < end_ns; lo++)
		sum += MIN(end_ns, l->stretch[lo].end_ns) -
			MAX(start_ns, l->stretch[lo].start_ns);
	return sum;
}

static void place_add(struct late *l, const struct place *p)
{
	size_t i = l->last;
	if (p->ns <= 0)
		return;
	for (size_t seen = 0; seen < l->nplace; seen++, i = (i + 1) % l->nplace) {
		struct place *have = &l->place[i];
		if (have->track != p->track || have->cause != p->cause ||
		    have->frame != p->frame || have->how != p->how)
			continue;
		have->ns += p->ns;
		l->last = i;
		return;
	}
	GROW(l->place, l->nplace, l->capplace);
	l->place[l->nplace] = *p;
	l->last = l->nplace++;
}

/* The anchor of a piece without one of its own is that of the op behind it. */
static const char IDLE_SQL[] = "SELECT i.ts, i.dur, i.cause,"
	" CASE WHEN i.frame IS NULL AND i.op IS NULL THEN d.frame ELSE i.frame END,"
	" coalesce(i.how, d.how) FROM idle i"
	" LEFT JOIN dev d ON d.id = ((i.id >> 40) << 40) + i.after"
	" WHERE i.id > ?1 AND i.id < ?2 AND i.device = ?3 ORDER BY i.id";

static int device_places(struct late *l)
{
	sqlite3_stmt *st = trace_prepare(&l->v->db, IDLE_SQL, l->ct->t);
	const struct comm_item *first = &l->ct->comm.item[0];
	int rc;
	if (!st)
		return -1;
	db_bind_str(st, 3, l->ct->device[l->ct->comm.kind[first->kind].key.device].idx);
	while ((rc = db_step(&l->v->db, st)) > 0) {
		int64_t ts_ns = sqlite3_column_int64(st, 0);
		struct place p = { 0, sqlite3_column_int64(st, 2),
			sqlite3_column_int64(st, 3), sqlite3_column_int64(st, 4),
			covered(l, ts_ns, ts_ns + sqlite3_column_int64(st, 1)) };
		if (p.frame == 0)
			p.how = 0; /* one place, whatever the operators */
		place_add(l, &p);
	}
	db_finish(&st);
	return rc;
}

/* A Python frame of the user's code; `line`: its line is the executed one. */
struct host_frame {
	int64_t track, ts_ns, end_ns, name, line;
};

static int frame_order(const void *x, const void *y)
{
	const struct host_frame *a = x, *b = y;
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static const char FRAMES_SQL[] = "SELECT h.track, h.ts, h.dur, h.name,"
	" n.text GLOB '* [[]line]' FROM host h"
	" CROSS JOIN frame f ON f.id = ((h.id >> 40) << 40) + h.name"
	" CROSS JOIN name n ON n.id = f.id"
	" WHERE h.id > ?1 AND h.id < ?2 AND h.cat = ?3 AND f.own";

static int frames_sort(struct late *l, struct sorter *to)
{
	sqlite3_stmt *st = trace_prepare(&l->v->db, FRAMES_SQL, l->ct->t);
	int rc;
	if (!st)
		return -1;
	sqlite3_bind_int(st, 3, CAT_PYTHON);
	while ((rc = db_step(&l->v->db, st)) > 0) {
		struct host_frame f = { sqlite3_column_int64(st, 0),
			sqlite3_column_int64(st, 1), 0, sqlite3_column_int64(st, 3),
			sqlite3_column_int64(st, 4) };
		f.end_ns = f.ts_ns + sqlite3_column_int64(st, 2);
		/* what ends outside of every stretch can still enclose one */
		if (covered(l, f.ts_ns, f.end_ns) > 0 && sorter_add(to, &f) < 0) {
			rc = -1;
			break;
		}
	}
	db_finish(&st);
	return rc < 0 ? -1 : sorter_done(to);
}

/* A thread's open frames, innermost last; what ran up to now_ns is given out. */
struct frames {
	struct late *l;
	struct host_frame *open;
	size_t n, cap;
	int64_t now_ns;
};

/* Gives [now, until) to the innermost open frame. */
static void frames_until(struct frames *f, int64_t until_ns)
{
	while (f->n > 0 && f->now_ns < until_ns) {
		const struct host_frame *top = &f->open[f->n - 1];
		int64_t to_ns = MIN(until_ns, top->end_ns);
		if (to_ns > f->now_ns) {
			struct place p = { top->track, -1, top->name, top->line ? 1 : 2,
				covered(f->l, f->now_ns, to_ns) };
			place_add(f->l, &p);
			f->now_ns = to_ns;
		}
		if (top->end_ns <= f->now_ns)
			f->n--;
	}
}

static int frames_walk(struct late *l, struct sorter *s)
{
	struct frames f = { .l = l };
	struct sorter_iter it;
	const struct host_frame *x;
	if (sorter_first(s, &it) < 0)
		return -1;
	while ((x = sorter_next(&it))) {
		if (f.n > 0 && f.open[0].track != x->track)
			frames_until(&f, INT64_MAX);
		if (f.n > 0)
			frames_until(&f, x->ts_ns);
		f.now_ns = x->ts_ns;
		GROW(f.open, f.n, f.cap);
		f.open[f.n++] = *x;
	}
	frames_until(&f, INT64_MAX);
	free(f.open);
	int status = it.failed ? -1 : 0;
	sorter_iter_release(&it);
	return status;
}

#define SORT_BYTES (16 << 20) /* 400,000 frames before anything spills */

static int host_places(struct late *l)
{
	struct sorter s;
	sorter_init(&s, sizeof(struct host_frame), frame_order, view_scratch_dir(),
		SORT_BYTES);
	int status = frames_sort(l, &s);
	if (status == 0)
		status = frames_walk(l, &s);
	sorter_release(&s);
	return status;
}

/* Threads are alternatives, not parts: only the one with most time counts. */
static int64_t busiest_track(const struct late *l)
{
	int64_t best = -1, most_ns = -1;
	for (size_t i = 0; i < l->nplace; i++) {
		int64_t ns = 0;
		for (size_t k = 0; k < l->nplace; k++)
			if (l->place[k].track == l->place[i].track)
				ns += l->place[k].ns;
		if (ns > most_ns || (ns == most_ns && l->place[i].track < best)) {
			most_ns = ns;
			best = l->place[i].track;
		}
	}
	return best;
}

static void late_decide(struct late *l)
{
	const struct place *most = NULL;
	int64_t track = busiest_track(l), idle_ns = 0;
	for (size_t i = 0; i < l->nplace; i++) {
		const struct place *p = &l->place[i];
		if (p->track != track)
			continue;
		idle_ns += p->ns;
		if (!most || p->ns > most->ns)
			most = p;
	}
	struct comm_late *out = &l->ct->late;
	out->ns = l->ns;
	if (!l->ct->cpu_job && idle_ns * 2 < l->ns) {
		out->cause = "busy";
		out->at_ns = l->ns - idle_ns;
	} else if (most) {
		out->cause = most->cause < 0 ? NULL :
			idle_cause_name((enum idle_cause)most->cause);
		out->at_ns = most->ns;
		out->frame = most->frame;
		out->how = most->how;
	}
}

static int trace_late(struct view *v, const struct comm_all *a, struct comm_trace *ct)
{
	struct late l = { .v = v, .ct = ct };
	int status = 0;
	stretches_find(&l, &a->run[ct->run]);
	if (l.n > 0) {
		status = ct->cpu_job ? host_places(&l) : device_places(&l);
		late_decide(&l);
	}
	free(l.stretch);
	free(l.place);
	return status;
}

int late_find(struct view *v, struct comm_all *a)
{
	for (struct comm_trace *ct = a->trace; ct < a->trace + a->n; ct++)
		if (ct->run != SIZE_MAX && trace_late(v, a, ct) < 0)
			return -1;
	return 0;
}

static int late_anchor(struct view *v, const struct comm_trace *ct, struct anchor_text *out)
{
	struct names names;
	if (names_open(&names, &v->db, ct->t) < 0)
		return -1;
	int status = names_anchor(&names, ct->late.frame, ct->late.how, out);
	names_close(&names);
	return status;
}

int late_put(struct view *v, const struct comm_trace *ct)
{
	struct jw *w = &v->writer.jw;
	struct anchor_text anchor;
	if (ct->late.ns == 0)
		return 0;
	jw_kint(w, "late_ns", ct->late.ns);
	if (ct->late.at_ns == 0)
		return 0;
	if (late_anchor(v, ct, &anchor) < 0)
		return -1;
	jw_kint(w, "late_at_ns", ct->late.at_ns);
	jw_kstr(w, "late_cause", ct->late.cause);
	jw_kstr(w, "late_file", anchor.file);
	if (anchor.file)
		jw_kint(w, "late_line", anchor.line);
	jw_kstr(w, "late_func", anchor.func);
	jw_kstr(w, "late_how", anchor.how);
	anchor_release(&anchor);
	return 0;
}

int late_text(struct view *v, const struct comm_trace *ct)
{
	struct anchor_text anchor;
	char at[NUM_LEN], all[NUM_LEN];
	if (!ct || ct->late.at_ns == 0)
		return 0;
	if (late_anchor(v, ct, &anchor) < 0)
		return -1;
	buf_adds(&v->text, "  meanwhile its ");
	if (ct->late.cause)
		buf_addf(&v->text, "device was %s%s", strcmp(ct->late.cause, "busy") ?
			"idle: " : "", ct->late.cause);
	else
		buf_adds(&v->text, "thread was in Python");
	if (anchor.file)
		buf_addf(&v->text, ", at %s:%" PRId64 " (%s)", anchor.file, anchor.line,
			anchor.func ? anchor.func : "?");
	buf_addf(&v->text, ", %s of %s\n", num_fmt_ns(at, ct->late.at_ns),
		num_fmt_ns(all, ct->late.ns));
	anchor_release(&anchor);
	return 0;
}
