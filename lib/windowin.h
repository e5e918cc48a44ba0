/* windowin.h - the window that tp-capture is to profile, from the stream that it
 * reads to the end before the job is started. */
#ifndef TP_WINDOWIN_H
#define TP_WINDOWIN_H

#include "base.h"
#include "stream.h"

struct windowin {
	int64_t first_step, steps, warmup;
	char *rule;            /* what a step is, for the hook's "step" */
};

/* Relays everything to w (NULL: nowhere).  0, or -1: no whole window record, or
 * the stream or w failed (said). */
int windowin_read(struct windowin *in, const char *path, struct stream_writer *w,
	char **argv) RESULT_USED;

/* "A:B", both included, from 1, or "A"; warm-up 2, rule auto.  -1 said. */
int windowin_parse(struct windowin *in, const char *words) RESULT_USED;
/* Of an option table: only looks whether it is one, and keeps the words. */
int windowin_opt(void *to, const char *words);
void windowin_rule(struct windowin *in, const char *rule);
void windowin_release(struct windowin *in);

#endif
