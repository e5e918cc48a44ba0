/* db.h - the few SQLite calls that everything else is made of, with the one
 * line said where one fails ("NAME: database or disk is full").
 *
 * A struct db is a connection and the name that its messages carry. */
#ifndef TP_DB_H
#define TP_DB_H

#include <sqlite3.h>

#include "base.h"

struct db {
	sqlite3 *h;
	char *name;            /* as given by the user, for messages */
	bool each;             /* each.h's function is made */
};

enum db_mode { DB_READ, DB_WRITE };
/* The file must exist.  Its name is used as it is: never a URI. */
int db_open(struct db *db, const char *path, enum db_mode mode) RESULT_USED;
/* Every statement should be finished; one that is not is said. */
void db_close(struct db *db);
/* Malloc'd: path as SQLite must be given it (a name that begins with "file:"
 * would be a URI where SQLite was built that way; "./file:" is not). */
char *db_path(const char *path);

int db_error(struct db *db);                     /* say what failed; -1 */
int db_exec(struct db *db, const char *sql) RESULT_USED;
int db_execf(struct db *db, const char *fmt, ...) RESULT_USED;   /* sqlite3_mprintf's %Q %w %lld */
/* NULL when it failed, said.  Finalize with db_finish. */
sqlite3_stmt *db_prepare(struct db *db, const char *sql) RESULT_USED;
sqlite3_stmt *db_preparef(struct db *db, const char *fmt, ...) RESULT_USED;
/* Run a statement that gives no row, and reset it. */
int db_run(struct db *db, sqlite3_stmt *st) RESULT_USED;
/* 1 a row, 0 done, -1 said. */
int db_step(struct db *db, sqlite3_stmt *st) RESULT_USED;
void db_finish(sqlite3_stmt **st);
/* Of the row at hand, until the next step: NULL where it is NULL. */
const char *db_column_str(sqlite3_stmt *st, int column);
const char *db_value_str(sqlite3_value *v);      /* the same of a function's argument */
/* The first column of the first row, or `none` without one. */
int db_int(struct db *db, const char *sql, int64_t none, int64_t *out) RESULT_USED;
int db_intf(struct db *db, int64_t none, int64_t *out, const char *fmt, ...) RESULT_USED;

/* NO_INT and {NULL,0} become NULL.  The end of memory is die(), here and in
 * db_column_str and the ...f calls: SQLite's own answer to it is NULL, which would
 * go into the store as one. */
void db_bind_int(sqlite3_stmt *st, int at, int64_t v);
void db_bind_str(sqlite3_stmt *st, int at, const char *s);  /* kept until the next bind */
void db_bind_text(sqlite3_stmt *st, int at, struct text t); /* same */
void db_bind_copy(sqlite3_stmt *st, int at, struct text t); /* copied */
/* Made valid UTF-8, as a record of the stream would carry it; copied. */
void db_bind_fixed(sqlite3_stmt *st, int at, const char *s);

#endif
