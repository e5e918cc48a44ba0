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

struct split_text {
	char wall[NUM_LEN], share[4][NUM_LEN];
	struct buf bar;
};

static void split_format(struct split_text *t, int64_t wall_ns, const int64_t *part_ns,
	int bar, bool cpu)
{
	int64_t idle_ns = wall_ns - part_ns[0] - part_ns[1] - part_ns[2];
	const struct tab_part part[] = {
		{ cpu ? 'O' : 'C', part_ns[SPLIT_COMPUTE] }, { 'N', part_ns[SPLIT_COMM] },
		{ 'T', part_ns[SPLIT_COPY] }, { '.', idle_ns },
	};

	t->bar = (struct buf)BUF_INIT;
	num_fmt_ns(t->wall, wall_ns);
	for (size_t i = 0; i < ARRAY_LEN(part); i++)
		num_fmt_share(t->share[i], part[i].value, wall_ns);
	tab_bar(&t->bar, part, ARRAY_LEN(part), bar);
}

/* A CPU job has operators, and no device to communicate, copy or idle. */
static struct tab *split_table(const char *first, bool cpu)
{
	struct tab *t = tab_new(cpu ? "lrrrlw" : "lrrrrrlw");

	if (cpu)
		tab_head(t, first, "wall", "operators", "other", "split", "");
	else
		tab_head(t, first, "wall", "compute", "comm", "copy", "idle",
		"split", "");
	return t;
}

struct split_words {
	const char *first, *last;
	int bar;
	bool cpu;
};

static void split_row(struct tab *t, const struct split_words *words, int64_t wall_ns,
	const int64_t *part_ns)
{
	struct split_text s;

	split_format(&s, wall_ns, part_ns, words->bar, words->cpu);
	if (words->cpu)
		tab_row(t, words->first, s.wall, s.share[0], s.share[3], s.bar.data, words->last);
	else
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
	bool cpu = trace_is_cpu_job(s->trace);
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
	if (part_step_unknown(p, i) && !cpu)
		tab_row(t, name, num_fmt_ns(wall, step->dur_ns), "?", "?", "?", "?",
			"unknown", words.data);
	else
		split_row(t, &(struct split_words){ name, words.data, BAR, cpu }, step->dur_ns,
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

void view1_add_part(struct buf *b, const struct view1 *job, const struct part_stat *s)
{
	if (several_runs(job))
		buf_addf(b, "run %d ", s->run + 1);
	view_add_place(b, s->trace, s->part->device);
}

static void part_title(struct view1 *job, const struct part_stat *s)
{
	struct view *v = job->view;
	const char *name = device_name(s);

	buf_addc(&v->text, '\n');
	view1_add_part(&v->text, job, s);
	if (name) {
		buf_adds(&v->text, ", ");
		text_show(&v->text, (struct text){ name, strlen(name) });
	}
	if (trace_is_cpu_job(s->trace))
		buf_addf(&v->text, ": %s, split on its operators", trace_cpu_words(s->trace));
	else if (s->part->any)
		buf_adds(&v->text, ": busy when any of the rank's devices is");
	if (s->straggler)
		buf_addf(&v->text, ": %s", s->straggler);
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
		buf_addf(&v->text, "  %zu of %zu steps empty: left out of medians and sums\n",
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
		buf_addf(&v->text, "  %s outside the steps: %s before, %s after them\n",
			trace_is_cpu_job(s->trace) ? "operators" : "device work", num_fmt_ns(a, part_head(p)->busy_ns),
			num_fmt_ns(b, part_tail(p)->busy_ns));
	if (!s->whole && s->counted && v->clock == CLOCK_DRAIN && s->run_ahead_ns > 0)
		buf_addf(&v->text, "  the host runs %s ahead of the device (%s of a step)\n",
			num_fmt_ns(a, s->run_ahead_ns),
			num_fmt_share(b, s->run_ahead_ns, s->median_ns));
}

static void part_text(struct view1 *job, const struct part_stat *s)
{
	struct view *v = job->view;
	struct tab *t = split_table(s->whole ? "" : "step", trace_is_cpu_job(s->trace));
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

static const char *rank_word(const struct part_stat *s)
{
	if (s->work == WORK_UNKNOWN)
		return "device not read";
	return s->straggler ? s->straggler : s->outlier ? "spread" : "";
}

static void rank_row(struct tab *t, const struct part_stat *s, bool cpu)
{
	struct buf place = BUF_INIT;
	char wall[NUM_LEN];

	view_add_place(&place, s->trace, s->part->device);
	if (s->work == WORK_UNKNOWN && !cpu)
		tab_row(t, place.data, num_fmt_ns(wall, s->wall_ns), "?", "?", "?", "?",
			"unknown", "");
	else if (!s->counts && !s->part->any && !cpu)
		tab_row(t, place.data, num_fmt_ns(wall, s->wall_ns), "-", "-", "-", "-",
			"no device work", "");
	else
		split_row(t, &(struct split_words){ place.data, rank_word(s), RANK_BAR, cpu },
			s->wall_ns, s->part_ns);
	buf_release(&place);
}

/* One row a rank and device, over all its steps; a table a run. */
static void ranks_text(struct view1 *job, bool cpu)
{
	struct view *v = job->view;

	for (size_t from = 0, to; from < job->nstat; from = to) {
		struct tab *t = split_table(cpu ? "rank" : "rank, device", cpu);
		size_t limit;

		for (to = from; to < job->nstat && job->stat[to].run == job->stat[from].run;)
			to++;
		limit = view_rows(v, to - from);
		for (size_t i = 0; i < limit; i++)
			rank_row(t, &job->stat[from + i], cpu);
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

static void add_count(struct buf *b, const char *before, size_t n, const char *what,
	const char *plural)
{
	buf_addf(b, "%s%zu %s%s", before, n, what, n == 1 ? "" : plural);
}

/* A CPU job has processes; beside traces with a device both are counted. */
static void title_text(struct view1 *job, const struct view1_totals *t)
{
	struct buf *b = &job->view->text;

	add_count(b, "Where the wall clock went: ", job->n, "trace", "s");
	if (t->devices)
		add_count(b, ", ", t->devices, "device", "s");
	if (t->cpu)
		add_count(b, ", ", t->cpu, "CPU process", "es");
	if (t->cut)
		buf_addf(b, ", %zu cut short", t->cut);
	/* of several kinds they take a line */
	if ((t->devices > 0) + (t->cpu > 0) + (t->cut > 0) > 1 && !t->all_cpu)
		buf_adds(b, ",\n ");
	else
		buf_addc(b, ',');
	if (t->steps)
		add_count(b, " ", t->steps, "step", "s");
	else
		buf_adds(b, " no steps marked");
	if (t->empty)
		buf_addf(b, " (%zu empty)", t->empty);
	if (!t->all_cpu)
		buf_addf(b, ", %s clock", job->view->clock == CLOCK_HOST ? "host" : "drain-point");
	buf_addc(b, '\n');
}

void view1_text(struct view1 *job)
{
	struct view *v = job->view;
	struct view1_totals t = view1_totals(job);

	if (job->nstat)
		qsort(job->stat, job->nstat, sizeof job->stat[0], stat_cmp);

	title_text(job, &t);
	view1_look(job, &t);
	if (job->nstat > 1)
		ranks_text(job, t.all_cpu);
	for (size_t i = 0; i < view_rows(v, job->nstat); i++)
		part_text(job, &job->stat[i]);
	view1_run_text(job);
	if (!t.known) {
		if (t.operators)
			buf_adds(&v->text, "\nO operators, . no operator runs\n");
		buf_adds(&v->text, "adds up: nothing to add, no split is known\n");
		return;
	}
	if (t.all_cpu) {
		buf_addf(&v->text, "\nO operators, . no operator runs\nadds up: %" PRId64
			" ns = operators %" PRId64 " + other %" PRId64 "\n", t.wall_ns,
			t.busy_ns, t.wall_ns - t.busy_ns);
		return;
	}
	buf_addf(&v->text, "\nC compute, N exposed communication, T exposed copies, . idle%s\n",
		t.operators ? "\nwithout a device: O operators, . no operator runs" : "");
	buf_addf(&v->text, "adds up: %" PRId64 " ns = compute %" PRId64 " + comm %" PRId64
		" + copy %" PRId64 " + idle %" PRId64 "\n", t.wall_ns, t.part_ns[0],
		t.part_ns[1], t.part_ns[2], t.wall_ns - t.busy_ns);
}
