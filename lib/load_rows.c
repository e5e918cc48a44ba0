/* load_rows.c - host records and memory samples as they come. */
#include "base.h"
#include "load.h"

#include <stdlib.h>

#include "mem.h"

/* Both records begin with n, ts. */
static int row_by_time(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return a[1] != b[1] ? cmp_int(a[1], b[1]) : cmp_int(a[0], b[0]);
}

void runs_init(struct runs *r, const char *table, size_t size, const char *dir)
{
	memset(r, 0, sizeof *r);
	r->table = table;
	sorter_init(&r->late, size, row_by_time, dir, SORTER_BYTES);
}

void runs_release(struct runs *r)
{
	sorter_release(&r->late);
	free(r->run);
	memset(r, 0, sizeof *r);
}

/* True: the row goes into the table now, as number *n. */
static bool runs_take(struct runs *r, int64_t ts, int64_t *n)
{
	if (r->n == 0 || ts < r->last_ts) {
		if (r->n >= RUNS_MAX)
			return false;
		GROW(r->run, r->n, r->cap);
		r->run[r->n++] = (struct run){ r->rows + 1, r->rows };
	}
	*n = ++r->rows;
	r->run[r->n - 1].last = *n;
	r->last_ts = ts;
	return true;
}

static int insert_host(struct load *l, const struct host *h, int64_t n)
{
	const int64_t row[] = { STORE_ID(l->id, n), h->ts, h->dur, h->track,
		h->name, h->cat, h->ext, h->seq, h->fwd };

	return bulk_put(&l->put_host, row);
}

static int insert_sample(struct load *l, const struct sample *s, int64_t n)
{
	sqlite3_stmt *st = l->put_sample;

	sqlite3_bind_int64(st, 1, STORE_ID(l->id, n));
	sqlite3_bind_int64(st, 2, s->ts);
	sqlite3_bind_int64(st, 3, s->track);
	db_bind_str(st, 4, s->device);
	db_bind_int(st, 5, s->type);
	db_bind_int(st, 6, s->allocated);
	db_bind_int(st, 7, s->reserved);
	db_bind_int(st, 8, s->delta);
	sqlite3_bind_int64(st, 9, s->addr);
	sqlite3_bind_int(st, 10, s->ok);
	return db_run(l->db, st);
}

int load_put_host(struct load *l, const struct host *h)
{
	struct host late;
	int64_t n;

	if (runs_take(&l->hosts, h->ts, &n))
		return insert_host(l, h, n);
	late = *h;
	late.n = l->count.spilled++;
	return sorter_add(&l->hosts.late, &late);
}

int load_put_sample(struct load *l, const struct sample *s)
{
	struct sample late;
	int64_t n;

	if (runs_take(&l->samples, s->ts, &n))
		return insert_sample(l, s, n);
	late = *s;
	late.n = l->count.spilled++;
	return sorter_add(&l->samples.late, &late);
}

typedef int insert_fn(struct load *l, const void *row, int64_t n);

static int insert_late_host(struct load *l, const void *row, int64_t n)
{
	return insert_host(l, row, n);
}

static int insert_late_sample(struct load *l, const void *row, int64_t n)
{
	return insert_sample(l, row, n);
}

/* The late ones become one more sorted stretch behind the others. */
static int end_runs(struct load *l, struct runs *r, insert_fn *insert)
{
	struct sorter_iter it;
	const void *row;
	int64_t first = r->rows + 1;
	int rc;

	if (sorter_done(&r->late) < 0 || sorter_first(&r->late, &it) < 0)
		return -1;
	rc = 0;
	while (rc == 0 && (row = sorter_next(&it)))
		rc = insert(l, row, ++r->rows);
	if (it.failed)
		rc = -1;
	sorter_iter_release(&it);
	sorter_release(&r->late);
	if (r->rows >= first) {
		GROW(r->run, r->n, r->cap);
		r->run[r->n++] = (struct run){ first, r->rows };
	}
	return rc;
}

static int store_runs(struct load *l, const struct runs *r, int64_t *n)
{
	sqlite3_stmt *st = db_prepare(l->db, "INSERT INTO run VALUES (?,?,?,?)");
	int rc = st ? 0 : -1;
	size_t i;

	for (i = 0; rc == 0 && i < r->n; i++) {
		sqlite3_bind_int64(st, 1, STORE_ID(l->id, ++*n));
		db_bind_str(st, 2, r->table);
		sqlite3_bind_int64(st, 3, r->run[i].first);
		sqlite3_bind_int64(st, 4, r->run[i].last);
		rc = db_run(l->db, st);
	}
	db_finish(&st);
	return rc;
}

int load_end_rows(struct load *l)
{
	int64_t n = 0;

	if (end_runs(l, &l->hosts, insert_late_host) < 0
	    || bulk_flush(&l->put_host) < 0
	    || end_runs(l, &l->samples, insert_late_sample) < 0
	    || store_runs(l, &l->hosts, &n) < 0)
		return -1;
	return store_runs(l, &l->samples, &n);
}
