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

static size_t key_hash(const struct comm_key *k)
{
	const int64_t part[] = { (int64_t)k->device, k->name, k->op, k->frame, k->how,
		k->coll, k->group_size };
	uint64_t h = 0;

	for (size_t i = 0; i < ARRAY_LEN(part); i++)
		h = (h ^ (uint64_t)part[i]) * 0x9e3779b97f4a7c15u;
	for (const char *s = k->group; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32);
}

/* The place of the key: its kind there, or room for it. */
static uint32_t *find(const struct comm *c, const struct comm_key *key)
{
	size_t at = key_hash(key) & (c->nbucket - 1);

	while (c->bucket[at] && !key_same(&c->kind[c->bucket[at] - 1].key, key))
		at = (at + 1) & (c->nbucket - 1);
	return &c->bucket[at];
}

static void grow_buckets(struct comm *c)
{
	free(c->bucket);
	c->nbucket = c->nbucket ? c->nbucket * 2 : 64;
	c->bucket = xcalloc(c->nbucket, sizeof *c->bucket);
	for (size_t i = 0; i < c->nkind; i++)
		*find(c, &c->kind[i].key) = (uint32_t)i + 1;
}

/* Kinds are few (names x places), unless each op has a group of its own; runs of
 * one kind are the rule. */
static size_t kind_of(struct comm *c, const struct comm_key *key)
{
	uint32_t *slot;

	if (c->last < c->nkind && key_same(&c->kind[c->last].key, key))
		return c->last;
	if (c->nkind >= c->nbucket / 2)
		grow_buckets(c);
	slot = find(c, key);
	if (*slot)
		return c->last = *slot - 1;
	GROW(c->kind, c->nkind, c->capkind);
	c->kind[c->nkind] = (struct comm_kind){ .key = *key };
	*slot = (uint32_t)++c->nkind;
	return c->last = c->nkind - 1;
}

void comm_add(struct comm *c, const struct comm_key *key, const struct comm_item *item)
{
	if (c->n == COMM_MAX) {
		c->beyond++;
		return;
	}
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
	free(c->bucket);
	free(c->item);
	memset(c, 0, sizeof *c);
}
