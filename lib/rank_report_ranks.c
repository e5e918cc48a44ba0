/* rank_report_ranks.c - of part 1 of the report: the devices or processes side by side,
 * and of one alone its steps (rank_report.h). */
#include "base.h"
#include "rank_report.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"

#define RANKS_MAX 16
#define STEPS_MAX 8

/* By run, rank and device: "2" before "10". */
static int unit_order(const void *a, const void *b)
{
	const struct rank_unit *x = *(const struct rank_unit *const *)a;
	const struct rank_unit *y = *(const struct rank_unit *const *)b;
	const int64_t key[][2] = { { x->store, y->store }, { x->run, y->run }, { x->rank, y->rank },
		{ x->trace, y->trace }, { (int64_t)x->device.n, (int64_t)y->device.n } };
	for (size_t i = 0; i < ARRAY_LEN(key); i++)
		if (key[i][0] != key[i][1])
			return key[i][0] < key[i][1] ? -1 : 1;
	return text_compare(x->device, y->device);
}

static void unit_place(struct buf *b, const struct rank_unit *u, const struct rank_job *job)
{
	if (job->all_runs > 1 && u->store > 0)
		buf_addf(b, "store %d ", u->store + 1);
	if (job->all_runs > 1)
		buf_addf(b, "run %" PRId64 " ", u->run + 1);
	if (u->rank != NO_NUM)
		buf_addf(b, "rank %" PRId64 " ", u->rank);
	else
		buf_addf(b, "trace %" PRId64 " ", u->trace);
}

/* Memory of a device can be in a trace that has no work of it, thus no unit. */
void rank_report_place(struct buf *b, const struct rank_job *job, const struct rank_row *row)
{
	struct rank_unit like = { .store = row->store, .rank = row->rank, .trace = row->trace };
	for (size_t i = 0; i < job->n; i++)
		if (job->unit[i].store == row->store && job->unit[i].trace == row->trace)
			like.run = job->unit[i].run;
	unit_place(b, &like, job);
}

static void unit_name(struct buf *b, const struct rank_unit *u, const struct rank_job *job)
{
	buf_reset(b);
	unit_place(b, u, job);
	if (!u->device.n)
		return;
	buf_adds(b, "device ");
	buf_add(b, u->device.s, u->device.n);
}

static void unit_row(struct tab *t, const struct rank_unit *u, const struct rank_job *job)
{
	char wall[NUM_LEN], compute[NUM_LEN], comm[NUM_LEN], idle[NUM_LEN];
	int64_t steps = MAX(u->steps, 1);
	struct text why = u->rank_row ? row_text(u->rank_row, "straggler") : TEXT("");
	struct buf name = BUF_INIT, words = BUF_INIT;
	if (!why.n && u->rank_row && row_flag(u->rank_row, "straggler"))
		why = TEXT("straggler");
	unit_name(&name, u, job);
	if (job->cpu_job) {
		tab_row(t, name.data, num_fmt_ns(wall, u->wall_ns / steps),
			num_fmt_ns(compute, u->compute_ns / steps), num_fmt_ns(idle, u->idle_ns / steps));
	} else {
		code_add(&words, why);
		tab_row(t, name.data, num_fmt_ns(wall, u->wall_ns / steps),
			u->left_out ? "?" : num_fmt_ns(compute, u->compute_ns / steps),
			u->left_out ? "?" : num_fmt_ns(comm, u->comm_ns / steps),
			u->left_out ? "?" : num_fmt_ns(idle, u->idle_ns / steps),
			words.len ? words.data : u->aside ? "no device work" : "");
	}
	buf_release(&name);
	buf_release(&words);
}

static void time_ranks(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	if (job->n < 2)
		return;
	const struct rank_unit **unit = xcalloc(job->n, sizeof(const struct rank_unit *));
	for (size_t i = 0; i < job->n; i++)
		unit[i] = &job->unit[i];
	qsort(unit, job->n, sizeof *unit, unit_order);
	rank_report_line(r, "The %s side by side%s:", rank_job_processes(job) ? "processes" : "devices",
		job->whole ? "" : " (a step of each)");
	buf_addc(r->b, '\n');
	struct tab *t = tab_new(job->cpu_job ? "lrrr" : "lrrrrl");
	if (job->cpu_job)
		tab_head(t, "", "wall", "operators", "no operator");
	else
		tab_head(t, "", "wall", "compute", "communication", "idle", "");
	for (size_t i = 0; i < MIN(job->n, (size_t)RANKS_MAX); i++)
		unit_row(t, unit[i], job);
	free(unit);
	rank_report_table(r, t);
	if (job->n > RANKS_MAX)
		rank_report_line(r, "... and %zu more.\n", job->n - RANKS_MAX);
}

/* known: its split is the device's, or the operators' of a job of the CPU. */
static void step_row(struct tab *t, const struct rank_row *row, bool known)
{
	const struct rank_field *step = row_get(row, "step");
	char wall[NUM_LEN], busy[NUM_LEN], idle[NUM_LEN];
	char *name = xmemdup0(step ? step->value.s : "whole window", step ? step->value.n : 12);
	tab_row(t, name, num_fmt_ns(wall, row_ns(row, "wall_ns")),
		known && row_get(row, "busy_ns") ? num_fmt_ns(busy, row_ns(row, "busy_ns")) : "?",
		known && row_get(row, "idle_ns") ? num_fmt_ns(idle, row_ns(row, "idle_ns")) : "?",
		row_flag(row, "empty") ? "empty: left out of the figures" : "");
	free(name);
}

/* The rows are in order of their text: 10 before 9. */
static int step_order(const void *a, const void *b)
{
	const struct rank_row *x = *(const struct rank_row *const *)a;
	const struct rank_row *y = *(const struct rank_row *const *)b;
	int64_t m = row_num(x, "step"), n = row_num(y, "step");
	return m != n ? (m > n) - (m < n) : (x > y) - (x < y);
}

static void time_steps(const struct rank_report *r)
{
	const struct rank_rows *rows = r->rank->rows;
	const struct rank_job *job = r->rank->job;
	bool cpu = job->cpu_job;
	size_t n = 0;
	if (job->about != 1)
		return;
	const struct rank_row **step = xcalloc(rows->n + 1, sizeof(const struct rank_row *));
	for (size_t i = 0; i < rows->n; i++)
		if (row_is(&rows->row[i], "view1.step") && rows->row[i].unit >= 0 &&
		    !row_is_aside(job, &rows->row[i]))
			step[n++] = &rows->row[i];
	if (n >= 2) {
		struct tab *t = tab_new("lrrrl");
		qsort(step, n, sizeof *step, step_order);
		tab_head(t, "step", "wall", cpu ? "operators" : "busy",
			cpu ? "no operator" : "idle", "");
		for (size_t i = 0; i < MIN(n, (size_t)STEPS_MAX); i++)
			step_row(t, step[i], !job->unit[step[i]->unit].left_out);
		rank_report_line(r, "Step by step%s:", n > STEPS_MAX ? ", the first ones" : "");
		buf_addc(r->b, '\n');
		rank_report_table(r, t);
	}
	free(step);
}

void rank_report_ranks(const struct rank_report *r)
{
	time_ranks(r);
	time_steps(r);
}
