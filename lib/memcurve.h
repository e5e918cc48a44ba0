/* memcurve.h - memory over time: the [memory] events of a trace, one curve a
 * device.
 *
 *	struct memcurves m;
 *	memcurves_run(&m, &view, trace, each, arg);   each: every event that --device and
 *	                                             --step choose, in order of time
 *	... m.curve[i] ...
 *	memcurves_release(&m);
 *
 * The store has the events in the order of the file: they are sorted here, in
 * SORT_BYTES and then through a scratch file.  Steps are by the host's clock,
 * where the allocator works. */
#ifndef TP_MEMCURVE_H
#define TP_MEMCURVE_H

#include "view.h"

#define CURVE_CELLS 56   /* of the sparkline */

/* Device types of the allocator's events: 1 (CUDA, and ROCm under its name) and
 * 6 (HIP) are GPUs, 0 is the host, others keep their number. */
enum { MEM_HOST = 0, MEM_GPU = 1 };

struct mem_event {
	int64_t n, ts_ns;        /* n: row of the store, later ones of a moment follow */
	int64_t allocated, reserved, delta; /* NO_INT unknown */
	int32_t curve;           /* the number in which it came */
	uint16_t ok;             /* 0: a total that cannot be */
	uint16_t chosen;         /* in a step that --step chose */
};
struct mem_step {
	const struct view_step *step;
	int64_t peak_allocated, peak_reserved; /* NO_INT: no event so far */
	int64_t first_allocated, last_allocated;
};
struct mem_curve {
	const char *device;      /* "0"; "cpu" for the host's memory */
	int type;                /* MEM_HOST, MEM_GPU, or the number */
	const struct view_device *info; /* NULL unknown */
	int64_t events, bad;     /* bad: of them with impossible totals */
	int64_t breaks;          /* total is not previous + delta */
	bool totals;             /* what was allocated is known at an event; false: only
	                          * what was reserved, or deltas, and all is relative */
	/* NO_INT unknown */
	int64_t peak_allocated, peak_allocated_ns, reserved_at_peak;
	int64_t peak_reserved, peak_reserved_ns;
	int64_t last_allocated, last_reserved;
	int64_t before;          /* allocated at the event before, when that was whole */
	int64_t level;           /* allocated at the last whole event */
	int64_t trace_peak;      /* of all events, chosen or not */
	bool peak_chosen;        /* it lies in the steps that --step chose */
	int64_t relative, peak_relative; /* sum of the deltas since the window began */
	int64_t cell[CURVE_CELLS];       /* largest allocated (or relative) by time */
	int64_t cell_reserved[CURVE_CELLS];
	struct view_steps steps;
	struct mem_step *step;
	size_t at_step;
	int32_t came;            /* 0: the first that an event named */
	char *own_device;
};
struct memcurves {
	struct view *view;
	const struct view_trace *trace;
	struct mem_curve *curve; /* GPUs by number, others, the host's last */
	size_t n, cap;
	bool others;             /* events of devices that --device did not choose */
	int64_t first_ns, last_ns; /* of the events that are chosen */
};
/* -1: said, the walk ends. */
typedef int mem_event_fn(void *arg, const struct mem_curve *c, const struct mem_event *e);
int memcurves_run(struct memcurves *m, struct view *v, const struct view_trace *t,
	mem_event_fn *each, void *arg) RESULT_USED;
void memcurves_release(struct memcurves *m);

#endif
