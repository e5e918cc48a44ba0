/* hookrec.h - what the hook's lines say, turned into the records of a stream.
 *
 *	hookrec_init(&h, fn, arg)
 *	job_run(&job, &(struct job_ears){ hookrec_line, idle, &h })
 *	hookrec_verdict(&h, entered)      the one line when no step came
 *	hookrec_release(&h)
 *
 * Kinds that begin with tp_ are for us (hello, note, off, trace, bye); others go
 * to fn whole.  A rank belongs to the first process that makes a step as it:
 * another that claims it is told of once and left out, so that steps of two
 * processes never mix.  A line that is no record, or a kind that the hook does
 * not send, closes its link. */
#ifndef TP_HOOKREC_H
#define TP_HOOKREC_H

#include "base.h"
#include "job.h"
#include "rec.h"

/* A record for the stream; -1 stops it (said): the job goes on unheard. */
typedef int hookrec_fn(void *arg, const struct rec *r);

struct hookrec {
	hookrec_fn *fn;
	/* tp_trace: a finished trace file of the hook's; may be NULL */
	hookrec_fn *trace;
	void *arg;
	struct rec_parser *parser;
	bool deaf;            /* fn failed */
	uint64_t dropped;     /* records that the hook could not send in time */
	int64_t hellos;       /* processes that imported torch */
	int64_t open_ranks;   /* ranks that made steps and have not said bye */
	int64_t torn_ranks;   /* ... and whose link ended without it */
	int64_t refused;
	int64_t gave_way;     /* windows left to a profiler of the script's */
	int64_t faults;       /* hooks that switched themselves off */
	int64_t *rank;        /* taken ones: each made a step */
	size_t nrank, rank_cap;
};

void hookrec_init(struct hookrec *h, hookrec_fn *fn, void *arg);
int hookrec_line(void *hookrec, struct hook_client *c, struct text line);
/* Nothing seen?  One line that says at which door it stopped.  Returns whether
 * a process made steps. */
bool hookrec_verdict(const struct hookrec *h, bool entered);
void hookrec_release(struct hookrec *h);
/* Of an option table, --step: keeps the words (const char *) of a rule that the hook
 * knows. */
int hookrec_opt_rule(void *to, const char *words);

#endif
