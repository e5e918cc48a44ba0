/* idle.h - why a device had nothing to do: every idle ns gets one cause and a
 * place in the user's code, in one sweep over the host's records.
 *
 *	idle_init(&v, &hooks);
 *	for each host record in order of start:  idle_add(&v, &record)
 *	idle_end(&v);  idle_release(&v);
 *
 * Gaps are pulled with next_gap, in order of start (gap.h makes them).  Pieces
 * go to piece() in order of time for each device; together they are the gaps,
 * and nothing else.  The causes and their order are those of tp-view2(1).
 *
 * A piece without frame and op has the anchor of the op that ends the gap.
 *
 * Memory: what the threads did is kept from the oldest gap not yet decided,
 * at most IDLE_HOLD_MAX points; a gap with more inside is decided in sections
 * (which matters only to a thread that stands in for a silent one: the one
 * with the most records is chosen a section). */
#ifndef TP_IDLE_H
#define TP_IDLE_H

#include "event.h"
#include "gap.h"
#include "lane.h"

/* In the order of the ledger.  HOST: the host's own doing.  WORDS: what the machine
 * did instead, for a person. */
#define IDLE_CAUSES(X) \
	X(IDLE_SYNC, "sync", true, \
		"the host waited for the device and had to refill its queue") \
	X(IDLE_ALLOC, "alloc", true, \
		"the host was in the device's allocator") \
	X(IDLE_INPUT, "input", true, \
		"the host was in the data loader") \
	X(IDLE_HOST, "host", true, \
		"the host was at work and had nothing queued") \
	X(IDLE_UNKNOWN, "unknown", true, \
		"the host left no record") \
	X(IDLE_LAUNCH, "launch", false, \
		"between a launch and its kernel's start") \
	X(IDLE_QUEUED, "queued", false, \
		"work was queued, nothing says why it did not run") \
	X(IDLE_TURNAROUND, "turnaround", false, \
		"the device's own pace between two operations") \
	X(IDLE_PROFILER, "profiler", false, \
		"the profiler was at its own work") \
	X(IDLE_LOAD, "load", false, \
		"a module or kernel was being loaded") \
	X(IDLE_UNLINKED, "unlinked", false, \
		"the next operation's launch is not in the trace") \
	X(IDLE_AFTER_LAST, "after_last", false, \
		"no later operation in the trace")
enum idle_cause {
#define X(e, name, host, words) e,
	IDLE_CAUSES(X)
#undef X
	IDLE_CAUSE_COUNT
};
const char *idle_cause_name(enum idle_cause c);
const char *idle_cause_words(enum idle_cause c);
bool idle_cause_is_host(enum idle_cause c);

/* A wait that began at most this long after a gap did emptied the queue. */
#define IDLE_WAIT_LATE_NS 20000
/* Shorter gaps before an op that was queued are the device's own pace. */
#define IDLE_TURNAROUND_NS 5000
/* What a device needs to start an op that was just issued. */
#define IDLE_LAUNCH_NS 10000
/* Gaps of this length are losses of their own, with what the host was doing. */
#define IDLE_LOSS_NS 50000
/* ... and in gaps of this length piece by piece; in shorter ones a piece tells
 * what it was doing longest at a stretch.  (A launch-bound job with stacks has
 * half the pieces so, and loads 5 % faster.) */
#define IDLE_DETAIL_NS 1000000
#define IDLE_HOLD_MAX (1u << 18)

/* how of a piece: those of an anchor, and AT_BETWEEN (table `how` of store.sql) */
enum idle_how {
	AT_NONE, AT_LINE, AT_FUNCTION, AT_OP, AT_OTHER_THREAD, AT_BETWEEN
};

struct idle_record {
	int64_t ts_ns, end_ns;
	uint32_t track, name;
	enum event_cat cat;
	unsigned traits;       /* trait_of() its name */
	bool pageable;         /* a copy call whose op is Pageable */
	bool own_frame;        /* a frame of the user's code */
	bool own_line;         /* ... with the line that was executed */
	bool backward;         /* an operator that names its forward one */
	bool has_anchor;       /* anchor is known; else it is asked for, if need be */
	struct lane_anchor anchor; /* of its thread once it has begun */
};

struct idle_piece {
	int64_t ts_ns, dur_ns;
	uint32_t device;
	enum idle_cause cause;
	struct lane_anchor anchor; /* how: enum idle_how */
	uint32_t doing;        /* name, longest at a stretch; 0 unknown, or no loss */
	uint32_t before, after; /* rows of dev; 0 none */
};

typedef int idle_gap_fn(void *arg, struct gap *gap);   /* 1, 0 no more, -1 said */
/* Where the user's code is inside a record without a frame around it. */
typedef struct lane_anchor idle_anchor_fn(void *arg, const struct idle_record *r);
typedef int idle_piece_fn(void *arg, const struct idle_piece *p); /* 0, -1 said */

struct idle {
	struct idle_hooks {
		idle_gap_fn *next_gap;
		idle_anchor_fn *anchor;
		idle_piece_fn *piece;
		void *arg;
	} hook;
	struct gap next;       /* not yet begun */
	bool more;
	struct lane *lane;     /* by track */
	size_t nlane;
	struct lane profiler, load;
	struct idle_open { struct gap gap; int64_t done_ns; } *open;
	size_t nopen, capopen;
	int64_t keep_ns;       /* threads: nothing earlier will be asked; INT64_MAX */
	int64_t keep_any_ns;   /* overhead, same */
	int64_t due_ns;        /* when the first open gap can be decided */
	size_t records;        /* since what is held was last counted */
	struct idle_piece last;
	bool have_last;
	uint32_t doing;        /* at the end of last, and for how long */
	int64_t doing_ns, longest_ns;
};

int idle_init(struct idle *v, const struct idle_hooks *hook) RESULT_USED;
/* Device ops that calls of this thread issued: of two threads that could stand
 * in for a silent one, the one that feeds the device more does. */
void idle_issued(struct idle *v, uint32_t track, int64_t ops);
int idle_add(struct idle *v, const struct idle_record *r) RESULT_USED;
int idle_end(struct idle *v) RESULT_USED;
void idle_release(struct idle *v);

#endif
