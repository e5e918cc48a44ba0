/* pool.h - buffers of one size out of one mapping, for threads that never wait: a
 * set bit is a free part.  A part that is given out is zero in all its bytes. */
#ifndef TP_POOL_H
#define TP_POOL_H

#include "base.h"

#include <stdatomic.h>

/* 600 kernel records (208 bytes) a part, so that a part is full, and goes out, soon;
 * 115,000 in all may be on their way, a hundred times what a stream's queue takes. */
#define POOL_PART_BYTES (128u << 10)
#define POOL_PARTS 192

struct pool {
	unsigned char *base;
	_Atomic uint64_t free[POOL_PARTS / 64];
};

int pool_init(struct pool *p) RESULT_USED;
/* NULL: all are out. */
unsigned char *pool_get(struct pool *p);
/* used: how many of its bytes may not be zero. */
void pool_put(struct pool *p, unsigned char *part, size_t used);

#endif
