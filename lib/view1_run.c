/* view1_run.c - the honest clock beside the profiled window, as rows and as
 * text; see view1.h. */
#include "base.h"
#include "view1.h"
#include "mem.h"
#include "num.h"
#include "tab.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

int64_t view1_profiled(const struct view1 *job, int64_t rank)
{
	int64_t *wall, median;
	size_t n = 0;

	wall = xcalloc(job->nstat + 1, sizeof *wall);
	for (size_t i = 0; i < job->nstat; i++) {
		const struct part_stat *s = &job->stat[i];

		if (!s->part->any && !s->aside && !s->whole && s->median_ns != NO_INT &&
		    (rank == NO_INT || s->trace->rank == NO_INT || s->trace->rank == rank))
			wall[n++] = s->median_ns;
	}
	median = median_ns(wall, n);
	free(wall);
	return median;
}

static void known_int(struct jw *w, const char *key, int64_t n)
{
	if (n != NO_INT)
		jw_kint(w, key, n);
}

static void window_put(struct jw *w, const struct view1 *job, int64_t rank)
{
	size_t devices = 0, steps = 0;

	for (size_t i = 0; i < job->nstat; i++) {
		const struct part_stat *s = &job->stat[i];

		devices += !s->part->any && *s->part->device;
		if (!s->part->any && !s->whole)
			steps = MAX(steps, s->steps);
	}
	jw_kint(w, "traces", (int64_t)job->n);
	jw_kint(w, "devices", (int64_t)devices);
	jw_kint(w, "profiled_steps", (int64_t)steps);
	known_int(w, "profiled_median_ns", view1_profiled(job, rank));
}

/* A row of the honest clock has no trace; its place is run and rank. */
static struct jw *honest_row(struct view1 *job, const char *kind, const struct honest *h,
	const char *item)
{
	char at[96];
	struct jw *w;
	int n = snprintf(at, sizeof at, "%" PRId64, h->run);

	if (h->rank != NO_INT && n > 0 && (size_t)n < sizeof at)
		n += snprintf(at + n, sizeof at - (size_t)n, ":%" PRId64, h->rank);
	if (item && n > 0 && (size_t)n < sizeof at)
		snprintf(at + n, sizeof at - (size_t)n, ":%s", item);
	w = view_row(job->view, kind, &(struct view_where){ .item = at });
	jw_kint(w, "run", h->run);
	if (h->rank != NO_INT)
		jw_kint(w, "rank", h->rank);
	return w;
}

static int run_put(struct view1 *job, const struct honest *h)
{
	struct jw *w = honest_row(job, "view1.run", h, NULL);

	jw_kbool(w, "partial", h->cut);
	known_int(w, "startup_ns", h->startup_ns);
	if (h->nstep) {
		jw_kint(w, "steps", (int64_t)h->nstep);
		jw_kint(w, "plain_median_ns", h->median_ns);
		jw_kstr(w, "plain_clock", h->ahead ? "device" : "host");
	}
	known_int(w, "total_ns", h->total_ns);
	window_put(w, job, h->rank);
	if (h->nstep && h->median_ns > 0 && view1_profiled(job, h->rank) != NO_INT)
		jw_kratio(w, "profiler_weight", view1_profiled(job, h->rank), h->median_ns, 3);
	return view_put(job->view);
}

static int startup_put(struct view1 *job, const struct honest *h, size_t i)
{
	const struct honest_phase *p = &h->phase[i], *first = h->phase;
	char item[24];
	struct jw *w;

	while (first < p && first->start_ns == NO_INT)
		first++; /* those of no known time come first */
	snprintf(item, sizeof item, "%zu", i + 1);
	w = honest_row(job, "view1.startup", h, item);
	jw_kstr(w, "phase", p->phase);
	if (p->start_ns != NO_INT)
		jw_kint(w, "start_ns", p->start_ns - first->start_ns);
	jw_kint(w, "dur_ns", p->dur_ns);
	jw_kstr(w, "file", p->file);
	known_int(w, "line", p->line);
	jw_kstr(w, "func", p->func);
	jw_kstr(w, "how", p->file ? "line" : NULL);
	return view_put(job->view);
}

static int beat_put(struct view1 *job, const struct honest *h, const struct beat *b)
{
	char item[64];
	struct jw *w;

	snprintf(item, sizeof item, "%" PRId64 "+%" PRId64, b->every, b->first);
	w = honest_row(job, "view1.periodic", h, item);
	jw_kint(w, "every", b->every);
	jw_kint(w, "first_step", b->first);
	jw_kint(w, "count", b->count);
	jw_kint(w, "each_ns", b->each_ns);
	jw_kint(w, "cost_ns", b->each_ns * b->count);
	jw_kstr(w, "file", b->file);
	known_int(w, "line", b->line);
	jw_kstr(w, "func", b->func);
	jw_kstr(w, "how", b->file ? "line" : NULL);
	return view_put(job->view);
}

int view1_run_put(struct view1 *job)
{
	struct jw *w;

	if (!job->nhonest && job->n) {
		w = view_row(job->view, "view1.run", &(struct view_where){ .item = "window" });
		window_put(w, job, NO_INT);
		return view_put(job->view);
	}
	for (size_t i = 0; i < job->nhonest; i++) {
		struct honest *h = &job->honest[i];

		if (run_put(job, h) < 0)
			return -1;
		for (size_t k = 0; k < h->nphase; k++)
			if (startup_put(job, h, k) < 0)
				return -1;
		for (size_t k = 0; k < h->nbeat; k++)
			if (beat_put(job, h, &h->beat[k]) < 0)
				return -1;
	}
	return 0;
}

static void add_place(struct buf *b, const char *file, int64_t line, const char *func)
{
	if (file)
		buf_adds(b, file);
	if (file && line != NO_INT)
		buf_addf(b, ":%" PRId64, line);
	if (func)
		buf_addf(b, " (%s)", func);
}

static void startup_text(struct view *v, const struct honest *h)
{
	struct tab *t = tab_new("llrrw");
	size_t limit = view_rows(v, h->nphase);

	tab_head(t, "", "startup phase", "time", "share", "where");
	for (size_t i = 0; i < limit; i++) {
		const struct honest_phase *p = &h->phase[i];
		char dur[NUM_LEN], share[NUM_LEN];
		struct buf place = BUF_INIT;

		add_place(&place, p->file, p->line, p->func);
		tab_row(t, "", p->phase, num_fmt_ns(dur, p->dur_ns),
			num_fmt_share(share, p->dur_ns, h->startup_ns), place.data);
		buf_release(&place);
	}
	tab_put(t, &v->text, v->width, v->cut);
	tab_free(t);
	view_add_rest(v, limit, h->nphase);
}

static void beats_text(struct view *v, const struct honest *h)
{
	for (size_t i = 0; i < h->nbeat; i++) {
		const struct beat *p = &h->beat[i];
		struct buf place = BUF_INIT;
		char each[NUM_LEN], all[NUM_LEN], share[NUM_LEN];

		add_place(&place, p->file, p->line, p->func);
		buf_addf(&v->text, "  every %" PRId64 " steps from step %" PRId64 ": %s longer,"
			" %" PRId64 " times, %s in all", p->every, p->first,
			num_fmt_ns(each, p->each_ns), p->count,
			num_fmt_ns(all, p->each_ns * p->count));
		if (h->total_ns != NO_INT && !h->cut)
			buf_addf(&v->text, " (%s)", num_fmt_share(share,
				p->each_ns * p->count, h->total_ns));
		buf_addc(&v->text, '\n');
		if (place.len)
			buf_adds(&v->text, "    at ");
		text_show(&v->text, buf_text(&place));
		if (place.len)
			buf_addc(&v->text, '\n');
		buf_release(&place);
	}
}

static void steps_text(struct view *v, const struct honest *h, int64_t profiled_ns)
{
	char plain[NUM_LEN], profiled[NUM_LEN], wall[NUM_LEN];
	struct buf ratio = BUF_INIT;

	buf_addf(&v->text, "  %zu step%s, median %s", h->nstep, h->nstep == 1 ? "" : "s",
		num_fmt_ns(plain, h->median_ns));
	if (h->ahead)
		buf_addf(&v->text, " on the device (the host runs ahead: %s)",
			num_fmt_ns(wall, h->wall_median_ns));
	buf_addc(&v->text, '\n');
	if (profiled_ns == NO_INT || h->median_ns <= 0)
		return;
	num_add_ratio(&ratio, profiled_ns, h->median_ns, 2);
	buf_addf(&v->text, "  a profiled step takes %s, %s times as long (the"
		" profiler's weight)\n", num_fmt_ns(profiled, profiled_ns), ratio.data);
	buf_release(&ratio);
}

void view1_run_text(struct view1 *job)
{
	struct view *v = job->view;

	for (size_t i = 0; i < job->nhonest; i++) {
		const struct honest *h = &job->honest[i];
		char startup[NUM_LEN], share[NUM_LEN];

		buf_adds(&v->text, "\nwithout the profiler");
		if (h->rank != NO_INT)
			buf_addf(&v->text, ", rank %" PRId64, h->rank);
		buf_adds(&v->text, h->cut ? ": PARTIAL, the run took longer than what was"
			" timed\n" : "\n");
		if (h->nstep)
			steps_text(v, h, view1_profiled(job, h->rank));
		beats_text(v, h);
		if (h->startup_ns != NO_INT) {
			buf_addf(&v->text, "  startup %s", num_fmt_ns(startup, h->startup_ns));
			if (h->total_ns != NO_INT)
				buf_addf(&v->text, ", %s of %s",
					num_fmt_share(share, h->startup_ns, h->total_ns),
					h->cut ? "what was timed" : "the run");
			buf_addc(&v->text, '\n');
			startup_text(v, h);
		}
	}
}
