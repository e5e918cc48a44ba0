/* store_copy.c - the scratch's traces into a store that is already there, one
 * short transaction each. */
#include "base.h"
#include "store.h"

#include <stdlib.h>
#include <time.h>

#include "buf.h"
#include "mem.h"
#include "say.h"

struct wait {
	const char *name;
	int waited_ms;
};

/* SQLite asks what to do about a lock: wait, and say so once. */
static int wait_for_writer(void *arg, int times)
{
	struct wait *w = arg;
	int ms = MIN(10 << MIN(times, 4), 100);
	struct timespec ts = { 0, ms * 1000000L };

	if (w->waited_ms >= STORE_WAIT_MS)
		return 0;
	if (w->waited_ms < 500 && w->waited_ms + ms >= 500)
		note("%s: another program writes to it, waiting up to %d s", w->name,
			STORE_WAIT_MS / 1000);
	nanosleep(&ts, NULL);
	w->waited_ms += ms;
	return 1;
}

/* "a, b, c" of a table's columns but id. */
static int columns_of(struct db *db, const char *table, struct buf *b)
{
	sqlite3_stmt *st = db_preparef(db, "SELECT name FROM pragma_table_info(%Q)"
		" WHERE name <> 'id' ORDER BY cid", table);
	int rc;

	if (st == NULL)
		return -1;
	buf_reset(b);
	while ((rc = db_step(db, st)) > 0)
		buf_addf(b, ", \"%s\"", db_column_str(st, 0));
	db_finish(&st);
	return rc;
}

/* Rows from..from's end of a scratch table become rows of `to`. */
static int copy_range(struct db *db, const char *table, int64_t from, int64_t to)
{
	struct buf cols = BUF_INIT;
	int rc = columns_of(db, table, &cols);

	if (rc == 0)
		rc = db_execf(db, "INSERT INTO main.%s (id%s) SELECT id + %lld%s"
			" FROM scratch.%s WHERE id >= %lld AND id < %lld", table,
			cols.data, (long long)(STORE_ID(to, 0) - STORE_ID(from, 0)),
			cols.data, table, (long long)STORE_ID(from, 0),
			(long long)STORE_ID(from + 1, 0));
	buf_release(&cols);
	return rc;
}

/* Every table whose ids hold a trace's number, or a tp-time run's. */
static int copy_tables(struct db *db, const char *which, int64_t from, int64_t to)
{
	struct buf sql = BUF_INIT;
	sqlite3_stmt *st;
	int rc;

	buf_addf(&sql, "SELECT name FROM scratch.sqlite_master WHERE type = 'table'"
		" AND name NOT IN ('trace', 'how', 'cause', 'cat', 'honest_run')"
		" AND name %s 'honest_%%' ORDER BY name", which);
	st = db_prepare(db, sql.data);
	buf_release(&sql);
	if (st == NULL)
		return -1;
	while ((rc = db_step(db, st)) > 0)
		if (copy_range(db, db_column_str(st, 0), from, to) < 0) {
			rc = -1;
			break;
		}
	db_finish(&st);
	return rc;
}

/* A trace's or run's own row, under its new id. */
static int copy_head(struct db *db, const char *table, int64_t from, int64_t to)
{
	struct buf cols = BUF_INIT;
	int rc = columns_of(db, table, &cols);

	if (rc == 0)
		rc = db_execf(db, "INSERT INTO main.%s (id%s) SELECT %lld%s"
			" FROM scratch.%s WHERE id = %lld", table, cols.data,
			(long long)to, cols.data, table, (long long)from);
	buf_release(&cols);
	return rc;
}

static int trace_copy(struct db *db, int64_t from, bool *clash)
{
	int64_t to;

	if (db_int(db, "SELECT max(id) FROM main.trace", 0, &to) < 0
	    || copy_head(db, "trace", from, ++to) < 0
	    || copy_tables(db, "NOT LIKE", from, to) < 0
	    || store_settle(db, to, clash) < 0)
		return -1;
	return store_number(db);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): one type with the one above */
static int run_copy(struct db *db, int64_t from, bool *clash)
{
	int64_t to;

	(void)clash;
	if (db_int(db, "SELECT max(id) FROM main.honest_run", 0, &to) < 0
	    || copy_head(db, "honest_run", from, ++to) < 0)
		return -1;
	return copy_tables(db, "LIKE", from, to);
}

struct kind {
	const char *table, *words;
	int (*copy)(struct db *db, int64_t from, bool *clash);
};

/* One transaction: 1 something was copied, 0 all of it was there, -1 said. */
static int copy_next(struct db *db, const struct kind *k, int64_t *after, bool *clash)
{
	int64_t from, known;
	int rc = -1;

	if (db_intf(db, 0, &from, "SELECT min(id) FROM scratch.%s WHERE id > %lld",
		k->table, (long long)*after) < 0)
		return -1;
	if (from == 0)
		return 0;
	*after = from;
	if (db_exec(db, "BEGIN IMMEDIATE") < 0
	    || db_intf(db, 0, &known, "SELECT count(*) FROM main.%s m JOIN scratch.%s s"
		" ON s.hash = m.hash WHERE s.id = %lld", k->table, k->table,
		(long long)from) < 0)
		goto out;
	if (known)
		note("%s: already holds %s, nothing changed", db->name, k->words);
	else if (k->copy(db, from, clash) < 0)
		goto out;
	rc = db_exec(db, "COMMIT") < 0 ? -1 : 1;
out:
	if (rc < 0)
		sqlite3_exec(db->h, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

static int target_prepare(struct db *db)
{
	int64_t tables;

	/* rename(2) put an empty file there, or mktemp did: make it a store */
	if (db_exec(db, "PRAGMA journal_mode=DELETE; PRAGMA cache_size=-8192;"
		"BEGIN IMMEDIATE") < 0
	    || db_int(db, "SELECT count(*) FROM sqlite_master", 0, &tables) < 0
	    || (tables == 0 && store_create_schema(db) < 0)
	    || db_exec(db, "COMMIT") < 0)
		return -1;
	return store_check(db);
}

int store_copy(const char *scratch, const char *target, bool *clash)
{
	static const struct kind kind[] = {
		{ "trace", "a trace with these bytes", trace_copy },
		{ "honest_run", "this run of tp-time", run_copy },
	};
	struct wait w = { target, 0 };
	struct db db;
	char *p = db_path(scratch);
	int64_t after;
	size_t i;
	int rc = -1;

	if (db_open(&db, target, DB_WRITE) < 0)
		goto out;
	sqlite3_busy_handler(db.h, wait_for_writer, &w);
	rc = target_prepare(&db);
	/* only read: with a journal of its own, SQLite would tie the two files
	 * together by a third beside the store, which a kill leaves for ever */
	if (rc == 0)
		rc = db_execf(&db, "ATTACH %Q AS scratch; PRAGMA scratch.journal_mode=OFF;"
			"PRAGMA scratch.synchronous=OFF", p);
	*clash = false;
	for (i = 0; rc == 0 && i < ARRAY_LEN(kind); i++) {
		after = 0;
		while ((rc = copy_next(&db, &kind[i], &after, clash)) > 0)
			;
	}
	if (rc == 0)
		rc = store_note_missing(&db);
	db_close(&db);
out:
	free(p);
	return rc;
}
