/* kernels.h - the device ops of a trace gathered by name: counts, times, own
 * times, bytes, and what issued them.
 *
 *	struct kernels k;
 *	kernels_run(&k, &decomp, rules);   one scan; sorted, named and classed
 *	kernels_check(&k);                 the identities
 *	... k.kernel[i] ...
 *	kernels_release(&k);
 *
 * Memory grows with the number of distinct (name, operator, line), never with
 * the trace.  All is NULL or NO_INT where it is unknown. */
#ifndef TP_KERNELS_H
#define TP_KERNELS_H

#include "class.h"
#include "decompose.h"

struct op_sum {
	int64_t count, time_ns, bytes; /* bytes: of the ops that carry some */
	int64_t own_ns;          /* in the chosen steps */
	int64_t window_own_ns;   /* in the whole trace */
	int64_t with_bytes;      /* ops that carry bytes */
};

/* What issued some of a kernel's ops. */
struct kernel_site {
	struct kernel *kernel;
	int64_t op, frame, how;  /* names of the store; 0 none */
	bool blocking;           /* a copy: the host waited for it */
	struct op_sum sum;
	char *op_name;
	struct anchor_text anchor;
};
struct kernel {
	const struct decomp_part *part;
	int64_t name_id;
	enum event_cat cat;
	char *name;
	enum kernel_class class;
	struct op_sum sum;
	int64_t blocks, blocks_ns; /* grid of the longest op, and its length */
	int64_t below_sms_ns;    /* time in ops with fewer blocks than the device has SMs */
	struct kernel_site **site; /* the largest first */
	size_t nsite, capsite;
};
struct kernels {
	struct decomp *decomp;
	struct kernel **kernel;  /* by part, then basis, time, name */
	size_t n, cap;
	struct kernel_slot *slot; /* sites by their key */
	size_t nslot, used;
	sqlite3_stmt *call;
	bool failed;
};
int kernels_run(struct kernels *k, struct decomp *d, const struct class_rules *rules) RESULT_USED;
/* Own times against busy, a part at a time. */
int kernels_check(const struct kernels *k) RESULT_USED;
void kernels_release(struct kernels *k);

/* What a share is of: the whole trace, or with --step the chosen steps. */
int64_t sum_basis(const struct decomp_part *p, const struct op_sum *s);
int64_t part_basis(const struct decomp_part *p);
void op_sum_add(struct op_sum *to, const struct op_sum *from);
#endif
