/* lane.h - what one host thread was doing, as a step function of time, kept
 * only for the stretch that idle.c still has questions about.
 *
 * Records come in order of start.  At any moment the innermost record is the
 * open one that started last; what encloses it are the records that were open
 * when it started.  A point says what holds from its time to the next point's.
 *
 * A stretch without a record that lies between two records less than
 * LANE_BETWEEN_NS apart is DO_BETWEEN: the interpreter at work, which leaves no
 * record when stacks are off.  Whether it does is known LANE_BETWEEN_NS later
 * at the latest. */
#ifndef TP_LANE_H
#define TP_LANE_H

#include "base.h"

#define LANE_BETWEEN_NS 1000000
/* after a wait the queue is empty; filling it again is that call's cost */
#define LANE_REFILL_NS 100000
#define LANE_DEPTH_MAX 4096 /* deeper records lengthen the one they are in */

/* In the order in which they claim a ns. */
enum lane_do { DO_NONE, DO_BETWEEN, DO_HOST, DO_INPUT, DO_ALLOC };

/* Where in the user's code: names of the trace, 0 none; how as in store.sql. */
struct lane_anchor {
	uint32_t frame, op;
	uint8_t how;
};

struct lane_state {
	enum lane_do what;
	struct lane_anchor anchor;
	uint32_t doing;        /* name of the innermost record that is no frame */
};

struct lane_point {
	int64_t ts_ns;
	struct lane_state state;
};

/* A call that waits for the device. */
struct lane_wait {
	int64_t ts_ns, end_ns;
	struct lane_anchor anchor;
	uint32_t name;
};

struct lane_record {
	int64_t ts_ns, end_ns;
	enum lane_do what;     /* DO_HOST, DO_INPUT or DO_ALLOC */
	bool is_frame;         /* a Python frame: where, not what */
	uint32_t name;
	struct lane_anchor anchor;
	int64_t anchor_end_ns; /* when the frame that it names ends */
};

struct lane {
	struct lane_open {
		int64_t end_ns, anchor_end_ns;
		struct lane_state state;
	} *open;
	size_t nopen, capopen;
	struct lane_point *point; /* point[first..n), never empty once begun */
	size_t first, n, cap;
	struct lane_wait *wait;   /* wait[first_wait..nwait), in order of start */
	size_t first_wait, nwait, capwait;
	int64_t issued;           /* device ops that its calls launched so far */
};

void lane_release(struct lane *l);
/* keep_ns: nobody will ask for times before it, INT64_MAX when nobody asks. */
void lane_add(struct lane *l, const struct lane_record *r, int64_t keep_ns);
void lane_add_wait(struct lane *l, const struct lane_wait *w, int64_t keep_ns);
/* Everything that ends up to now_ns has ended. */
void lane_settle(struct lane *l, int64_t now_ns, int64_t keep_ns);

/* What encloses a record that begins now, once settled; NULL: nothing. */
static inline const struct lane_open *lane_outer(const struct lane *l)
{
	return l->nopen ? &l->open[l->nopen - 1] : NULL;
}
/* Index of the point that holds at t, or l->n when t is before the first;
 * start with l->first. */
size_t lane_find(const struct lane *l, int64_t ts_ns);
/* The state at t and until when it holds. */
struct lane_state lane_at(const struct lane *l, size_t point, int64_t *until_ns);
/* ns of [from, to) in which it has a record. */
int64_t lane_cover(const struct lane *l, int64_t from_ns, int64_t to_ns);

#endif
