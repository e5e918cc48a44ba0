/* live.c - a map of addresses, until the peak. */
#include "base.h"
#include "live.h"

#include <stdlib.h>

#include "mem.h"
#include "say.h"

void live_init(struct live *v, struct load *l)
{
	memset(v, 0, sizeof *v);
	v->l = l;
	v->done = xcalloc(l->peaks.n + 1, sizeof *v->done);
	v->nbucket = 1u << 10;
	v->block = xcalloc(v->nbucket, sizeof *v->block);
}

void live_release(struct live *v)
{
	free(v->done);
	free(v->block);
	memset(v, 0, sizeof *v);
}

static int peak_of(const struct live *v, const struct sample *s)
{
	const struct peaks *p = &v->l->peaks;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->item[i].type == s->type && strcmp(p->item[i].device, s->device) == 0)
			return v->done[i] || p->item[i].n == 0 ? -1 : (int)i;
	return -1;
}

bool live_wants(const struct live *v, const struct sample *s)
{
	return peak_of(v, s) >= 0;
}

static uint32_t home_of(const struct live *v, uint64_t addr, int peak)
{
	uint64_t h = (addr ^ (uint64_t)peak << 56) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32) & (v->nbucket - 1);
}

static struct block *find(const struct live *v, uint64_t addr, int peak)
{
	uint32_t at = home_of(v, addr, peak);

	while (v->block[at].bytes
		&& (v->block[at].addr != addr || v->block[at].peak != peak))
		at = (at + 1) & (v->nbucket - 1);
	return &v->block[at];
}

static void grow(struct live *v)
{
	struct block *old = v->block;
	uint32_t n = v->nbucket, i;

	v->nbucket *= 2;
	v->block = xcalloc(v->nbucket, sizeof *v->block);
	for (i = 0; i < n; i++)
		if (old[i].bytes)
			*find(v, old[i].addr, old[i].peak) = old[i];
	free(old);
}

/* Linear probing without marks for what was removed: those behind move up. */
static void erase(struct live *v, struct block *b)
{
	uint32_t hole = (uint32_t)(b - v->block), at = hole, home;

	v->nblock--;
	for (;;) {
		v->block[hole].bytes = 0;
		do {
			at = (at + 1) & (v->nbucket - 1);
			if (v->block[at].bytes == 0)
				return;
			home = home_of(v, v->block[at].addr, v->block[at].peak);
		} while (((at - home) & (v->nbucket - 1)) < ((at - hole) & (v->nbucket - 1)));
		v->block[hole] = v->block[at];
		hole = at;
	}
}

static int by_who(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;

	if (a->who.frame != b->who.frame)
		return a->who.frame < b->who.frame ? -1 : 1;
	if (a->who.op != b->who.op)
		return a->who.op < b->who.op ? -1 : 1;
	return (a->who.how > b->who.how) - (a->who.how < b->who.how);
}

static int put_sum(struct live *v, sqlite3_stmt *st, const struct block *b, int64_t count)
{
	const struct peak *p = &v->l->peaks.item[b->peak];

	sqlite3_bind_int64(st, 1, STORE_ID(v->l->id, ++v->nrow));
	db_bind_str(st, 2, p->device);
	sqlite3_bind_int64(st, 3, p->type);
	sqlite3_bind_int64(st, 4, b->bytes);
	sqlite3_bind_int64(st, 5, count);
	db_bind_int(st, 6, b->who.op ? (int64_t)b->who.op : NO_INT);
	db_bind_int(st, 7, b->who.frame ? (int64_t)b->who.frame : NO_INT);
	sqlite3_bind_int(st, 8, b->who.how);
	return db_run(v->l->db, st);
}

static int put_sums(struct live *v, struct block *list, size_t n)
{
	sqlite3_stmt *st = db_prepare(v->l->db, "INSERT INTO live VALUES (?,?,?,?,?,?,?,?)");
	size_t i, k;
	int rc = st ? 0 : -1;

	qsort(list, n, sizeof *list, by_who);
	for (i = 0; rc == 0 && i < n; i = k) {
		for (k = i + 1; k < n && by_who(&list[i], &list[k]) == 0; k++)
			list[i].bytes += list[k].bytes;
		rc = put_sum(v, st, &list[i], (int64_t)(k - i));
	}
	db_finish(&st);
	return rc;
}

/* Store what is alive, and forget that device's blocks. */
static int at_peak(struct live *v, int peak)
{
	struct block *list = xcalloc(v->nblock + 1, sizeof *list);
	uint32_t i;
	size_t n = 0;
	int rc;

	for (i = 0; i < v->nbucket; i++)
		if (v->block[i].bytes && v->block[i].peak == peak)
			list[n++] = v->block[i];
	for (i = 0; i < n; i++)
		erase(v, find(v, list[i].addr, peak));
	v->done[peak] = true;
	rc = n ? put_sums(v, list, n) : 0;
	free(list);
	return rc;
}

int live_see(struct live *v, const struct sample *s, struct anchor who)
{
	int peak = peak_of(v, s);
	struct block *b;

	if (peak < 0 || s->delta == NO_INT)
		return 0;
	b = find(v, (uint64_t)s->addr, peak);
	if (s->delta < 0 && b->bytes) {
		erase(v, b);
	} else if (s->delta > 0 && b->bytes == 0 && v->nblock >= LIVE_MAX) {
		v->overflow++;
	} else if (s->delta > 0) {
		v->nblock += b->bytes == 0;
		*b = (struct block){ (uint64_t)s->addr, s->delta, who, (uint16_t)peak };
		if (v->nblock > v->nbucket / 2)
			grow(v);
	}
	return s->n == v->l->peaks.item[peak].n ? at_peak(v, peak) : 0;
}
