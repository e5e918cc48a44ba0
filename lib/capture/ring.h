/* ring.h - the queue of the capture library: many threads put records in, one
 * thread takes them out, and none ever waits for another.
 *
 * It is bytes in one mapping.  A record is claimed by moving `head` (one compare
 * and swap), filled in place, and given to the reader by the release store of its
 * first word, the capwire_head: until then the reader stands before it.  A record
 * is never split at the mapping's end: a filler of type 0 takes what is left
 * there, and never reaches the reader's hands.  What is taken out is set to zero
 * before its room is given back, so a word that is not zero is a record. */
#ifndef TP_RING_H
#define TP_RING_H

#include "base.h"
#include "capwire.h"

#include <stdatomic.h>

struct ring {
	unsigned char *base;        /* NULL: not made */
	uint64_t size;              /* bytes, a power of two */
	/* each on a line of its own: producers and the reader write them */
	_Alignas(64) _Atomic uint64_t head;    /* bytes claimed since the start */
	_Alignas(64) _Atomic uint64_t tail;    /* bytes given back */
	_Alignas(64) _Atomic uint64_t dropped; /* records for which there was no room */
};

/* size: a power of two, at least 16 * CAPWIRE_MAX.  -1: no memory. */
int ring_init(struct ring *r, size_t size) RESULT_USED;
/* Have its pages now, so that no launch pays for a page fault. */
void ring_populate(struct ring *r);
void ring_release(struct ring *r);

/* Any thread.  head.size is that of the whole record, a multiple of 8 in
 * [8, CAPWIRE_MAX]; returns where its body goes, NULL: no room, counted. */
void *ring_begin(struct ring *r, struct capwire_head head);
void ring_end(void *body);

/* The reader's thread alone.  *p gets the records that are complete and lie in one
 * piece, at most max bytes (at least CAPWIRE_MAX) of them; returns their bytes, 0
 * none, and adds their number to *records.  ring_take gives back n of them. */
size_t ring_peek(struct ring *r, const void **p, size_t max, uint64_t *records);
void ring_take(struct ring *r, size_t n);

static inline uint64_t ring_used(const struct ring *r)
{
	return atomic_load_explicit(&r->head, memory_order_relaxed) -
		atomic_load_explicit(&r->tail, memory_order_relaxed);
}

#endif
