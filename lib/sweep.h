/* sweep.h - host records, calls and memory samples of a trace in one order of
 * time, each with the stack of its thread as it begins.
 *
 *	struct sweep w;
 *	sweep_init(&w, l);
 *	while ((rc = sweep_next(&w, &item)) > 0)
 *		look at item and item.thread;
 *	sweep_release(&w);
 * The item's own record is pushed when the next one is asked for.  Records that
 * end are popped lazily, when something happens on their thread: who looks at a
 * stack skips entries with end <= ts (sweep_alive), also those that an
 * overlapping record keeps from being popped. */
#ifndef TP_SWEEP_H
#define TP_SWEEP_H

#include "load.h"
#include "rows.h"

/* Entries of one thread, and of all: what lies deeper is not seen. */
#define SWEEP_DEPTH_MAX 4096u
#define SWEEP_ENTRIES_MAX (1u << 20)

struct entry {
	int64_t ts, end, seq;  /* seq NO_INT: none */
	uint32_t name;
	uint32_t node;         /* of stack.h; 0: not asked for yet */
	int32_t fwd;           /* Fwd thread id of a backward op, else 0 */
	uint16_t flags;        /* the name's */
	uint8_t cat;
};

struct thread {
	struct entry *entry;   /* entry[n - 1] is the innermost */
	size_t n, cap;
	bool waits;            /* had an entry with NAME_BACKWARD */
};

enum sweep_kind { SWEEP_HOST, SWEEP_CALL, SWEEP_SAMPLE };
struct sweep_item {
	enum sweep_kind kind;
	int64_t ts;
	uint32_t track;
	const struct host *host;       /* by kind */
	const struct call *call;
	const struct sample *sample;
	struct thread *thread;         /* of track */
};

struct sweep {
	struct load *l;
	struct rows *hosts, *samples;
	struct sorter_iter calls;
	const struct host *host;
	const struct call *call;
	const struct sample *sample;
	struct sweep_item last;        /* to be pushed */
	struct thread *thread;         /* thread[track] */
	size_t nthread, entries;
	bool failed, begun;
};

int sweep_init(struct sweep *w, struct load *l) RESULT_USED;
int sweep_next(struct sweep *w, struct sweep_item *it) RESULT_USED; /* 1, 0, -1 said */
void sweep_release(struct sweep *w);
/* The item as it will lie on its thread's stack; false for a sample. */
bool sweep_entry(const struct sweep *w, const struct sweep_item *it, struct entry *e);

static inline bool sweep_alive(const struct entry *e, int64_t ts)
{
	return e->end > ts;
}

#endif
