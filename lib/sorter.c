/* sorter.c - see sorter.h. */
#include "base.h"
#include "sorter.h"
#include "mem.h"
#include "scratch.h"

#include <assert.h>
#include <unistd.h>

/* A read of a run while merging: larger ones gain nothing even on a disk. */
#define READ_BYTES (1u << 20)
/* What is packed before it is written: the cache holds it until then. */
#define WRITE_BYTES (128u << 10)

void sorter_init(struct sorter *s, size_t size, sorter_cmp *cmp,
	const char *dir, size_t memory_bytes)
{
	/* the other half is for sorting, which may set all but one aside */
	size_t most = memory_bytes / 2 / size;

	assert(size % 8 == 0); /* as pack.h wants it; padding would be packed too */
	*s = (struct sorter){ .size = size, .cmp = cmp, .fd = -1,
		.most = MAX(most, 2), .sorted = true };
	s->dir = xstrdup(dir ? dir : ".");
}

static char *item_at(const struct sorter *s, size_t i)
{
	return s->item + i * s->size;
}

/* How many of the n records at p are not after `key`; p is in order. */
static size_t upper_bound(const struct sorter *s, const char *p, size_t n,
	const void *key)
{
	size_t lo = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (s->cmp(p + (lo + half) * s->size, key) <= 0) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* Two neighbouring runs into one.  Records of the left run that are in place
 * stay there, so that nearly sorted input is hardly moved. */
static void merge(const struct sorter *s, size_t lo, size_t mid, size_t hi,
	char *room)
{
	size_t z = s->size, left;
	const char *a, *a_end, *b = item_at(s, mid), *b_end = item_at(s, hi);
	char *to;

	if (s->cmp(b - z, b) <= 0)
		return;
	lo += upper_bound(s, item_at(s, lo), mid - lo, b);
	left = mid - lo;
	to = item_at(s, lo);
	memcpy(room, to, left * z);
	for (a = room, a_end = room + left * z; a < a_end && b < b_end; to += z) {
		if (s->cmp(a, b) <= 0) {
			memcpy(to, a, z);
			a += z;
		} else {
			memcpy(to, b, z);
			b += z;
		}
	}
	memcpy(to, a, (size_t)(a_end - a)); /* b's rest is in place */
}

/* Runs of this length are made by insertion: few moves, no scratch. */
#define INSERT_RUN 8

static void insertion_sort(const struct sorter *s, size_t lo, size_t hi,
	char *room)
{
	for (size_t i = lo + 1; i < hi; i++) {
		size_t at = i;

		while (at > lo && s->cmp(item_at(s, at - 1), item_at(s, i)) > 0)
			at--;
		if (at == i)
			continue;
		memcpy(room, item_at(s, i), s->size);
		memmove(item_at(s, at + 1), item_at(s, at), (i - at) * s->size);
		memcpy(item_at(s, at), room, s->size);
	}
}

static void buffer_sort(struct sorter *s)
{
	size_t widest = INSERT_RUN;
	char *room;

	if (s->sorted)
		return;
	while (widest < (s->n + 1) / 2)
		widest *= 2;
	room = xreallocarray(NULL, MIN(widest, s->n), s->size);
	for (size_t lo = 0; lo < s->n; lo += INSERT_RUN)
		insertion_sort(s, lo, MIN(lo + INSERT_RUN, s->n), room);
	for (size_t width = INSERT_RUN; width < s->n; width *= 2)
		for (size_t lo = 0; lo + width < s->n; lo += 2 * width)
			merge(s, lo, lo + width, MIN(lo + 2 * width, s->n), room);
	free(room);
	s->sorted = true;
}

/* The buffer behind what is in the file, each record from the last before it. */
static int write_packed(struct sorter *s)
{
	unsigned char *to = xmalloc(WRITE_BYTES + PACK_ROOM(s->size));
	size_t n = 0, i;
	int rc = 0;

	for (i = 0; rc == 0 && i < s->n; i++) {
		n += pack_put(to + n, s->last, item_at(s, i), s->size);
		if (n < WRITE_BYTES && i + 1 < s->n)
			continue;
		rc = scratch_write(s->fd, s->dir, to, n, s->bytes);
		s->bytes += (int64_t)n;
		n = 0;
	}
	free(to);
	return rc;
}

/* The buffer as a run of the file: a new one, or, where it only goes on behind
 * the last, a longer last one: input in order stays one run, never merged. */
static int spill(struct sorter *s)
{
	bool goes_on;

	if (s->n == 0)
		return 0;
	buffer_sort(s);
	if (s->fd < 0 && (s->fd = scratch_open(s->dir)) < 0)
		return -1;
	if (!s->last)
		s->last = xmalloc(s->size);
	goes_on = s->nrun > 0 && s->cmp(s->last, s->item) <= 0;
	if (!goes_on) {
		memset(s->last, 0, s->size);
		GROW(s->run, s->nrun, s->caprun);
		s->run[s->nrun++] = (struct sorter_run){ s->bytes, 0 };
	}
	if (write_packed(s) < 0)
		return -1;
	s->run[s->nrun - 1].n += s->n;
	s->spilled += s->n;
	s->n = 0;
	s->sorted = true;
	return 0;
}

int sorter_add(struct sorter *s, const void *item)
{
	if (s->failed)
		return -1;
	if (s->n == s->most && spill(s) < 0) {
		s->failed = true;
		return -1;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? MIN(s->cap * 2, s->most) : MIN(64, s->most);
		s->item = xreallocarray(s->item, s->cap, s->size);
	}
	memcpy(item_at(s, s->n), item, s->size);
	if (s->n > 0 && s->sorted)
		s->sorted = s->cmp(item_at(s, s->n - 1), item) <= 0;
	s->n++;
	s->total++;
	return 0;
}

int sorter_done(struct sorter *s)
{
	if (s->failed)
		return -1;
	if (s->nrun == 0) {
		buffer_sort(s);
		return 0;
	}
	if (spill(s) < 0) {
		s->failed = true;
		return -1;
	}
	free(s->item); /* the merge's buffers take its place */
	s->item = NULL;
	s->cap = 0;
	return 0;
}

int64_t sorter_spilled(const struct sorter *s)
{
	return (int64_t)s->spilled;
}

void sorter_release(struct sorter *s)
{
	if (s->fd >= 0)
		close(s->fd); /* nobody will read it again */
	free(s->item);
	free(s->last);
	free(s->run);
	free(s->dir);
	*s = (struct sorter){ .fd = -1 };
}

static const char *head_item(const struct sorter_iter *it, size_t i)
{
	return it->head[i].from.item;
}

/* Equal records cannot be told apart, but which run comes first is fixed. */
static bool head_before(const struct sorter_iter *it, size_t a, size_t b)
{
	int c = it->s->cmp(head_item(it, a), head_item(it, b));

	return c < 0 || (c == 0 && a < b);
}

static void heap_down(struct sorter_iter *it, size_t at)
{
	for (;;) {
		size_t kid = 2 * at + 1, own = it->heap[at];

		if (kid + 1 < it->nheap &&
		    head_before(it, it->heap[kid + 1], it->heap[kid]))
			kid++;
		if (kid >= it->nheap || !head_before(it, it->heap[kid], own))
			return;
		it->heap[at] = it->heap[kid];
		it->heap[kid] = own;
		at = kid;
	}
}

static int64_t run_end(const struct sorter *s, size_t i)
{
	return i + 1 < s->nrun ? s->run[i + 1].off : s->bytes;
}

static int heads_begin(struct sorter_iter *it, size_t window_bytes)
{
	struct sorter *s = it->s;
	struct sorter_head *h;
	size_t i;

	for (i = 0; i < s->nrun; i++) {
		h = &it->head[i];
		unpack_begin(&h->from, s->fd, s->dir, s->run[i].off, run_end(s, i), s->size,
			window_bytes);
		h->left = s->run[i].n - 1;
		it->heap[i] = i;
		if (unpack_next(&h->from) < 0)
			return -1;
	}
	return 0;
}

int sorter_first(struct sorter *s, struct sorter_iter *it)
{
	*it = (struct sorter_iter){ .s = s, .failed = s->failed };
	if (s->failed)
		return -1;
	if (s->nrun == 0)
		return 0;
	it->nhead = it->nheap = s->nrun;
	it->head = xcalloc(s->nrun, sizeof *it->head);
	it->heap = xcalloc(s->nrun, sizeof *it->heap);
	if (heads_begin(it, MIN(READ_BYTES, s->most * s->size / s->nrun)) < 0) {
		sorter_iter_release(it);
		it->failed = true;
		return -1;
	}
	for (size_t i = it->nheap / 2; i-- > 0;)
		heap_down(it, i);
	return 0;
}

/* Past the record handed out last, which was valid until now. */
static int heap_advance(struct sorter_iter *it)
{
	struct sorter_head *h = &it->head[it->heap[0]];

	if (h->left == 0)
		it->heap[0] = it->heap[--it->nheap];
	else if (h->left--, unpack_next(&h->from) < 0)
		return -1;
	if (it->nheap > 1)
		heap_down(it, 0);
	return 0;
}

const void *sorter_next(struct sorter_iter *it)
{
	const struct sorter *s = it->s;

	if (it->failed)
		return NULL;
	if (s->nrun == 0)
		return it->next < s->n ? item_at(s, it->next++) : NULL;
	if (it->nheap > 0 && it->next++ > 0 && heap_advance(it) < 0)
		it->failed = true;
	if (it->failed || it->nheap == 0)
		return NULL;
	return head_item(it, it->heap[0]);
}

void sorter_iter_release(struct sorter_iter *it)
{
	for (size_t i = 0; i < it->nhead; i++)
		unpack_release(&it->head[i].from);
	free(it->head);
	free(it->heap);
	*it = (struct sorter_iter){ .s = it->s };
}
