/* timetext.h - the records of tp-time as text: a line a startup phase and step
 * as they come, and at the end what a step takes. */
#ifndef TP_TIMETEXT_H
#define TP_TIMETEXT_H

#include "base.h"
#include "out.h"
#include "rec.h"

/* Walls kept for the median: enough for it to be right within 0.1 %; a longer
 * run thins what it has by half and keeps every second step from there. */
#define TIMETEXT_KEEP 65536

struct timetext {
	int64_t *wall_ns;
	size_t n, cap;
	int64_t steps, every;
	int64_t reserved_peak, host_peak;  /* bytes */
	bool ranks;                        /* more than rank 0 */
};

void timetext_init(struct timetext *t);
int timetext_put(struct timetext *t, struct out *o, const struct rec *r) RESULT_USED;
int timetext_end(struct timetext *t, struct out *o) RESULT_USED;
void timetext_release(struct timetext *t);

#endif
