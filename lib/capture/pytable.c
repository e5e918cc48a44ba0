/* pytable.c - what was sent, by key. */
#include "base.h"
#include "pytable.h"

#include <stdatomic.h>

#include "emit.h"

/* Jobs that were looked at have a few thousand stacks and a few hundred code
 * objects at their calls; these are 3 MiB, touched as they fill.  A quarter full,
 * a search longer than PROBES has a chance of 1e-9. */
#define STACK_SLOTS (1u << 17)
#define CODE_SLOTS (1u << 16)
#define KEPT_MAX(t) ((t)->nslot / 4)
#define PROBES 32

struct slot {
	_Atomic uint64_t key;  /* 0: free */
	_Atomic uint32_t id;   /* 0: not yet */
};

struct table {
	struct slot *slot;
	uint32_t nslot;
	_Atomic uint32_t ids, kept;
	atomic_flag said;
	const char *what;
};

static struct slot stack_slot[STACK_SLOTS], code_slot[CODE_SLOTS];
static struct table stacks = { .slot = stack_slot, .nslot = STACK_SLOTS,
	.said = ATOMIC_FLAG_INIT, .what = "Python stacks" };
static struct table codes = { .slot = code_slot, .nslot = CODE_SLOTS,
	.said = ATOMIC_FLAG_INIT, .what = "Python functions" };

static uint32_t find(struct table *t, uint64_t key)
{
	uint64_t seen;
	uint32_t i;

	for (i = 0; i < PROBES; i++) {
		struct slot *s = &t->slot[(key + i) & (t->nslot - 1)];

		seen = atomic_load_explicit(&s->key, memory_order_relaxed);
		if (seen == key)
			return atomic_load_explicit(&s->id, memory_order_acquire);
		if (seen == 0)
			return 0;
	}
	return 0;
}

static bool has_room(struct table *t)
{
	if (atomic_load_explicit(&t->kept, memory_order_relaxed) < KEPT_MAX(t))
		return true;
	if (!atomic_flag_test_and_set(&t->said))
		emit_note("more than %u different %s: calls at others have no line",
			KEPT_MAX(t), t->what);
	return false;
}

bool pytable_room(void)
{
	return has_room(&stacks);
}

/* A place for a key that is not there, taken; NULL: none. */
static struct slot *take(struct table *t, uint64_t key)
{
	uint64_t seen;
	uint32_t i;

	if (!has_room(t))
		return NULL;
	for (i = 0; i < PROBES; i++) {
		struct slot *s = &t->slot[(key + i) & (t->nslot - 1)];

		seen = 0;
		if (atomic_compare_exchange_strong(&s->key, &seen, key)) {
			atomic_fetch_add_explicit(&t->kept, 1, memory_order_relaxed);
			return s;
		}
		/* another thread is sending it, or the ring was full */
		if (seen == key)
			return s;
	}
	return NULL;
}

static uint32_t next_id(struct table *t)
{
	return 1 + atomic_fetch_add_explicit(&t->ids, 1, memory_order_relaxed);
}

static uint32_t give(struct slot *s, uint32_t id)
{
	uint32_t none = 0;

	atomic_compare_exchange_strong(&s->id, &none, id);
	return id;
}

uint32_t pytable_stack(uint64_t key)
{
	return find(&stacks, key);
}

uint32_t pytable_code(uint64_t key)
{
	return find(&codes, key);
}

uint32_t pytable_put_stack(uint64_t key, const struct cap_frame *frame, uint32_t n)
{
	const size_t size = n * sizeof *frame;
	struct slot *at = take(&stacks, key);
	struct cap_stack *s;
	uint32_t id;

	if (!at)
		return 0;
	s = emit_begin(CAP_STACK, sizeof *s + size, 0);
	if (!s)
		return 0;
	id = next_id(&stacks);
	*s = (struct cap_stack){ id, n };
	memcpy(s + 1, frame, size);
	emit_end(s);
	return give(at, id);
}

uint32_t pytable_put_code(uint64_t key, struct text file, struct text name,
	int32_t first_line)
{
	struct slot *at = take(&codes, key);
	uint32_t file_id, name_id, id;
	struct cap_code *c;

	if (!at)
		return 0;
	file_id = emit_text(file.s, file.n);
	name_id = emit_text(name.s, name.n);
	if ((file.n && !file_id) || (name.n && !name_id))
		return 0;
	c = emit_begin(CAP_CODE, sizeof *c, 0);
	if (!c)
		return 0;
	id = next_id(&codes);
	*c = (struct cap_code){ id, file_id, name_id, first_line };
	emit_end(c);
	return give(at, id);
}
