/* expose.h - how much of each collective compute hides: one sweep over a
 * device's ops in order of start.
 *
 *	expose_compute(&e, start, end)  and  expose_comm(&e, start, end, &hidden)
 *	in order of start;  expose_end(&e);
 *
 * hidden is the length of [start, end) covered by the union of compute; it is
 * set once the sweep has passed end, at the latest by expose_end.  Memory: the
 * collectives in flight at one moment. */
#ifndef TP_EXPOSE_H
#define TP_EXPOSE_H

#include "base.h"

struct expose {
	int64_t seg_start_ns, seg_end_ns; /* the last stretch of the union */
	int64_t done_ns;                  /* length of all before it */
	bool any;
	struct expose_open {
		int64_t end_ns, covered_ns; /* the union's length up to its start */
		size_t at;                  /* whose: the caller's index */
	} *open;
	size_t nopen, cap;
	void (*hidden)(void *arg, size_t at, int64_t hidden_ns);
	void *arg;
};
void expose_init(struct expose *e, void (*hidden)(void *, size_t, int64_t), void *arg);
void expose_compute(struct expose *e, int64_t start_ns, int64_t end_ns);
void expose_comm(struct expose *e, int64_t start_ns, int64_t end_ns, size_t at);
void expose_end(struct expose *e);
void expose_release(struct expose *e);

#endif
