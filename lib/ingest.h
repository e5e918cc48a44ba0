/* ingest.h - one input of tp-ingest, whatever it is: a Chrome trace, or a stream
 * of the toolkit with any number of segments.  Its traces go into a store, or out
 * as event records. */
#ifndef TP_INGEST_H
#define TP_INGEST_H

#include "base.h"
#include "in.h"
#include "load.h"
#include "say.h"
#include "stream.h"

struct ingest {
	struct store *store;        /* NULL: records go to out */
	struct stream_writer *out;
	bool text;                  /* out gets lines for a person */
	char **argv;                /* for the provenance of out */
	struct load_opt opt;
	int64_t rank;               /* --rank; NO_INT */
	int64_t traces, events;     /* what was taken so far */
	bool partial;               /* something of the input was lost */
};

/* Status of that input: ST_OK, ST_PARTIAL, or ST_FAIL when nothing of it could
 * be used (said).  -1: the store or the output failed, there is no going on. */
int ingest_input(struct ingest *g, const char *path) RESULT_USED;

/* The parts of it: an input of which first/n were read. */
int ingest_kineto(struct ingest *g, struct in *in, const void *first, size_t n) RESULT_USED;
int ingest_stream(struct ingest *g, struct in *in, const void *first, size_t n) RESULT_USED;

/* import_report.c: a line for each fault, and with -v the whole import report.
 * said: why it is partial was told. */
void import_report(const struct trace_info *t, const char *step_rule, bool said);

#endif
