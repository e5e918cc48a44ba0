#include "base.h"
#include "ring.h"

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; an older one refuses it */
#endif

/* A record that is claimed and not yet complete has this bit in its size, which
 * is a multiple of 8. */
#define PENDING 1u

_Static_assert(sizeof(struct capwire_head) == sizeof(uint64_t), "one store completes it");

static uint64_t head_word(struct capwire_head h)
{
	uint64_t w;

	memcpy(&w, &h, sizeof w);
	return w;
}

static struct capwire_head word_head(uint64_t w)
{
	struct capwire_head h;

	memcpy(&h, &w, sizeof h);
	return h;
}

static _Atomic uint64_t *word_at(struct ring *r, uint64_t at)
{
	return (_Atomic uint64_t *)(void *)(r->base + (at & (r->size - 1)));
}

int ring_init(struct ring *r, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -1;
	r->base = p;
	r->size = size;
	return 0;
}

void ring_populate(struct ring *r)
{
	(void)madvise(r->base, r->size, MADV_POPULATE_WRITE);
}

void ring_release(struct ring *r)
{
	if (r->base)
		munmap(r->base, r->size);
	r->base = NULL;
}

void *ring_begin(struct ring *r, struct capwire_head head)
{
	uint64_t at = atomic_load_explicit(&r->head, memory_order_relaxed), left, need;

	do {
		/* the acquire pairs with ring_take: the room is zero, and ours */
		uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

		left = r->size - (at & (r->size - 1));
		need = left >= head.size ? head.size : left + head.size;
		/* at may be old, and then lie before the tail: the swap will tell */
		if (at >= tail && at + need - tail > r->size) {
			atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
			return NULL;
		}
	} while (!atomic_compare_exchange_weak_explicit(&r->head, &at, at + need,
		memory_order_relaxed, memory_order_relaxed));
	if (need != head.size) {
		struct capwire_head filler = { .size = (uint16_t)left };

		atomic_store_explicit(word_at(r, at), head_word(filler),
			memory_order_release);
		at += left;
	}
	head.size |= PENDING;
	atomic_store_explicit(word_at(r, at), head_word(head), memory_order_relaxed);
	return r->base + (at & (r->size - 1)) + sizeof head;
}

void ring_end(void *body)
{
	_Atomic uint64_t *word = (_Atomic uint64_t *)body - 1;
	struct capwire_head h =
		word_head(atomic_load_explicit(word, memory_order_relaxed));

	h.size &= (uint16_t)~PENDING;
	atomic_store_explicit(word, head_word(h), memory_order_release);
}

size_t ring_peek(struct ring *r, const void **p, size_t max, uint64_t *records)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed), at = tail;

	while (at - tail < r->size) {
		struct capwire_head h = word_head(
			atomic_load_explicit(word_at(r, at), memory_order_acquire));

		if (h.size == 0 || (h.size & PENDING))
			break;
		if (h.type == 0 && at == tail) {
			ring_take(r, h.size);
			at = tail += h.size;
			continue;
		}
		if (h.type == 0 || at - tail + h.size > max)
			break;
		at += h.size;
		++*records;
		if ((at & (r->size - 1)) == 0)
			break;
	}
	*p = word_at(r, tail);
	return at - tail;
}

void ring_take(struct ring *r, size_t n)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	memset(word_at(r, tail), 0, n);
	atomic_store_explicit(&r->tail, tail + n, memory_order_release);
}
