/* near.h - rows of one table asked for by their numbers, nearly in order.
 *
 * Pieces of idle time and losses name rows of dev, and come in order of time as
 * those do.  A query for each took a quarter of tp-view2; here a row that is asked
 * for is read with those behind it, more of them while the order holds, and what was
 * read is kept for a while.
 *
 *	near_open(&v, db, trace, "dev", "name, frame");
 *	near_get(&v, n)[1]             frame of row n
 *	near_close(&v);                always
 *
 * Memory: NEAR_ROWS rows. */
#ifndef TP_NEAR_H
#define TP_NEAR_H

#include "each.h"

#define NEAR_COLUMNS 5
/* Kept; several devices and streams stay well within. */
#define NEAR_ROWS 4096
/* A row this far behind the last one read is the next one. */
#define NEAR_NEXT 8
/* Read at once, at most. */
#define NEAR_AHEAD 256

struct near {
	struct each each;
	int64_t trace_id;
	int64_t at;            /* the last that was read; INT64_MAX: none */
	int64_t ahead;         /* to read at once */
	int columns;
	struct near_row { int64_t n, value[NEAR_COLUMNS]; } *row;
};

/* columns: up to NEAR_COLUMNS integers. */
int near_open(struct near *v, struct db *db, const struct view_trace *t,
	const char *table, const char *columns) RESULT_USED;
/* The columns, NULL as 0, all 0 where there is no such row; valid until the next
 * call.  NULL: said. */
const int64_t *near_get(struct near *v, int64_t n) RESULT_USED;
void near_close(struct near *v);

#endif
