/* view5.c - see view5.h. */
#include "base.h"
#include "view5.h"
#include "mem.h"

#include <stdlib.h>

static int block_cmp(const void *a, const void *b)
{
	const struct alive_block *x = a, *y = b;
	int order;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	order = strcmp(x->op, y->op);
	return order ? order : anchor_cmp(&x->anchor, &y->anchor);
}

static int block_take(struct alive *l, sqlite3_stmt *st, struct names *names)
{
	struct alive_block *b;
	int64_t op = column_int(st, 2);

	GROW(l->block, l->n, l->cap);
	b = &l->block[l->n++];
	memset(b, 0, sizeof *b);
	b->bytes = sqlite3_column_int64(st, 0);
	b->count = sqlite3_column_int64(st, 1);
	b->op = op > 0 ? names_get(names, op) : xstrdup("");
	if (!b->op)
		return -1;
	return names_anchor(names, sqlite3_column_int64(st, 3), sqlite3_column_int64(st, 4),
		&b->anchor);
}

static bool is_of(const struct mem_curve *c, const char *device, int64_t type)
{
	if (c->type == MEM_HOST)
		return type == MEM_HOST;
	return type != MEM_HOST && device && !strcmp(device, c->device);
}

int alive_load(struct view *v, const struct view_trace *t, const struct mem_curve *c,
	struct alive *out)
{
	struct alive l = { NULL, 0, 0 };
	struct names names;
	sqlite3_stmt *st;
	int rc = -1;

	if (names_open(&names, &v->db, t) < 0)
		return -1;
	st = trace_prepare(&v->db, "SELECT bytes, count, op, frame, how, device, type"
		" FROM live WHERE id > ?1 AND id < ?2 ORDER BY id", t);
	while (st && (rc = db_step(&v->db, st)) > 0)
		if (is_of(c, db_column_str(st, 5),
		    sqlite3_column_int64(st, 6)) && block_take(&l, st, &names) < 0) {
			rc = -1;
			break;
		}
	db_finish(&st);
	names_close(&names);
	if (rc < 0) {
		alive_release(&l);
		return -1;
	}
	if (l.n)
		qsort(l.block, l.n, sizeof l.block[0], block_cmp);
	*out = l;
	return 0;
}

void alive_release(struct alive *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->block[i].op);
		anchor_release(&l->block[i].anchor);
	}
	free(l->block);
	memset(l, 0, sizeof *l);
}

int64_t curve_capacity(const struct view_trace *t, const struct mem_curve *c,
	int64_t asked_bytes)
{
	if (c->type == MEM_HOST)
		return NO_INT;
	if (asked_bytes != NO_INT)
		return asked_bytes;
	if (c->info && c->info->capacity_bytes != NO_INT)
		return c->info->capacity_bytes;
	return t->capacity_bytes;
}
