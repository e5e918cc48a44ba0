/* lost_read.c - rows of idle and tiny to accounts. */
#include "base.h"
#include "lost_read.h"

#include <stdlib.h>

#include "each.h"
#include "store.h"

struct reader {
	struct db *db;
	const struct view_trace *trace;
	struct lost_device *dev;
	size_t ndev;
	struct near *ops, calls;
};

static int64_t id_of(sqlite3_stmt *st, int column)
{
	return sqlite3_column_int64(st, column); /* NULL: 0, as in no row */
}

/* The anchor of an op that ends a gap. */
struct ending {
	int64_t frame, op;
	int how;
};

static int how_from(int64_t how)
{
	return how >= AT_NONE && how <= AT_BETWEEN ? (int)how : AT_NONE;
}

/* An op that no operator issued (a graph) goes by its call's name. */
static int ending_find(struct reader *r, int64_t n, struct ending *e)
{
	const int64_t *op = near_get(r->ops, n), *call;

	if (!op)
		return -1;
	*e = (struct ending){ op[OP_FRAME], op[OP_FRAME] ? 0 : op[OP_OP],
		how_from(op[OP_HOW]) };
	if (e->frame || e->op || !op[OP_CALL])
		return 0;
	call = near_get(&r->calls, op[OP_CALL]);
	if (!call)
		return -1;
	e->op = call[0];
	if (e->op)
		e->how = AT_OP;
	return 0;
}

static int anchor_settle(struct reader *r, struct account_piece *p)
{
	bool borrowed = p->frame && p->how == AT_OTHER_THREAD;
	if (p->frame)
		p->op = 0;
	if (((p->frame || p->op) && !borrowed) || !p->after)
		return 0;
	struct ending e;
	if (ending_find(r, p->after, &e) < 0)
		return -1;
	/* another thread's line stands in only for an op that leads back to the
	 * user's code itself; else nothing ties the two threads together */
	if (borrowed && e.frame)
		return 0;
	p->frame = e.frame;
	p->op = e.op;
	if (!p->how && p->cause != IDLE_UNKNOWN)
		p->how = e.how;
	return 0;
}

static int run_step(struct db *db, struct lost_device *d)
{
	int got = db_step(db, d->runs);
	d->more = got > 0;
	if (got <= 0)
		return got;
	int64_t ts_ns = sqlite3_column_int64(d->runs, 0);
	d->next = (struct tiny_run){
		.ts_ns = ts_ns, .end_ns = ts_ns + sqlite3_column_int64(d->runs, 1),
		.launches = sqlite3_column_int64(d->runs, 2),
		.kernel_ns = sqlite3_column_int64(d->runs, 3),
		.first = (uint32_t)id_of(d->runs, 4), .last = (uint32_t)id_of(d->runs, 5),
	};
	return 0;
}

/* Runs that begin up to ts_ns. */
static int runs_upto(struct db *db, struct lost_device *d, int64_t ts_ns)
{
	while (d->more && d->next.ts_ns <= ts_ns)
		if (account_run(&d->account, &d->next) < 0 || run_step(db, d) < 0)
			return -1;
	return 0;
}

static struct lost_device *device_of(struct reader *r, const char *idx)
{
	for (size_t i = 0; idx && i < r->ndev; i++)
		if (strcmp(r->dev[i].idx, idx) == 0)
			return &r->dev[i];
	return NULL;
}

#define PIECE_COLUMNS "ts, dur, device, cause, how, frame, op, doing, before, after"
static int piece_take(void *arg, sqlite3_value **v)
{
	struct reader *r = arg;
	struct lost_device *d = device_of(r, db_value_str(v[2]));
	int cause = sqlite3_value_int(v[3]);
	if (!d || cause < 0 || cause >= IDLE_CAUSE_COUNT)
		return 0;
	struct account_piece p = {
		.ts_ns = sqlite3_value_int64(v[0]),
		.cause = (enum idle_cause)cause, .how = how_from(sqlite3_value_int64(v[4])),
		.frame = sqlite3_value_int64(v[5]), .op = sqlite3_value_int64(v[6]),
		.doing = sqlite3_value_int64(v[7]), .before = sqlite3_value_int64(v[8]),
		.after = sqlite3_value_int64(v[9]),
	};
	p.end_ns = p.ts_ns + sqlite3_value_int64(v[1]);
	if (anchor_settle(r, &p) < 0 || runs_upto(r->db, d, p.ts_ns) < 0)
		return -1;
	return account_piece(&d->account, &p);
}

static int runs_begin(struct reader *r)
{
	for (size_t i = 0; i < r->ndev; i++) {
		struct lost_device *d = &r->dev[i];
		d->runs = trace_prepare(r->db, "SELECT ts, dur, launches, kernel, first, last"
			" FROM tiny WHERE id > ?1 AND id < ?2 AND device = ?3 ORDER BY id",
			r->trace);
		if (!d->runs)
			return -1;
		db_bind_str(d->runs, 3, d->idx);
		if (run_step(r->db, d) < 0)
			return -1;
	}
	return 0;
}

static int devices_end(struct reader *r)
{
	for (size_t i = 0; i < r->ndev; i++)
		if (runs_upto(r->db, &r->dev[i], INT64_MAX) < 0 ||
		    account_end(&r->dev[i].account) < 0)
			return -1;
	return 0;
}

int lost_read(struct near *ops, const struct view_trace *t, struct lost_device *dev,
	size_t ndev)
{
	struct reader r = { .db = ops->each.db, .trace = t, .dev = dev, .ndev = ndev, .ops = ops };
	int bad = near_open(&r.calls, r.db, t, "call", "name") < 0 || runs_begin(&r) < 0 ||
		trace_each(r.db, t, PIECE_COLUMNS, "idle", piece_take, &r) < 0 ||
		devices_end(&r) < 0;
	near_close(&r.calls);
	for (size_t i = 0; i < ndev; i++)
		db_finish(&dev[i].runs);
	return bad ? -1 : 0;
}
