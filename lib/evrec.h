/* evrec.h - events as records of the stream, both ways.  One run record a
 * trace, before its end, carries trace_info; event and mem records carry
 * struct event.  kineto -> records -> store gives the same store as
 * kineto -> store, where the loader repairs every text with text_fix_utf8()
 * (utf8.h) as the way through a record does, and every piece of raw JSON (args,
 * dist) with rec_compact() (rec.h).  raw_cat travels only with CAT_OTHER. */
#ifndef TP_EVREC_H
#define TP_EVREC_H

#include "event.h"
#include "stream.h"

/* Writing: start_ns = ts_ns - origin_ns, and the head's epoch is base + origin
 * (base taken as 0 when it comes late: then the run record has it as
 * epoch_add_ns).  args and dist that are not JSON are left out. */
int evrec_put(struct stream_writer *w, const struct event *ev, int64_t origin_ns) RESULT_USED;
/* epoch_add_ns 0: none. */
int evrec_put_info(struct stream_writer *w, const struct trace_info *t,
	int64_t epoch_add_ns) RESULT_USED;

/* Reading: 1 it was an event and *ev is filled (valid while r is; ts_ns counts
 * from the head's epoch + epoch_add_ns), 0 it was something else.  -1 it is an
 * event record without a start_ns that can be read, not said: hand it to
 * stream_reject(s, "event without start_ns") and go on.  A value of the wrong
 * type counts as absent, an unknown category as CAT_OTHER. */
int evrec_get(const struct rec *r, struct event *ev) RESULT_USED;
/* Take what a run record says into info, which was initialised: 1 taken, 0 no
 * run record, -1 said.  What the record does not say is left alone, so that a
 * later one adds to it; *epoch_add_ns too.  A rank from "option" stays. */
int evrec_get_info(const struct rec *r, struct trace_info *t,
	int64_t *epoch_add_ns) RESULT_USED;

#endif
