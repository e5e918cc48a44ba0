/* kernels.c - see kernels.h. */
#include "base.h"
#include "kernels.h"
#include "kname.h"
#include "mem.h"

#include <stdlib.h>

/* One site a slot; open addressing, half full at most. */
struct kernel_slot {
	uint64_t hash;
	struct kernel_site *site;
};

struct site_key {
	const struct decomp_part *part;
	int64_t name, op, frame, how;
	bool blocking;
};

static uint64_t mix(uint64_t h, uint64_t n)
{
	h = (h ^ n) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static uint64_t key_hash(const struct kernels *k, const struct site_key *key)
{
	uint64_t h = mix(0, (uint64_t)(key->part - k->decomp->part));

	h = mix(h, (uint64_t)key->name);
	h = mix(h, (uint64_t)key->op);
	h = mix(h, (uint64_t)key->frame);
	return mix(h, (uint64_t)key->how * 2 + key->blocking);
}

static bool site_is(const struct kernel_site *s, const struct site_key *key)
{
	return s->kernel->part == key->part && s->kernel->name_id == key->name &&
		s->op == key->op && s->frame == key->frame && s->how == key->how &&
		s->blocking == key->blocking;
}

static void slots_grow(struct kernels *k)
{
	size_t n = k->nslot ? k->nslot * 2 : 1024;
	struct kernel_slot *slot = xcalloc(n, sizeof *slot);

	for (size_t i = 0; i < k->nslot; i++) {
		size_t at = k->slot[i].hash & (n - 1);

		if (!k->slot[i].site)
			continue;
		while (slot[at].site)
			at = (at + 1) & (n - 1);
		slot[at] = k->slot[i];
	}
	free(k->slot);
	k->slot = slot;
	k->nslot = n;
}

static struct kernel_site *site_find(struct kernels *k, const struct site_key *key,
	uint64_t hash, size_t *at)
{
	for (*at = hash & (k->nslot - 1); k->slot[*at].site; *at = (*at + 1) & (k->nslot - 1))
		if (k->slot[*at].hash == hash && site_is(k->slot[*at].site, key))
			return k->slot[*at].site;
	return NULL;
}

/* A kernel's own slot is a site with a key that no op has. */
static struct kernel *kernel_get(struct kernels *k, const struct site_key *of,
	enum event_cat cat)
{
	struct site_key key = { of->part, of->name, -1, -1, -1, false };
	uint64_t hash = key_hash(k, &key);
	size_t at;
	struct kernel_site *s = site_find(k, &key, hash, &at);

	if (s)
		return s->kernel;
	s = xcalloc(1, sizeof *s);
	s->op = s->frame = s->how = -1;
	s->kernel = xcalloc(1, sizeof *s->kernel);
	s->kernel->part = of->part;
	s->kernel->name_id = of->name;
	s->kernel->cat = cat;
	s->kernel->blocks = NO_INT;
	k->slot[at] = (struct kernel_slot){ hash, s };
	k->used++;
	GROW(k->kernel, k->n, k->cap);
	k->kernel[k->n++] = s->kernel;
	return s->kernel;
}

static struct kernel_site *site_get(struct kernels *k, const struct site_key *key,
	enum event_cat cat)
{
	uint64_t hash = key_hash(k, key);
	struct kernel_site *s;
	struct kernel *kernel;
	size_t at;

	if (k->used * 2 + 4 > k->nslot)
		slots_grow(k);
	s = site_find(k, key, hash, &at);
	if (s)
		return s;
	kernel = kernel_get(k, key, cat);
	s = xcalloc(1, sizeof *s);
	*s = (struct kernel_site){ .kernel = kernel, .op = key->op, .frame = key->frame,
		.how = key->how, .blocking = key->blocking };
	(void)site_find(k, key, hash, &at);
	k->slot[at] = (struct kernel_slot){ hash, s };
	k->used++;
	GROW(kernel->site, kernel->nsite, kernel->capsite);
	kernel->site[kernel->nsite++] = s;
	return s;
}

/* A copy call that is not ...Async makes the host wait; a graph launch that
 * holds a copy does not. */
static bool name_blocks(const char *call)
{
	return (strstr(call, "emcpy") || strstr(call, "emset")) && !strstr(call, "Async");
}

static bool call_blocks(struct kernels *k, const struct dev_op *op)
{
	struct db *db = &k->decomp->view->db;
	int64_t name;
	int rc;

	if (op->call <= 0)
		return false;
	sqlite3_reset(k->call);
	db_bind_int(k->call, 1, STORE_ID(k->decomp->trace->id, op->call));
	rc = db_step(db, k->call);
	if (rc <= 0) {
		k->failed |= rc < 0;
		return false;
	}
	name = sqlite3_column_int64(k->call, 0);
	return name_blocks(name ? db_column_str(k->call, 1) : "");
}

static bool op_chosen(const struct decomp_part *p, int64_t ts_ns)
{
	const struct spans *v = &p->spans;

	/* the part's cursor stands at or before the op: ops come in order */
	for (size_t i = v->count.first; i < v->n && v->span[i].start_ns <= ts_ns; i++)
		if (v->span[i].chosen && ts_ns < v->span[i].end_ns)
			return true;
	return false;
}

static void blocks_take(struct kernel *kernel, const struct dev_op *op)
{
	const struct view_device *d = kernel->part->info;

	if (op->blocks == NO_INT || op->blocks <= 0)
		return;
	if (kernel->blocks == NO_INT || op->dur_ns > kernel->blocks_ns) {
		kernel->blocks = op->blocks;
		kernel->blocks_ns = op->dur_ns;
	}
	if (d && d->sms != NO_INT && op->blocks < d->sms)
		kernel->below_sms_ns += op->dur_ns;
}

static void *on_op(void *arg, const struct decomp_part *p, const struct dev_op *op)
{
	struct kernels *k = arg;
	struct site_key key = { p, op->name, op->op, op->frame, op->how, false };
	struct kernel_site *s;
	struct op_sum one = { .count = 1, .time_ns = op->dur_ns };

	if (p->any || op->cat > CAT_CPU_OP)
		return NULL;
	if (op->cat == CAT_MEMCPY)
		key.blocking = call_blocks(k, op);
	s = site_get(k, &key, op->cat);
	if (k->decomp->view->step_first != NO_INT && !op_chosen(p, op->ts_ns))
		return s;
	if (op->bytes != NO_INT && op->bytes >= 0) {
		one.bytes = op->bytes;
		one.with_bytes = 1;
	}
	op_sum_add(&s->sum, &one);
	op_sum_add(&s->kernel->sum, &one);
	blocks_take(s->kernel, op);
	return s;
}

static void on_piece(void *owner, int64_t len_ns, int64_t chosen_ns)
{
	struct kernel_site *s = owner;

	s->sum.window_own_ns += len_ns;
	s->sum.own_ns += chosen_ns;
	s->kernel->sum.window_own_ns += len_ns;
	s->kernel->sum.own_ns += chosen_ns;
}

void op_sum_add(struct op_sum *to, const struct op_sum *from)
{
	to->count += from->count;
	to->time_ns += from->time_ns;
	to->own_ns += from->own_ns;
	to->window_own_ns += from->window_own_ns;
	to->bytes += from->bytes;
	to->with_bytes += from->with_bytes;
}

int64_t sum_basis(const struct decomp_part *p, const struct op_sum *s)
{
	return p->window ? s->window_own_ns : s->own_ns;
}

int64_t part_basis(const struct decomp_part *p)
{
	return p->window ? p->split.busy_ns : p->chosen_ns;
}

static int sum_cmp(const struct op_sum *a, const struct op_sum *b,
	const struct decomp_part *p)
{
	int64_t x = sum_basis(p, a), y = sum_basis(p, b);

	if (x != y)
		return x > y ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return (a->count < b->count) - (a->count > b->count);
}

static int kernel_cmp(const void *a, const void *b)
{
	const struct kernel *x = *(struct kernel *const *)a, *y = *(struct kernel *const *)b;
	int order;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	order = sum_cmp(&x->sum, &y->sum, x->part);
	return order ? order : strcmp(x->name, y->name);
}

static int site_cmp(const void *a, const void *b)
{
	const struct kernel_site *x = *(struct kernel_site *const *)a;
	const struct kernel_site *y = *(struct kernel_site *const *)b;
	int order = sum_cmp(&x->sum, &y->sum, x->kernel->part);

	if (!order)
		order = strcmp(x->op_name, y->op_name);
	if (!order)
		order = anchor_cmp(&x->anchor, &y->anchor);
	if (!order)
		order = (x->how > y->how) - (x->how < y->how);
	return order ? order : x->blocking - y->blocking;
}

static int kernel_name(struct kernel *kernel, struct names *names,
	const struct class_rules *rules)
{
	kernel->name = names_get(names, kernel->name_id);
	if (!kernel->name)
		return -1;
	for (size_t i = 0; i < kernel->nsite; i++) {
		struct kernel_site *s = kernel->site[i];

		s->op_name = s->op > 0 ? names_get(names, s->op) : xstrdup("");
		if (!s->op_name || names_anchor(names, s->frame, s->how, &s->anchor) < 0)
			return -1;
		if (kernel->cat == CAT_MEMCPY && copy_is_pageable(kernel->name))
			s->blocking = true;
	}
	qsort(kernel->site, kernel->nsite, sizeof kernel->site[0], site_cmp);
	kernel->class = class_find(rules, kernel->cat, kernel->site[0]->op_name, kernel->name);
	return 0;
}

/* Kernels of which --step left nothing. */
static void kernels_drop_empty(struct kernels *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++) {
		struct kernel *kernel = k->kernel[i];

		if (kernel->sum.count || kernel->sum.own_ns)
			k->kernel[n++] = kernel;
	}
	k->n = n;
}

static int kernels_name(struct kernels *k, const struct class_rules *rules)
{
	struct names names;
	int rc = 0;

	if (names_open(&names, &k->decomp->view->db, k->decomp->trace) < 0)
		return -1;
	for (size_t i = 0; i < k->n && rc == 0; i++)
		rc = kernel_name(k->kernel[i], &names, rules);
	names_close(&names);
	return rc;
}

int kernels_run(struct kernels *k, struct decomp *d, const struct class_rules *rules)
{
	struct decomp_hooks hooks = { on_op, on_piece, k, NULL };

	memset(k, 0, sizeof *k);
	k->decomp = d;
	k->call = db_prepare(&d->view->db, "SELECT c.name, n.text FROM call c JOIN name n"
		" ON n.id = (c.id >> 40 << 40) + c.name WHERE c.id = ?1");
	if (!k->call || decomp_run(d, &hooks) < 0 || k->failed)
		return -1;
	if (kernels_name(k, rules) < 0)
		return -1;
	kernels_drop_empty(k);
	if (k->n)
		qsort(k->kernel, k->n, sizeof k->kernel[0], kernel_cmp);
	return 0;
}

int kernels_check(const struct kernels *k)
{
	const struct decomp *d = k->decomp;

	for (size_t i = 0; i < d->n; i++) {
		const struct decomp_part *p = &d->part[i];
		struct view_where at = { d->trace, p->device, NULL, NULL };
		int64_t own_ns = 0, window_ns = 0;

		if (p->any)
			continue;
		for (size_t n = 0; n < k->n; n++) {
			if (k->kernel[n]->part != p)
				continue;
			own_ns += k->kernel[n]->sum.own_ns;
			window_ns += k->kernel[n]->sum.window_own_ns;
		}
		if (own_ns != p->chosen_ns)
			return view_unequal(d->view, &at, "own times against busy of the steps",
				own_ns, p->chosen_ns);
		if (d->view->step_first == NO_INT && window_ns != p->split.busy_ns)
			return view_unequal(d->view, &at, "own times against busy of the window",
				window_ns, p->split.busy_ns);
	}
	return 0;
}

static void kernel_free(struct kernel *kernel)
{
	free(kernel->name);
	free(kernel->site);
	free(kernel);
}

/* The slots know all: a kernel's own slot has no operator. */
void kernels_release(struct kernels *k)
{
	for (size_t i = 0; i < k->nslot; i++) {
		struct kernel_site *s = k->slot[i].site;

		if (!s)
			continue;
		if (s->op < 0)
			kernel_free(s->kernel);
		free(s->op_name);
		anchor_release(&s->anchor);
		free(s);
	}
	free(k->slot);
	free(k->kernel);
	db_finish(&k->call);
	memset(k, 0, sizeof *k);
}
