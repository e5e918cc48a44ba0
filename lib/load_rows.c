/* load_rows.c - host records and memory samples as they come. */
#include "base.h"
#include "load.h"

#include <stdlib.h>
#include <unistd.h>

#include "mem.h"
#include "row.h"
#include "scratch.h"

/* Both records begin with n, ts. */
static int row_by_time(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return a[1] != b[1] ? cmp_int(a[1], b[1]) : cmp_int(a[0], b[0]);
}

/* Rows wait here until a write is worth its call. */
#define WAIT_BYTES (128u << 10)

void runs_init(struct runs *r, const char *table, size_t size, const char *dir)
{
	*r = (struct runs){ .table = table, .dir = dir, .size = size, .fd = -1 };
	sorter_init(&r->late, size, row_by_time, dir, SORTER_BYTES);
}

void runs_release(struct runs *r)
{
	if (r->size && r->fd >= 0)
		close(r->fd); /* nobody will read it again */
	sorter_release(&r->late);
	free(r->run);
	free(r->wait);
	free(r->before);
	*r = (struct runs){ .fd = -1, .late.fd = -1 }; /* may be released again */
}

static int runs_flush(struct runs *r)
{
	int64_t at = r->bytes - (int64_t)r->nwait;
	size_t n = r->nwait;

	if (n == 0)
		return 0;
	if (r->fd < 0 && (r->fd = scratch_open(r->dir)) < 0)
		return -1;
	r->nwait = 0;
	return scratch_write(r->fd, r->dir, r->wait, n, at);
}

static int runs_add(struct runs *r, const void *row)
{
	size_t n;

	if (r->nwait + PACK_ROOM(r->size) > WAIT_BYTES && runs_flush(r) < 0)
		return -1;
	n = pack_put(r->wait + r->nwait, r->before, row, r->size);
	r->nwait += n;
	r->bytes += (int64_t)n;
	r->rows++;
	return 0;
}

static void runs_begin(struct runs *r)
{
	if (!r->wait) {
		r->wait = xmalloc(WAIT_BYTES);
		r->before = xmalloc(r->size);
	}
	memset(r->before, 0, r->size);
	GROW(r->run, r->n, r->cap);
	r->run[r->n++] = (struct run){ r->rows + 1, r->rows, r->bytes };
}

void runs_open(const struct runs *r, size_t i, struct unpack *u, size_t window_bytes)
{
	unpack_begin(u, r->fd, r->dir, r->run[i].off,
		i + 1 < r->n ? r->run[i + 1].off : r->bytes, r->size, window_bytes);
}

/* True: the row goes behind the others now. */
static bool runs_take(struct runs *r, int64_t ts)
{
	if (r->n == 0 || ts < r->last_ts) {
		if (r->n >= RUNS_MAX)
			return false;
		runs_begin(r);
	}
	r->run[r->n - 1].last = r->rows + 1;
	r->last_ts = ts;
	return true;
}

static int add_host(struct load *l, struct host *h)
{
	struct row r;

	h->n = l->hosts.rows + 1;
	row_begin(&r);
	row_int(&r, h->ts);
	row_int(&r, h->dur);
	row_int(&r, h->track);
	row_int(&r, h->name);
	row_int(&r, (int64_t)h->cat);
	row_opt(&r, h->ext);
	row_opt(&r, h->seq);
	row_opt(&r, h->fwd);
	if (pages_add(&l->store->pages, BULK_HOST, STORE_ID(l->id, h->n), &r) < 0)
		return -1;
	return runs_add(&l->hosts, h);
}

/* Its row is made when all samples were looked at. */
static int add_sample(struct load *l, struct sample *s)
{
	s->n = l->samples.rows + 1;
	return runs_add(&l->samples, s);
}

int load_put_host(struct load *l, const struct host *h)
{
	struct host row = *h;

	if (runs_take(&l->hosts, h->ts))
		return add_host(l, &row);
	row.n = l->count.spilled++;
	return sorter_add(&l->hosts.late, &row);
}

int load_put_sample(struct load *l, const struct sample *s)
{
	struct sample row = *s;

	if (runs_take(&l->samples, s->ts))
		return add_sample(l, &row);
	row.n = l->count.spilled++;
	return sorter_add(&l->samples.late, &row);
}

typedef int add_fn(struct load *l, const void *row);

static int add_late_host(struct load *l, const void *row)
{
	struct host h = *(const struct host *)row;

	return add_host(l, &h);
}

static int add_late_sample(struct load *l, const void *row)
{
	struct sample s = *(const struct sample *)row;

	return add_sample(l, &s);
}

/* The late ones become one more sorted stretch behind the others. */
static int end_runs(struct load *l, struct runs *r, add_fn *add)
{
	struct sorter_iter it;
	const void *row;
	int rc = 0;

	if (sorter_done(&r->late) < 0 || sorter_first(&r->late, &it) < 0)
		return -1;
	if (r->late.total > 0)
		runs_begin(r);
	while (rc == 0 && (row = sorter_next(&it)))
		rc = add(l, row);
	if (it.failed)
		rc = -1;
	sorter_iter_release(&it);
	sorter_release(&r->late);
	if (r->n > 0)
		r->run[r->n - 1].last = r->rows;
	return rc < 0 ? -1 : runs_flush(r);
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

	if (end_runs(l, &l->hosts, add_late_host) < 0
	    || end_runs(l, &l->samples, add_late_sample) < 0
	    || store_runs(l, &l->hosts, &n) < 0)
		return -1;
	return store_runs(l, &l->samples, &n);
}
