/* tracesink.h - the traces of a profiled run as they come from its ranks: files
 * in a folder, or events in our stream.
 *
 *	set dir or out, text, argv;  tracesink_open;  tracesink_take for each
 *	tp_trace of the hook;  tracesink_close */
#ifndef TP_TRACESINK_H
#define TP_TRACESINK_H

#include "base.h"
#include "stream.h"

struct tracesink {
	const char *dir;          /* rank<N>.<host>.<pid>.json.gz go there */
	struct stream_writer *out; /* or events: NULL with dir */
	bool text;                /* out is for a person */
	char **argv;
	char *work;               /* where the hook writes */
	int64_t traces;           /* that are whole and in place */
	bool deaf;                /* the reader of out has gone */
	bool failed;
};

/* A folder of ours within dir, which is made: a trace is whole before it has its
 * name, and no other file system comes between.  Malloc'd; NULL said. */
char *tracesink_work(const char *dir) RESULT_USED;
/* dir NULL: the hook writes to `private`. */
int tracesink_open(struct tracesink *s, const char *dir, const char *private) RESULT_USED;
/* -1: it was no proper record.  A trace that fails is said and noted. */
int tracesink_take(struct tracesink *s, const struct rec *r) RESULT_USED;
/* job_status goes into the end of a stream without events.  -1: something of it
 * failed. */
int tracesink_close(struct tracesink *s, int job_status) RESULT_USED;

#endif
