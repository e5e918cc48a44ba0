/* dialect.h - what the words of a trace mean, across versions and vendors:
 * categories, communication kernels, file names.  Tables and pure functions;
 * nothing allocates but name_host(). */
#ifndef TP_DIALECT_H
#define TP_DIALECT_H

#include "event.h"

enum cat_flag {
	CF_KNOWN = 1,     /* a category of torch.profiler */
	CF_SKIP = 2,      /* no event: the profiler's own span, a counter */
	CF_OLD = 4        /* spelling of 2021 */
};

struct cat_rule {
	const char *word;      /* lower case */
	enum event_cat cat;
	unsigned flags;
};

/* A kernel is CAT_KERNEL here; comm_name() tells the communication ones.
 * Without regard to case; never NULL (an unknown word: CAT_OTHER, flags 0). */
const struct cat_rule *cat_rule(struct text word);

/* Ranges that 2021's `Operator` and the legacy exporter file under operators:
 * ProfilerStep#, Optimizer.step#, enumerate(DataLoader)#. */
bool annotation_name(struct text name);

/* Does a kernel of this name communicate?  A library's name must begin an
 * identifier (`void pack_before_nccl_kernel` computes), an operation's name
 * counts anywhere, and what Triton generated computes. */
bool comm_name(struct text name);

/* comm_name() is asked for each kernel of a trace, but distinct names are few:
 * one remembered answer a slot, keyed by the hash of the name's bytes. */
struct comm_cache {
	struct { uint64_t hash; bool comm; } slot[1024];
};
bool comm_cached(struct comm_cache *c, struct text name);

/* The number after "rank", "worker" in a file name (its last part): "rank3.json"
 * "rank-3." "rank_3" "worker3.1717.pt.trace.json".  NO_INT when there is none. */
int64_t name_rank(const char *path);
/* The host of "HOST_PID.MS.pt.trace.json[.gz]", malloc'd, or NULL. */
char *name_host(const char *path);

#endif
