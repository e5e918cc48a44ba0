/* devs.h - walking the device ops of a trace in order of time, after join. */
#ifndef TP_DEVS_H
#define TP_DEVS_H

#include "load.h"

/* n counts 1, 2, ... as the rows of dev do; impossible lengths are cut. */
struct dev_walk {
	struct sorter_iter it;
	struct load *l;
	struct dev dev;
	int64_t n;
	size_t cut;
};
int dev_walk_first(struct dev_walk *w, struct load *l) RESULT_USED;
bool dev_walk_next(struct dev_walk *w);          /* false: end, or it.failed */
int dev_walk_end(struct dev_walk *w) RESULT_USED; /* -1 when it had failed */

/* cuts.c: fills l->cut.  An op inside which two or more later ops of its own
 * stream wholly lie is impossible, and ends at the first one's start. */
int cuts_find(struct load *l) RESULT_USED;

/* What links a device op to its call in the sweep, in the order of calls; and
 * what the sweep found, in the order of ops. */
struct link {
	int64_t ts, dur, no;   /* the call, as struct dev's issue_ */
	int64_t n;             /* the device op */
};
struct issue {
	int64_t n, call;
	uint32_t op, frame;
	int64_t how;
};

#endif
