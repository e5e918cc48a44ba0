/* db.c - SQLite, with its errors said in one place. */
#include "base.h"
#include "db.h"

#include <errno.h>
#include <stdlib.h>

#include "event.h"
#include "mem.h"
#include "say.h"
#include "utf8.h"

char *db_path(const char *path)
{
	size_t n = strlen(path);
	char *p;

	if (path[0] == '/')
		return xstrdup(path);
	p = xmalloc(n + 3);
	snprintf(p, n + 3, "./%s", path);
	return p;
}

/* The programs have one thread: SQLite's locks were 8 % of the loading time. */
static void configure(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int db_open(struct db *db, const char *path, enum db_mode mode)
{
	int flags = mode == DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	char *p = db_path(path);
	int rc;

	configure();
	db->each = false;
	rc = sqlite3_open_v2(p, &db->h, flags | SQLITE_OPEN_NOMUTEX, NULL);
	free(p);
	db->name = xstrdup(path);
	if (rc != SQLITE_OK) {
		db_error(db);
		db_close(db);
		return -1;
	}
	return 0;
}

void db_close(struct db *db)
{
	sqlite3_stmt *left;

	/* a leftover would keep the lock, and another connection of ours would
	 * wait for it in vain */
	while (db->h && (left = sqlite3_next_stmt(db->h, NULL)) != NULL) {
		warn("%s: statement not finished: %s", db->name, sqlite3_sql(left));
		sqlite3_finalize(left);
	}
	sqlite3_close(db->h);
	free(db->name);
	db->h = NULL;
	db->name = NULL;
}

int db_error(struct db *db)
{
	int rc = sqlite3_extended_errcode(db->h);
	int sys = 0;

	if ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED)
		return error("%s: store is in use", db->name);
	if ((rc & 0xff) == SQLITE_NOTADB)
		return error("%s: damaged: no SQLite file", db->name);
	if (rc == SQLITE_READONLY_ROLLBACK)
		return error("%s: a program was killed while it wrote there, and undoing that "
			"takes the right to write", db->name);
	if ((rc & 0xff) == SQLITE_IOERR)
		sqlite3_file_control(db->h, "main", SQLITE_FCNTL_LAST_ERRNO, &sys);
	if (sys != 0)
		return error("%s: %s: %s", db->name, sqlite3_errmsg(db->h), strerror(sys));
	return error("%s: %s", db->name, sqlite3_errmsg(db->h));
}

int db_exec(struct db *db, const char *sql)
{
	if (sqlite3_exec(db->h, sql, NULL, NULL, NULL) != SQLITE_OK)
		return db_error(db);
	return 0;
}

static char *sql_format(const char *fmt, va_list ap)
{
	char *sql = sqlite3_vmprintf(fmt, ap);

	if (sql == NULL)
		die("out of memory (SQLite)");
	return sql;
}

#define SQL_FORMAT(sql, fmt) do { \
	va_list ap; \
	va_start(ap, fmt); \
	(sql) = sql_format((fmt), ap); \
	va_end(ap); \
} while (0)

int db_execf(struct db *db, const char *fmt, ...)
{
	char *sql;
	int rc;

	SQL_FORMAT(sql, fmt);
	rc = db_exec(db, sql);
	sqlite3_free(sql);
	return rc;
}

sqlite3_stmt *db_preparef(struct db *db, const char *fmt, ...)
{
	sqlite3_stmt *st;
	char *sql;

	SQL_FORMAT(sql, fmt);
	st = db_prepare(db, sql);
	sqlite3_free(sql);
	return st;
}

int db_intf(struct db *db, int64_t none, int64_t *out, const char *fmt, ...)
{
	char *sql;
	int rc;

	SQL_FORMAT(sql, fmt);
	rc = db_int(db, sql, none, out);
	sqlite3_free(sql);
	return rc;
}

sqlite3_stmt *db_prepare(struct db *db, const char *sql)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v3(db->h, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL)
	    != SQLITE_OK) {
		db_error(db);
		return NULL;
	}
	return st;
}

int db_run(struct db *db, sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	if (rc != SQLITE_DONE) {
		db_error(db);
		sqlite3_reset(st);
		return -1;
	}
	sqlite3_reset(st);
	return 0;
}

int db_step(struct db *db, sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return db_error(db);
}

void db_finish(sqlite3_stmt **st)
{
	sqlite3_finalize(*st);
	*st = NULL;
}

int db_int(struct db *db, const char *sql, int64_t none, int64_t *out)
{
	sqlite3_stmt *st = db_prepare(db, sql);
	int rc;

	if (st == NULL)
		return -1;
	rc = db_step(db, st);
	if (rc >= 0)
		*out = rc == 0 ? none : sqlite3_column_int64(st, 0);
	db_finish(&st);
	return rc < 0 ? -1 : 0;
}

void db_bind_int(sqlite3_stmt *st, int at, int64_t v)
{
	if (v == NO_INT)
		sqlite3_bind_null(st, at);
	else
		sqlite3_bind_int64(st, at, v);
}

static const char *text_or_die(const unsigned char *s, bool null)
{
	if (s == NULL && !null)
		die("out of memory (SQLite)");
	return (const char *)s;
}

const char *db_column_str(sqlite3_stmt *st, int column)
{
	bool null = sqlite3_column_type(st, column) == SQLITE_NULL;

	return text_or_die(sqlite3_column_text(st, column), null);
}

const char *db_value_str(sqlite3_value *v)
{
	bool null = sqlite3_value_type(v) == SQLITE_NULL;

	return text_or_die(sqlite3_value_text(v), null);
}

/* Also where it may keep the caller's bytes SQLite allocates. */
static void bind_text(sqlite3_stmt *st, int at, const char *s, size_t n,
	sqlite3_destructor_type keep)
{
	int rc = sqlite3_bind_text(st, at, s, (int)MIN(n, (size_t)INT32_MAX), keep);

	if (rc != SQLITE_OK)
		die("SQLite: %s", sqlite3_errstr(rc));
}

void db_bind_str(sqlite3_stmt *st, int at, const char *s)
{
	if (s == NULL)
		sqlite3_bind_null(st, at);
	else
		bind_text(st, at, s, strlen(s), SQLITE_STATIC);
}

void db_bind_copy(sqlite3_stmt *st, int at, struct text t)
{
	bind_text(st, at, t.s, t.n, SQLITE_TRANSIENT);
}

void db_bind_text(sqlite3_stmt *st, int at, struct text t)
{
	if (t.s == NULL)
		sqlite3_bind_null(st, at);
	else
		bind_text(st, at, t.s, t.n, SQLITE_STATIC);
}

void db_bind_fixed(sqlite3_stmt *st, int at, const char *s)
{
	struct buf b = BUF_INIT;

	if (s == NULL) {
		sqlite3_bind_null(st, at);
		return;
	}
	text_fix_utf8(&b, (struct text){ s, strlen(s) });
	bind_text(st, at, b.data ? b.data : "", b.len, SQLITE_TRANSIENT);
	buf_release(&b);
}
