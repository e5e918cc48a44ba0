/* store.h - the store of a job: one SQLite file, any number of ranks and hosts
 * (share/store.sql shows the tables, tp-store(5) explains them).
 *
 * Writing:  store_begin(&s, "store.db");
 *           for each trace: id = store_next_trace(&s); rows into s.db, those
 *                           of the large tables into s.pages;
 *                           or store_drop_trace(&s, id);
 *           store_publish(&s)  or  store_abort(&s)
 * Everything is first built in a private scratch database beside the store, with
 * no lock.  store_publish puts it in place whole when there is no store yet
 * (link(2), which never overwrites and works on network file systems); into a
 * store that is there, or came into being meanwhile, each trace is copied in one
 * short transaction under journal mode DELETE, never WAL.
 *
 * Reading:  store_open_ro(&db, path): never creates, and refuses what is no
 * store or a newer one with one line.  What a killed writer left is undone, which
 * takes the right to write. */
#ifndef TP_STORE_H
#define TP_STORE_H

#include "base.h"
#include "db.h"
#include "pages.h"
#include "path.h"
#include "sniff.h"

#define STORE_VERSION 1
#define STORE_WAIT_MS 60000             /* for another writer, then: in use */
#define STORE_N_BITS 40                 /* id = (trace << 40) + n */
#define STORE_ID(trace, n) (((int64_t)(trace) << STORE_N_BITS) + (int64_t)(n))

struct store {
	struct db db;          /* the scratch while it is built */
	struct draft draft;
	struct pages pages;    /* its large tables, until it is published */
	char *target, *dir;    /* dir: of the target, takes scratch files */
	int64_t ntrace, nrun;  /* ids given: traces, runs of tp-time */
	bool clash;            /* two traces claim one host, rank and time */
};

int store_begin(struct store *s, const char *target) RESULT_USED;
int64_t store_next_trace(struct store *s);
int64_t store_next_run(struct store *s);
int store_drop_trace(struct store *s, int64_t id) RESULT_USED;
/* Done with s whatever comes back. */
int store_publish(struct store *s) RESULT_USED;
void store_abort(struct store *s);

int store_open_ro(struct db *db, const char *path) RESULT_USED;
/* 0 it is a store of our version, -1 said. */
int store_check(struct db *db) RESULT_USED;

/* store_schema.c: tables and views in an empty database. */
int store_create_schema(struct db *db) RESULT_USED;

/* store_copy.c: the scratch's traces and runs into the store that is there. */
int store_copy(const char *scratch, const char *target, bool *clash) RESULT_USED;

/* store_ranks.c */
/* Give the trace a rank if it has none, tell of others with the same rank;
 * *clash is set when one overlaps in time. */
int store_settle(struct db *db, int64_t id, bool *clash) RESULT_USED;
/* Public numbers in order of hash. */
int store_number(struct db *db) RESULT_USED;
/* Say which ranks of the world are not there. */
int store_note_missing(struct db *db) RESULT_USED;

#endif
