/* spread.c - see spread.h. */
#include "base.h"
#include "spread.h"
#include "mem.h"
#include "pace.h"

#include <stdlib.h>

static void stat_sum(struct part_stat *s, const struct span *p)
{
	s->wall_ns += p->end_ns - p->start_ns;
	s->busy_ns += p->busy_ns;
	for (int c = 0; c < SPLIT_CLASSES; c++)
		s->part_ns[c] += p->part_ns[c];
}

void part_stat_make(struct part_stat *s, const struct view_trace *t,
	const struct decomp_part *p)
{
	int64_t *wall = xcalloc(p->steps.n * 3 + 1, sizeof *wall);
	int64_t *comm = wall + p->steps.n, *ahead = comm + p->steps.n;

	memset(s, 0, sizeof *s);
	s->part = p;
	s->trace = t;
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct view_step *step = &p->steps.step[i];
		int flags = part_step_flags(p, i);

		if (!step->chosen)
			continue;
		s->steps++;
		s->empty += (flags & STEP_EMPTY) != 0;
		s->incomplete += (flags & STEP_INCOMPLETE) != 0;
		if (!(flags & STEP_EMPTY)) {
			stat_sum(s, part_step(p, i));
			s->worked++;
		}
		if (flags & (STEP_EMPTY | STEP_INCOMPLETE) && !p->unknown)
			continue;
		wall[s->counted] = step->dur_ns;
		comm[s->counted] = part_step(p, i)->comm_ns;
		ahead[s->counted++] = step->ts_ns - step->host_ts_ns;
	}
	s->whole = p->steps.n == 1 && p->steps.step[0].flags & STEP_WHOLE;
	s->idle_ns = s->wall_ns - s->busy_ns;
	s->median_ns = median_ns(wall, s->counted);
	s->comm_ns = median_ns(comm, s->counted);
	s->run_ahead_ns = median_ns(ahead, s->counted);
	s->min_ns = s->counted ? wall[0] : NO_INT; /* sorted by the median */
	s->max_ns = s->counted ? wall[s->counted - 1] : NO_INT;
	s->outlier = s->counted > 1 &&
		s->max_ns - s->min_ns > s->median_ns / 100 * OUTLIER_PERCENT;
	free(wall);
}

static int64_t first_of(const struct view_trace *t)
{
	return t->base_ns + (t->first_ns == NO_INT ? 0 : t->first_ns);
}

static int64_t last_of(const struct view_trace *t)
{
	return t->base_ns + (t->last_ns == NO_INT ? 0 : t->last_ns);
}

static int start_cmp(const void *a, const void *b)
{
	const struct part_stat *x = *(struct part_stat *const *)a;
	const struct part_stat *y = *(struct part_stat *const *)b;
	int64_t sx = first_of(x->trace), sy = first_of(y->trace);

	if (sx != sy)
		return sx < sy ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* A trace whose rank the run already has belongs to another run: two runs, or
 * two profiler cycles, in one folder are not more ranks. */
static bool run_has(struct part_stat **by, size_t n, const struct part_stat *s, int run)
{
	for (size_t i = 0; i < n; i++)
		if (by[i]->run == run && by[i]->trace != s->trace &&
		    by[i]->trace->rank != NO_INT && by[i]->trace->rank == s->trace->rank)
			return true;
	return false;
}

static int runs_make(struct part_stat **by, size_t n)
{
	int64_t end_ns = INT64_MIN;
	int run = -1;

	for (size_t i = 0; i < n; i++) {
		bool same = i && by[i - 1]->trace == by[i]->trace;

		if (!same && (first_of(by[i]->trace) >= end_ns || run_has(by, i, by[i], run))) {
			run++;
			end_ns = INT64_MIN;
		}
		by[i]->run = run;
		end_ns = MAX(end_ns, last_of(by[i]->trace));
	}
	return run + 1;
}

static void stat_judge(struct part_stat *s, struct works *all)
{
	bool unread = trace_device_unread(s->trace);

	s->work = work_of(s->part->unknown, unread, trace_is_cpu_job(s->trace));
	if (!s->part->any)
		works_add(all, s->work, unread);
}

struct works stats_works(struct part_stat *stat, size_t n)
{
	struct works all = { 0 };

	for (size_t i = 0; i < n; i++)
		stat_judge(&stat[i], &all);
	for (size_t i = 0; i < n; i++) {
		bool sum = stat[i].part->any;

		stat[i].counts = !sum && work_counts(&all, stat[i].work);
		stat[i].aside = !sum && work_aside(&all, stat[i].work);
	}
	return all;
}

static bool comparable(const struct part_stat *s, int run)
{
	return s->run == run && !s->part->any && !s->aside && s->median_ns != NO_INT;
}

/* The longest wall when walls differ; else all wait for the last one, and who
 * communicates least waits for nobody. */
static void run_compare(struct part_stat *stat, size_t n, int run, int64_t *tmp)
{
	struct part_stat *slow = NULL, *quick = NULL, *late = NULL;
	size_t k = 0;
	int64_t middle_ns;

	for (size_t i = 0; i < n; i++) {
		struct part_stat *s = &stat[i];

		if (!comparable(s, run))
			continue;
		if (!slow || s->median_ns > slow->median_ns)
			slow = s;
		if (!quick || s->median_ns < quick->median_ns)
			quick = s;
		if (!late || s->comm_ns < late->comm_ns)
			late = s;
		tmp[k++] = s->comm_ns;
	}
	if (k < 2)
		return;
	middle_ns = median_ns(tmp, k);
	late->least_comm = late->comm_ns < middle_ns / 100 * COMM_LATE_PERCENT;
	if (slow->median_ns - quick->median_ns > quick->median_ns / 100 * WALLS_DIFFER_PERCENT)
		slow->straggler = "longest step";
	else if (late->least_comm)
		late->straggler = "least communication";
}

void stats_compare(struct part_stat *stat, size_t n)
{
	struct part_stat **by = xcalloc(n + 1, sizeof *by);
	int64_t *tmp = xcalloc(n + 1, sizeof *tmp);
	int runs;

	for (size_t i = 0; i < n; i++)
		by[i] = &stat[i];
	qsort(by, n, sizeof *by, start_cmp);
	runs = runs_make(by, n);
	for (int run = 0; run < runs; run++)
		run_compare(stat, n, run, tmp);
	free(tmp);
	free(by);
}
