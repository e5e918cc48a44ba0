/* pages.h - the large tables of a store, written as whole b-tree pages instead
 * of row by row through SQL.
 *
 * Rows come in order of their ids, and nobody reads them before the store is
 * complete: then a table is its leaf pages one after the other and a few pages
 * above them.  Made here as SQLite's file format describes them
 * (sqlite.org/fileformat2.html: sections 1.5, 1.6, 2.1), a row costs 40 ns; a
 * bound INSERT costs 700 ns, and copying rows from an attached database 250.
 *
 *	pages_open(&p, dir);
 *	pages_add(&p, BULK_HOST, id, &row) ...        // ids ascend in each table
 *	pages_mark(&p) ... pages_back(&p);            // forget what came since
 *	pages_into(&p, fd, name, root);
 *	pages_close(&p);
 *
 * Full pages go to a scratch file, numbered from 1; pages_into() appends them to
 * a database that SQLite made and no one has open, whose tables are empty: the
 * numbers in them move up by its size, and the topmost page of each table
 * replaces the empty root.  The scratch file is given back meanwhile: nothing can
 * be done with p afterwards but to close it.  LIMITS: 128 KiB a table, for the leaf
 * and the pages above it that are not full, and what pages_mark() keeps. */
#ifndef TP_PAGES_H
#define TP_PAGES_H

#include "base.h"
struct row; /* row.h */

#define STORE_PAGE 8192u
#define PAGE_LEVELS 6          /* above the leaves: 500^6 of them */

/* X(enum, table) */
#define BULK_TABLES(X) \
	X(BULK_HOST, "host") X(BULK_CALL, "call") X(BULK_DEV, "dev") \
	X(BULK_MEMORY, "memory") X(BULK_IDLE, "idle")
enum bulk {
#define X(e, s) e,
	BULK_TABLES(X)
#undef X
	BULK_COUNT
};
extern const char *const bulk_name[BULK_COUNT];

/* A page in the making: cells grow down from its end. */
struct page {
	unsigned char byte[STORE_PAGE];
	unsigned ncell, top;           /* top: where the last cell begins */
};

/* A page above others.  The last child that came is not in it yet. */
struct upper {
	struct page page;
	uint32_t child, cell_child;    /* the last; that of the last cell */
	int64_t key, cell_key;         /* the largest id below them */
	bool begun;
};

struct tree {
	struct page leaf;
	struct upper upper[PAGE_LEVELS];
	int64_t last_id;
};

struct pages {
	int fd;                        /* -1: not open */
	char *dir;
	struct tree *tree;             /* tree[BULK_COUNT], and a copy for mark */
	uint32_t n, mark_n;            /* pages in the file, or waiting */
	unsigned char *wait;           /* the last of them, WAIT_PAGES at most */
	uint32_t nwait;
};

int pages_open(struct pages *p, const char *dir) RESULT_USED;
void pages_close(struct pages *p);
int pages_add(struct pages *p, enum bulk table, int64_t id, struct row *r) RESULT_USED;
void pages_mark(struct pages *p);
void pages_back(struct pages *p);
/* root[t]: the page of table t that sqlite_schema tells.  name: for messages. */
int pages_into(struct pages *p, int fd, const char *name,
	const uint32_t root[BULK_COUNT]) RESULT_USED;

#endif
