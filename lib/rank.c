/* rank.c - see rank.h. */
#include "base.h"
#include "rank.h"

#include <stdlib.h>

#include "mem.h"

#define MICRO 1000000

int64_t row_charge(const struct rank_row *row)
{
	enum charge_of of;
	const char *field = cause_charge(row->kind, &of);
	return field ? row_ns(row, field) : 0;
}

bool clause_holds(const struct cause_clause *clause, const struct rank_row *row)
{
	return row_is(row, clause->kind) && (!clause->cond || cond_holds(clause->cond, row));
}

static bool cause_takes(const struct cause *c, const struct rank_row *row)
{
	for (size_t i = 0; i < c->ntake; i++)
		if (clause_holds(&c->take[i], row))
			return true;
	return false;
}

/* Start-up and periodic work of several ranks pass side by side: those of the
 * rank whose run is the job's count. */
static bool row_of_run(const struct rank_job *job, const struct rank_row *row)
{
	const struct rank_row *run = job->run_row;
	return run && run->store == row->store && run->rank == row->rank &&
		row_num(run, "run") == row_num(row, "run");
}

static void rows_take(struct rank *rank)
{
	enum charge_of of;
	for (size_t i = 0; i < rank->rows->n; i++) {
		struct rank_row *row = &rank->rows->row[i];
		if (!cause_charge(row->kind, &of) || row_true(row, "any_device"))
			continue;
		if (row->unit >= 0 && rank->job->unit[row->unit].left_out)
			continue;
		if (row_flag(row, "incomplete"))
			continue; /* operations are missing there: it may not have been idle */
		if (of == CHARGE_RUN && !row_of_run(rank->job, row))
			continue;
		for (size_t k = 0; k < rank->causes->n && row->cause < 0; k++)
			if (cause_takes(&rank->causes->cause[k], row))
				row->cause = (int)k;
	}
}

/* Groups: rows of one cause in order of anchor, equal anchors beside another.
 * Rows without a file have no line to look at and are one group.  An operator of the
 * CPU is one group. */
static int field_order(const struct rank_row *a, const struct rank_row *b, const char *key)
{
	const struct rank_field *x = row_get(a, key), *y = row_get(b, key);
	return text_compare(x ? x->value : TEXT(""), y ? y->value : TEXT(""));
}

static int anchor_order(const struct rank_row *a, const struct rank_row *b)
{
	static const char *const KEYS[] = { "file", "line", "func" };
	int order = 0;
	if (text_is(row_text(a, "class"), "operator") && text_is(row_text(b, "class"), "operator"))
		return field_order(a, b, "name"); /* wherever it is called */
	if (!row_get(a, "file") && !row_get(b, "file"))
		return row_is(a, "view1.startup") ? field_order(a, b, "phase") : 0;
	for (size_t i = 0; i < ARRAY_LEN(KEYS) && !order; i++)
		order = field_order(a, b, KEYS[i]);
	return order;
}

static int group_order(const void *a, const void *b)
{
	const struct rank_row *x = *(const struct rank_row *const *)a;
	const struct rank_row *y = *(const struct rank_row *const *)b;
	int order = anchor_order(x, y);
	return order ? order : row_compare(x, y);
}

static int charge_order(const void *a, const void *b)
{
	const struct rank_row *x = *(const struct rank_row *const *)a;
	const struct rank_row *y = *(const struct rank_row *const *)b;
	int64_t cx = row_charge(x), cy = row_charge(y);
	return cx != cy ? (cx < cy ? 1 : -1) : row_compare(x, y);
}

static int64_t micro_of(int64_t ns, int64_t whole_ns)
{
	return whole_ns > 0 ? scale(ns, MICRO, whole_ns) : 0;
}

/* What costs are held against: the steps, with the profiler's weight out; what lies
 * around them, the run.  Of a run that was cut, start-up is held against what was
 * timed, which overstates it, and work at a beat against the timed steps, since it
 * goes on as they do. */
static int64_t base_ns(const struct rank *rank, const struct finding *f)
{
	const struct rank_job *job = rank->job;
	if (f->of != CHARGE_RUN)
		return job->base_ns;
	return job->run_cut && row_is(f->row[0], "view1.periodic") ?
		job->run_ns - job->startup_ns : job->run_ns;
}

int64_t rank_small_micro(const struct rank *rank)
{
	return micro_of(rank->small_ns, rank->job->base_ns);
}

/* Start-up is as long in a longer run: of one that was cut its share is unknown, and
 * no place among the others can be claimed for it. */
static enum share_of finding_share_of(const struct finding *f, const struct rank *rank)
{
	if (f->of != CHARGE_RUN)
		return rank->share_of_run ? SHARE_RUN : SHARE_WINDOW;
	if (!rank->job->run_cut)
		return SHARE_RUN;
	return row_is(f->row[0], "view1.startup") ? SHARE_UNKNOWN : SHARE_TIMED;
}

static void finding_cost(struct finding *f, const struct rank *rank)
{
	const struct rank_job *job = rank->job;
	for (size_t i = 0; i < f->n; i++) {
		int64_t ns = row_charge(f->row[i]);
		ns_add(&f->raw_ns, ns);
		ns_add(&f->cost_ns, rank_job_worth(job, f->row[i], ns));
	}
	f->number_micro = micro_of(f->cost_ns, base_ns(rank, f));
	int64_t steps = f->of == CHARGE_RUN ? job->run_steps : job->steps;
	f->per_step_ns = steps > 0 ? f->cost_ns / steps : f->cost_ns;
	f->share_micro = NO_NUM;
	f->share_of = finding_share_of(f, rank);
	if (f->share_of == SHARE_UNKNOWN)
		return;
	if (f->of == CHARGE_RUN || !rank->share_of_run) {
		f->share_micro = base_ns(rank, f) > 0 ? f->number_micro : NO_NUM;
	} else {
		int64_t run_ns = scale(f->per_step_ns, job->run_steps, 1);
		f->share_micro = micro_of(MIN(run_ns, job->run_ns), job->run_ns);
	}
}

/* The row that is furthest on the bad side decides. */
static void finding_measure(struct finding *f)
{
	bool any = false;
	f->share_micro = NO_NUM;
	for (size_t i = 0; i < f->n; i++) {
		int64_t part, whole;
		if (!row_int(f->row[i], f->cause->part, &part) ||
		    !row_int(f->row[i], f->cause->whole, &whole) || whole <= 0)
			continue;
		int64_t micro = micro_of(part, whole);
		if (any && (f->cause->way == WAY_MOST) != (micro < f->number_micro))
			continue;
		const struct rank_row *first = f->row[0];
		f->row[0] = f->row[i];
		f->row[i] = first;
		f->number_micro = micro;
		any = true;
	}
	if (!any)
		f->n = 0;
}

static struct finding finding_make(struct rank *rank, const struct cause *c,
	const struct rank_row **row, size_t n)
{
	struct finding f = { .cause = c, .charges = !c->part, .raise = BUF_INIT };
	(void)cause_charge(row[0]->kind, &f.of);
	f.row = xcalloc(n, sizeof(const struct rank_row *));
	memcpy(f.row, row, n * sizeof *row);
	f.n = f.cap = n;
	if (f.charges) {
		qsort(f.row, n, sizeof(const struct rank_row *), charge_order);
		finding_cost(&f, rank);
	} else {
		finding_measure(&f);
	}
	return f;
}

static void finding_release(struct finding *f)
{
	free(f->row);
	buf_release(&f->raise);
}

static bool finding_fires(const struct finding *f)
{
	if (!f->n)
		return false;
	return f->cause->way == WAY_MOST ? f->number_micro < f->cause->threshold_micro :
		f->number_micro >= f->cause->threshold_micro;
}

static bool need_met(const struct rank *rank, const struct cause_clause *need)
{
	for (size_t i = 0; i < rank->rows->n; i++) {
		const struct rank_row *r = &rank->rows->row[i];
		if (row_is_aside(rank->job, r) || !row_is(r, need->kind) ||
		    (need->field && !row_get(r, need->field)))
			continue;
		if (!need->cond || cond_holds(need->cond, r))
			return true;
	}
	return false;
}

/* Nothing is claimed without the rows to judge by. */
static bool cause_judged(const struct rank *rank, const struct cause *c)
{
	for (size_t i = 0; i < c->ntake; i++) {
		int view = rank_view_of((struct text){ c->take[i].kind, strlen(c->take[i].kind) });
		if (!rank->rows->seen[view] || (view == 2 && !rank->job->busy_known) ||
		    (view == 3 && !rank->job->busy_known))
			return false;
	}
	for (size_t i = 0; i < c->nneed; i++)
		if (!need_met(rank, &c->need[i]))
			return false;
	return true;
}

static void cleared_add(struct rank *rank, const struct cause *c, const struct finding *best)
{
	GROW(rank->cleared, rank->ncleared, rank->capcleared);
	struct cleared *x = &rank->cleared[rank->ncleared++];
	*x = (struct cleared){ .cause = c };
	if (!best)
		return;
	x->number_micro = best->number_micro;
	x->raw_micro = best->number_micro;
	if (best->charges)
		x->raw_micro = micro_of(best->raw_ns, base_ns(rank, best));
	for (size_t i = 0; i < best->n && x->n < ARRAY_LEN(x->row); i++)
		x->row[x->n++] = best->row[i];
}

static size_t group_end(const struct cause *c, const struct rank_row **row, size_t from, size_t n)
{
	size_t to = from + 1;
	while (to < n && (c->group == GROUP_ALL || anchor_order(row[from], row[to]) == 0))
		to++;
	return to;
}

static bool better(const struct finding *f, const struct finding *than)
{
	return f->charges ? f->raw_ns > than->raw_ns : !than->n;
}

static void cause_judge(struct rank *rank, const struct cause *c, const struct rank_row **row,
	size_t n)
{
	struct finding best = { 0 };
	bool fired = false, any = false;
	qsort(row, n, sizeof *row, group_order);
	for (size_t from = 0, to; from < n; from = to) {
		to = group_end(c, row, from, n);
		struct finding f = finding_make(rank, c, row + from, to - from);
		if (finding_fires(&f)) {
			GROW(rank->finding, rank->n, rank->cap);
			rank->finding[rank->n++] = f;
			fired = true;
			continue;
		}
		ns_add(&rank->small_ns, f.of == CHARGE_RUN ? 0 : f.cost_ns);
		rank->nsmall += f.of != CHARGE_RUN && f.cost_ns > 0;
		if (!any || better(&f, &best)) {
			finding_release(&best);
			best = f;
			any = true;
		} else {
			finding_release(&f);
		}
	}
	if (!fired && cause_judged(rank, c) && (best.n || !c->part))
		cleared_add(rank, c, any ? &best : NULL);
	finding_release(&best);
}

static int finding_order(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (x->charges != y->charges)
		return x->charges ? -1 : 1;
	if (x->share_micro != y->share_micro)
		return x->share_micro < y->share_micro ? 1 : -1;
	if (x->cost_ns != y->cost_ns)
		return x->cost_ns < y->cost_ns ? 1 : -1;
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	return row_compare(x->row[0], y->row[0]);
}

static void causes_judge(struct rank *rank)
{
	const struct rank_row **list = xcalloc(rank->rows->n ? rank->rows->n : 1,
		sizeof(const struct rank_row *));
	for (size_t k = 0; k < rank->causes->n; k++) {
		const struct cause *c = &rank->causes->cause[k];
		size_t n = 0;
		for (size_t i = 0; i < rank->rows->n; i++) {
			const struct rank_row *r = &rank->rows->row[i];
			if (c->part ? cause_takes(c, r) : r->cause == (int)k)
				list[n++] = r;
		}
		cause_judge(rank, c, list, n);
	}
	free(list);
}

/* DIR itself or what lies under it. */
static bool under(struct text file, const char *dir)
{
	size_t n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	return file.n > n && memcmp(file.s, dir, n) == 0 && (file.s[n] == '/' || dir[n - 1] == '/');
}

static void finding_devices(struct finding *f)
{
	for (size_t i = 0; i < f->n; i++) {
		bool first = true;
		for (size_t k = 0; k < i && first; k++)
			first = f->row[k]->unit != f->row[i]->unit;
		f->devices += first;
	}
}

static void finding_scope(struct finding *f, const char *scope)
{
	struct text file = row_text(f->row[0], "file");
	f->scope_known = file.n > 0;
	f->in_scope = file.n > 0 && (!scope || under(file, scope));
}

void rank_run(struct rank *rank, const struct causes *causes, const struct rank_job *job,
	struct rank_rows *rows, const struct rank_options *options)
{
	*rank = (struct rank){ .causes = causes, .job = job, .rows = rows };
	rank->share_of_run = job->run_ns > 0 && job->run_steps > 0 && !job->run_cut;
	rows_take(rank);
	causes_judge(rank);
	if (rank->n)
		qsort(rank->finding, rank->n, sizeof *rank->finding, finding_order);
	for (size_t i = 0; i < rank->n; i++) {
		struct finding *f = &rank->finding[i];
		finding_see(f, rank);
		finding_trust(f, rank);
		finding_scope(f, options->scope);
		finding_devices(f);
		f->phase = schedule_find(options->schedule, f->row[0]);
	}
}

void rank_release(struct rank *rank)
{
	for (size_t i = 0; i < rank->n; i++)
		finding_release(&rank->finding[i]);
	free(rank->finding);
	free(rank->cleared);
	*rank = (struct rank){ 0 };
}
