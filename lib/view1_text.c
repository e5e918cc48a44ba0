/* view1_text.c - the runtime decomposition for a person; see view1.h. */
#include "base.h"
#include "view1.h"
#include "num.h"
#include "tab.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

#define BAR 22           /* cells of a step's bar */
#define RANK_BAR 11      /* and of a rank's, beside its name and a word */
#define IDLE_BIG_PERCENT 20
#define COMM_BIG_PERCENT 10
#define COPY_BIG_PERCENT 5

struct split_text {
	char wall[NUM_LEN], share[4][NUM_LEN];
	struct buf bar;
};

static void split_format(struct split_text *t, int64_t wall_ns, const int64_t *part_ns,
	int bar)
{
	int64_t idle_ns = wall_ns - part_ns[0] - part_ns[1] - part_ns[2];
	const struct tab_part part[] = {
		{ 'C', part_ns[SPLIT_COMPUTE] }, { 'N', part_ns[SPLIT_COMM] },
		{ 'T', part_ns[SPLIT_COPY] }, { '.', idle_ns },
	};

	t->bar = (struct buf)BUF_INIT;
	num_fmt_ns(t->wall, wall_ns);
	for (size_t i = 0; i < ARRAY_LEN(part); i++)
		num_fmt_share(t->share[i], part[i].value, wall_ns);
	tab_bar(&t->bar, part, ARRAY_LEN(part), bar);
}

static struct tab *split_table(const char *first)
{
	struct tab *t = tab_new("lrrrrrlw");

	tab_head(t, first, "wall", "compute", "comm", "copy", "idle",
		"split", "");
	return t;
}

struct split_words {
	const char *first, *last;
	int bar;
};

static void split_row(struct tab *t, const struct split_words *words, int64_t wall_ns,
	const int64_t *part_ns)
{
	struct split_text s;

	split_format(&s, wall_ns, part_ns, words->bar);
	tab_row(t, words->first, s.wall, s.share[0], s.share[1], s.share[2], s.share[3],
		s.bar.data, words->last);
	buf_release(&s.bar);
}

static void add_word(struct buf *b, bool set, const char *word)
{
	if (set)
		buf_addf(b, "%s%s", b->len ? ", " : "", word);
}

static void step_row(struct tab *t, const struct part_stat *s, size_t i)
{
	const struct decomp_part *p = s->part;
	const struct view_step *step = &p->steps.step[i];
	int flags = part_step_flags(p, i);
	struct buf words = BUF_INIT;
	char name[NUM_LEN], wall[NUM_LEN];

	add_word(&words, flags & STEP_EMPTY, "empty");
	add_word(&words, flags & STEP_INCOMPLETE, "incomplete");
	add_word(&words, s->outlier && step->dur_ns == s->max_ns, "longest");
	if (flags & STEP_WHOLE)
		snprintf(name, sizeof name, "window");
	else
		snprintf(name, sizeof name, "%" PRId64,
			step->number != NO_INT ? step->number : step->idx);
	if (part_step_unknown(p, i))
		tab_row(t, name, num_fmt_ns(wall, step->dur_ns), "?", "?", "?", "?",
			"unknown", words.data);
	else
		split_row(t, &(struct split_words){ name, words.data, BAR }, step->dur_ns,
			part_step(p, i)->part_ns);
	buf_release(&words);
}

static const char *device_name(const struct part_stat *s)
{
	if (s->part->info && s->part->info->name)
		return s->part->info->name;
	return s->part->any ? NULL : s->trace->device_name;
}

static bool several_runs(const struct view1 *job)
{
	return job->nstat && job->stat[job->nstat - 1].run > 0; /* sorted by run */
}

static void add_part(struct buf *b, const struct view1 *job, const struct part_stat *s)
{
	if (several_runs(job))
		buf_addf(b, "run %d ", s->run + 1);
	view_add_place(b, s->trace, s->part->device);
}

static void part_title(struct view1 *job, const struct part_stat *s)
{
	struct view *v = job->view;

	buf_addc(&v->text, '\n');
	add_part(&v->text, job, s);
	if (device_name(s)) {
		buf_adds(&v->text, ", ");
		text_show(&v->text, (struct text){ device_name(s), strlen(device_name(s)) });
	}
	if (trace_is_cpu_job(s->trace))
		/* what comes last in a file is what a cut takes: often the device's part */
		buf_adds(&v->text, s->trace->partial ?
			": no device in the part that was read, split on its operators" :
			": a CPU job, split on its operators");
	else if (s->part->any)
		buf_adds(&v->text, ": busy when any of the rank's devices is");
	if (s->straggler)
		buf_adds(&v->text, ": STRAGGLER");
	buf_addc(&v->text, '\n');
}

static void part_notes(struct view *v, const struct part_stat *s)
{
	const struct decomp_part *p = s->part;
	char a[NUM_LEN], b[NUM_LEN];

	if (s->whole)
		buf_adds(&v->text, "  no step marks in this trace: the whole window is one row\n");
	if (s->counted > 1)
		buf_addf(&v->text, "  median step %s, spread %s of it%s\n",
			num_fmt_ns(a, s->median_ns),
			num_fmt_share(b, s->max_ns - s->min_ns, s->median_ns),
			s->outlier ? " (outlier spread: steps differ)" : "");
	if (s->empty)
		buf_addf(&v->text, "  %zu of %zu steps empty: left out of the median\n",
			s->empty, s->steps);
	if (s->incomplete)
		buf_addf(&v->text, "  %zu of %zu steps incomplete (a tenth or more of the"
			" launches have no\n  device op): left out of the median\n",
			s->incomplete, s->steps);
	if (p->untimed)
		buf_addf(&v->text, "  %" PRIu64 " device ops carry no times: busy is a lower"
			" bound\n", p->untimed);
	if (p->unknown)
		return;
	if (part_head(p)->busy_ns || part_tail(p)->busy_ns)
		buf_addf(&v->text, "  device work outside the steps: %s before, %s"
			" after them\n", num_fmt_ns(a, part_head(p)->busy_ns),
			num_fmt_ns(b, part_tail(p)->busy_ns));
	if (!s->whole && s->counted && v->clock == CLOCK_DRAIN && s->run_ahead_ns > 0)
		buf_addf(&v->text, "  the host runs %s ahead of the device (%s of a step)\n",
			num_fmt_ns(a, s->run_ahead_ns),
			num_fmt_share(b, s->run_ahead_ns, s->median_ns));
}

static void part_text(struct view1 *job, const struct part_stat *s)
{
	struct view *v = job->view;
	struct tab *t = split_table(s->whole ? "" : "step");
	size_t shown = 0, limit = view_rows(v, s->steps);

	part_title(job, s);
	for (size_t i = 0; i < s->part->steps.n; i++)
		if (s->part->steps.step[i].chosen && shown < limit) {
			step_row(t, s, i);
			shown++;
		}
	tab_put(t, &v->text, v->width, v->cut);
	tab_free(t);
	view_add_rest(v, shown, s->steps);
	part_notes(v, s);
}

static void rank_row(struct tab *t, const struct part_stat *s)
{
	struct buf place = BUF_INIT;
	char wall[NUM_LEN];

	view_add_place(&place, s->trace, s->part->device);
	if (s->part->unknown)
		tab_row(t, place.data, num_fmt_ns(wall, s->wall_ns), "?", "?", "?", "?",
			"unknown", "");
	else
		split_row(t, &(struct split_words){ place.data, s->straggler ? "straggler" :
			s->outlier ? "spread" : "", RANK_BAR }, s->wall_ns, s->part_ns);
	buf_release(&place);
}

/* One row a rank and device, over all its steps; a table a run. */
static void ranks_text(struct view1 *job)
{
	struct view *v = job->view;

	for (size_t from = 0, to; from < job->nstat; from = to) {
		struct tab *t = split_table("rank, device");
		size_t limit;

		for (to = from; to < job->nstat && job->stat[to].run == job->stat[from].run;)
			to++;
		limit = view_rows(v, to - from);
		for (size_t i = 0; i < limit; i++)
			rank_row(t, &job->stat[from + i]);
		if (several_runs(job))
			buf_addf(&v->text, "\nrun %d, all steps together\n",
				job->stat[from].run + 1);
		else
			buf_adds(&v->text, "\nall steps together\n");
		tab_put(t, &v->text, v->width, v->cut);
		tab_free(t);
		view_add_rest(v, limit, to - from);
	}
}

/* For a person by run and rank, not in the order of the hash. */
static int stat_cmp(const void *a, const void *b)
{
	const struct part_stat *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	if (x->trace->rank != y->trace->rank)
		return x->trace->rank < y->trace->rank ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace->number < y->trace->number ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

struct totals {
	int64_t wall_ns, busy_ns, part_ns[SPLIT_CLASSES];
	size_t devices, steps, unknown, cpu;
	bool partial; /* a trace of these is cut short */
};

static struct totals totals_make(const struct view1 *job)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < job->nstat; i++) {
		const struct part_stat *s = &job->stat[i];

		if (s->part->any)
			continue;
		t.cpu += trace_is_cpu_job(s->trace);
		t.partial |= s->trace->partial;
		t.devices++;
		t.steps += s->steps;
		if (s->part->unknown) {
			t.unknown++;
			continue;
		}
		t.wall_ns += s->wall_ns;
		t.busy_ns += s->busy_ns;
		for (int c = 0; c < SPLIT_CLASSES; c++)
			t.part_ns[c] += s->part_ns[c];
	}
	return t;
}

static void add_look(struct buf *b, const char *what, int64_t ns, int64_t wall_ns,
	const char *where)
{
	char share[NUM_LEN];

	buf_addf(b, "  %s %s of the wall clock: %s\n", what,
		num_fmt_share(share, ns, wall_ns), where);
}

/* The first lines: which view has the answer. */
static void look_text(struct view1 *job, const struct totals *t)
{
	struct buf *b = &job->view->text;
	int64_t idle_ns = t->wall_ns - t->busy_ns, percent_ns = t->wall_ns / 100;
	char median[NUM_LEN];

	if (!t->wall_ns)
		return;
	if (t->cpu && t->cpu == t->devices) {
		add_look(b, "operators take", t->busy_ns, t->wall_ns, t->partial ?
			"the part that was read has no device" : "a job without a device");
		return;
	}
	if (job->nstat == 1 && job->stat[0].counted && !job->stat[0].whole)
		buf_addf(b, "  a step takes %s (median)\n",
			num_fmt_ns(median, job->stat[0].median_ns));
	if (idle_ns > percent_ns * IDLE_BIG_PERCENT)
		add_look(b, "the device is IDLE", idle_ns, t->wall_ns, "see lost time (tp-view2)");
	else if (t->part_ns[SPLIT_COMPUTE] * 2 > t->wall_ns)
		add_look(b, "the device is busy", t->busy_ns, t->wall_ns,
			"it binds (see tp-view3)");
	if (t->part_ns[SPLIT_COMM] > percent_ns * COMM_BIG_PERCENT)
		add_look(b, "EXPOSED COMMUNICATION takes", t->part_ns[SPLIT_COMM], t->wall_ns,
			"see overlap (tp-view4)");
	if (t->part_ns[SPLIT_COPY] > percent_ns * COPY_BIG_PERCENT)
		add_look(b, "EXPOSED COPIES take", t->part_ns[SPLIT_COPY], t->wall_ns,
			"see the copies of tp-view3");
}

static void unknown_text(struct view1 *job)
{
	struct buf *b = &job->view->text;

	for (size_t i = 0; i < job->n; i++) {
		const struct view_trace *t = job->decomp[i].trace;

		if (!trace_busy_unknown(t))
			continue;
		buf_adds(b, "  ");
		view_add_place(b, t, NULL);
		buf_addf(b, ": NO DEVICE ACTIVITY in this trace although %" PRId64
			" launches were\n  recorded: busy and idle are unknown (not 0 %% and"
			" 100 %%).\n  Usual reasons: CUPTI was not initialised, another tool"
			" had taken it, or the\n  user may not read the counters.\n",
			t->count.launches);
	}
}

static void spread_lines(struct view1 *job)
{
	struct buf *b = &job->view->text;

	for (size_t i = 0; i < job->nstat; i++) {
		const struct part_stat *s = &job->stat[i];

		if (!s->straggler)
			continue;
		buf_adds(b, "  STRAGGLER: ");
		add_part(b, job, s);
		buf_addf(b, " (%s)\n", s->straggler);
	}
	for (size_t i = 0; i < job->n; i++)
		if (job->decomp[i].trace->partial)
			buf_addf(b, "  trace %" PRId64 " is PARTIAL: %s\n",
				job->decomp[i].trace->number, job->decomp[i].trace->why_partial ?
				job->decomp[i].trace->why_partial : "cut short");
}

void view1_text(struct view1 *job)
{
	struct view *v = job->view;
	struct totals t = totals_make(job);

	if (job->nstat)
		qsort(job->stat, job->nstat, sizeof job->stat[0], stat_cmp);

	buf_addf(&v->text, "Where the wall clock went: %zu trace%s, %zu device%s, %zu step%s,"
		" %s clock\n", job->n, job->n == 1 ? "" : "s", t.devices,
		t.devices == 1 ? "" : "s", t.steps, t.steps == 1 ? "" : "s",
		v->clock == CLOCK_HOST ? "host" : "drain-point");
	unknown_text(job);
	look_text(job, &t);
	spread_lines(job);
	if (job->nstat > 1)
		ranks_text(job);
	for (size_t i = 0; i < view_rows(v, job->nstat); i++)
		part_text(job, &job->stat[i]);
	view1_run_text(job);
	if (t.unknown == t.devices) {
		buf_adds(&v->text, "adds up: nothing to add, no split is known\n");
		return;
	}
	buf_adds(&v->text, "\nC compute, N exposed communication, T exposed copies, . idle\n");
	buf_addf(&v->text, "adds up: %" PRId64 " ns = compute %" PRId64 " + comm %" PRId64
		" + copy %" PRId64 " + idle %" PRId64 "\n", t.wall_ns, t.part_ns[0],
		t.part_ns[1], t.part_ns[2], t.wall_ns - t.busy_ns);
}
