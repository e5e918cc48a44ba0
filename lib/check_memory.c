/* check_memory.c - memory samples against each other, in order of time: totals
 * that cannot be, totals that do not follow from the one before, and each
 * device's peak. */
#include "base.h"
#include "load.h"

#include <stdlib.h>

#include "mem.h"
#include "row.h"
#include "rows.h"

/* Devices with samples of their own; samples of more are kept unchecked. */
#define PEAKS_MAX 1024u

/* A read while the rows are made, in order: the cache holds it. */
#define STORE_WINDOW (64u << 10)

struct state {
	int64_t allocated;     /* after the sample before; NO_INT: unknown */
	int64_t change;        /* sum of the changes: old traces have no totals */
	bool totals;           /* a total came: changes alone tell no peak */
	int64_t capacity;      /* NO_INT: unknown */
};

struct check {
	struct load *l;
	const struct trace_info *info;
	struct state *state;   /* by index of l->peaks */
	size_t last;           /* who asks for a sample asks twice */
	size_t cap;
};

static int64_t capacity_of(const struct trace_info *info, const char *device)
{
	size_t i;

	for (i = 0; i < info->ndevice; i++)
		if (strcmp(info->device[i].id, device) == 0)
			return info->device[i].capacity_bytes;
	return NO_INT;
}

static bool peak_is(const struct peak *k, const struct sample *s)
{
	return k->type == s->type && strcmp(k->device, s->device) == 0;
}

static size_t peak_of(struct check *c, const struct sample *s)
{
	struct peaks *p = &c->l->peaks;
	struct peak *k;
	size_t i;

	if (c->last < p->n && peak_is(&p->item[c->last], s))
		return c->last;
	for (i = 0; i < p->n; i++)
		if (peak_is(&p->item[i], s))
			return c->last = i;
	if (p->n == PEAKS_MAX)
		return PEAKS_MAX;
	GROW(p->item, p->n, p->cap);
	GROW(c->state, p->n, c->cap);
	c->state[p->n] = (struct state){ NO_INT, 0, false,
		s->type ? capacity_of(c->info, s->device) : NO_INT };
	k = &p->item[p->n++];
	memset(k, 0, sizeof *k);
	memcpy(k->device, s->device, sizeof k->device);
	k->type = s->type;
	k->allocated = NO_INT;
	return i;
}

static bool cannot_be(int64_t total, int64_t capacity)
{
	return total != NO_INT && (total < 0 || (capacity != NO_INT && total > capacity));
}

static void rose(struct peak *p, const struct sample *s, int64_t held)
{
	if (p->n && held <= p->allocated)
		return;
	p->allocated = held;
	p->n = s->n;
}

/* Without totals the peak is that of the change since the trace began. */
static void changed(struct state *st, struct peak *p, const struct sample *s)
{
	if (s->delta == NO_INT || st->totals ||
	    __builtin_add_overflow(st->change, s->delta, &st->change))
		return;
	if (st->change > 0)
		rose(p, s, st->change);
}

static void see(struct check *c, const struct sample *s)
{
	size_t i = peak_of(c, s);
	struct state *st;
	struct peak *p;

	if (i == PEAKS_MAX || s->type == 0)
		return;
	HOLDS(c->state); /* it grows with the peaks, which begin empty */
	st = &c->state[i];
	p = &c->l->peaks.item[i];
	if (cannot_be(s->allocated, st->capacity) || cannot_be(s->reserved, st->capacity)) {
		c->l->count.bad_totals++;
		st->allocated = NO_INT;
		return;
	}
	if (s->allocated == NO_INT) {
		changed(st, p, s);
		return;
	}
	if (st->allocated != NO_INT && s->delta != NO_INT
	    && s->allocated - st->allocated != s->delta)
		c->l->count.mem_breaks++;
	st->allocated = s->allocated;
	if (!st->totals)
		p->n = 0;
	st->totals = true;
	rose(p, s, s->allocated);
}

/* Can its totals be?  As see() decided, whatever came before it. */
static bool is_ok(struct check *c, const struct sample *s)
{
	size_t i = s->type ? peak_of(c, s) : PEAKS_MAX;
	int64_t capacity;

	if (i == PEAKS_MAX)
		return true;
	HOLDS(c->state); /* as in see() */
	capacity = c->state[i].capacity;
	return !cannot_be(s->allocated, capacity) && !cannot_be(s->reserved, capacity);
}

static int store_sample(struct check *c, const struct sample *s)
{
	struct row r;

	row_begin(&r);
	row_int(&r, s->ts);
	row_int(&r, (int64_t)s->track);
	row_str(&r, s->device);
	row_opt(&r, s->type);
	row_opt(&r, s->allocated);
	row_opt(&r, s->reserved);
	row_opt(&r, s->delta);
	row_int(&r, s->addr);
	row_int(&r, is_ok(c, s));
	return pages_add(&c->l->store->pages, BULK_MEMORY, STORE_ID(c->l->id, s->n), &r);
}

/* In the file's order, which is that of their stretches. */
static int store_samples(struct check *c)
{
	const struct runs *r = &c->l->samples;
	struct unpack u;
	int64_t n;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < r->n; i++) {
		runs_open(r, i, &u, STORE_WINDOW);
		for (n = r->run[i].first; rc == 0 && n <= r->run[i].last; n++) {
			rc = unpack_next(&u);
			if (rc == 0)
				rc = store_sample(c, (const void *)u.item);
		}
		unpack_release(&u);
	}
	return rc;
}

int memory_check(struct load *l, const struct trace_info *info)
{
	struct check c = { .l = l, .info = info };
	const struct sample *s;
	struct rows *r;
	bool failed = false;
	int rc = 0;

	if (l->samples.rows == 0)
		return 0;
	r = rows_samples(l);
	while ((s = rows_next(r, &failed)))
		see(&c, s);
	rows_free(r);
	if (!failed)
		rc = store_samples(&c);
	free(c.state);
	return failed ? -1 : rc;
}
