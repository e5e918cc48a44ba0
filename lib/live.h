/* live.h - the memory that was alive at each device's peak, by what allocated it.
 *
 * Samples are given in order of time with who allocated; at the sample that
 * memory_check found to be the peak the sums are stored, and that device is done. */
#ifndef TP_LIVE_H
#define TP_LIVE_H

#include "anchor.h"

/* Addresses alive at a time that are followed; more are counted, not followed. */
#define LIVE_MAX 1000000u

struct live {
	struct load *l;
	struct block { uint64_t addr; int64_t bytes; struct anchor who; uint16_t peak; }
		*block;        /* a hash table by addr and peak; bytes 0: free */
	uint32_t nblock, nbucket;
	bool *done;            /* by index of l->peaks */
	int64_t nrow, overflow;
};

void live_init(struct live *v, struct load *l);
void live_release(struct live *v);
/* Whether the sample still matters: who allocated it need not be found else. */
bool live_wants(const struct live *v, const struct sample *s);
int live_see(struct live *v, const struct sample *s, struct anchor who) RESULT_USED;

#endif
