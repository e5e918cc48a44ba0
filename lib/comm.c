/* comm.c - see comm.h. */
#include "base.h"
#include "comm.h"
#include "mem.h"

#include <stdlib.h>

/* A sum that the bus factor, at most 2, still fits into an int64. */
#define BYTES_SUM_MAX (INT64_MAX / 4)

void comm_init(struct comm *c)
{
	memset(c, 0, sizeof *c);
}

static void item_hidden(void *arg, size_t at, int64_t hidden_ns)
{
	struct comm *c = arg;
	c->item[at].hidden_ns = hidden_ns;
}

static struct expose *device_expose(struct comm *c, size_t device)
{
	if (device >= c->ndevice) {
		c->expose = xreallocarray(c->expose, device + 1, sizeof *c->expose);
		for (; c->ndevice <= device; c->ndevice++)
			expose_init(&c->expose[c->ndevice], item_hidden, c);
	}
	return &c->expose[device];
}

void comm_compute(struct comm *c, size_t device, int64_t start_ns, int64_t end_ns)
{
	expose_compute(device_expose(c, device), start_ns, end_ns);
}

static bool key_same(const struct comm_key *a, const struct comm_key *b)
{
	return a->device == b->device && a->name == b->name && a->op == b->op &&
		a->frame == b->frame && a->how == b->how && a->coll == b->coll &&
		a->group_size == b->group_size && strcmp(a->group, b->group) == 0;
}

/* Kinds are few (names x places); runs of one kind are the rule. */
static size_t kind_of(struct comm *c, const struct comm_key *key)
{
	if (c->last < c->nkind && key_same(&c->kind[c->last].key, key))
		return c->last;
	for (size_t i = 0; i < c->nkind; i++)
		if (key_same(&c->kind[i].key, key))
			return c->last = i;
	GROW(c->kind, c->nkind, c->capkind);
	c->kind[c->nkind] = (struct comm_kind){ .key = *key };
	return c->last = c->nkind++;
}

void comm_add(struct comm *c, const struct comm_key *key, const struct comm_item *item)
{
	GROW(c->item, c->n, c->cap);
	struct comm_item *i = &c->item[c->n];
	*i = *item;
	i->kind = (uint32_t)kind_of(c, key);
	i->wait_ns = NO_INT;
	expose_comm(device_expose(c, key->device), i->start_ns, i->end_ns, c->n);
	c->n++;
}

void comm_done(struct comm *c)
{
	for (size_t d = 0; d < c->ndevice; d++)
		expose_end(&c->expose[d]);
}

void comm_sum(struct comm *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct comm_item *x = &c->item[i];
		struct comm_kind *k = &c->kind[x->kind];
		int64_t total = x->end_ns - x->start_ns;
		k->count++;
		k->total_ns += total;
		k->hidden_ns += x->hidden_ns;
		k->blocking += x->hidden_ns == 0;
		if (x->bytes != NO_INT) {
			k->sized++;
			k->bytes = MIN(k->bytes + x->bytes, BYTES_SUM_MAX);
			k->timed_ns += total;
		}
		if (x->wait_ns == NO_INT)
			continue;
		k->matched++;
		k->wait_ns += x->wait_ns;
		k->wire_ns += total - x->wait_ns;
		if (x->bytes != NO_INT) {
			k->sized_matched++;
			k->sized_wire_ns += total - x->wait_ns;
		}
	}
}

void comm_release(struct comm *c)
{
	for (size_t d = 0; d < c->ndevice; d++)
		expose_release(&c->expose[d]);
	free(c->expose);
	free(c->kind);
	free(c->item);
	memset(c, 0, sizeof *c);
}
