/* near.c - a table read ahead, with what was read. */
#include "base.h"
#include "near.h"

#include <assert.h>
#include <stdlib.h>

#include "buf.h"
#include "mem.h"
#include "store.h"

static struct near_row *slot_of(const struct near *v, int64_t n)
{
	return &v->row[(uint64_t)n % NEAR_ROWS];
}

static int row_take(void *arg, sqlite3_value **column)
{
	struct near *v = arg;
	int64_t n = sqlite3_value_int64(column[0]) - STORE_ID(v->trace_id, 0);
	struct near_row *row = slot_of(v, n);

	row->n = n;
	for (int i = 0; i < v->columns; i++)
		row->value[i] = sqlite3_value_int64(column[i + 1]);
	return 0;
}

int near_open(struct near *v, struct db *db, const struct view_trace *t,
	const char *table, const char *columns)
{
	struct buf all = BUF_INIT;
	int rc;

	*v = (struct near){ .trace_id = t->id, .at = INT64_MAX, .columns = 1 };
	for (const char *p = columns; *p; p++)
		v->columns += *p == ',';
	assert(v->columns <= NEAR_COLUMNS);
	buf_addf(&all, "id, %s", columns);
	rc = each_open(&v->each, db, all.data, table, row_take, v);
	buf_release(&all);
	if (rc == 0)
		v->row = xcalloc(NEAR_ROWS, sizeof *v->row);
	return rc;
}

void near_close(struct near *v)
{
	each_close(&v->each);
	free(v->row);
	v->row = NULL;
}

/* Row n, and while they are asked for in order, each time twice as many behind it. */
static int row_read(struct near *v, int64_t n)
{
	bool next = v->at < n && n - v->at <= NEAR_NEXT;

	v->ahead = next ? MIN(v->ahead * 2, NEAR_AHEAD) : 1;
	v->at = n + v->ahead - 1;
	return each_range(&v->each, STORE_ID(v->trace_id, n),
		STORE_ID(v->trace_id, MIN(v->at + 1, STORE_ID(1, 0))));
}

const int64_t *near_get(struct near *v, int64_t n)
{
	struct near_row *row = slot_of(v, n);

	if (row->n == n)
		return row->value;
	if (n > 0 && n < STORE_ID(1, 0) && row_read(v, n) < 0)
		return NULL;
	if (row->n != n) /* there is none */
		*row = (struct near_row){ .n = n };
	return row->value;
}
