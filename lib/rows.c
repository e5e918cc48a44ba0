/* rows.c - merging sorted runs. */
#include "base.h"
#include "rows.h"

#include <stdlib.h>

#include "mem.h"

#define BATCH_MOST 512u
#define BATCH_LEAST 16u

struct source {
	int64_t next, last;    /* n of the next row to read, and of the run's last */
	char *batch;
	size_t at, have;
};

struct rows {
	const struct runs *runs;
	size_t size, batch, nsource;
	struct source *source;
	size_t *heap, nheap;   /* indexes of sources, the earliest row first */
	bool started;
};

static size_t run_rows(const struct runs *runs, size_t i)
{
	return (size_t)(runs->run[i].last - runs->run[i].first + 1);
}

/* Rows of each run at a time, so that all fit.  Most of many runs are a row or two
 * that came late: one share for each made 180,000 reads out of 16 million events. */
static size_t batch_rows(const struct runs *runs)
{
	size_t batch, sum, i;

	for (batch = BATCH_MOST; batch > BATCH_LEAST; batch /= 2) {
		for (i = sum = 0; i < runs->n; i++)
			sum += MIN(batch, run_rows(runs, i));
		if (sum <= MERGE_BYTES / runs->size)
			break;
	}
	return batch;
}

static struct rows *rows_new(const struct runs *runs)
{
	struct rows *r = xcalloc(1, sizeof *r);
	size_t i;

	r->runs = runs;
	r->size = runs->size;
	r->nsource = runs->n;
	r->batch = batch_rows(runs);
	r->source = xcalloc(runs->n + 1, sizeof *r->source);
	r->heap = xcalloc(runs->n + 1, sizeof *r->heap);
	for (i = 0; i < runs->n; i++) {
		r->source[i].next = runs->run[i].first;
		r->source[i].last = runs->run[i].last;
		r->source[i].batch = xcalloc(MIN(r->batch, run_rows(runs, i)), r->size);
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
		free(r->source[i].batch);
	free(r->source);
	free(r->heap);
	free(r);
}

/* The next batch of a run; have 0 at its end. */
static int fill(struct rows *r, struct source *s)
{
	int64_t left = s->last - s->next + 1;

	s->at = 0;
	s->have = (size_t)MIN(left, (int64_t)r->batch);
	if (s->have > 0 && runs_read(r->runs, s->next, s->batch, s->have) < 0)
		return -1;
	s->next += (int64_t)s->have;
	return 0;
}

/* Both records begin with n, ts; host goes on with dur. */
static const int64_t *key_of(const struct rows *r, size_t i)
{
	return (const void *)(r->source[i].batch + r->source[i].at * r->size);
}

static bool before(const struct rows *r, size_t a, size_t b)
{
	const int64_t *ka = key_of(r, a), *kb = key_of(r, b);

	if (ka[1] != kb[1])
		return ka[1] < kb[1];
	if (r->size == sizeof(struct host) && ka[2] != kb[2])
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
	size_t i;

	r->started = true;
	for (i = 0; i < r->nsource; i++) {
		if (fill(r, &r->source[i]) < 0)
			return -1;
		if (r->source[i].have)
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
	if (++s->at >= s->have && fill(r, s) < 0)
		return -1;
	if (s->have == 0)
		r->heap[0] = r->heap[--r->nheap];
	sift_down(r, 0);
	return 0;
}

const void *rows_next(struct rows *r, bool *failed)
{
	const struct source *s;

	if ((r->started ? advance(r) : start(r)) < 0) {
		*failed = true;
		return NULL;
	}
	if (r->nheap == 0)
		return NULL;
	s = &r->source[r->heap[0]];
	return s->batch + s->at * r->size;
}
