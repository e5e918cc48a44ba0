/* rank_job_sum.c - the job: sums over those of its units that count; see rank_job.h. */
#include "base.h"
#include "rank_job.h"

static void job_add(struct rank_job *job, const struct rank_unit *u)
{
	if (u->aside)
		return;
	job->about++;
	job->steps += u->steps;
	job->empty += u->empty;
	ns_add(&job->wall_ns, u->wall_ns);
	if (u->left_out)
		return;
	job->busy_known = true;
	job->split_known |= u->has_steps;
	ns_add(&job->busy_ns, u->busy_ns);
	ns_add(&job->idle_ns, u->idle_ns);
	ns_add(&job->unsure_ns, u->unsure_ns);
	ns_add(&job->plain_idle_ns, ratio_of(u->idle_ns, u->plain));
	ns_add(&job->base_ns, ratio_of(u->idle_ns, u->plain));
	ns_add(&job->base_ns, u->cpu_job ? ratio_of(u->busy_ns, u->plain) : u->busy_ns);
	ns_add(&job->compute_ns, u->compute_ns);
	ns_add(&job->comm_ns, u->comm_ns);
	ns_add(&job->copy_ns, u->copy_ns);
	for (size_t i = 0; i < IDLE_CAUSE_COUNT; i++)
		ns_add(&job->cause_ns[i], u->cause_ns[i]);
}

static void job_binds(struct rank_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct rank_unit *u = &job->unit[i];
		if (!u->left_out)
			binds_add(&job->sum, &(struct binds_device){ u->busy_ns,
				ratio_of(u->idle_ns, u->plain), u->comm_ns, u->median_ns,
				u->run_ahead_ns, u->whole });
	}
	job->binds = binds_of(&job->sum);
}

static void job_why(struct rank_job *job)
{
	int64_t host_ns = 0, known_ns = 0;
	for (int i = 0; i < IDLE_CAUSE_COUNT; i++) {
		ns_add(&known_ns, job->cause_ns[i]);
		if (idle_cause_is_host((enum idle_cause)i) || i == IDLE_LAUNCH)
			ns_add(&host_ns, job->cause_ns[i]);
	}
	job->idle_why = job->unsure_ns * 2 > job->idle_ns ? WHY_UNSURE : !known_ns ? WHY_NOT_KNOWN :
		host_ns * 2 >= known_ns ? WHY_HOST : WHY_OTHER;
}

static bool trace_counts(const struct rank_job *job, const struct rank_row *r)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct rank_unit *u = &job->unit[i];
		if (u->store == r->store && u->trace == r->trace && !u->left_out)
			return true;
	}
	return false;
}

/* A rank that stands aside is in no figure of the run either. */
static bool run_counts(const struct rank_job *job, const struct rank_row *r)
{
	bool aside = false;
	for (size_t i = 0; i < job->n && r->rank != NO_NUM; i++) {
		const struct rank_unit *u = &job->unit[i];
		if (u->store != r->store || u->rank != r->rank)
			continue;
		if (!u->aside)
			return true;
		aside = true;
	}
	return !aside;
}

/* The longest rank's run is the job's; one that was timed in part, if no other. */
static void job_run(struct rank_job *job, const struct rank_rows *rows)
{
	job->run_ns = job->run_steps = job->startup_ns = job->plain_ns = NO_NUM;
	for (size_t i = 0; i < rows->n; i++) {
		const struct rank_row *r = &rows->row[i];
		int64_t steps = row_ns(r, "steps"), plain_ns = row_ns(r, "plain_median_ns");
		int64_t total_ns = row_ns(r, "total_ns"), startup_ns = row_ns(r, "startup_ns");
		if (row_is(r, "view1.import") && row_true(r, "partial")) {
			job->partial = true;
			job->partial_counts |= trace_counts(job, r);
		}
		if (!row_is(r, "view1.run") || !steps || !plain_ns || !run_counts(job, r))
			continue;
		if (!total_ns)
			total_ns = MIN(startup_ns + MIN(scale(steps, plain_ns, 1), NS_MAX), NS_MAX);
		total_ns = MAX(total_ns, startup_ns);
		bool cut = row_true(r, "partial");
		if (job->run_row && (cut != job->run_cut ? cut : total_ns <= job->run_ns))
			continue;
		job->run_row = r;
		job->run_cut = cut;
		job->run_ns = total_ns;
		job->run_steps = steps;
		job->startup_ns = startup_ns;
		job->plain_ns = plain_ns;
	}
}

static bool same_trace(const struct rank_unit *a, const struct rank_unit *b)
{
	return a->store == b->store && a->trace == b->trace;
}

static bool same_run(const struct rank_unit *a, const struct rank_unit *b)
{
	return a->store == b->store && a->run == b->run;
}

static void job_ranks(struct rank_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct rank_unit *u = &job->unit[i];
		bool rank = true, trace = true, run = true, any_trace = true, any_run = true;
		for (size_t k = 0; k < i; k++) {
			const struct rank_unit *v = &job->unit[k];
			any_trace &= !same_trace(u, v);
			any_run &= !same_run(u, v);
			rank &= v->aside || u->rank != v->rank;
			trace &= v->aside || !same_trace(u, v);
			run &= v->aside || !same_run(u, v);
		}
		job->ranks += rank && !u->aside;
		job->traces += trace && !u->aside;
		job->runs += run && !u->aside;
		job->all_traces += any_trace;
		job->unread_traces += any_trace && u->unread;
		job->all_runs += any_run;
	}
}

static void job_kind(struct rank_job *job)
{
	job->cpu_job = job->works.n[WORK_CPU] > 0;
	job->whole = job->n > 0;
	for (size_t i = 0; i < job->n; i++) {
		const struct rank_unit *u = &job->unit[i];
		job->cpu_job &= u->work == WORK_CPU;
		job->whole &= u->whole || u->aside;
	}
}

void rank_job_sum(struct rank_job *job, const struct rank_rows *rows)
{
	job_kind(job);
	for (size_t i = 0; i < job->n; i++)
		job_add(job, &job->unit[i]);
	job_binds(job);
	job_why(job);
	job_run(job, rows);
	job_ranks(job);
}
