/* rank_job.c - see rank_job.h. */
#include "base.h"
#include "rank_job.h"

#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "say.h"

static struct rank_unit *unit_find(const struct rank_job *job, const struct rank_row *r)
{
	for (size_t i = job->n; i-- > 0;) {
		struct rank_unit *u = &job->unit[i];
		if (u->store == r->store && u->trace == r->trace && u->rank == r->rank &&
		    text_eq(u->device, r->device))
			return u;
	}
	return NULL;
}

static struct rank_unit *unit_get(struct rank_job *job, const struct rank_row *r)
{
	struct rank_unit *known = unit_find(job, r);
	if (known)
		return known;
	GROW(job->unit, job->n, job->cap);
	struct rank_unit *u = &job->unit[job->n++];
	memset(u, 0, sizeof *u);
	*u = (struct rank_unit){ .store = r->store, .trace = r->trace, .rank = r->rank,
		.device = r->device, .median_ns = NO_NUM, .run_ahead_ns = NO_NUM,
		.plain = { 1, 1 }, .seen = { 1, 1 } };
	return u;
}

static void unit_step(struct rank_unit *u, const struct rank_row *r)
{
	int64_t busy;
	u->has_steps = true;
	u->cpu_job |= row_flag(r, "cpu_job");
	u->whole |= row_flag(r, "whole_window");
	if (row_flag(r, "empty")) {
		u->empty++;
		return;
	}
	u->steps++;
	ns_add(&u->wall_ns, row_ns(r, "wall_ns"));
	u->incomplete += row_flag(r, "incomplete");
	if (!row_int(r, "busy_ns", &busy)) {
		u->busy_unknown = true;
		return;
	}
	ns_add(&u->busy_ns, MIN(MAX(busy, 0), NS_MAX));
	ns_add(&u->idle_ns, row_ns(r, "idle_ns"));
	ns_add(&u->compute_ns, row_ns(r, "compute_ns"));
	ns_add(&u->comm_ns, row_ns(r, "exposed_comm_ns"));
	ns_add(&u->copy_ns, row_ns(r, "exposed_copy_ns"));
}

static void unit_ledger(struct rank_unit *u, const struct rank_row *r)
{
	char field[32];
	/* a window without steps has two such rows, which say the same */
	if (row_get(r, "step") || u->has_ledger)
		return;
	u->has_ledger = true;
	u->cpu_job |= row_true(r, "cpu_job");
	u->ledger_wall_ns = row_ns(r, "wall_ns");
	u->ledger_idle_ns = row_ns(r, "idle_ns");
	for (int i = 0; i < IDLE_CAUSE_COUNT; i++) {
		snprintf(field, sizeof field, "%s_ns", idle_cause_name(i));
		ns_add(&u->cause_ns[i], row_ns(r, field));
	}
}

/* A device that a rank has and does not use has a view1.rank row alone. */
static bool row_of_unit(const struct rank_row *r)
{
	static const char *const KINDS[] = { "view1.step", "view2.ledger", "view2.site",
		"view3.kernel" };
	if (row_true(r, "any_device"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (row_is(r, KINDS[i]))
			return true;
	return false;
}

static void unit_site_sum(struct rank_unit *u, const struct rank_row *r)
{
	ns_add(&u->site_ns, row_ns(r, "cost_ns"));
	if (row_flag(r, "incomplete"))
		ns_add(&u->unsure_ns, row_ns(r, "cost_ns"));
}

static void unit_take(struct rank_unit *u, const struct rank_row *r)
{
	if (row_is(r, "view1.step"))
		unit_step(u, r);
	else if (row_is(r, "view2.ledger"))
		unit_ledger(u, r);
	else if (row_is(r, "view2.site"))
		unit_site_sum(u, r);
	else if (row_is(r, "view3.kernel"))
		ns_add(&u->own_ns, row_ns(r, "own_ns"));
}

/* Rows that belong to a unit are tied to it by index: the array moves. */
static void units_find(struct rank_job *job, struct rank_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct rank_row *r = &rows->row[i];
		if (!row_of_unit(r))
			continue;
		struct rank_unit *u = unit_get(job, r);
		r->unit = (int)(u - job->unit);
		unit_take(u, r);
	}
}

static void units_name(struct rank_job *job, const struct rank_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct rank_row *r = &rows->row[i];
		struct rank_unit *u = row_is(r, "view1.rank") ? unit_find(job, r) : NULL;
		if (u)
			u->rank_row = r;
	}
}

static int number_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t median_of(const struct rank_rows *rows, int unit, const char *field, int64_t *tmp)
{
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].unit == unit && row_is(&rows->row[i], "view1.step") &&
		    !row_flag(&rows->row[i], "empty") && row_get(&rows->row[i], field))
			tmp[n++] = row_ns(&rows->row[i], field);
	if (!n)
		return NO_NUM;
	qsort(tmp, n, sizeof *tmp, number_order);
	return n % 2 ? tmp[n / 2] : tmp[n / 2 - 1] + (tmp[n / 2] - tmp[n / 2 - 1]) / 2;
}

static void unit_site(struct rank_unit *u, const struct rank_row *r)
{
	struct text cause = row_text(r, "cause");
	for (int i = 0; i < IDLE_CAUSE_COUNT; i++)
		if (text_is(cause, idle_cause_name(i)))
			ns_add(&u->cause_ns[i], row_ns(r, "cost_ns"));
}

/* Where rows are missing, the others tell what they know. */
static void unit_fill(struct rank_unit *u, const struct rank_rows *rows, int at)
{
	for (size_t i = 0; i < rows->n && !u->has_ledger; i++)
		if (rows->row[i].unit == at && row_is(&rows->row[i], "view2.site"))
			unit_site(u, &rows->row[i]);
	if (u->has_steps)
		return;
	u->busy_ns = u->own_ns;
	u->idle_ns = u->site_ns;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].unit == at && row_is(&rows->row[i], "view2.ledger") &&
		    row_get(&rows->row[i], "step") && !row_flag(&rows->row[i], "empty"))
			u->steps++;
	u->steps = MAX(u->steps, 1);
	/* view 2 alone knows the wall too: without it a step would be all idle */
	if (u->ledger_wall_ns) {
		u->idle_ns = MAX(u->idle_ns, u->ledger_idle_ns);
		u->busy_ns = MAX(u->busy_ns, u->ledger_wall_ns - u->idle_ns);
	}
	u->wall_ns = u->busy_ns + u->idle_ns;
}

/* Rows got lost on the way: what is charged was there at least. */
static void unit_mend(struct rank_unit *u)
{
	u->idle_ns = MAX(u->idle_ns, u->site_ns);
	u->busy_ns = MAX(u->busy_ns, u->own_ns);
	u->wall_ns = MAX(u->wall_ns, u->idle_ns + u->busy_ns);
}

/* More charged than there was: the rows are not of one run of the views. */
static int unit_check(const struct rank_unit *u)
{
	if (!u->has_steps || u->busy_unknown)
		return 0;
	if (u->site_ns > u->idle_ns)
		return error("trace %" PRId64 " device %.*s: view2.site adds up to %" PRId64
			" ns, view1.step has %" PRId64 " ns of idle", u->trace, (int)u->device.n,
			u->device.s, u->site_ns, u->idle_ns);
	if (u->own_ns > u->busy_ns)
		return error("trace %" PRId64 " device %.*s: view3.kernel adds up to %" PRId64
			" ns, view1.step has %" PRId64 " ns of busy", u->trace, (int)u->device.n,
			u->device.s, u->own_ns, u->busy_ns);
	return 0;
}

/* One of the same store before others, one that was timed whole before one in part. */
static int run_rank(const struct rank_row *r, const struct rank_unit *u)
{
	return 2 * (r->store != u->store) + row_true(r, "partial");
}

static const struct rank_row *run_row_of(const struct rank_rows *rows, const struct rank_unit *u)
{
	const struct rank_row *found = NULL;
	for (size_t i = 0; i < rows->n; i++) {
		const struct rank_row *r = &rows->row[i];
		if (!row_is(r, "view1.run") || !row_get(r, "plain_median_ns"))
			continue;
		bool same_rank = r->rank == NO_NUM || u->rank == NO_NUM || r->rank == u->rank;
		if (same_rank && (!found || run_rank(r, u) < run_rank(found, u)))
			found = r;
	}
	return found;
}

static void unit_weigh(struct rank_job *job, struct rank_unit *u, const struct rank_rows *rows)
{
	const struct rank_row *run = run_row_of(rows, u);
	if (run && row_get(run, "plain_median_ns") && u->steps && !u->left_out) {
		int64_t plain_ns = row_ns(run, "plain_median_ns");
		int64_t profiled_ns = row_ns(run, "profiled_median_ns");
		int64_t busy_ns = u->cpu_job ? 0 : u->busy_ns / u->steps;
		if (!profiled_ns)
			profiled_ns = u->median_ns != NO_NUM ? u->median_ns : u->wall_ns / u->steps;
		u->plain = ratio_plain(plain_ns, profiled_ns, busy_ns);
		job->honest = true;
		job->weighed |= u->plain.a < u->plain.over;
	}
	if (u->cpu_job) {
		u->seen = u->plain;
		return;
	}
	u->device_binds = binds_alone(&(struct binds_device){ u->busy_ns,
		ratio_of(u->idle_ns, u->plain), u->comm_ns, u->median_ns, u->run_ahead_ns, u->whole });
	int64_t late_ns = 0;
	for (int i = 0; i < IDLE_CAUSE_COUNT; i++)
		if (idle_cause_is_host(i) && i != IDLE_SYNC)
			ns_add(&late_ns, u->cause_ns[i]);
	if (!u->device_binds)
		u->seen = ratio_clamped(u->busy_ns - ratio_of(late_ns, u->plain), u->busy_ns);
}

/* Which units the sums go over. */
static void units_judge(struct rank_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		struct rank_unit *u = &job->unit[i];
		u->unread = u->rank_row && row_flag(u->rank_row, "device_unread");
		u->work = work_of(u->busy_unknown, u->unread, u->cpu_job);
		works_add(&job->works, u->work, u->unread);
	}
	for (size_t i = 0; i < job->n; i++) {
		struct rank_unit *u = &job->unit[i];
		u->left_out = !work_counts(&job->works, u->work);
		u->aside = work_aside(&job->works, u->work);
	}
}

int rank_job_init(struct rank_job *job, struct rank_rows *rows, bool whole)
{
	memset(job, 0, sizeof *job);
	units_find(job, rows);
	units_name(job, rows);
	int64_t *tmp = xcalloc(rows->n ? rows->n : 1, sizeof *tmp);
	int status = 0;
	units_judge(job);
	for (size_t i = 0; i < job->n && status == 0; i++) {
		struct rank_unit *u = &job->unit[i];
		u->median_ns = median_of(rows, (int)i, "wall_ns", tmp);
		u->run_ahead_ns = median_of(rows, (int)i, "run_ahead_ns", tmp);
		unit_fill(u, rows, (int)i);
		if (!whole)
			unit_mend(u);
		unit_weigh(job, u, rows);
		u->run = u->rank_row ? row_ns(u->rank_row, "run") : 0;
		status = unit_check(u);
	}
	free(tmp);
	rank_job_sum(job, rows);
	return status;
}

void rank_job_release(struct rank_job *job)
{
	free(job->unit);
	memset(job, 0, sizeof *job);
}

int64_t rank_job_worth(const struct rank_job *job, const struct rank_row *row, int64_t ns)
{
	if (row->unit < 0)
		return ns;
	const struct rank_unit *u = &job->unit[row->unit];
	struct text class = row_text(row, "class");
	if (row_is(row, "view2.site") || u->cpu_job)
		return ratio_of(ns, u->plain);
	if (text_is(class, "communication") || text_is(class, "copy"))
		return ns;
	return ratio_of(ns, u->seen);
}
