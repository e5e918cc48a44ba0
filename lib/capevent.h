/* capevent.h - a process's records of the capture library as events, such as a
 * trace of torch.profiler has for the same things: what reads events need not know
 * where they come from.
 *
 *	capevent_init(&c, sink)
 *	capevent_take(&c, record)       for each; the first is the hello
 *	capevent_end(&c)                frames that are still open
 *	... c.info, to which the caller adds rank, host and path ...
 *	capevent_release(&c)
 *
 * Times of events count from the hello's moment: base_ns of the trace is
 * c.info.base_ns.  Memory: the tables of wiretab.h and pyspan.h. */
#ifndef TP_CAPEVENT_H
#define TP_CAPEVENT_H

#include <regex.h>

#include "base.h"
#include "dialect.h"
#include "event.h"
#include "pyspan.h"
#include "wire.h"
#include "wiretab.h"

#define CAPEVENT_DEVICES 64

struct capevent {
	struct wiretab tab;
	struct pyspan spans;
	struct comm_cache comm;
	struct event_sink sink;
	struct trace_info info;  /* devices, counts, base_ns, what it says of versions */
	const regex_t *step;     /* NVTX ranges that are steps, NULL none */
	bool operators;          /* NVTX ranges named as PyTorch does are operators */
	bool whole_memory;       /* it was recorded from the start: totals are known */
	struct cap_hello hello;
	char pid[12], tid[12], device[12], stream[12]; /* of the event in hand */
	int64_t steps;           /* that `step` found */
	int64_t held[CAPEVENT_DEVICES]; /* bytes of device memory */
	bool python;             /* frames came */
	bool allocator;          /* Python is there: PyTorch's allocator stands between, and
	                          * what CUDA gave out is only reserved */
	bool bye;                /* a proper end */
	bool early;              /* ... but recording had ended before its time */
	uint64_t taken;          /* records that came */
	uint64_t missing;        /* that it sent by its own count, of the bye, and that
	                          * did not come */
	uint64_t dropped;        /* by the library, by CUPTI */
};

void capevent_init(struct capevent *c, struct event_sink sink);
/* -1: the sink stopped.  A record that cannot be an event is counted. */
int capevent_take(struct capevent *c, const struct wire_record *r) RESULT_USED;
int capevent_end(struct capevent *c) RESULT_USED;
void capevent_release(struct capevent *c);

#endif
