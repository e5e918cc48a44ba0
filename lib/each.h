/* each.h - rows that a trace has in one table, in order of id: all, or ranges.
 *
 * The row function is made an aggregate function of SQL, so that SQLite calls it
 * from within one step: a step a row and a call with its checks a column were a
 * fifth of tp-view2's time.  It may ask the store other things meanwhile. */
#ifndef TP_EACH_H
#define TP_EACH_H

#include "catalog.h"

/* The columns in the order in which they were asked for; read with
 * sqlite3_value_int64 (NULL is 0) and db_value_str.  0, or -1 said: no more rows. */
typedef int each_fn(void *arg, sqlite3_value **column);
int trace_each(struct db *db, const struct view_trace *t, const char *columns,
	const char *table, each_fn *fn, void *arg) RESULT_USED;

/* The same, range by range.  It stays where each_open found it. */
struct each {
	struct db *db;
	sqlite3_stmt *stmt;
	each_fn *fn;
	void *arg;
	bool stopped;          /* fn said why */
};
int each_open(struct each *e, struct db *db, const char *columns, const char *table,
	each_fn *fn, void *arg) RESULT_USED;
int each_range(struct each *e, int64_t first_id, int64_t end_id) RESULT_USED; /* end: not */
void each_close(struct each *e);

/* NO_INT for NULL. */
static inline int64_t value_int(sqlite3_value *v)
{
	return sqlite3_value_type(v) == SQLITE_NULL ? NO_INT : sqlite3_value_int64(v);
}

#endif
