/* gap.h - where a device had nothing to do, found from its ops alone.
 *
 *	gaps_init(&v, first_ns, sink, arg);
 *	for each device op in order of start:  gaps_add(&v, &op)
 *	gaps_end(&v, last_ns);  gaps_release(&v);
 *
 * A gap is a maximal stretch of [first_ns, last_ns) without an op on any stream
 * of the device.  The op that ends it is the first to start at or after its
 * end: of several the one issued first, then the lowest stream, then the
 * lowest correlation; one whose call is not in the file comes last.  Ops of no
 * length end no gap by themselves.  Gaps of one device come in order of time,
 * each when the op behind its ending op is seen. */
#ifndef TP_GAP_H
#define TP_GAP_H

#include "event.h"

struct gap_op {
	int64_t ts_ns, end_ns;
	int64_t issue_ns, issue_end_ns; /* its call, when linked */
	uint64_t corr;         /* NO_ID: none */
	uint32_t device;       /* 1, 2, ...: the caller's */
	uint32_t n;            /* row of dev */
	uint32_t issue_track;
	uint32_t stream_order;
	bool linked;
};

struct gap {
	int64_t ts_ns, end_ns;
	int64_t issue_ns, issue_end_ns; /* the ending op's call */
	uint32_t device;
	uint32_t before, after; /* rows of dev; 0: none */
	uint32_t issue_track;   /* 0: the ending op has no call */
};

typedef int gap_fn(void *arg, const struct gap *gap); /* 0, -1 said */

struct gaps {
	gap_fn *sink;
	void *arg;
	int64_t first_ns;
	struct gap_device {
		uint32_t device;
		int64_t busy_end_ns;
		uint32_t last;      /* op that ended last */
		bool open;          /* gap_start .. ending.ts is a gap, ties may come */
		int64_t start_ns;
		uint32_t before;
		struct gap_op ending;
		bool has_instant;   /* an op of no length, at a time not busy */
		struct gap_op instant;
	} *device;
	size_t ndevice, capdevice;
	uint32_t *place;        /* by device: 1 + its place in device[], 0 none */
	size_t nplace;
};

void gaps_init(struct gaps *v, int64_t first_ns, gap_fn *sink, void *arg);
/* A device that may have no op to add: it is idle all along. */
void gaps_device(struct gaps *v, uint32_t device);
int gaps_add(struct gaps *v, const struct gap_op *op) RESULT_USED;
int gaps_end(struct gaps *v, int64_t last_ns) RESULT_USED;
void gaps_release(struct gaps *v);

#endif
