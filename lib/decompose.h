/* decompose.h - how the wall clock of a trace splits, for each of its devices
 * and for the rank as a whole (view 1; view 3 takes the own times).
 *
 *	struct decomp d;
 *	decomp_begin(&d, &view, trace);   steps of each device, nothing counted
 *	decomp_run(&d, hooks);            one scan of the device ops
 *	decomp_check(&d);                 the identities
 *	... d.part[i] ...
 *	decomp_release(&d);
 *
 * A trace with no launch and no device op is a CPU job: the union of its
 * operators over all threads stands for compute. */
#ifndef TP_DECOMPOSE_H
#define TP_DECOMPOSE_H

#include "account.h"
#include "split.h"
#include "view.h"

/* One device, or the rank as a whole (any_device: the union over devices,
 * between the latest of their boundaries). */
struct decomp_part {
	const char *device;      /* "" a trace without device work */
	const struct view_device *info; /* NULL for "" and ANY_DEVICE */
	bool any, unknown;       /* unknown: launches, but no device op */
	bool window;             /* no --step: sums are over the whole trace */
	struct view_steps steps; /* ts_ns, dur_ns: the clock that was asked for */
	struct span *span;       /* head, one a step, tail */
	struct spans spans;
	struct split split;
	int64_t chosen_ns;       /* busy in the chosen steps, by the owners' pieces */
	uint64_t untimed;
};
struct decomp {
	struct view *view;
	const struct view_trace *trace;
	struct decomp_part *part;
	size_t n;                /* devices as --device chose them, then any_device */
	bool cpu_job;
};

/* Who gets the time that an op of the scan owns.  Called for each op and part;
 * NULL: nobody. */
typedef void *decomp_owner_fn(void *arg, const struct decomp_part *p,
	const struct dev_op *op);
/* A stretch of busy time of that owner: its length, and of it in chosen steps. */
typedef void decomp_piece_fn(void *owner, int64_t len_ns, int64_t chosen_ns);
/* A stretch of a CPU job in which no operator runs, in order of time, and where the
 * host was: cause is host, input or unknown.  0, -1 said. */
typedef int decomp_outside_fn(void *arg, const struct account_piece *p);
struct decomp_hooks {
	decomp_owner_fn *owner;
	decomp_piece_fn *piece;
	void *arg;
	decomp_outside_fn *outside; /* NULL: nobody asks */
};

int decomp_begin(struct decomp *d, struct view *v, const struct view_trace *t) RESULT_USED;
/* hooks NULL: only the split. */
int decomp_run(struct decomp *d, const struct decomp_hooks *hooks) RESULT_USED;
/* decompose_cpu.c: the operators of a CPU job, each ns to the innermost of the
 * first thread that runs one.  With hooks they have the line that called them. */
int decomp_operators(struct decomp *d, const struct decomp_hooks *hooks) RESULT_USED;
int decomp_check(const struct decomp *d) RESULT_USED;
void decomp_release(struct decomp *d);

static inline struct span *part_step(const struct decomp_part *p, size_t i)
{
	return &p->span[i + 1];
}
static inline struct span *part_head(const struct decomp_part *p)
{
	return &p->span[0];
}
static inline struct span *part_tail(const struct decomp_part *p)
{
	return &p->span[p->steps.n + 1];
}
/* The step's own facts on top of what the store says: STEP_EMPTY when it has
 * no wall or no op. */
int part_step_flags(const struct decomp_part *p, size_t i);
/* No device op although calls launched some: busy is not known. */
bool part_step_unknown(const struct decomp_part *p, size_t i);

#endif
