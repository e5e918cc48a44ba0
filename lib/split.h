/* split.h - who owns each busy nanosecond: one sweep over a device's ops in
 * order of start.
 *
 *	split_init(&s, piece, arg);
 *	while (next op in order of start_ns)  split_add(&s, &op);
 *	split_end(&s);  ... s.part_ns, s.busy_ns ...  split_release(&s);
 *
 * Every busy ns goes to exactly one op: compute before comm before transfer,
 * then the earliest start, the lowest stream, the lowest correlation.  The
 * owner's class is also the split of the wall clock (compute; comm that no
 * compute hides; transfers that neither hides).  busy_ns is found a second
 * way, as the union of the intervals, so that the two can be compared.
 *
 * Memory: an op that one of higher rank outlasts can never own anything and is
 * dropped at once; what is kept are ops that run at the same moment, each
 * ending later than the one before it. */
#ifndef TP_SPLIT_H
#define TP_SPLIT_H

#include "base.h"

enum split_class { SPLIT_COMPUTE, SPLIT_COMM, SPLIT_COPY, SPLIT_CLASSES };

struct split_op {
	int64_t start_ns, end_ns; /* half-open; end >= start */
	enum split_class class;
	int stream;               /* order of its stream */
	uint64_t corr;
	void *owner;              /* the caller's: who gets the time */
};

/* A stretch that op owns; stretches come in order of time, never overlap, and
 * together are the busy time. */
typedef void split_piece_fn(void *arg, const struct split_op *op,
	int64_t start_ns, int64_t end_ns);

struct split {
	struct split_queue {
		struct split_op *op;
		size_t first, n, cap; /* op[first..n) are alive */
	} queue[SPLIT_CLASSES];
	int64_t now_ns;           /* everything before it is given out */
	split_piece_fn *piece;
	void *arg;
	uint64_t ops;
	int64_t first_ns, last_ns; /* window: first start, last end; 0 with no op */
	int64_t part_ns[SPLIT_CLASSES]; /* owned time */
	int64_t busy_ns, busy_end_ns;   /* length of the union, found apart */
	int64_t comm_ns, comm_end_ns;   /* union of the comm ops alone */
};
void split_init(struct split *s, split_piece_fn *fn, void *arg);
void split_add(struct split *s, const struct split_op *op);
void split_end(struct split *s);
void split_release(struct split *s);

/* Stretches of time that collect their share: steps, head, tail. */
struct span {
	int64_t start_ns, end_ns;
	int64_t part_ns[SPLIT_CLASSES];
	int64_t busy_ns, comm_ns;
	uint64_t ops;             /* that touch it, zero-length ones inside too */
	bool chosen;
};
/* spans in order of start; they may overlap.  A cursor belongs to one series of
 * calls whose start_ns never falls. */
struct span_cursor { size_t first; };
struct spans {
	struct span *span;
	size_t n;
	struct span_cursor part, busy, comm, count;
};
void spans_init(struct spans *v, struct span *span, size_t n);
/* Returns how much of it lies in chosen spans. */
int64_t spans_part(struct spans *v, enum split_class c, int64_t start_ns, int64_t end_ns);
/* Before split_add of the same op, with the split that it goes to. */
void spans_op(struct spans *v, const struct split *s, const struct split_op *op);

#endif
