/* catalog.c - see catalog.h. */
#include "base.h"
#include "catalog.h"
#include "mem.h"
#include "num.h"
#include "say.h"

#include <stdlib.h>

int64_t column_int(sqlite3_stmt *st, int column)
{
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return NO_INT;
	return sqlite3_column_int64(st, column);
}

char *column_str(sqlite3_stmt *st, int column)
{
	const char *s = db_column_str(st, column);

	return s ? xmemdup0(s, (size_t)sqlite3_column_bytes(st, column)) : NULL;
}

sqlite3_stmt *trace_prepare(struct db *db, const char *sql, const struct view_trace *t)
{
	sqlite3_stmt *st = db_prepare(db, sql);

	if (!st || !t)
		return st;
	db_bind_int(st, 1, STORE_ID(t->id, 0));
	db_bind_int(st, 2, STORE_ID(t->id + 1, 0));
	return st;
}

/* One statement from its first row to its last: fn takes a row. */
typedef void row_fn(void *arg, sqlite3_stmt *st);
static int rows_each(struct db *db, const char *sql, const struct view_trace *t,
	row_fn *fn, void *arg)
{
	sqlite3_stmt *st = trace_prepare(db, sql, t);
	int rc;

	if (!st)
		return -1;
	while ((rc = db_step(db, st)) > 0)
		fn(arg, st);
	db_finish(&st);
	return rc;
}

struct trace_list {
	struct view_trace *trace;
	size_t n, cap;
};

static void trace_take(void *arg, sqlite3_stmt *st)
{
	struct trace_list *list = arg;
	struct view_trace *t;
	int c = 0;

	GROW(list->trace, list->n, list->cap);
	t = &list->trace[list->n++];
	memset(t, 0, sizeof *t);
	t->id = sqlite3_column_int64(st, c++);
	t->number = sqlite3_column_int64(st, c++);
	t->path = column_str(st, c++);
	t->host = column_str(st, c++);
	t->rank = column_int(st, c++);
	t->world_size = column_int(st, c++);
	t->base_ns = sqlite3_column_int64(st, c++);
	t->first_ns = column_int(st, c++);
	t->last_ns = column_int(st, c++);
	t->torch = column_str(st, c++);
	t->dialect = column_str(st, c++);
	t->device_name = column_str(st, c++);
	t->sms = column_int(st, c++);
	t->capacity_bytes = column_int(st, c++);
	t->partial = sqlite3_column_int(st, c++) != 0;
	t->why_partial = column_str(st, c++);
	t->step_rule = column_str(st, c++);
	t->with_stack = sqlite3_column_int(st, c++) != 0;
#define COUNT(name, words) t->count.name = sqlite3_column_int64(st, c++);
#include "counts.def"
#undef COUNT
}

struct device_list {
	struct view_trace *trace;
	size_t cap;
};

static void device_take(void *arg, sqlite3_stmt *st)
{
	struct device_list *list = arg;
	struct view_trace *t = list->trace;
	struct view_device *d;

	GROW(t->device, t->ndevice, list->cap);
	d = &t->device[t->ndevice++];
	d->idx = column_str(st, 0);
	d->name = column_str(st, 1);
	d->sms = column_int(st, 2);
	d->capacity_bytes = column_int(st, 3);
	d->main_stream = column_str(st, 4);
	d->busy_known = sqlite3_column_int(st, 5) != 0;
	d->ops = sqlite3_column_int64(st, 6);
	if (!d->idx)
		d->idx = xstrdup("");
}

/* Numbers by their value and before words, words as bytes: "2" before "10". */
static int id_cmp(const char *a, const char *b)
{
	int64_t na, nb;
	bool ia, ib;

	a = a ? a : "";
	b = b ? b : "";
	ia = num_int((struct text){ a, strlen(a) }, INT64_MIN, INT64_MAX, &na) == 0;
	ib = num_int((struct text){ b, strlen(b) }, INT64_MIN, INT64_MAX, &nb) == 0;
	if (ia != ib)
		return ia ? -1 : 1;
	if (ia && na != nb)
		return na < nb ? -1 : 1;
	return strcmp(a, b);
}

static int device_cmp(const void *a, const void *b)
{
	const struct view_device *x = a, *y = b;

	return id_cmp(x->idx, y->idx);
}

static int track_cmp(const void *a, const void *b)
{
	const struct view_track *x = *(struct view_track *const *)a;
	const struct view_track *y = *(struct view_track *const *)b;
	int order = id_cmp(x->device, y->device);

	if (!order)
		order = id_cmp(x->stream, y->stream);
	if (!order)
		order = id_cmp(x->pid, y->pid);
	return order ? order : id_cmp(x->tid, y->tid);
}

struct track_list {
	struct view_trace *trace;
	size_t cap;
};

/* The store's numbers of tracks are dense; a foreign store's gaps stay zeroed
 * and one beyond this is not a track. */
#define TRACKS_MAX (1 << 20)

static void track_take(void *arg, sqlite3_stmt *st)
{
	struct track_list *list = arg;
	struct view_trace *t = list->trace;
	int64_t n = sqlite3_column_int64(st, 0) - STORE_ID(t->id, 0);
	struct view_track *k;

	if (n < 1 || n > TRACKS_MAX)
		return;
	while (t->ntrack < (size_t)n) {
		GROW(t->track, t->ntrack, list->cap);
		memset(&t->track[t->ntrack], 0, sizeof t->track[0]);
		t->track[t->ntrack++].device_at = -1;
	}
	k = &t->track[n - 1];
	k->pid = column_str(st, 1);
	k->tid = column_str(st, 2);
	k->device = column_str(st, 3);
	k->stream = column_str(st, 4);
}

static void tracks_order(struct view_trace *t)
{
	struct view_track **by = xcalloc(t->ntrack + 1, sizeof *by);

	for (size_t i = 0; i < t->ntrack; i++)
		by[i] = &t->track[i];
	qsort(by, t->ntrack, sizeof *by, track_cmp);
	for (size_t i = 0; i < t->ntrack; i++) {
		by[i]->stream_order = (int)i;
		for (size_t d = 0; d < t->ndevice && by[i]->device; d++)
			if (strcmp(by[i]->device, t->device[d].idx) == 0)
				by[i]->device_at = (int)d;
	}
	free(by);
}

static int trace_fill(struct db *db, struct view_trace *t)
{
	struct device_list devices = { t, 0 };
	struct track_list tracks = { t, 0 };

	if (rows_each(db, "SELECT idx, name, sms, capacity, main_stream, busy_known,"
		" ops"
		" FROM device WHERE id > ?1 AND id < ?2 ORDER BY id",
		t, device_take, &devices) < 0)
		return -1;
	if (t->ndevice)
		qsort(t->device, t->ndevice, sizeof t->device[0], device_cmp);
	if (rows_each(db, "SELECT id, pid, tid, device, stream FROM track"
		" WHERE id > ?1 AND id < ?2 ORDER BY id",
		t, track_take, &tracks) < 0)
		return -1;
	tracks_order(t);
	return 0;
}

int catalog_load(struct db *db, struct view_trace **trace, size_t *n)
{
	struct trace_list list = { NULL, 0, 0 };
	static const char sql[] = "SELECT id, number, path, host, rank, world_size, base_ns,"
		" first_ns, last_ns, torch, dialect, device_name, sms, capacity, partial,"
		" why_partial, step_rule, with_stack"
#define COUNT(name, words) ", " #name
#include "counts.def"
#undef COUNT
		" FROM trace ORDER BY number";

	if (rows_each(db, sql, NULL, trace_take, &list) < 0)
		goto fail;
	for (size_t i = 0; i < list.n; i++)
		if (trace_fill(db, &list.trace[i]) < 0)
			goto fail;
	*trace = list.trace;
	*n = list.n;
	return 0;
fail:
	catalog_release(list.trace, list.n);
	return -1;
}

void catalog_release_one(struct view_trace *t)
{
	for (size_t i = 0; i < t->ndevice; i++) {
		free(t->device[i].idx);
		free(t->device[i].name);
		free(t->device[i].main_stream);
	}
	for (size_t i = 0; i < t->ntrack; i++) {
		free(t->track[i].pid);
		free(t->track[i].tid);
		free(t->track[i].device);
		free(t->track[i].stream);
	}
	free(t->device);
	free(t->track);
	free(t->path);
	free(t->host);
	free(t->torch);
	free(t->dialect);
	free(t->device_name);
	free(t->why_partial);
	free(t->step_rule);
	memset(t, 0, sizeof *t);
}

void catalog_release(struct view_trace *trace, size_t n)
{
	for (size_t i = 0; i < n; i++)
		catalog_release_one(&trace[i]);
	free(trace);
}

bool device_is_used(const struct view_device *d)
{
	return d->ops > 0 || !d->busy_known;
}

bool trace_is_cpu_job(const struct view_trace *t)
{
	return t->count.device_ops == 0 && t->count.launches == 0;
}

bool trace_device_unread(const struct view_trace *t)
{
	return t->partial && t->count.device_ops == 0 &&
		(t->count.launches > 0 || t->device_name);
}

const char *trace_cpu_words(const struct view_trace *t)
{
	/* what comes last in a file is what a cut takes: often the device's part */
	return t->partial ? "no device in the part that was read" : "a CPU job";
}

bool trace_busy_unknown(const struct view_trace *t)
{
	return t->count.device_ops == 0 && t->count.launches > 0;
}
