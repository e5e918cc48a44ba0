/* bulk.c - rows of integers. */
#include "base.h"
#include "bulk.h"

#include "buf.h"

static sqlite3_stmt *prepare(struct bulk *b, int rows)
{
	struct buf sql = BUF_INIT;
	sqlite3_stmt *st;
	int i, k;

	buf_addf(&sql, "INSERT INTO %s VALUES ", b->table);
	for (i = 0; i < rows; i++) {
		buf_adds(&sql, i ? ",(" : "(");
		for (k = 0; k < b->ncol; k++)
			buf_adds(&sql, k ? ",?" : "?");
		buf_addc(&sql, ')');
	}
	st = db_prepare(b->db, sql.data);
	buf_release(&sql);
	return st;
}

int bulk_init(struct bulk *b, struct db *db, const char *table, int ncol)
{
	b->db = db;
	b->table = table;
	b->ncol = ncol;
	b->n = 0;
	b->put = prepare(b, BULK_ROWS);
	return b->put ? 0 : -1;
}

static int put_rows(struct bulk *b, sqlite3_stmt *st, int rows)
{
	int i, k, at = 1;

	for (i = 0; i < rows; i++)
		for (k = 0; k < b->ncol; k++)
			db_bind_int(st, at++, b->value[i][k]);
	b->n = 0;
	return db_run(b->db, st);
}

int bulk_put(struct bulk *b, const int64_t *row)
{
	memcpy(b->value[b->n++], row, (size_t)b->ncol * sizeof *row);
	return b->n < BULK_ROWS ? 0 : put_rows(b, b->put, BULK_ROWS);
}

int bulk_flush(struct bulk *b)
{
	sqlite3_stmt *st;
	int rc;

	if (b->n == 0)
		return 0;
	st = prepare(b, b->n);
	rc = st ? put_rows(b, st, b->n) : -1;
	db_finish(&st);
	return rc;
}

void bulk_release(struct bulk *b)
{
	db_finish(&b->put);
	b->n = 0;
}
