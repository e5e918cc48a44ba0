/* rows.c - merging sorted runs. */
#include "base.h"
#include "rows.h"

#include <stdlib.h>

#include "mem.h"

#define WINDOW_MOST (16u << 10)
#define WINDOW_LEAST 1024u

struct source {
	struct unpack from;
	int64_t left;          /* rows */
};

struct rows {
	const struct runs *runs;
	size_t nsource;
	struct source *source;
	size_t *heap, nheap;   /* indexes of sources, the earliest row first */
	bool started;
};

static int64_t run_bytes(const struct runs *runs, size_t i)
{
	return (i + 1 < runs->n ? runs->run[i + 1].off : runs->bytes) - runs->run[i].off;
}

/* Bytes of each run at a time, so that all fit.  Most of many runs are a row or two
 * that came late: one share for each made 180,000 reads out of 16 million events. */
static size_t window_bytes(const struct runs *runs)
{
	size_t window, i;
	int64_t sum;

	for (window = WINDOW_MOST; window > WINDOW_LEAST; window /= 2) {
		for (i = sum = 0; i < runs->n; i++)
			sum += MIN((int64_t)window, run_bytes(runs, i));
		if (sum <= MERGE_BYTES)
			break;
	}
	return window;
}

static struct rows *rows_new(const struct runs *runs)
{
	struct rows *r = xcalloc(1, sizeof *r);
	size_t window = window_bytes(runs), i;

	r->runs = runs;
	r->nsource = runs->n;
	r->source = xcalloc(runs->n + 1, sizeof *r->source);
	r->heap = xcalloc(runs->n + 1, sizeof *r->heap);
	for (i = 0; i < runs->n; i++) {
		r->source[i].left = runs->run[i].last - runs->run[i].first + 1;
		runs_open(runs, i, &r->source[i].from, window);
	}
	return r;
}

struct rows *rows_hosts(const struct load *l)
{
	return rows_new(&l->hosts);
}

struct rows *rows_samples(const struct load *l)
{
	return rows_new(&l->samples);
}

void rows_free(struct rows *r)
{
	size_t i;

	if (r == NULL)
		return;
	for (i = 0; i < r->nsource; i++)
		unpack_release(&r->source[i].from);
	free(r->source);
	free(r->heap);
	free(r);
}

/* Both records begin with n, ts; host goes on with dur. */
static const int64_t *key_of(const struct rows *r, size_t i)
{
	return (const void *)r->source[i].from.item;
}

static bool before(const struct rows *r, size_t a, size_t b)
{
	const int64_t *ka = key_of(r, a), *kb = key_of(r, b);

	if (ka[1] != kb[1])
		return ka[1] < kb[1];
	if (r->runs->size == sizeof(struct host) && ka[2] != kb[2])
		return ka[2] > kb[2];
	return a < b;
}

static void sift_down(struct rows *r, size_t i)
{
	size_t child, t;

	while ((child = 2 * i + 1) < r->nheap) {
		if (child + 1 < r->nheap && before(r, r->heap[child + 1], r->heap[child]))
			child++;
		if (!before(r, r->heap[child], r->heap[i]))
			return;
		t = r->heap[i];
		r->heap[i] = r->heap[child];
		r->heap[child] = t;
		i = child;
	}
}

static int start(struct rows *r)
{
	struct source *s;
	size_t i;

	r->started = true;
	for (i = 0; i < r->nsource; i++) {
		s = &r->source[i];
		if (s->left == 0)
			continue;
		s->left--;
		if (unpack_next(&s->from) < 0)
			return -1;
		r->heap[r->nheap++] = i;
	}
	for (i = r->nheap / 2; i-- > 0;)
		sift_down(r, i);
	return 0;
}

/* Behind the row that was given last. */
static int advance(struct rows *r)
{
	struct source *s;

	if (r->nheap == 0)
		return 0;
	s = &r->source[r->heap[0]];
	if (s->left == 0)
		r->heap[0] = r->heap[--r->nheap];
	else if (s->left--, unpack_next(&s->from) < 0)
		return -1;
	sift_down(r, 0);
	return 0;
}

const void *rows_next(struct rows *r, bool *failed)
{
	if ((r->started ? advance(r) : start(r)) < 0) {
		*failed = true;
		return NULL;
	}
	return r->nheap ? r->source[r->heap[0]].from.item : NULL;
}
