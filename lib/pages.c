/* pages.c - b-tree pages from rows in order. */
#include "base.h"
#include "pages.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "mem.h"
#include "say.h"
#include "row.h"
#include "scratch.h"

#define WAIT_PAGES 32u         /* 256 KiB a write */
#define CUT_PAGES 512u         /* 4 MiB: 150 cuts in 16 million events */
/* SQLite locks bytes here and uses no page that holds them. */
#define LOCK_PAGE ((1u << 30) / STORE_PAGE + 1)

enum { LEAF = 0x0d, UPPER = 0x05 };
#define LEAF_HEAD 8u
#define UPPER_HEAD 12u
#define VARINT_MAX 9u

const char *const bulk_name[BULK_COUNT] = {
#define X(e, s) [e] = s,
	BULK_TABLES(X)
#undef X
};

static void put16(unsigned char *to, unsigned v)
{
	to[0] = (unsigned char)(v >> 8);
	to[1] = (unsigned char)v;
}

static void put32(unsigned char *to, uint32_t v)
{
	v = htobe32(v);
	memcpy(to, &v, sizeof v);
}

static uint32_t get32(const unsigned char *from)
{
	uint32_t v;

	memcpy(&v, from, sizeof v);
	return be32toh(v);
}

/* Seven bits a byte, the highest first; a ninth byte would hold eight. */
static size_t put_varint(unsigned char to[VARINT_MAX], uint64_t v)
{
	size_t n = 1, i;

	if (v >> 56) {
		to[8] = (unsigned char)v;
		v >>= 8;
		for (i = 8; i-- > 0; v >>= 7)
			to[i] = (unsigned char)(v & 0x7f) | 0x80;
		return 9;
	}
	while (v >> (7 * n))
		n++;
	for (i = n; i-- > 0; v >>= 7)
		to[i] = (unsigned char)(v & 0x7f) | (i + 1 < n ? 0x80 : 0);
	return n;
}

static void page_init(struct page *g)
{
	g->ncell = 0;
	g->top = STORE_PAGE;
}

/* Room for a cell of n bytes, or NULL.  The bytes between pointers and cells
 * stay what they were: zero, from the beginning. */
static unsigned char *page_cell(struct page *g, unsigned head, size_t n)
{
	if (head + 2 * (g->ncell + 1) + n > g->top)
		return NULL;
	g->top -= (unsigned)n;
	put16(g->byte + head + 2 * g->ncell++, g->top);
	return g->byte + g->top;
}

static void page_pop(struct page *g, unsigned head)
{
	const unsigned char *before = g->byte + head + 2 * (--g->ncell - 1);

	g->top = before[0] * 256u + before[1];
}

static void page_seal(struct page *g, unsigned kind)
{
	unsigned head = kind == LEAF ? LEAF_HEAD : UPPER_HEAD;
	unsigned used = head + 2 * g->ncell;

	g->byte[0] = (unsigned char)kind;
	put16(g->byte + 1, 0);         /* no freeblocks */
	put16(g->byte + 3, g->ncell);
	put16(g->byte + 5, g->top);
	g->byte[7] = 0;
	memset(g->byte + used, 0, g->top - used);
}

static int flush(struct pages *p)
{
	int64_t at = (int64_t)(p->n - p->nwait) * STORE_PAGE;
	size_t n = (size_t)p->nwait * STORE_PAGE;

	p->nwait = 0;
	return n ? scratch_write(p->fd, p->dir, p->wait, n, at) : 0;
}

/* The page's number, or 0 said; the page is empty then. */
static uint32_t page_out(struct pages *p, struct page *g, unsigned kind)
{
	page_seal(g, kind);
	if (p->n == UINT32_MAX / 2) {
		error("%s: more than %u pages", p->dir, UINT32_MAX / 2);
		return 0;
	}
	if (p->nwait == WAIT_PAGES && flush(p) < 0)
		return 0;
	memcpy(p->wait + (size_t)p->nwait++ * STORE_PAGE, g->byte, STORE_PAGE);
	page_init(g);
	return ++p->n;
}

static bool upper_cell(struct upper *u, uint32_t child, int64_t key)
{
	unsigned char cell[4 + VARINT_MAX], *to;
	size_t n;

	put32(cell, child);
	n = 4 + put_varint(cell + 4, (uint64_t)key);
	to = page_cell(&u->page, UPPER_HEAD, n);
	if (!to)
		return false;
	memcpy(to, cell, n);
	u->cell_child = child;
	u->cell_key = key;
	return true;
}

/* A child more on this level.  SQLite wants two children at least in each page
 * above others, so a full one gives its last cell away as its right-most child,
 * and the next begins with the two children that came last. */
static int upper_add(struct pages *p, struct tree *t, unsigned level, uint32_t child,
	int64_t key)
{
	struct upper *u;
	uint32_t n;
	int64_t below;

	for (; level < PAGE_LEVELS; level++, child = n, key = below) {
		u = &t->upper[level];
		if (!u->begun || upper_cell(u, u->child, u->key)) {
			u->begun = true;
			u->child = child;
			u->key = key;
			return 0;
		}
		put32(u->page.byte + 8, u->cell_child);
		below = u->cell_key;
		page_pop(&u->page, UPPER_HEAD);
		n = page_out(p, &u->page, UPPER);
		if (n == 0 || !upper_cell(u, u->child, u->key))
			return -1;
		u->child = child;
		u->key = key;
	}
	return error("%s: a table of too many rows", p->dir);
}

static int leaf_out(struct pages *p, struct tree *t)
{
	int64_t last = t->last_id;
	uint32_t n = page_out(p, &t->leaf, LEAF);

	return n == 0 ? -1 : upper_add(p, t, 0, n, last);
}

int pages_add(struct pages *p, enum bulk table, int64_t id, struct row *r)
{
	struct tree *t = &p->tree[table];
	size_t nhead = (size_t)(r->type - r->head), nbody = (size_t)(r->value - r->body);
	unsigned char start[2 * VARINT_MAX], *to;
	size_t n = put_varint(start, nhead + nbody);

	n += put_varint(start + n, (uint64_t)id);
	r->head[0] = (unsigned char)nhead;
	to = page_cell(&t->leaf, LEAF_HEAD, n + nhead + nbody);
	if (!to) {
		if (leaf_out(p, t) < 0)
			return -1;
		to = page_cell(&t->leaf, LEAF_HEAD, n + nhead + nbody);
	}
	memcpy(to, start, n);
	memcpy(to + n, r->head, nhead);
	memcpy(to + n + nhead, r->body, nbody);
	t->last_id = id;
	return 0;
}

int pages_open(struct pages *p, const char *dir)
{
	*p = (struct pages){ .fd = scratch_open(dir) };
	if (p->fd < 0)
		return -1;
	p->dir = xstrdup(dir);
	p->wait = xmalloc(WAIT_PAGES * STORE_PAGE);
	p->tree = xcalloc(2 * BULK_COUNT, sizeof *p->tree);
	for (size_t t = 0; t < BULK_COUNT; t++) {
		page_init(&p->tree[t].leaf);
		for (size_t i = 0; i < PAGE_LEVELS; i++)
			page_init(&p->tree[t].upper[i].page);
	}
	return 0;
}

void pages_close(struct pages *p)
{
	if (p->dir)
		close(p->fd); /* nobody will read it again */
	free(p->dir);
	free(p->wait);
	free(p->tree);
	*p = (struct pages){ .fd = -1 };
}

void pages_mark(struct pages *p)
{
	memcpy(p->tree + BULK_COUNT, p->tree, BULK_COUNT * sizeof *p->tree);
	p->mark_n = p->n;
}

void pages_back(struct pages *p)
{
	uint32_t written = p->n - p->nwait;

	memcpy(p->tree, p->tree + BULK_COUNT, BULK_COUNT * sizeof *p->tree);
	p->n = p->mark_n;
	p->nwait = p->n > written ? p->n - written : 0;
}

/* --- into the database ------------------------------------------------- */

struct into {
	struct pages *p;
	int fd;
	const char *name;
	uint32_t base;                 /* pages that were there */
};

static uint32_t number_of(const struct into *o, uint32_t n)
{
	uint32_t at = o->base + n;

	return at + (o->base < LOCK_PAGE && at >= LOCK_PAGE);
}

/* The numbers of children in a page above others. */
static void renumber(const struct into *o, unsigned char *page)
{
	unsigned ncell = page[3] * 256u + page[4], i;
	unsigned char *cell;

	if (page[0] != UPPER)
		return;
	put32(page + 8, number_of(o, get32(page + 8)));
	for (i = 0; i < ncell; i++) {
		cell = page + UPPER_HEAD + 2 * i;
		cell = page + cell[0] * 256u + cell[1];
		put32(cell, number_of(o, get32(cell)));
	}
}

/* Pages at + 1 .. at + n of the scratch file. */
static int copy_stretch(const struct into *o, uint32_t at, uint32_t n)
{
	struct pages *p = o->p;
	size_t bytes = (size_t)n * STORE_PAGE;

	if (scratch_read(p->fd, p->dir, p->wait, bytes, (int64_t)at * STORE_PAGE) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		renumber(o, p->wait + (size_t)i * STORE_PAGE);
	return file_write_at(o->fd, o->name, p->wait, bytes,
		(int64_t)(number_of(o, at + 1) - 1) * STORE_PAGE);
}

/* The last come first, and the scratch file ends before them then: the kernel puts
 * the store into the memory that it takes back, and needs none beside it. */
static int copy_pages(const struct into *o)
{
	uint32_t end, at, cut = o->p->n;

	for (end = o->p->n; end > 0; end = at) {
		at = end - MIN(WAIT_PAGES, end);
		/* a stretch that goes on behind the lock page is two */
		if (number_of(o, at + 1) < LOCK_PAGE && number_of(o, end) >= LOCK_PAGE)
			at = LOCK_PAGE - 1 - o->base;
		if (copy_stretch(o, at, end - at) < 0)
			return -1;
		if (cut - at < CUT_PAGES)
			continue;
		cut = at;
		scratch_shorten(o->p->fd, (int64_t)cut * STORE_PAGE);
	}
	return 0;
}

/* What is not full yet goes out, up to the topmost page, which is the root. */
static struct page *tree_end(struct pages *p, struct tree *t, unsigned *kind)
{
	struct upper *u = t->upper;
	uint32_t n;

	*kind = LEAF;
	if (!u->begun)
		return &t->leaf;
	if (t->leaf.ncell && leaf_out(p, t) < 0)
		return NULL;
	*kind = UPPER;
	for (; u + 1 < t->upper + PAGE_LEVELS; u++) {
		put32(u->page.byte + 8, u->child);
		if (!u[1].begun)
			return &u->page;
		n = page_out(p, &u->page, UPPER);
		if (n == 0 || upper_add(p, t, (unsigned)(u + 1 - t->upper), n, u->key) < 0)
			return NULL;
	}
	error("%s: a table of too many rows", p->dir);
	return NULL;
}

static int put_roots(const struct into *o, struct page *const top[BULK_COUNT],
	const unsigned kind[BULK_COUNT], const uint32_t root[BULK_COUNT])
{
	for (size_t t = 0; t < BULK_COUNT; t++) {
		page_seal(top[t], kind[t]);
		renumber(o, top[t]->byte);
		if (file_write_at(o->fd, o->name, top[t]->byte, STORE_PAGE,
			(int64_t)(root[t] - 1) * STORE_PAGE) < 0)
			return -1;
	}
	return 0;
}

/* The first page says how many there are; a count holds when its change number
 * stands beside it once more. */
static int put_size(const struct into *o, unsigned char head[100])
{
	uint32_t change = get32(head + 24) + 1;

	put32(head + 24, change);
	put32(head + 92, change);
	put32(head + 28, o->p->n ? number_of(o, o->p->n) : o->base);
	return file_write_at(o->fd, o->name, head, 100, 0);
}

int pages_into(struct pages *p, int fd, const char *name, const uint32_t root[BULK_COUNT])
{
	struct into o = { p, fd, name, 0 };
	struct page *top[BULK_COUNT];
	unsigned kind[BULK_COUNT];
	unsigned char head[100];

	if (file_read_at(fd, name, head, sizeof head, 0) < 0)
		return -1;
	o.base = get32(head + 28);
	if (head[16] * 256u + head[17] != STORE_PAGE || head[20] != 0 || o.base == 0)
		return error("%s: not made for pages of %u bytes", name, STORE_PAGE);
	for (size_t t = 0; t < BULK_COUNT; t++)
		if ((top[t] = tree_end(p, &p->tree[t], &kind[t])) == NULL)
			return -1;
	if (flush(p) < 0 || copy_pages(&o) < 0 || put_roots(&o, top, kind, root) < 0)
		return -1;
	return put_size(&o, head);
}
