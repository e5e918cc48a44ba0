/* store.c - build beside, then put in place. */
#include "base.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"
#include "say.h"

/* 8 MiB: the rows are appended, so a larger cache gains nothing. */
static const char scratch_pragmas[] =
	"PRAGMA auto_vacuum=0; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
	"PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-8192;"
	"PRAGMA temp_store=MEMORY; BEGIN";

int store_check(struct db *db)
{
	int64_t app, version;

	if (db_int(db, "PRAGMA application_id", 0, &app) < 0
	    || db_int(db, "PRAGMA user_version", 0, &version) < 0)
		return -1;
	if (app != STORE_APPLICATION_ID)
		return error("%s: an SQLite database, no store of tp-ingest", db->name);
	if (version != STORE_VERSION)
		return error("%s: store version %" PRId64 ", this program knows %d",
			db->name, version, STORE_VERSION);
	return 0;
}

/* Was a writer killed in it?  Then its journal stands beside, and what it wrote
 * has to be undone before anyone reads.  1, 0, -1 said. */
static int is_torn(struct db *db)
{
	if (sqlite3_exec(db->h, "PRAGMA user_version", NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return sqlite3_extended_errcode(db->h) == SQLITE_READONLY_ROLLBACK ? 1 :
		db_error(db);
}

/* Whoever may write undoes it by reading. */
static int roll_back(const char *path)
{
	struct db db;
	int64_t version;
	int rc;

	if (db_open(&db, path, DB_WRITE) < 0)
		return -1;
	sqlite3_busy_timeout(db.h, STORE_WAIT_MS);
	rc = db_int(&db, "PRAGMA user_version", 0, &version);
	db_close(&db);
	if (rc == 0)
		note("%s: a program was killed while it wrote there: undone", path);
	return rc;
}

static int open_to_read(struct db *db, const char *path)
{
	if (db_open(db, path, DB_READ) < 0)
		return -1;
	sqlite3_busy_timeout(db->h, STORE_WAIT_MS);
	return 0;
}

/* What is no SQLite file is named, with the program that reads it. */
static int check_kind(const char *path)
{
	struct in *in = in_open(path);
	enum input_kind kind = INPUT_STORE;
	const char *what = NULL;
	char *first;
	ssize_t n;
	int rc = 0;

	if (!in)
		return -1;
	first = xmalloc(SNIFF_BYTES);
	n = input_first(in, first, &kind, &what);
	free(first);
	if (n < 0)
		rc = -1;
	else if (kind == INPUT_KINETO || kind == INPUT_STREAM)
		rc = error("%s: %s, no store: tp-ingest makes one, as in tp-ingest -o store.db"
			" %s", path, what, path);
	else if (kind != INPUT_STORE && in_cut(in))
		rc = error("%s: no store: %s", path, in_cut(in));
	else if (kind != INPUT_STORE)
		rc = error("%s: %s, no store of tp-ingest", path,
			kind == INPUT_EMPTY ? "empty" : what);
	else if (in_face(in) != IN_PLAIN)
		rc = error("%s: a store, but compressed: unpack it", path);
	in_close(in);
	return rc;
}

int store_open_ro(struct db *db, const char *path)
{
	struct stat st;
	int torn;

	if (stat(path, &st) < 0)
		return error_errno("%s", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return error("%s: not a regular file, so no store", path);
	if (check_kind(path) < 0)
		return -1;
	if (open_to_read(db, path) < 0)
		return -1;
	torn = is_torn(db);
	if (torn > 0) {
		db_close(db);
		if (roll_back(path) < 0 || open_to_read(db, path) < 0)
			return -1;
	}
	if (torn < 0 || store_check(db) < 0) {
		db_close(db);
		return -1;
	}
	return 0;
}

/* Something of that name is there: is it one that can take more traces?  An
 * empty file (mktemp's) can. */
static int target_check(const char *target)
{
	struct stat st;
	struct db db;

	if (stat(target, &st) < 0)
		return errno == ENOENT ? 0 : error_errno("%s", target);
	if (!S_ISREG(st.st_mode))
		return error("%s: not a regular file, so no store", target);
	if (st.st_size == 0)
		return 0;
	if (store_open_ro(&db, target) < 0)
		return -1;
	db_close(&db);
	return 0;
}

static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return xstrdup(".");
	return xmemdup0(path, slash == path ? 1 : (size_t)(slash - path));
}

int store_begin(struct store *s, const char *target)
{
	memset(s, 0, sizeof *s);
	if (target_check(target) < 0 || draft_open(&s->draft, target) < 0)
		return -1;
	s->target = xstrdup(target);
	s->dir = dir_of(target);
	if (db_open(&s->db, s->draft.temp, DB_WRITE) < 0) {
		store_abort(s);
		return -1;
	}
	free(s->db.name);
	s->db.name = xstrdup(target);
	if (db_execf(&s->db, "PRAGMA page_size=%u", STORE_PAGE) < 0
	    || db_exec(&s->db, scratch_pragmas) < 0
	    || store_create_schema(&s->db) < 0 || pages_open(&s->pages, s->dir) < 0) {
		store_abort(s);
		return -1;
	}
	return 0;
}

int64_t store_next_trace(struct store *s)
{
	pages_mark(&s->pages);
	return ++s->ntrace;
}

int64_t store_next_run(struct store *s)
{
	return ++s->nrun;
}

int store_drop_trace(struct store *s, int64_t id)
{
	static const char *const table[] = { "device", "track", "name", "frame",
		"stack", "coll", "run", "step", "tiny", "live" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(table); i++)
		/* the arguments of collectives wait under negative ids */
		if (db_execf(&s->db, "DELETE FROM %s WHERE abs(id) >> %d = %lld",
			table[i], STORE_N_BITS, (long long)id) < 0)
			return -1;
	pages_back(&s->pages);
	return db_execf(&s->db, "DELETE FROM trace WHERE id = %lld", (long long)id);
}

void store_abort(struct store *s)
{
	if (s->db.h)
		db_close(&s->db);
	pages_close(&s->pages);
	if (s->target)
		draft_abort(&s->draft);
	free(s->target);
	free(s->dir);
	s->target = s->dir = NULL;
}

/* 1 in place, 0 the name is taken, -1 said. */
static int put_in_place(struct store *s)
{
	if (fsync(s->draft.fd) < 0)
		return error_errno("%s", s->target);
	if (link(s->draft.temp, s->target) == 0)
		return 1;
	if (errno == EEXIST)
		return 0;
	/* no hard links here (vfat, some FUSE): the rename that refuses to
	 * overwrite, and where there is not even that, the plain one */
	if (renameat2(AT_FDCWD, s->draft.temp, AT_FDCWD, s->target,
		RENAME_NOREPLACE) == 0)
		return 1;
	if (errno == EEXIST)
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EPERM
	    && errno != EOPNOTSUPP)
		return error_errno("%s", s->target);
	if (access(s->target, F_OK) == 0)
		return 0;
	if (rename(s->draft.temp, s->target) < 0)
		return error_errno("%s", s->target);
	return 1;
}

static int settle_all(struct store *s)
{
	int64_t id;

	for (id = 1; id <= s->ntrace; id++)
		if (store_settle(&s->db, id, &s->clash) < 0)
			return -1;
	return store_number(&s->db) < 0 ? -1 : store_note_missing(&s->db);
}

static int find_roots(struct store *s, uint32_t root[BULK_COUNT])
{
	sqlite3_stmt *st = db_prepare(&s->db,
		"SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?");
	int rc = st ? 1 : -1;

	for (size_t t = 0; rc > 0 && t < BULK_COUNT; t++) {
		db_bind_str(st, 1, bulk_name[t]);
		rc = db_step(&s->db, st);
		root[t] = (uint32_t)sqlite3_column_int64(st, 0);
		sqlite3_reset(st);
	}
	db_finish(&st);
	return rc > 0 ? 0 : -1;
}

/* SQLite's part is done, and the large tables join it. */
static int complete(struct store *s)
{
	uint32_t root[BULK_COUNT];

	if (find_roots(s, root) < 0 || db_exec(&s->db, "COMMIT") < 0)
		return -1;
	db_close(&s->db);
	return pages_into(&s->pages, s->draft.fd, s->target, root);
}

int store_publish(struct store *s)
{
	bool there = access(s->target, F_OK) == 0;
	int rc = 0;

	if ((!there && settle_all(s) < 0) || complete(s) < 0) {
		store_abort(s);
		return -1;
	}
	if (!there)
		rc = put_in_place(s);
	if (rc == 0)
		rc = store_copy(s->draft.temp, s->target, &s->clash);
	store_abort(s);
	return rc < 0 ? -1 : 0;
}
