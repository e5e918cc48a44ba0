/* anchor.h - who issued what happens on a thread: from the sweep's stacks.
 *
 * The frame is the user's innermost Python frame.  Inside a backward operator
 * with no such frame of its own it is that of the forward operator with the same
 * sequence number; failing that, the frame of the thread that waits for the
 * backward pass. */
#ifndef TP_ANCHOR_H
#define TP_ANCHOR_H

#include "sweep.h"

/* Forward operators remembered, by sequence number: an iteration of a model with
 * 10,000 operators makes about that many numbers. */
#define FORWARD_SLOTS (1u << 17)
#define FORWARD_THREADS_MAX 64
#define WAITING_MAX 64
#define STACK_NODES_MAX (1u << 18)

enum how { HOW_NONE, HOW_LINE, HOW_FUNCTION, HOW_OP, HOW_OTHER_THREAD };

struct anchor {
	uint32_t op;           /* name of the innermost operator; 0 none */
	uint32_t frame;        /* n of the frame; 0 none */
	uint8_t how;           /* enum how */
};

struct anchors {
	struct sweep *w;
	struct forward { int64_t seq; uint32_t track, frame; } *forward;
	uint32_t forward_track[FORWARD_THREADS_MAX];
	size_t nforward_track;
	/* Fwd thread ids are the profiler's own numbers: which thread one means
	 * is learned where only one thread has the sequence number */
	struct { int32_t fwd; uint32_t track; } known[FORWARD_THREADS_MAX];
	size_t nknown;
	uint32_t waiting[WAITING_MAX];
	size_t nwaiting;
	sqlite3_stmt *put_node;
	struct node { uint32_t parent, name, id; } *node; /* a hash table */
	uint32_t nnode;
};

int anchors_init(struct anchors *a, struct sweep *w) RESULT_USED;
void anchors_release(struct anchors *a);
/* Every item, before anything is asked about it: learns forward operators. */
void anchors_see(struct anchors *a, const struct sweep_item *it);
struct anchor anchors_find(struct anchors *a, const struct sweep_item *it);
/* The same for what happens inside the item. */
struct anchor anchors_within(struct anchors *a, const struct sweep_item *it);
/* The row of `stack` for the chain around the item, 0 for none; -1 said. */
int64_t anchors_stack(struct anchors *a, const struct sweep_item *it);

#endif
