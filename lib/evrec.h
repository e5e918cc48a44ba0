/* evrec.h - events as records of the stream, both ways.  One run record a
 * trace, before its end, carries trace_info; event and mem records carry
 * struct event.  kineto -> records -> store gives the same store as
 * kineto -> store. */
#ifndef TP_EVREC_H
#define TP_EVREC_H

#include "event.h"
#include "stream.h"

/* Writing: ts_ns stays relative; the head's epoch is base (or 0 when the base
 * comes late: then the run record has epoch_add_ns). */
int evrec_put(struct stream_writer *w, const struct event *ev, int64_t origin_ns) RESULT_USED;
int evrec_put_info(struct stream_writer *w, const struct trace_info *info,
	int64_t epoch_add_ns) RESULT_USED;

/* Reading: 1 it was an event and *ev is filled (valid while r is), 0 it was
 * something else, -1 said. */
int evrec_get(const struct rec *r, struct event *ev) RESULT_USED;
/* Take what a run record says into info: 1 taken, 0 no run record, -1 said. */
int evrec_get_info(const struct rec *r, struct trace_info *info,
	int64_t *epoch_add_ns) RESULT_USED;

#endif
