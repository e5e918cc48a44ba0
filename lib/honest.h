/* honest.h - the honest clock: what tp-time measured without a profiler, on its
 * way into the store.  One struct honest a segment of a stream. */
#ifndef TP_HONEST_H
#define TP_HONEST_H

#include "base.h"
#include "in.h"
#include "rec.h"
#include "store.h"

struct honest {
	struct store *store;
	int64_t id;            /* the run; 0: nothing came yet */
	int64_t nstep, nstartup;
	struct hash hash;      /* over the records, so that a run comes in once */
	struct buf run;        /* the run record's line */
	sqlite3_stmt *put_step, *put_startup;
};

void honest_init(struct honest *h, struct store *store);
void honest_release(struct honest *h);
/* 1 taken (step, startup, run), 0 another kind, -1 said. */
int honest_take(struct honest *h, const struct rec *r, int64_t epoch_ns) RESULT_USED;
/* keep: the segment held no events of a profiler.  1 something was kept. */
int honest_finish(struct honest *h, bool keep, bool partial) RESULT_USED;

#endif
