/* lost_read.h - the store's lost time of one trace, added up for its devices.
 *
 * Each device's account is begun by the caller (account.h); one ordered scan of
 * the table `idle` fills them all, with the runs of `tiny` beside it, and ends
 * them.  The caller releases them. */
#ifndef TP_LOST_READ_H
#define TP_LOST_READ_H

#include "account.h"
#include "catalog.h"

struct lost_device {
	const char *idx;
	struct account account;
	/* private */
	sqlite3_stmt *runs;
	struct tiny_run next;
	bool more;
};

int lost_read(struct db *db, const struct view_trace *t, struct lost_device *dev,
	size_t ndev) RESULT_USED;

#endif
