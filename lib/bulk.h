/* bulk.h - many rows of integers into one table, BULK_ROWS a statement.
 *
 *	bulk_init(&b, db, "host", 9);
 *	bulk_put(&b, row) ...          // NO_INT becomes NULL
 *	bulk_flush(&b);                // before the rows are read
 *	bulk_release(&b);
 * A statement a row costs 0.74 us, a statement for 32 rows 0.55 us a row: the
 * table's cursor stays at its end. */
#ifndef TP_BULK_H
#define TP_BULK_H

#include "db.h"

#define BULK_ROWS 32
#define BULK_COLUMNS_MAX 16

struct bulk {
	struct db *db;
	const char *table;
	sqlite3_stmt *put;     /* BULK_ROWS rows */
	int ncol, n;
	int64_t value[BULK_ROWS][BULK_COLUMNS_MAX];
};

int bulk_init(struct bulk *b, struct db *db, const char *table, int ncol) RESULT_USED;
/* ncol values, copied. */
int bulk_put(struct bulk *b, const int64_t *row) RESULT_USED;
int bulk_flush(struct bulk *b) RESULT_USED;
/* What was not flushed is lost. */
void bulk_release(struct bulk *b);

#endif
