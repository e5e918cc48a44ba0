/* honest_rows.h - the honest clock: what tp-time measured without a profiler, on its
 * way into the store.  One struct honest_rows a segment of a stream. */
#ifndef TP_HONEST_ROWS_H
#define TP_HONEST_ROWS_H

#include "base.h"
#include "in.h"
#include "rec.h"
#include "store.h"

struct honest_rows {
	struct store *store;
	int64_t id;            /* the run; 0: nothing came yet */
	int64_t nstep, nstartup;
	int64_t wall_sum_ns, device_sum_ns, startup_sum_ns;
	struct hash hash;      /* over the records, so that a run comes in once */
	struct buf run;        /* the run record's line */
	sqlite3_stmt *put_step, *put_startup;
};

void honest_rows_init(struct honest_rows *h, struct store *store);
void honest_rows_release(struct honest_rows *h);
/* 1 taken (step, startup, run), 0 another kind, -1 said. */
int honest_rows_take(struct honest_rows *h, const struct rec *r, int64_t epoch_ns) RESULT_USED;
/* keep: the segment held no events of a profiler.  1 something was kept. */
int honest_rows_finish(struct honest_rows *h, bool keep, bool partial) RESULT_USED;

#endif
