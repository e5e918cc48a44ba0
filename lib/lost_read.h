/* lost_read.h - the store's lost time of one trace, added up for its devices.
 *
 * Each device's account is begun by the caller (account.h); one ordered scan of
 * the table `idle` fills them all, with the runs of `tiny` beside it, and ends
 * them.  The caller releases them. */
#ifndef TP_LOST_READ_H
#define TP_LOST_READ_H

#include "account.h"
#include "catalog.h"
#include "near.h"

struct lost_device {
	const char *idx;
	struct account account;
	/* private */
	sqlite3_stmt *runs;
	struct tiny_run next;
	bool more;
};

/* ops: near.h, of OPS_TABLE and OPS_COLUMNS. */
int lost_read(struct near *ops, const struct view_trace *t, struct lost_device *dev,
	size_t ndev) RESULT_USED;

#define OPS_TABLE "dev"
#define OPS_COLUMNS "name, frame, op, how, call"
enum { OP_NAME, OP_FRAME, OP_OP, OP_HOW, OP_CALL };

#endif
