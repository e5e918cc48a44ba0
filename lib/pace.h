/* pace.h - what the steps of a run take, and which take longer at a beat (evaluation
 * every 10 steps, a checkpoint every 20). */
#ifndef TP_PACE_H
#define TP_PACE_H

#include "base.h"
#include "event.h" /* NO_INT */

/* Middle of n values (mean of two, towards zero); sorts them.  NO_INT for 0. */
int64_t median_ns(int64_t *value, size_t n);

/* What each step took, into took_ns, which may be either of the others.  A host that
 * seldom waits queues steps in a fraction of the time that they take, and the one that
 * reads a value back has the wait for all.  The device's clock (NO_INT unknown; known
 * of two thirds) tells all of them where it is later than the host's by a 50th of the
 * run and more, summed over the steps that it is later in: true then.  A step of which
 * it is unknown is taken as a typical one, the first one for no shorter than the host
 * says.  wall_ns 0: no such step. */
bool pace_take(const int64_t *wall_ns, const int64_t *device_ns, size_t n,
	int64_t *took_ns);

/* Every `every` steps, from step `first` on, `count` steps took each_ns longer (the
 * lower quartile) than those around them; file, line and func: where the job stood
 * most of that time, NULL when the run does not say. */
struct beat {
	int64_t every, first, count, each_ns;
	char *file, *func;
	int64_t line;
};
#define BEATS_MAX 8

/* How many were found, the shortest beat first: what a beat of 10 explains is taken
 * off before a beat of 20 is looked for.  The run's own first step is start-up and
 * belongs to none.  `first` counts from 0. */
size_t pace_beats(const int64_t *took_ns, size_t n, struct beat out[BEATS_MAX]);

#endif
