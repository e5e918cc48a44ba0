/* row.h - a row as SQLite keeps it in a table's page (the record format of its
 * file format: a header of serial types, then the values).
 *
 *	row_begin(&r);
 *	row_int(&r, 5); row_opt(&r, NO_INT); row_str(&r, "0");   // column by column
 *	pages_add(p, BULK_HOST, id, &r);
 * The first column, an INTEGER PRIMARY KEY, is the id: row_begin() puts it.  At
 * most ROW_COLUMNS columns and ROW_TEXT bytes of text, so that a row always fits
 * into a page. */
#ifndef TP_ROW_H
#define TP_ROW_H

#include <endian.h>

#include "base.h"
#include "event.h"

#define ROW_COLUMNS 24
#define ROW_TEXT 600u

struct row {
	unsigned char *type, *value;      /* where the next go */
	/* a byte for the header's length, then up to two a column */
	unsigned char head[1 + 2 * ROW_COLUMNS];
	unsigned char body[8 * ROW_COLUMNS + ROW_TEXT + 8];
};

static inline void row_null(struct row *r)
{
	*r->type++ = 0;
}

static inline void row_begin(struct row *r)
{
	r->type = r->head + 1;
	r->value = r->body;
	row_null(r);
}

/* Serial types 1 to 6 are 1, 2, 3, 4, 6 and 8 bytes, big endian; 0 and 1 are
 * types of their own. */
static inline void row_int(struct row *r, int64_t v)
{
	static const unsigned char type[9] = { 1, 1, 2, 3, 4, 5, 5, 6, 6 };
	static const unsigned char size[7] = { 0, 1, 2, 3, 4, 6, 8 };
	uint64_t u = (uint64_t)v, magnitude = v < 0 ? ~u : u;
	unsigned t;

	if (magnitude <= 1 && v >= 0) {
		*r->type++ = (unsigned char)(8 + v);
		return;
	}
	/* bytes of the magnitude and a sign bit */
	t = type[(72 - (unsigned)__builtin_clzll(magnitude | 1)) / 8];
	*r->type++ = (unsigned char)t;
	u = htobe64(u << (64 - 8 * size[t]));
	memcpy(r->value, &u, 8);
	r->value += size[t];
}

/* NO_INT is NULL. */
static inline void row_opt(struct row *r, int64_t v)
{
	if (v == NO_INT)
		row_null(r);
	else
		row_int(r, v);
}

/* The number of a row elsewhere; 0 is NULL. */
static inline void row_number(struct row *r, int64_t n)
{
	row_opt(r, n ? n : NO_INT);
}

static inline void row_str(struct row *r, const char *s)
{
	size_t n = strlen(s), type;

	n = MIN(n, ROW_TEXT / 2);
	type = 13 + 2 * n;
	if (type > 127)
		*r->type++ = (unsigned char)(0x80 | type >> 7);
	*r->type++ = (unsigned char)(type & 0x7f);
	memcpy(r->value, s, n);
	r->value += n;
}

#endif
