/* honest_rows.c - steps and startup phases of a plain run. */
#include "base.h"
#include "honest_rows.h"

#include <stdio.h>

#include "event.h"
#include "say.h"

void honest_rows_init(struct honest_rows *h, struct store *store)
{
	memset(h, 0, sizeof *h);
	h->store = store;
	hash_init(&h->hash);
}

void honest_rows_release(struct honest_rows *h)
{
	db_finish(&h->put_step);
	db_finish(&h->put_startup);
	buf_release(&h->run);
}

static int begin(struct honest_rows *h)
{
	if (h->id)
		return 0;
	h->id = store_next_run(h->store);
	h->put_step = db_prepare(&h->store->db,
		"INSERT INTO honest_step VALUES (?,?,?,?,?,?,?,?,?)");
	h->put_startup = db_prepare(&h->store->db,
		"INSERT INTO honest_startup VALUES (?,?,?,?,?,?,?,?)");
	return h->put_step && h->put_startup ? 0 : -1;
}

static void bind_field(sqlite3_stmt *st, int at, const struct rec *r, const char *key)
{
	int64_t v;

	db_bind_int(st, at, rec_int(r, key, &v) == 0 ? v : NO_INT);
}

/* A length; unknown where all of them together would be over 73 years: then sums and
 * differences with a time stay in range. */
static void bind_length(sqlite3_stmt *st, int at, const struct rec *r, const char *key,
	int64_t *sum_ns)
{
	int64_t v;

	if (rec_int(r, key, &v) < 0 || v < 0 || v > EVENT_NS_MAX - *sum_ns)
		v = NO_INT;
	else
		*sum_ns += v;
	db_bind_int(st, at, v);
}

static void bind_time(sqlite3_stmt *st, int at, const struct rec *r, int64_t epoch_ns)
{
	int64_t v, sum;

	if (rec_int(r, "start_ns", &v) < 0 || __builtin_add_overflow(v, epoch_ns, &sum) ||
	    sum < -EVENT_NS_MAX || sum > EPOCH_NS_MAX)
		sum = NO_INT;
	db_bind_int(st, at, sum);
}

static int take_step(struct honest_rows *h, const struct rec *r, int64_t epoch_ns)
{
	sqlite3_stmt *st = h->put_step;

	sqlite3_bind_int64(st, 1, STORE_ID(h->id, ++h->nstep));
	bind_field(st, 2, r, "rank");
	bind_field(st, 3, r, "step");
	bind_time(st, 4, r, epoch_ns);
	bind_length(st, 5, r, "wall_ns", &h->wall_sum_ns);
	bind_length(st, 6, r, "device_ns", &h->device_sum_ns);
	bind_field(st, 7, r, "allocated_bytes");
	bind_field(st, 8, r, "reserved_bytes");
	db_bind_text(st, 9, r->line);
	return db_run(&h->store->db, st);
}

static int take_startup(struct honest_rows *h, const struct rec *r, int64_t epoch_ns)
{
	sqlite3_stmt *st = h->put_startup;

	sqlite3_bind_int64(st, 1, STORE_ID(h->id, ++h->nstartup));
	bind_field(st, 2, r, "rank");
	db_bind_text(st, 3, rec_text(r, "phase"));
	bind_time(st, 4, r, epoch_ns);
	bind_length(st, 5, r, "dur_ns", &h->startup_sum_ns);
	db_bind_text(st, 6, rec_text(r, "file"));
	bind_field(st, 7, r, "line");
	db_bind_text(st, 8, r->line);
	return db_run(&h->store->db, st);
}

int honest_rows_take(struct honest_rows *h, const struct rec *r, int64_t epoch_ns)
{
	bool step = text_is(r->kind, "step"), startup = text_is(r->kind, "startup");
	bool run = text_is(r->kind, "run");
	int rc = 0;

	if (!step && !startup && !run)
		return 0;
	if (begin(h) < 0)
		return -1;
	hash_add(&h->hash, r->line.s, r->line.n);
	hash_add(&h->hash, "\n", 1);
	if (step) {
		rc = take_step(h, r, epoch_ns);
	} else if (startup) {
		rc = take_startup(h, r, epoch_ns);
	} else {
		buf_reset(&h->run);
		buf_add(&h->run, r->line.s, r->line.n);
	}
	return rc < 0 ? -1 : 1;
}

static int drop(struct honest_rows *h)
{
	struct db *db = &h->store->db;

	if (db_execf(db, "DELETE FROM honest_step WHERE id >> %d = %lld",
		STORE_N_BITS, (long long)h->id) < 0)
		return -1;
	return db_execf(db, "DELETE FROM honest_startup WHERE id >> %d = %lld",
		STORE_N_BITS, (long long)h->id);
}

int honest_rows_finish(struct honest_rows *h, bool keep, bool partial)
{
	struct db *db = &h->store->db;
	char hash[17];
	int64_t known;
	int rc;

	if (h->id == 0)
		return 0;
	snprintf(hash, sizeof hash, "%016" PRIx64, hash_value(&h->hash));
	if (db_intf(db, 0, &known, "SELECT count(*) FROM honest_run WHERE hash = %Q", hash) < 0)
		return -1;
	if (!keep || known)
		return drop(h);
	rc = db_execf(db, "INSERT INTO honest_run VALUES (%lld,%Q,%Q,%d)",
		(long long)h->id, hash, h->run.data ? h->run.data : "{}", partial);
	return rc < 0 ? -1 : 1;
}
