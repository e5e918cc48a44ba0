#include "base.h"
#include "pool.h"

#include <sys/mman.h>

int pool_init(struct pool *p)
{
	void *m = mmap(NULL, (size_t)POOL_PARTS * POOL_PART_BYTES,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		return -1;
	p->base = m;
	for (size_t i = 0; i < ARRAY_LEN(p->free); i++)
		atomic_store(&p->free[i], UINT64_MAX);
	return 0;
}

unsigned char *pool_get(struct pool *p)
{
	/* the lowest first: parts that were used before have their pages */
	for (size_t i = 0; i < ARRAY_LEN(p->free); i++) {
		uint64_t bits = atomic_load_explicit(&p->free[i], memory_order_relaxed);

		while (bits) {
			uint64_t bit = bits & -bits;

			if (atomic_compare_exchange_weak_explicit(&p->free[i], &bits,
				bits & ~bit, memory_order_acquire, memory_order_relaxed))
				return p->base + POOL_PART_BYTES *
					(i * 64 + (size_t)__builtin_ctzll(bit));
		}
	}
	return NULL;
}

void pool_put(struct pool *p, unsigned char *part, size_t used)
{
	size_t at = (size_t)(part - p->base) / POOL_PART_BYTES;

	memset(part, 0, MIN(used, POOL_PART_BYTES));
	atomic_fetch_or_explicit(&p->free[at / 64], UINT64_C(1) << (at % 64),
		memory_order_release);
}
