/* view_comm.h - the communication of the chosen traces, for tp-view4: read from
 * the store, matched across the ranks of one run.
 *
 * Traces are of one run when no rank comes twice and their windows overlap; a
 * rank that comes again later is a run of its own (two runs of a job often lie
 * in one directory).  Traces without a rank are matched with nobody.
 *
 * A CPU job has one device without a name: its collectives are what a back end
 * of the host (gloo, mpi, ucc) notes around them, compute is its operators. */
#ifndef TP_VIEW_COMM_H
#define TP_VIEW_COMM_H

#include "arrive.h"
#include "comm.h"
#include "split.h"
#include "view.h"

struct comm_device {
	const char *idx;          /* the trace's; NULL: a CPU job */
	bool known;               /* what it did */
	struct view_steps steps;
	struct span *span;        /* a step each: comm_ns, part_ns[SPLIT_COMM] */
	int64_t total_ns, exposed_ns; /* unions over the whole window */
	int64_t wall_ns;          /* first device op's start to the last one's end */
	uint64_t ops;             /* device ops of any kind */
};

/* What a rank did while the others waited for it in matched collectives. */
struct comm_late {
	int64_t ns;               /* time of that, in stretches of 50 us and more */
	int64_t at_ns;            /* the part of it spent at this cause and place */
	const char *cause;        /* of tp-view2, or "busy"; NULL: a CPU job */
	int64_t frame, how;       /* as of an anchor; 0 none */
};

struct comm_trace {
	const struct view_trace *t;
	bool cpu_job;
	struct comm comm;
	struct comm_device *device; /* a device of t each, in its order */
	size_t ndevice;
	size_t run, member;       /* of runs: which, and which rank of it */
	struct comm_late late;
};

struct comm_all {
	struct comm_trace *trace; /* by rank, then by time; no rank last */
	size_t n;
	struct arrive *run;
	size_t nrun;
};
int comm_all_load(struct view *v, struct comm_all *a) RESULT_USED;
void comm_all_release(struct comm_all *a);

#endif
