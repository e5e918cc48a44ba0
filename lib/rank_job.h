/* rank_job.h - what the rows say of the job as a whole, before any cause.
 *
 * A unit is one device of one trace of one store, or the process of a CPU job: then
 * busy is its operators' time and idle the rest.  Its wall, busy and idle come
 * from view1.step; where view 1 was not given, idle and busy are what view 2 and
 * view 3 charge.  All ns are sums over the unit's steps but the empty ones, which
 * count in nothing.  Where some units have device work and others not, the job is
 * about those that have (works.h): steps, sums, averages and the costs of findings are
 * of them alone.
 *
 * What a ns of idle or of kernel time is worth:
 *   idle, with the honest clock: x (plain wall - busy) / (profiled wall - busy),
 *     clamped to 0..1, the profiler's weight;
 *   all time of a CPU job: x plain wall / profiled wall, clamped (operators and the
 *     Python between them are both the host's, and both slower under a profiler);
 *   kernel time of a unit that the host binds: the part that is not hidden.
 *     While the host is late for other reasons than waiting for the device, the
 *     kernels before it are off the critical path: as many ns of busy time as
 *     there are such idle ns are hidden (all, when it idles longer than it
 *     works).  Transfers and communication are never hidden by this rule: a
 *     blocking copy is waited for, and a collective waits for other ranks. */
#ifndef TP_RANK_JOB_H
#define TP_RANK_JOB_H

#include "base.h"
#include "binds.h"
#include "idle.h"
#include "rank_rows.h"
#include "works.h"

struct rank_unit {
	int store;
	int64_t trace, rank;
	struct text device;
	int64_t steps, wall_ns, busy_ns, idle_ns;
	int64_t compute_ns, comm_ns, copy_ns;
	int64_t cause_ns[IDLE_CAUSE_COUNT];
	int64_t site_ns, own_ns;    /* all that view 2 and view 3 could charge */
	int64_t median_ns, run_ahead_ns; /* medians of the steps; NO_NUM unknown */
	int64_t incomplete;         /* steps flagged so */
	int64_t empty;              /* steps flagged so, not among the others */
	int64_t unsure_ns;          /* idle in them: operations are missing there */
	bool has_steps;             /* view1.step rows were there */
	bool has_ledger;            /* view2.ledger of the device was */
	int64_t ledger_wall_ns, ledger_idle_ns; /* and its numbers, where view 1 is missing */
	bool busy_unknown;
	bool cpu_job;               /* no device work at all */
	bool unread;                /* the trace was cut short before its device's part */
	enum work work;
	bool left_out;              /* does not count: is in no sum, charges nothing */
	bool aside;                 /* nor is the job about it, since others count */
	bool whole;                 /* no steps in the trace: the window as one */
	bool device_binds;
	int64_t run;                /* of its store; traces of one run share it */
	struct ratio plain;         /* what a ns of idle is worth */
	struct ratio seen;          /* what a ns of kernel time is worth */
	const struct rank_row *rank_row; /* view1.rank, NULL */
};

/* Who the devices wait for while they are idle, in most of that time. */
enum idle_why {
	WHY_NOT_KNOWN,              /* no causes: view 2 was not given */
	WHY_UNSURE,                 /* in steps that lost operations */
	WHY_HOST,                   /* the host came late */
	WHY_OTHER                   /* work was queued, or nothing tells */
};

struct rank_job {
	struct rank_unit *unit;
	size_t n, cap;
	struct works works;         /* the units, by what they hold */
	size_t about;               /* units the job is about: all that are not aside */
	int64_t steps, wall_ns, busy_ns, idle_ns; /* sums over these */
	int64_t unsure_ns;          /* idle in steps that lost operations */
	int64_t plain_idle_ns;      /* idle with the profiler's weight taken out */
	int64_t base_ns;            /* the wall with it taken out: shares are of this */
	int64_t compute_ns, comm_ns, copy_ns;
	int64_t cause_ns[IDLE_CAUSE_COUNT];
	int64_t empty;              /* steps of these that count in nothing */
	bool split_known;           /* view 1 was there: compute, communication, copies */
	struct binds_sum sum;
	enum binds binds;
	enum idle_why idle_why;
	bool busy_known;            /* of some unit */
	bool honest;                /* view1.run tells the plain step */
	bool weighed;               /* some unit's plain ratio is below 1 */
	int64_t ranks, traces, runs; /* distinct, of these */
	int64_t all_traces, all_runs; /* and of all units */
	int64_t unread_traces;      /* of all: cut short before the device's part */
	/* the whole run, of the longest rank; NO_NUM unknown */
	const struct rank_row *run_row;
	int64_t run_ns, run_steps, startup_ns, plain_ns;
	bool run_cut;               /* it was timed in part: run_ns, run_steps are less
	                             * than they were */
	bool partial;               /* some trace was incomplete */
	bool partial_counts;        /* one of those whose time counts */
	bool whole;                 /* no trace of these has steps */
	bool cpu_job;               /* every unit is, and was read whole */
};

/* whole: no row is missing.  0, or -1 said: whole rows that contradict each
 * other (status 2). */
int rank_job_init(struct rank_job *job, struct rank_rows *rows, bool whole) RESULT_USED;
/* rank_job_sum.c, of rank_job_init: what the units say together. */
void rank_job_sum(struct rank_job *job, const struct rank_rows *rows);
void rank_job_release(struct rank_job *job);
/* Of a unit beside others that count. */
static inline bool row_is_aside(const struct rank_job *job, const struct rank_row *row)
{
	return row->unit >= 0 && job->unit[row->unit].aside;
}
/* Those it is about are not all devices: some process of the CPU is among them. */
static inline bool rank_job_processes(const struct rank_job *job)
{
	return job->works.n[WORK_CPU] && !job->works.n[WORK_DEVICE];
}
/* What of the ns that a row charges counts: see the top. */
int64_t rank_job_worth(const struct rank_job *job, const struct rank_row *row, int64_t ns);

#endif
