/* pyspan.h - Python frames as events, from the stacks that were seen at calls.
 *
 * A stack is a sample: the frames that were alive as a call began, each at its
 * executing line.  A frame that stays on the stack from one call of its thread to
 * the next, called from the same line, is one event "file(first line): func",
 * however long nothing was called in between.  What was called anew begins with the
 * return of the call before, where that is at most PYSPAN_GAP_NS ago, else with its
 * own first call; it ends with the last call it was seen at.
 *
 * The executing line of the user's innermost frame is an event "file(line): func
 * [line]" (frame.h): from the return of the call before to this call's return, if
 * no more than PYSPAN_GAP_NS lie between.  Of one thread one such line is alive at
 * a time.  A line that the hook noted comes as it ends, and is exact: what is made
 * of calls behind it begins no earlier than its end.
 *
 * Kept are the open frames of PYSPAN_THREADS threads; when two meet in a slot the
 * frames of the one that was there end. */
#ifndef TP_PYSPAN_H
#define TP_PYSPAN_H

#include "base.h"
#include "wiretab.h"

/* Between two launches of a host-bound job lie some 5 us, between two parts of a
 * step less than this; where nothing was called for longer anything may have run. */
#define PYSPAN_GAP_NS INT64_C(1000000)
#define PYSPAN_THREADS 1024u

typedef int pyspan_fn(void *arg, uint32_t tid, struct text name, int64_t start_ns,
	int64_t end_ns);

struct pyspan_thread {
	uint32_t tid;
	int64_t end_ns;        /* of the last call; NO_INT: none yet */
	int64_t noted_ns;      /* end of the last line that was noted; NO_INT: none */
	uint32_t n;            /* open frames, from the outermost */
	uint32_t node[CAPWIRE_DEPTH_MAX];
	int64_t start_ns[CAPWIRE_DEPTH_MAX];
	uint32_t line;         /* node whose line is alive, 0 none */
	int64_t line_ns;       /* since when */
};

struct pyspan {
	const struct wiretab *tab;
	pyspan_fn *fn;
	void *arg;
	struct pyspan_thread *thread[PYSPAN_THREADS];
};

void pyspan_init(struct pyspan *p, const struct wiretab *tab, pyspan_fn *fn, void *arg);
/* A call of that thread with its stack's node (not 0). */
int pyspan_call(struct pyspan *p, uint32_t tid, uint32_t node, int64_t start_ns,
	int64_t end_ns) RESULT_USED;
/* A line of that thread was noted, up to end_ns. */
int pyspan_noted(struct pyspan *p, uint32_t tid, int64_t end_ns) RESULT_USED;
/* What is open ends where it was seen last. */
int pyspan_end(struct pyspan *p) RESULT_USED;
void pyspan_release(struct pyspan *p);

#endif
