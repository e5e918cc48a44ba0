/* check_memory.c - memory samples against each other, in order of time: totals
 * that cannot be, totals that do not follow from the one before, and each
 * device's peak. */
#include "base.h"
#include "load.h"

#include <stdlib.h>

#include "mem.h"
#include "rows.h"

/* Devices with samples of their own; samples of more are kept unchecked. */
#define PEAKS_MAX 1024u

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

static size_t peak_of(struct check *c, const struct sample *s)
{
	struct peaks *p = &c->l->peaks;
	struct peak *k;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->item[i].type == s->type && strcmp(p->item[i].device, s->device) == 0)
			return i;
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

static int see(struct check *c, const struct sample *s)
{
	size_t i = peak_of(c, s);
	struct sample bad;
	struct state *st;
	struct peak *p;

	if (i == PEAKS_MAX || s->type == 0)
		return 0;
	HOLDS(c->state); /* it grows with the peaks, which begin empty */
	st = &c->state[i];
	p = &c->l->peaks.item[i];
	if (cannot_be(s->allocated, st->capacity) || cannot_be(s->reserved, st->capacity)) {
		c->l->count.bad_totals++;
		st->allocated = NO_INT;
		bad = *s;
		bad.ok = false;
		return runs_write(&c->l->samples, s->n, &bad);
	}
	if (s->allocated == NO_INT) {
		changed(st, p, s);
		return 0;
	}
	if (st->allocated != NO_INT && s->delta != NO_INT
	    && s->allocated - st->allocated != s->delta)
		c->l->count.mem_breaks++;
	st->allocated = s->allocated;
	if (!st->totals)
		p->n = 0;
	st->totals = true;
	rose(p, s, s->allocated);
	return 0;
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
	while (rc == 0 && (s = rows_next(r, &failed)))
		rc = see(&c, s);
	rows_free(r);
	free(c.state);
	return rc < 0 || failed ? -1 : load_store_samples(l);
}
