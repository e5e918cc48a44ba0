/* store_ranks.c - which rank a trace is, and which ranks are not there. */
#include "base.h"
#include "store.h"

#include "buf.h"
#include "event.h"
#include "say.h"

/* As many missing ranks as a line names. */
#define MISSING_SHOWN 8

/* The lowest number that no other trace has: two files without a rank must not
 * become one. */
static int rank_assume(struct db *db, int64_t id)
{
	sqlite3_stmt *st = db_prepare(db, "SELECT DISTINCT rank FROM trace"
		" WHERE id <> ? AND rank >= 0 ORDER BY rank");
	int64_t rank = 0;
	int rc;

	if (st == NULL)
		return -1;
	sqlite3_bind_int64(st, 1, id);
	while ((rc = db_step(db, st)) > 0 && sqlite3_column_int64(st, 0) == rank)
		rank++;
	db_finish(&st);
	if (rc < 0)
		return -1;
	return db_execf(db, "UPDATE trace SET rank = %lld, rank_from = 'assumed'"
		" WHERE id = %lld", (long long)rank, (long long)id);
}

static int tell_same_rank(struct db *db, int64_t id, bool *clash)
{
	sqlite3_stmt *st = db_prepare(db,
		"SELECT a.path, b.path, a.rank,"
		" a.base_ns + a.first_ns < b.base_ns + b.last_ns AND"
		" b.base_ns + b.first_ns < a.base_ns + a.last_ns"
		" FROM trace a JOIN trace b ON b.id < a.id AND b.rank = a.rank"
		" AND b.host IS a.host WHERE a.id = ? ORDER BY 4 DESC, b.hash LIMIT 1");
	int rc;

	if (st == NULL)
		return -1;
	sqlite3_bind_int64(st, 1, id);
	rc = db_step(db, st);
	if (rc > 0) {
		const char *a = db_column_str(st, 0);
		const char *b = db_column_str(st, 1);
		long long rank = sqlite3_column_int64(st, 2);

		if (sqlite3_column_int(st, 3)) {
			warn("%s: rank %lld at the same time as %s: kept as a trace"
				" of its own, never added up", a, rank, b);
			*clash = true;
		} else {
			note("%s: rank %lld as %s is, at another time: kept as a"
				" trace of its own", a, rank, b);
		}
	}
	db_finish(&st);
	return rc < 0 ? -1 : 0;
}

int store_settle(struct db *db, int64_t id, bool *clash)
{
	sqlite3_stmt *st = db_prepare(db, "SELECT rank IS NULL OR"
		" rank_from = 'assumed', path FROM trace WHERE id = ?");
	int rc;

	if (st == NULL)
		return -1;
	sqlite3_bind_int64(st, 1, id);
	rc = db_step(db, st);
	if (rc > 0 && sqlite3_column_int(st, 0) && rank_assume(db, id) < 0)
		rc = -1;
	db_finish(&st);
	return rc < 0 ? -1 : tell_same_rank(db, id, clash);
}

int store_number(struct db *db)
{
	return db_exec(db, "UPDATE trace SET number ="
		" (SELECT count(*) FROM trace b WHERE b.hash <= trace.hash)");
}

/* Walk 0..world-1 beside the ranks that are there, which come in order. */
static int missing_ranks(struct db *db, int64_t world, struct buf *b, int64_t *here)
{
	sqlite3_stmt *st = db_prepare(db, "SELECT DISTINCT rank FROM trace"
		" WHERE rank >= 0 ORDER BY rank");
	int64_t next = 0, rank, shown = 0;
	int rc;

	if (st == NULL)
		return -1;
	do {
		rc = db_step(db, st);
		rank = rc > 0 ? MIN(sqlite3_column_int64(st, 0), world) : world;
		*here += rc > 0 && rank < world;
		for (; next < rank && shown <= MISSING_SHOWN; next++, shown++)
			if (shown < MISSING_SHOWN)
				buf_addf(b, "%s%" PRId64, shown ? ", " : "", next);
			else
				buf_adds(b, ", ...");
		next = rank + 1;
	} while (rc > 0);
	db_finish(&st);
	return rc;
}

int store_note_missing(struct db *db)
{
	struct buf b = BUF_INIT;
	int64_t world, here = 0;
	int rc = 0;

	if (db_int(db, "SELECT max(world_size) FROM trace", 0, &world) < 0)
		return -1;
	if (world > 1)
		rc = missing_ranks(db, world, &b, &here);
	if (rc == 0 && b.len > 0)
		note("world size %" PRId64 ", %" PRId64 " of these ranks here, absent: %s",
			world, here, b.data);
	buf_release(&b);
	return rc;
}
