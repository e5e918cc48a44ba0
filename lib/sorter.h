/* sorter.h - external merge sort of fixed-size records, memory bounded.
 *
 *	sorter_init(&s, sizeof(struct x), cmp, scratch_dir_of("store.db"), bytes);
 *	sorter_add(&s, &x) ...  sorter_done(&s);
 *	struct sorter_iter it; sorter_first(&s, &it);
 *	while ((p = sorter_next(&it))) ...          // may be repeated
 *	sorter_release(&s);
 * Records already in order are compared once, with their neighbour, and never
 * merged; what does not fit spills as sorted runs, packed, to one unlinked scratch
 * file in dir (NULL: here).  A record's size is a multiple of 8, and its padding is
 * set.  cmp must be a total order.  Several iterators may run at once; a record
 * lives until its iterator's next call.  LIMITS: memory_bytes for the buffer and
 * its merge, as much for each iterator of spilled records, and 150 bytes and three
 * records a run; 128 KiB and two records while it spills. */
#ifndef TP_SORTER_H
#define TP_SORTER_H

#include "base.h"
#include "pack.h"

typedef int sorter_cmp(const void *a, const void *b);

struct sorter {
	size_t size, n, cap, total;
	size_t most;           /* records that the buffer may hold */
	char *item;
	sorter_cmp *cmp;
	char *dir;
	int fd;                /* -1: nothing spilled */
	struct sorter_run { int64_t off; size_t n; } *run;
	size_t nrun, caprun;
	size_t spilled;        /* records in the file */
	char *last;            /* the last of them */
	int64_t bytes;         /* of the file */
	bool sorted;           /* the buffer is in order so far */
	bool failed;
};

void sorter_init(struct sorter *s, size_t size, sorter_cmp *cmp,
	const char *dir, size_t memory_bytes);
int sorter_add(struct sorter *s, const void *item) RESULT_USED;   /* -1 said */
int sorter_done(struct sorter *s) RESULT_USED;
int64_t sorter_spilled(const struct sorter *s);  /* records that went to the file */
void sorter_release(struct sorter *s);

struct sorter_iter {
	struct sorter *s;
	struct sorter_head { struct unpack from; size_t left; } *head;
	size_t nhead, *heap, nheap;
	size_t next;           /* records handed out */
	bool failed;
};
int sorter_first(struct sorter *s, struct sorter_iter *it) RESULT_USED;
const void *sorter_next(struct sorter_iter *it); /* NULL: end, or it->failed */
void sorter_iter_release(struct sorter_iter *it);

#endif
