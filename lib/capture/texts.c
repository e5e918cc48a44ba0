#include "base.h"
#include "texts.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide p = (wide)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* Two lanes of multiply and fold, 16 bytes a turn; the odd constants are the
 * golden ratio's and pi's digits. */
struct text_key text_key(const char *s, size_t n)
{
	uint64_t a = UINT64_C(0x9e3779b97f4a7c15) ^ n, b = UINT64_C(0x243f6a8885a308d3);
	uint64_t w[2];

	for (; n >= sizeof w; s += sizeof w, n -= sizeof w) {
		memcpy(w, s, sizeof w);
		a = mix(a ^ w[0], UINT64_C(0xa0761d6478bd642f) ^ w[1]);
		b = mix(b ^ w[1], UINT64_C(0xe7037ed1a0b428db) ^ w[0]) + a;
	}
	memset(w, 0, sizeof w);
	memcpy(w, s, n);
	a = mix(a ^ w[0], UINT64_C(0x8ebc6af09c88c6e3) ^ w[1]);
	b = mix(b ^ w[1], UINT64_C(0x589965cc75374cc3) ^ w[0]) + a;
	return (struct text_key){ .hash = mix(a, b ^ UINT64_C(0x1d8e4e27c47d124f)),
		.tag = (uint32_t)(mix(b, UINT64_C(0xeb44accab455d165)) >> 16) };
}

static struct text_entry *set_of(struct texts *t, const struct text_key *k)
{
	return t->set[k->hash % TEXTS_SETS];
}

bool texts_fresh(struct texts *t, uint32_t id)
{
	return atomic_load_explicit(&t->ids, memory_order_relaxed) - id < TEXTS_OLD;
}

uint32_t texts_find(struct texts *t, const struct text_key *k)
{
	struct text_entry *e = set_of(t, k);

	for (int i = 0; i < TEXTS_WAYS; i++) {
		uint64_t id = atomic_load_explicit(&e[i].tag_id, memory_order_acquire);

		if (id && id >> 32 == k->tag && texts_fresh(t, (uint32_t)id) &&
		    atomic_load_explicit(&e[i].hash, memory_order_acquire) == k->hash)
			return (uint32_t)id;
	}
	return 0;
}

uint32_t texts_add(struct texts *t, const struct text_key *k)
{
	uint32_t id = atomic_fetch_add_explicit(&t->ids, 1, memory_order_relaxed) + 1;
	struct text_entry *e = set_of(t, k), *to = &e[id % TEXTS_WAYS];

	for (int i = 0; i < TEXTS_WAYS; i++)
		if (!atomic_load_explicit(&e[i].tag_id, memory_order_relaxed))
			to = &e[i];
	/* two threads here at once can leave one's hash with the other's tag: an
	 * entry that matches no text, until it is used again */
	atomic_store_explicit(&to->tag_id, 0, memory_order_relaxed);
	atomic_store_explicit(&to->hash, k->hash, memory_order_release);
	atomic_store_explicit(&to->tag_id, (uint64_t)k->tag << 32 | id,
		memory_order_release);
	return id;
}
