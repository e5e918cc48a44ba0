/* lost_read.c - rows of idle and tiny to accounts. */
#include "base.h"
#include "lost_read.h"

#include <stdlib.h>

#include "store.h"

/* The anchor of the op that ends a gap; its pieces ask one after the other. */
struct ending {
	sqlite3_stmt *stmt;
	int64_t n;             /* row of dev that is at hand, 0 none */
	int64_t frame, op;
	int how;
};

struct reader {
	struct db *db;
	const struct view_trace *trace;
	struct lost_device *dev;
	size_t ndev;
	struct ending ending;
};

static int64_t id_of(sqlite3_stmt *st, int column)
{
	return sqlite3_column_int64(st, column); /* NULL: 0, as in no row */
}

static int how_of(sqlite3_stmt *st, int column)
{
	int how = sqlite3_column_int(st, column);
	return how >= AT_NONE && how <= AT_BETWEEN ? how : AT_NONE;
}

/* An op that no operator issued (a graph) goes by its call's name. */
static int ending_find(struct reader *r, int64_t n)
{
	struct ending *e = &r->ending;
	if (e->n == n)
		return 0;
	*e = (struct ending){ .stmt = e->stmt, .n = n };
	db_bind_int(e->stmt, 1, STORE_ID(r->trace->id, n));
	db_bind_int(e->stmt, 2, STORE_ID(r->trace->id, 0));
	int got = db_step(r->db, e->stmt);
	if (got > 0) {
		e->frame = id_of(e->stmt, 0);
		e->op = e->frame ? 0 : id_of(e->stmt, 1);
		e->how = how_of(e->stmt, 2);
		if (!e->frame && !e->op && (e->op = id_of(e->stmt, 3)) != 0)
			e->how = AT_OP;
	}
	sqlite3_reset(e->stmt);
	return got < 0 ? -1 : 0;
}

static int anchor_settle(struct reader *r, struct account_piece *p)
{
	bool borrowed = p->frame && p->how == AT_OTHER_THREAD;
	if (p->frame)
		p->op = 0;
	if (((p->frame || p->op) && !borrowed) || !p->after)
		return 0;
	if (ending_find(r, p->after) < 0)
		return -1;
	/* another thread's line stands in only for an op that leads back to the
	 * user's code itself; else nothing ties the two threads together */
	if (borrowed && r->ending.frame)
		return 0;
	p->frame = r->ending.frame;
	p->op = r->ending.op;
	if (!p->how && p->cause != IDLE_UNKNOWN)
		p->how = r->ending.how;
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

static int piece_take(struct reader *r, sqlite3_stmt *st)
{
	struct lost_device *d = device_of(r, (const char *)sqlite3_column_text(st, 2));
	int cause = sqlite3_column_int(st, 3);
	if (!d || cause < 0 || cause >= IDLE_CAUSE_COUNT)
		return 0;
	struct account_piece p = {
		.ts_ns = sqlite3_column_int64(st, 0),
		.cause = (enum idle_cause)cause, .how = how_of(st, 4),
		.frame = id_of(st, 5), .op = id_of(st, 6), .doing = id_of(st, 7),
		.before = id_of(st, 8), .after = id_of(st, 9),
	};
	p.end_ns = p.ts_ns + sqlite3_column_int64(st, 1);
	if (anchor_settle(r, &p) < 0 || runs_upto(r->db, d, p.ts_ns) < 0)
		return -1;
	return account_piece(&d->account, &p);
}

static int pieces_read(struct reader *r)
{
	sqlite3_stmt *st = trace_prepare(r->db, "SELECT ts, dur, device, cause, how, frame,"
		" op, doing, before, after FROM idle WHERE id > ?1 AND id < ?2 ORDER BY id",
		r->trace);
	int got = st ? 0 : -1;
	while (st && (got = db_step(r->db, st)) > 0)
		if (piece_take(r, st) < 0) {
			got = -1;
			break;
		}
	db_finish(&st);
	return got;
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

int lost_read(struct db *db, const struct view_trace *t, struct lost_device *dev,
	size_t ndev)
{
	struct reader r = { .db = db, .trace = t, .dev = dev, .ndev = ndev };
	r.ending.stmt = db_prepare(db, "SELECT d.frame, d.op, d.how, c.name FROM dev d"
		" LEFT JOIN call c ON c.id = ?2 + d.call WHERE d.id = ?1");
	int bad = !r.ending.stmt || runs_begin(&r) < 0 || pieces_read(&r) < 0 ||
		devices_end(&r) < 0;
	db_finish(&r.ending.stmt);
	for (size_t i = 0; i < ndev; i++)
		db_finish(&dev[i].runs);
	return bad ? -1 : 0;
}
