/* steps.h - the host's steps, and where a device's steps begin.
 *
 * steps_choose once all marks are in; then for each device steps_drain_add for
 * the ops of its main stream (any order) and steps_drain_end.  An op with no call
 * moves all boundaries behind its end: devs.c says which count so. */
#ifndef TP_STEPS_H
#define TP_STEPS_H

#include "load.h"

/* By the first rule that gives a step: ProfilerStep marks, --step-regex, ends of
 * Optimizer.step, the whole window (none at all in a trace without events). */
void steps_choose(struct load *l);
/* The step that holds ts by the host's clock, or -1. */
int64_t steps_at(const struct steps *s, int64_t ts);

/* drain: n + 1 values, set to NO_INT before. */
void steps_drain_add(const struct steps *s, int64_t *drain, int64_t issue_ts,
	int64_t end_ts);
void steps_drain_end(const struct steps *s, int64_t *drain);
/* An op over [ts, end) of a device: counted into cover (n + 1 differences). */
void steps_cover(const int64_t *drain, size_t n, int64_t *cover, int64_t ts,
	int64_t end);

int steps_store(struct load *l) RESULT_USED;

#endif
