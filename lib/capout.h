/* capout.h - where the segments of a job's processes go: head, events, run, end.
 *
 * With dir each becomes a file there, named rank<N>.<host>.<pid>.tp.lz4, whole or
 * not at all.  Else the first that has an event goes to the stream as it comes; one
 * that begins meanwhile waits in the private folder and follows when the job has
 * ended, and one that begins after the first has ended takes its place.
 *
 *	capout_open(&o, private)          dir, out, text, argv are set
 *	s = capout_begin(&o, base_ns);  capout_event(&o, s, ev);  capout_end(&o, s, ...)
 *	capout_flush(&o)                  before each wait
 *	capout_close(&o, job_status) */
#ifndef TP_CAPOUT_H
#define TP_CAPOUT_H

#include "base.h"
#include "event.h"
#include "stream.h"

struct capout_segment; /* private */

struct capout {
	const char *dir;       /* NULL: to out */
	struct stream_writer *out;
	bool text;             /* out is for a person */
	char **argv;
	char *work;            /* what is not whole yet lies here */
	struct capout_segment *live;
	struct capout_segment *open; /* all that have not ended */
	bool live_ended;       /* its events are written, its end is not */
	bool live_complete;
	char **waiting;        /* files of the segments that follow */
	size_t nwaiting, cap_waiting;
	int64_t begun, kept;   /* segments; kept: that are whole */
	bool dirty;            /* something is not flushed */
	bool deaf;             /* the reader of out has gone */
	bool failed;
};

struct capout_name {       /* of a file */
	int64_t rank;          /* NO_INT: numbered as they ended */
	int64_t pid;
};

int capout_open(struct capout *o, const char *private) RESULT_USED;
/* NULL: it cannot be (said, but for a reader that has gone). */
struct capout_segment *capout_begin(struct capout *o, int64_t base_ns) RESULT_USED;
/* -1: nothing of this segment is kept: hand it to capout_drop. */
int capout_event(struct capout *o, struct capout_segment *s, const struct event *ev)
	RESULT_USED;
/* It goes to its place; frees s. */
void capout_end(struct capout *o, struct capout_segment *s, const struct trace_info *info,
	const struct capout_name *name, bool complete);
void capout_drop(struct capout *o, struct capout_segment *s);
/* Something was recorded, or nobody wanted more. */
static inline bool capout_had(const struct capout *o)
{
	return o->kept || o->deaf;
}
void capout_flush(struct capout *o);
/* -1: something failed (said).  A stream without a segment is written as one that
 * says that all is missing. */
int capout_close(struct capout *o, int job_status) RESULT_USED;

#endif
