/* state.h - what the parts of the capture library share: the process's state and
 * each thread's.  Module by module:
 *
 *	ring      the queue
 *	emit      records and texts into it (emit.h)
 *	link      the socket and the thread that empties the queue into it
 *	cuptilib  libcupti, opened late
 *	calls     CUPTI's callbacks at runtime and driver calls
 *	ops       CUPTI's activity buffers: kernels, copies, syncs, overhead, memory
 *	nvtx      NVTX's callbacks (nvtxname: its registered strings)
 *	pyframes  Python's stack at a call
 *	told      the entry points of steps and ranges
 *	inject    all others: start, window, fork, exit */
#ifndef TP_STATE_H
#define TP_STATE_H

#include "base.h"

#include <stdatomic.h>

enum capture_phase {
	PHASE_NEW,    /* nothing yet: a start is possible */
	PHASE_LIVE,   /* linked */
	PHASE_OFF     /* failed, ended, or a forked child: for good */
};

#define RANGE_DEPTH 64 /* open NVTX ranges of a thread; deeper ones are not recorded */

struct open_range {
	const void *domain;   /* NVTX's: its ranges nest by themselves */
	int64_t start_ns;
	int64_t seq;          /* -1 none */
	uint32_t name;        /* text; 0: not recorded */
	uint8_t kind;         /* enum cap_range_kind */
};

/* One thread of the job.  All zero at its first use. */
struct capture_thread {
	uint32_t tid;
	/* the outermost recorded call that has not returned */
	uint32_t window;      /* capture_window at its start: an older one is void */
	uint32_t call;        /* domain and cbid, 0 none */
	uint32_t corr, stack;
	int64_t call_ns;
	uint32_t capture_call; /* the outermost begin or end of a capture, 0 none */
	bool detaching;       /* the call is ours, and CUPTI goes at its end */
	bool detached;        /* it went */
	/* NVTX */
	uint32_t depth;
	struct open_range range[RANGE_DEPTH];
	/* what the hook left open: ends with the next call or mark */
	struct {
		int64_t start_ns;     /* 0 none */
		uint32_t kind, name, file;
		int32_t line;
	} mark;
};

extern _Thread_local struct capture_thread capture_self;
extern _Atomic bool capture_exiting;    /* CUPTI may be gone at any moment */
extern _Atomic int capture_phase;       /* enum capture_phase */
extern _Atomic bool capture_open;       /* PHASE_LIVE and inside the window */
extern _Atomic uint32_t capture_window; /* counts the window's openings, from 1 */
/* Where the window begins that a warm-up came before: what lies before it is not
 * sent.  0: there was none; CAPTURE_WARMING: it has not begun. */
extern _Atomic int64_t capture_from_ns;
#define CAPTURE_WARMING INT64_MAX

struct capture_opts {
	bool lines, memory, window;
};
extern struct capture_opts capture_opts;

/* Switch all off for good; safe from any thread.  inject.c. */
void capture_off(void);
/* End what the hook left open on this thread.  calls.c. */
void capture_mark_end(struct capture_thread *t, int64_t now_ns);

#endif
