/* rows.h - reading host records or memory samples back in order of time: their
 * sorted runs are merged, a window of each in memory, MERGE_BYTES in all and three
 * records a run. */
#ifndef TP_ROWS_H
#define TP_ROWS_H

#include "load.h"

#define MERGE_BYTES (2u << 20)

struct rows;           /* private */

/* Longer before shorter where two begin together, then in the table's order. */
struct rows *rows_hosts(const struct load *l) RESULT_USED;
struct rows *rows_samples(const struct load *l) RESULT_USED;
/* A struct host or struct sample, valid until the next call; NULL: end, or
 * *failed. */
const void *rows_next(struct rows *r, bool *failed);
void rows_free(struct rows *r);

#endif
