/* rank_loss.c - of the losses at one place the first and the heaviest. */
#include "base.h"
#include "rank_loss.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "mem.h"
#include "names.h"
#include "rank_rows.h"

struct kept {
	struct rank_row row;
	int64_t cost_ns;
	int held;              /* by how many of the two lists */
};

struct loss_place {
	struct buf ident;
	uint32_t hash;
	struct kept *first[LOSSES_FIRST], *heavy[LOSSES_HEAVY];
	size_t nfirst, nheavy;
};

/* One that comes, not yet copied. */
struct comer {
	const struct rec *rec;
	struct text key;
	int64_t cost_ns;
	struct kept *kept;     /* once it is */
};

static void ident_make(struct buf *b, size_t segment, const struct rec *r)
{
	static const char *const KEYS[] = { "trace", "rank", "device", "loss", "cause",
		"file", "line", "func", "op" };
	buf_add(b, &segment, sizeof segment);
	for (size_t i = 0; i < ARRAY_LEN(KEYS); i++) {
		const struct rec_field *f = rec_get(r, KEYS[i]);
		struct text t = f ? f->value : (struct text){ "", 0 };
		int type = f ? (int)f->type : -1;
		buf_add(b, &type, sizeof type);
		buf_add(b, &t.n, sizeof t.n);
		buf_add(b, t.s, t.n);
	}
}

static void places_rehash(struct rank_loss *v)
{
	v->nbucket = MAX((size_t)64, v->nbucket * 2);
	free(v->bucket);
	v->bucket = xcalloc(v->nbucket, sizeof *v->bucket);
	for (size_t i = 0; i < v->n; i++) {
		size_t at = v->place[i]->hash & (v->nbucket - 1);
		while (v->bucket[at])
			at = (at + 1) & (v->nbucket - 1);
		v->bucket[at] = (uint32_t)i + 1;
	}
}

/* The seed keeps a stream from choosing places that collide, and never shows. */
static uint64_t seed(void)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel hands it over so */
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t n = 0;
	if (random)
		memcpy(&n, random, sizeof n);
	return n;
}

static struct loss_place *place_of(struct rank_loss *v, size_t segment, const struct rec *r)
{
	struct buf ident = BUF_INIT;
	ident_make(&ident, segment, r);
	uint32_t hash = text_hash(buf_text(&ident), seed());
	if (v->n * 2 >= v->nbucket)
		places_rehash(v);
	size_t at = hash & (v->nbucket - 1);
	for (; v->bucket[at]; at = (at + 1) & (v->nbucket - 1)) {
		struct loss_place *p = v->place[v->bucket[at] - 1];
		if (p->hash == hash && text_eq(buf_text(&p->ident), buf_text(&ident))) {
			buf_release(&ident);
			return p;
		}
	}
	GROW(v->place, v->n, v->cap);
	struct loss_place *p = v->place[v->n++] = xcalloc(1, sizeof *p);
	v->bucket[at] = (uint32_t)v->n;
	p->ident = ident;
	p->hash = hash;
	return p;
}

static void kept_drop(struct rank_loss *v, struct kept *k)
{
	if (--k->held > 0)
		return;
	rank_row_release(&k->row);
	free(k);
	v->rows--;
}

static bool is_before(const struct comer *c, const struct kept *k)
{
	int order = text_compare(c->key, k->row.key);
	return order ? order < 0 : rank_row_compare_rec(c->rec, &k->row) < 0;
}

static bool is_heavier(const struct comer *c, const struct kept *k)
{
	return c->cost_ns != k->cost_ns ? c->cost_ns > k->cost_ns : is_before(c, k);
}

/* Into a list that is in order, whose last one then falls out when it is full. */
static void list_put(struct rank_loss *v, struct kept **list, size_t *n, size_t max,
	struct comer *c, bool (*goes_before)(const struct comer *, const struct kept *))
{
	size_t at = *n;
	if (*n == max && !goes_before(c, list[max - 1]))
		return;
	while (at > 0 && goes_before(c, list[at - 1]))
		at--;
	if (!c->kept) {
		c->kept = xcalloc(1, sizeof *c->kept);
		rank_row_make(&c->kept->row, c->rec);
		c->kept->cost_ns = c->cost_ns;
		v->rows++;
	}
	c->kept->held++;
	if (*n == max)
		kept_drop(v, list[--*n]);
	memmove(&list[at + 1], &list[at], (*n - at) * sizeof(struct kept *));
	list[at] = c->kept;
	++*n;
}

void rank_loss_add(struct rank_loss *v, size_t segment, const struct rec *r)
{
	struct loss_place *p = place_of(v, segment, r);
	struct comer c = { .rec = r, .key = rec_text(r, "key") };
	if (rec_int(r, "cost_ns", &c.cost_ns) < 0)
		c.cost_ns = 0;
	list_put(v, p->first, &p->nfirst, LOSSES_FIRST, &c, is_before);
	list_put(v, p->heavy, &p->nheavy, LOSSES_HEAVY, &c, is_heavier);
	if (c.kept)
		c.kept->row.segment = segment;
}

static bool kept_take(struct rank_loss *v, struct kept *k, struct rank_row *row)
{
	bool last = --k->held == 0;
	if (!last)
		return false;
	*row = k->row;
	free(k);
	v->rows--;
	return true;
}

bool rank_loss_take(struct rank_loss *v, struct rank_row *row)
{
	while (v->n) {
		struct loss_place *p = v->place[v->n - 1];
		while (p->nfirst)
			if (kept_take(v, p->first[--p->nfirst], row))
				return true;
		while (p->nheavy)
			if (kept_take(v, p->heavy[--p->nheavy], row))
				return true;
		buf_release(&p->ident);
		free(p);
		v->n--;
	}
	return false;
}

void rank_loss_release(struct rank_loss *v)
{
	struct rank_row row;
	while (rank_loss_take(v, &row))
		rank_row_release(&row);
	free(v->place);
	free(v->bucket);
	*v = (struct rank_loss){ 0 };
}
