/* each.c - a scan that calls back. */
#include "base.h"
#include "each.h"

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

/* Once a connection: it cannot be made again while a statement is under way. */
static int function_make(struct db *db)
{
	if (!db->each && sqlite3_create_function_v2(db->h, "tp_each", -1,
	    SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, NULL, each_step, each_final, NULL) != SQLITE_OK)
		return db_error(db);
	db->each = true;
	return 0;
}

/* NOT INDEXED: by id, whatever indexes someone gave the store. */
int each_open(struct each *e, struct db *db, const char *columns, const char *table,
	each_fn *fn, void *arg)
{
	*e = (struct each){ .db = db, .fn = fn, .arg = arg };
	if (function_make(db) < 0)
		return -1;
	e->stmt = db_preparef(db,
		"SELECT tp_each(?3, %s) FROM %s NOT INDEXED WHERE id >= ?1 AND id < ?2",
		columns, table);
	if (!e->stmt)
		return -1;
	if (sqlite3_bind_pointer(e->stmt, 3, e, pointer_type, NULL) == SQLITE_OK)
		return 0;
	db_error(db);
	each_close(e);
	return -1;
}

int each_range(struct each *e, int64_t first_id, int64_t end_id)
{
	int rc;

	db_bind_int(e->stmt, 1, first_id);
	db_bind_int(e->stmt, 2, end_id);
	e->stopped = false;
	rc = sqlite3_step(e->stmt);
	if (rc != SQLITE_ROW && !e->stopped)
		db_error(e->db);
	sqlite3_reset(e->stmt);
	return rc == SQLITE_ROW && !e->stopped ? 0 : -1;
}

void each_close(struct each *e)
{
	db_finish(&e->stmt);
}

int trace_each(struct db *db, const struct view_trace *t, const char *columns,
	const char *table, each_fn *fn, void *arg)
{
	struct each e;
	int rc;

	if (each_open(&e, db, columns, table, fn, arg) < 0)
		return -1;
	rc = each_range(&e, STORE_ID(t->id, 0) + 1, STORE_ID(t->id + 1, 0));
	each_close(&e);
	return rc;
}
