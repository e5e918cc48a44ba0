/* near.c - a walk along a table, with what it passed. */
#include "base.h"
#include "near.h"

#include <stdlib.h>

#include "buf.h"
#include "mem.h"
#include "store.h"

int near_open(struct near *v, struct db *db, const struct view_trace *t,
	const char *table, const char *columns)
{
	struct buf sql = BUF_INIT;

	*v = (struct near){ .db = db, .trace_id = t->id, .at = INT64_MAX };
	buf_addf(&sql, "SELECT id, %s FROM %s WHERE id >= ?1 AND id < ?2 ORDER BY id",
		columns, table);
	v->stmt = db_prepare(db, sql.data);
	buf_release(&sql);
	if (!v->stmt)
		return -1;
	v->columns = sqlite3_column_count(v->stmt) - 1;
	v->row = xcalloc(NEAR_ROWS, sizeof *v->row);
	return 0;
}

void near_close(struct near *v)
{
	db_finish(&v->stmt);
	free(v->row);
	v->row = NULL;
}

static struct near_row *slot_of(const struct near *v, int64_t n)
{
	return &v->row[(uint64_t)n % NEAR_ROWS];
}

/* The walk's next row; 0 at the end. */
static int walk_on(struct near *v)
{
	int got = db_step(v->db, v->stmt);
	struct near_row *row;

	v->at = INT64_MAX;
	if (got <= 0)
		return got;
	v->at = sqlite3_column_int64(v->stmt, 0) - STORE_ID(v->trace_id, 0);
	row = slot_of(v, v->at);
	row->n = v->at;
	for (int i = 0; i < v->columns; i++)
		row->value[i] = sqlite3_column_int64(v->stmt, i + 1);
	return 1;
}

const int64_t *near_get(struct near *v, int64_t n)
{
	struct near_row *row = slot_of(v, n);
	int got = 1;

	if (row->n == n)
		return row->value;
	if (v->at >= n || n - v->at > NEAR_AHEAD) {
		sqlite3_reset(v->stmt);
		db_bind_int(v->stmt, 1, STORE_ID(v->trace_id, n));
		db_bind_int(v->stmt, 2, STORE_ID(v->trace_id + 1, 0));
		got = walk_on(v);
	}
	while (got > 0 && v->at < n)
		got = walk_on(v);
	if (got < 0)
		return NULL;
	if (row->n != n) /* there is none */
		*row = (struct near_row){ .n = n };
	return row->value;
}
