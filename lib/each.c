/* each.c - a scan that calls back. */
#include "base.h"
#include "each.h"

#include "buf.h"

struct each {
	each_fn *fn;
	void *arg;
	bool stopped;          /* fn said why */
};

static const char pointer_type[] = "each"; /* no SQL text can make one up */

static void each_step(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	struct each *e = sqlite3_value_pointer(v[0], pointer_type);

	(void)n;
	if (!e)
		sqlite3_result_error(ctx, "not for SQL", -1);
	else if (!e->stopped && e->fn(e->arg, v + 1) < 0) {
		e->stopped = true;
		sqlite3_result_error(ctx, "stopped", -1);
	}
}

static void each_final(sqlite3_context *ctx)
{
	sqlite3_result_null(ctx);
}

/* NOT INDEXED: by id, whatever indexes someone gave the store. */
static sqlite3_stmt *each_prepare(struct db *db, const struct view_trace *t,
	const char *columns, const char *table, struct each *e)
{
	struct buf sql = BUF_INIT;
	sqlite3_stmt *st;

	buf_addf(&sql, "SELECT tp_each(?3, %s) FROM %s NOT INDEXED WHERE id > ?1 AND id < ?2",
		columns, table);
	st = trace_prepare(db, sql.data, t);
	buf_release(&sql);
	if (st && sqlite3_bind_pointer(st, 3, e, pointer_type, NULL) != SQLITE_OK) {
		db_error(db);
		db_finish(&st);
	}
	return st;
}

/* Once a connection: it cannot be made again while a statement is under way. */
static int function_make(struct db *db)
{
	if (!db->each && sqlite3_create_function_v2(db->h, "tp_each", -1,
	    SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, NULL, each_step, each_final, NULL) != SQLITE_OK)
		return db_error(db);
	db->each = true;
	return 0;
}

int trace_each(struct db *db, const struct view_trace *t, const char *columns,
	const char *table, each_fn *fn, void *arg)
{
	struct each e = { fn, arg, false };
	sqlite3_stmt *st;
	int rc;

	if (function_make(db) < 0)
		return -1;
	st = each_prepare(db, t, columns, table, &e);
	if (!st)
		return -1;
	rc = sqlite3_step(st);
	if (rc != SQLITE_ROW && !e.stopped)
		db_error(db);
	db_finish(&st);
	return rc == SQLITE_ROW && !e.stopped ? 0 : -1;
}
