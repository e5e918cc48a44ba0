/* tiny.h - runs of tiny kernels: many launches in a row, each too short to be
 * worth its launch.
 *
 *	tiny_init(&v, sink, arg);
 *	for each device op in order of start:  tiny_add(&v, &op)
 *	tiny_end(&v);  tiny_release(&v);
 *
 * A run is at least TINY_LAUNCHES consecutive launches of kernels over all
 * streams, all ops of one correlation being one launch, each shorter than
 * TINY_NS but for at most one, with no idle of TINY_IDLE_NS or more inside.  It
 * begins and ends with a tiny one.  Runs of one device come in order of time
 * and never overlap in launches.
 *
 * Memory: the last TINY_OPEN launches of each device (112 KiB); ops of a correlation that
 * come after so many others, or after such an idle, count no more. */
#ifndef TP_TINY_H
#define TP_TINY_H

#include "base.h"

#define TINY_LAUNCHES 8
#define TINY_NS 20000
/* 50 us broke the runs of a profiled job and not those of the plain one: the
 * profiler stretches what the host does between launches. */
#define TINY_IDLE_NS 200000
#define TINY_OPEN 1024

struct tiny_op {
	int64_t ts_ns, end_ns;
	uint64_t corr;         /* NO_ID: none */
	uint32_t device;       /* the caller's */
	uint32_t n;            /* row of dev */
	bool kernel;           /* else a transfer: it only fills time */
};

struct tiny_run {
	uint32_t device;
	int64_t ts_ns, end_ns;
	int64_t launches;
	int64_t kernel_ns;     /* sum of its kernels' lengths */
	uint32_t first, last;  /* rows of dev: the first ops of its first and last launch */
};

typedef int tiny_fn(void *arg, const struct tiny_run *run); /* 0, -1 said */

struct tiny {
	tiny_fn *sink;
	void *arg;
	struct tiny_device *device; /* private */
	size_t ndevice, capdevice;
	uint32_t *place;       /* by device: 1 + its place in device[], 0 none */
	size_t nplace;
};

void tiny_init(struct tiny *v, tiny_fn *sink, void *arg);
int tiny_add(struct tiny *v, const struct tiny_op *op) RESULT_USED;
int tiny_end(struct tiny *v) RESULT_USED;
void tiny_release(struct tiny *v);

#endif
