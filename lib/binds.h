/* binds.h - what a step is bound by: decided in one place, for the text of view 1
 * and for the report.
 *
 *	struct binds_sum sum = { 0 };
 *	for each device:  binds_add(&sum, &device)
 *	binds_of(&sum)
 *
 * A device binds alone when it is idle less than BINDS_IDLE_PERCENT of the time, or
 * when the host runs ahead of it by more than a step and it works most of the time
 * (with the launches out of sight, in graphs or a sampled trace, the host can be
 * ahead of a device that idles).  A profiler slows the host and not the kernels, so
 * idle is taken as it would be without one, where that is known. */
#ifndef TP_BINDS_H
#define TP_BINDS_H

#include "base.h"

#define BINDS_IDLE_PERCENT 3

/* 0 <= a <= over, over > 0 */
struct ratio { int64_t a, over; };
int64_t ratio_of(int64_t ns, struct ratio r);
struct ratio ratio_clamped(int64_t a, int64_t over);
/* What a profiled ns of idle is worth: (plain step - busy) / (profiled step - busy). */
struct ratio ratio_plain(int64_t plain_step_ns, int64_t profiled_step_ns, int64_t busy_step_ns);

struct binds_device {
	int64_t busy_ns, idle_ns;  /* sums over its steps; idle without a profiler */
	int64_t comm_ns;           /* of busy: exposed communication */
	int64_t median_ns, run_ahead_ns; /* of a step; below 0 unknown */
	bool whole;                /* no steps: nothing is known of the run-ahead */
};
bool binds_alone(const struct binds_device *d);

struct binds_sum { int64_t wall_ns, idle_ns, comm_ns, alone_ns; };
void binds_add(struct binds_sum *sum, const struct binds_device *d);

enum binds {
	BINDS_NOTHING,  /* no time at all */
	BINDS_COMM,     /* half of it or more is communication that nothing hides */
	BINDS_DEVICE,   /* devices that bind alone, in most of it */
	BINDS_IDLE,     /* half of it or more is idle: the devices wait */
	BINDS_BOTH      /* the devices work, but wait in between */
};
enum binds binds_of(const struct binds_sum *sum);

#endif
