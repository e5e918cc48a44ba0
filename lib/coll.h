/* coll.h - what a communication kernel was: which collective, of which group,
 * how many bytes.
 *
 * The args that torch.profiler puts on the kernel (or on the CPU's
 * record_param_comms) say it; without them the operator that launched it, then
 * the kernel's name say what they can.  Point-to-point is kept apart; grouped
 * and generic kernels without args can't be told and are called that. */
#ifndef TP_COLL_H
#define TP_COLL_H

#include "base.h"

/* X(enum, name, busbw numerator per n: 'r' 2(n-1)/n, 'g' (n-1)/n, '1' 1) */
#define COLL_OPS(X) \
	X(COLL_ALL_REDUCE, "all_reduce", 'r') \
	X(COLL_ALL_GATHER, "all_gather", 'g') \
	X(COLL_REDUCE_SCATTER, "reduce_scatter", 'g') \
	X(COLL_ALL_TO_ALL, "all_to_all", 'g') \
	X(COLL_BROADCAST, "broadcast", '1') \
	X(COLL_REDUCE, "reduce", '1') \
	X(COLL_GATHER, "gather", '1') \
	X(COLL_SCATTER, "scatter", '1') \
	X(COLL_BARRIER, "barrier", '1') \
	X(COLL_SEND, "send", '1') \
	X(COLL_RECV, "recv", '1') \
	X(COLL_SEND_RECV, "send_recv", '1') \
	X(COLL_GROUPED, "grouped", '1') \
	X(COLL_OTHER, "communication", '1')
enum coll_op {
#define X(e, n, f) e,
	COLL_OPS(X)
#undef X
	COLL_OP_COUNT
};
const char *coll_name(enum coll_op op);
/* A message between two ranks, or one that can't be told from it. */
static inline bool coll_is_p2p(enum coll_op op)
{
	return op == COLL_SEND || op == COLL_RECV || op == COLL_SEND_RECV;
}

struct coll_info {
	enum coll_op op;
	char group[64];        /* "Process Group Name"; "" unknown */
	int64_t group_size;    /* NO_INT unknown */
	int64_t seq;           /* "Seq"; NO_INT unknown */
	int64_t bytes;         /* nelems x dtype size of the larger side; NO_INT */
};

/* By args (raw JSON object, or {NULL,0}), then the launching operator's name,
 * then the kernel's.  Never fails: what is unknown stays so. */
void coll_identify(struct coll_info *c, struct text args, struct text op,
	struct text kernel);
/* busbw = algbw x *num / *den for n ranks (NCCL's performance notes: 2(n-1)/n
 * all-reduce, (n-1)/n all-gather, reduce-scatter, all-to-all, 1 else). */
void coll_bus_factor(enum coll_op op, int64_t n, int64_t *num, int64_t *den);

#endif
