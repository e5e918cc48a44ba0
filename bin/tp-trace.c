/* tp-trace - a store as a Chrome trace for a viewer (Perfetto, chrome://tracing):
 * what was loaded, and with each device its steps and its idle time by cause. */
#include "base.h"
#include "say.h"
#include "viewer.h"

#include <stdio.h>

static struct view v = VIEW_INIT;
static const struct opt opts[] = {
	{ 0, "rank", "N", "only this rank", OPT_INT, &v.rank, NULL },
	{ 0, "device", "ID", "only this device, as text: 0", OPT_STR, &v.device, NULL },
	{ 0, "step", "N[:M]", "only what touches these steps", OPT_FN, &v, view_opt_step },
	{ 'o', "output", "FILE", "write there; it appears whole or not at all",
		OPT_STR, &v.out_path, NULL },
	OPT_END
};
static const struct opt_page page = {
	.usage = "tp-trace [options] STORE",
	.what = "A store as a Chrome trace for a viewer, with steps and lost time as lanes.",
	.example = "tp-trace -o trace.json store.db",
	.opt = opts,
};

/* Rows of a trace: ts, dur, lane, cat, name, op, file, line, func, corr, bytes.
 * BASE makes ids of the same trace from the numbers that rows hold. */
#define BASE "(e.id & ~1099511627775) + "
#define NAMED "CROSS JOIN name n ON n.id = " BASE "e.name "
#define RANGE " WHERE e.id > ?1 AND e.id < ?2"
static const char host_sql[] = "SELECT e.ts, e.dur, e.track, e.cat, n.text, NULL, NULL, NULL,"
	" NULL, NULL, NULL FROM host e " NAMED RANGE " ORDER BY e.id";
static const char call_sql[] = "SELECT e.ts, e.dur, e.track, e.cat, n.text, NULL, NULL, NULL,"
	" NULL, e.corr, NULL FROM call e " NAMED RANGE " ORDER BY e.id";
static const char dev_sql[] = "SELECT e.ts, e.dur, e.track, e.cat, n.text, o.text, f.file,"
	" f.line, f.func, e.corr, e.bytes FROM dev e " NAMED
	"LEFT JOIN name o ON o.id = " BASE "e.op LEFT JOIN frame f ON f.id = " BASE "e.frame"
	RANGE " ORDER BY e.id";
static const char idle_sql[] = "SELECT e.ts, e.dur, 0, NULL, c.text, NULL, f.file, f.line,"
	" f.func, NULL, NULL FROM idle e CROSS JOIN cause c ON c.id = e.cause"
	" LEFT JOIN dev d ON d.id = " BASE "e.after"
	" LEFT JOIN frame f ON f.id = " BASE "coalesce(e.frame, d.frame)"
	RANGE " AND e.device = ?3 ORDER BY e.id";

static const char *kineto_cat(int64_t cat)
{
	static const char *const names[] = {
#define X(e, n, d, k) k,
		EVENT_CATS(X)
#undef X
	};

	if (cat == NO_INT)
		return "idle";
	return cat >= 0 && cat < CAT_COUNT && *names[cat] ? names[cat] : "other";
}

static void slice_read(struct slice *s, sqlite3_stmt *st)
{
	const char *text[9];

	for (int i = 4; i < 9; i++)
		text[i] = db_column_str(st, i);
	s->ts_ns = sqlite3_column_int64(st, 0);
	s->dur_ns = sqlite3_column_int64(st, 1);
	s->cat = kineto_cat(column_int(st, 3));
	s->name = text[4];
	s->op = text[5];
	s->file = text[6];
	s->line = column_int(st, 7);
	s->func = text[8];
	s->corr = column_int(st, 9);
	s->bytes = column_int(st, 10);
}

/* Processes of the viewer: the host of a trace, and behind it its devices. */
static int64_t pid_of(const struct view_trace *t)
{
	return t->number * 1000;
}

enum { TID_STEPS = 0, TID_IDLE = 1 << 21 }; /* beside the tracks' numbers */

/* Where a row lies; false: on a device that is not asked for. */
static bool slice_place(const struct view_trace *t, struct slice *s, bool device)
{
	const struct view_track *k = s->tid > 0 && (uint64_t)s->tid <= t->ntrack ?
		&t->track[s->tid - 1] : NULL;

	s->pid = pid_of(t);
	if (!device)
		return true;
	if (!k || k->device_at < 0 || !view_wants_device(&v, k->device))
		return false;
	s->pid += 1 + k->device_at;
	s->device = k->device;
	s->stream = k->stream;
	return true;
}

/* device: whose idle time the query gives, as idle_pid; NULL for any other rows. */
static int rows_put(struct viewer *w, const char *query, const char *device, int64_t idle_pid)
{
	sqlite3_stmt *st = trace_prepare(&v.db, query, w->trace);
	int rc;

	if (!st)
		return -1;
	if (device)
		db_bind_str(st, 3, device);
	while ((rc = db_step(&v.db, st)) > 0) {
		struct slice s = { .pid = idle_pid, .tid = device ? TID_IDLE :
			sqlite3_column_int64(st, 2) };

		if (!device && !slice_place(w->trace, &s, query == dev_sql))
			continue;
		slice_read(&s, st);
		rc = viewer_slice(w, &s);
		if (rc < 0)
			break;
	}
	db_finish(&st);
	return rc;
}

static int steps_put(struct viewer *w, const struct view_steps *steps, int64_t pid)
{
	for (size_t i = 0; i < steps->n; i++) {
		const struct view_step *s = &steps->step[i];
		struct slice slice = SLICE_INIT;
		char name[32] = "whole window";

		/* not the host's own name: nobody shall take it for one more step */
		if (!(s->flags & STEP_WHOLE))
			snprintf(name, sizeof name, "step %" PRId64, s->number != NO_INT ?
				s->number : s->idx);
		slice.cat = "step";
		slice.name = name;
		slice.pid = pid;
		slice.tid = TID_STEPS;
		slice.ts_ns = s->ts_ns;
		slice.dur_ns = s->dur_ns;
		if (s->chosen && viewer_slice(w, &slice) < 0)
			return -1;
	}
	return 0;
}

static int tracks_label(struct viewer *w)
{
	const struct view_trace *t = w->trace;

	for (size_t i = 0; i < t->ntrack; i++) {
		const struct view_track *k = &t->track[i];
		struct buf name = BUF_INIT;
		int rc;

		buf_addf(&name, "%s %s", k->device_at >= 0 ? "stream" : "thread",
			k->device_at >= 0 && k->stream ? k->stream : k->tid ? k->tid : "?");
		rc = viewer_label(w, pid_of(t) + (k->device_at < 0 ? 0 : 1 + k->device_at),
			(int64_t)i + 1, name.data);
		buf_release(&name);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int process_label(struct viewer *w, const char *device, int64_t pid)
{
	struct buf name = BUF_INIT;
	int rc;

	view_add_place(&name, w->trace, device);
	rc = viewer_label(w, pid, -1, name.data);
	buf_release(&name);
	return rc;
}

/* What --step leaves of the trace: from the first chosen step's start to the
 * last one's end, on both clocks. */
static void window_choose(struct viewer *w, const struct view_steps *steps)
{
	for (size_t i = 0; i < steps->n && v.step_first != NO_INT; i++) {
		const struct view_step *s = &steps->step[i];

		if (!s->chosen)
			continue;
		w->first_ns = MIN(w->first_ns, MIN(s->ts_ns, s->host_ts_ns));
		w->last_ns = MAX(w->last_ns, MAX(s->ts_ns + s->dur_ns,
			s->host_ts_ns + s->host_dur_ns));
	}
}

/* windows: only find out what --step leaves. */
static int device_put(struct viewer *w, size_t at, bool windows)
{
	const char *device = w->trace->device[at].idx;
	int64_t pid = pid_of(w->trace) + 1 + (int64_t)at;
	struct view_steps steps;
	int rc = 0;

	if (!device_is_used(&w->trace->device[at]) || !view_wants_device(&v, device))
		return 0;
	if (view_steps(&v, w->trace, device, &steps) < 0)
		return -1;
	if (windows)
		window_choose(w, &steps);
	else if (process_label(w, device, pid) < 0 ||
	    viewer_label(w, pid, TID_STEPS, "steps") < 0 ||
	    viewer_label(w, pid, TID_IDLE, "idle, by cause") < 0 ||
	    steps_put(w, &steps, pid) < 0 || rows_put(w, idle_sql, device, pid) < 0)
		rc = -1;
	steps_release(&steps);
	return rc;
}

static int trace_put(struct viewer *w)
{
	w->first_ns = v.step_first == NO_INT ? INT64_MIN : INT64_MAX;
	w->last_ns = ~w->first_ns;
	if (process_label(w, NULL, pid_of(w->trace)) < 0 || tracks_label(w) < 0)
		return -1;
	for (int windows = 1; windows >= 0; windows--) /* of all devices, then lanes */
		for (size_t i = 0; i < w->trace->ndevice; i++)
			if (device_put(w, i, windows) < 0)
				return -1;
	return rows_put(w, host_sql, NULL, 0) < 0 || rows_put(w, call_sql, NULL, 0) < 0 ||
		rows_put(w, dev_sql, NULL, 0) < 0 ? -1 : 0;
}

static int run(struct view *view)
{
	struct viewer w;

	viewer_begin(&w, view);
	for (size_t i = 0; i < view->ntrace; i++) {
		w.trace = &view->trace[i];
		if (trace_put(&w) < 0)
			return -1;
	}
	viewer_end(&w);
	return 0;
}

int main(int argc, char **argv)
{
	v.face = FACE_TEXT; /* a trace is no stream of records */
	return view_main(&v, &page, argc, argv, run);
}
