/* rows.c - merging the sorted runs of a table. */
#include "base.h"
#include "rows.h"

#include <stdlib.h>

#include "mem.h"

struct source {
	int64_t next, last;    /* n of the next row to read, and of the run's last */
	char *batch;
	size_t at, have;
};

struct rows {
	struct load *l;
	sqlite3_stmt *st;
	void (*take)(sqlite3_stmt *st, void *row);
	size_t size, batch, nsource;
	struct source *source;
	size_t *heap, nheap;   /* indexes of sources, the earliest row first */
	bool started;
};

static int64_t int_or_none(sqlite3_stmt *st, int at)
{
	return sqlite3_column_type(st, at) == SQLITE_NULL ? NO_INT
		: sqlite3_column_int64(st, at);
}

static void take_host(sqlite3_stmt *st, void *row)
{
	struct host *h = row;

	h->n = sqlite3_column_int64(st, 0) & (STORE_ID(1, 0) - 1);
	h->ts = sqlite3_column_int64(st, 1);
	h->dur = sqlite3_column_int64(st, 2);
	h->track = (uint32_t)sqlite3_column_int64(st, 3);
	h->name = (uint32_t)sqlite3_column_int64(st, 4);
	h->cat = (uint8_t)sqlite3_column_int(st, 5);
	h->seq = int_or_none(st, 6);
	h->fwd = int_or_none(st, 7);
	h->ext = NO_INT;
}

static void take_sample(sqlite3_stmt *st, void *row)
{
	struct sample *s = row;
	const char *device = (const char *)sqlite3_column_text(st, 8);

	memset(s, 0, sizeof *s);
	s->n = sqlite3_column_int64(st, 0) & (STORE_ID(1, 0) - 1);
	s->ts = sqlite3_column_int64(st, 1);
	s->track = (uint32_t)sqlite3_column_int64(st, 2);
	s->allocated = int_or_none(st, 3);
	s->reserved = int_or_none(st, 4);
	s->delta = int_or_none(st, 5);
	s->addr = sqlite3_column_int64(st, 6);
	s->type = int_or_none(st, 7);
	if (device)
		memcpy(s->device, device, MIN(strlen(device), sizeof s->device - 1));
	s->ok = sqlite3_column_int(st, 9) != 0;
}

static struct rows *rows_new(struct load *l, const struct runs *runs, size_t size,
	const char *sql)
{
	struct rows *r = xcalloc(1, sizeof *r);
	size_t i;

	r->l = l;
	r->size = size;
	r->st = db_prepare(l->db, sql);
	if (r->st == NULL) {
		free(r);
		return NULL;
	}
	r->nsource = runs->n;
	r->batch = MAX(16u, MIN(512u, MERGE_BYTES / (size * (runs->n + 1))));
	r->source = xcalloc(runs->n + 1, sizeof *r->source);
	r->heap = xcalloc(runs->n + 1, sizeof *r->heap);
	for (i = 0; i < runs->n; i++) {
		r->source[i].next = runs->run[i].first;
		r->source[i].last = runs->run[i].last;
		r->source[i].batch = xcalloc(r->batch, size);
	}
	return r;
}

struct rows *rows_hosts(struct load *l)
{
	struct rows *r = rows_new(l, &l->hosts, sizeof(struct host),
		"SELECT id, ts, dur, track, name, cat, seq, fwd FROM host"
		" WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?");

	if (r)
		r->take = take_host;
	return r;
}

struct rows *rows_samples(struct load *l)
{
	struct rows *r = rows_new(l, &l->samples, sizeof(struct sample),
		"SELECT id, ts, track, allocated, reserved, delta, addr, type,"
		" device, ok FROM memory WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?");

	if (r)
		r->take = take_sample;
	return r;
}

void rows_free(struct rows *r)
{
	size_t i;

	if (r == NULL)
		return;
	db_finish(&r->st);
	for (i = 0; i < r->nsource; i++)
		free(r->source[i].batch);
	free(r->source);
	free(r->heap);
	free(r);
}

/* The next batch of a run; have 0 at its end. */
static int fill(struct rows *r, struct source *s)
{
	struct db *db = r->l->db;
	int rc = 0;

	s->at = s->have = 0;
	if (s->next > s->last)
		return 0;
	sqlite3_bind_int64(r->st, 1, STORE_ID(r->l->id, s->next));
	sqlite3_bind_int64(r->st, 2, STORE_ID(r->l->id, s->last));
	sqlite3_bind_int64(r->st, 3, (int64_t)r->batch);
	while (s->have < r->batch && (rc = db_step(db, r->st)) > 0)
		r->take(r->st, s->batch + s->have++ * r->size);
	sqlite3_reset(r->st);
	s->next += (int64_t)s->have;
	if (rc >= 0 && s->have == 0)
		s->next = s->last + 1;
	return rc < 0 ? -1 : 0;
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
