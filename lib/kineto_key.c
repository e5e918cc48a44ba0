/* kineto_key.c - one hash probe a key: the parser meets eight to thirty keys an
 * event, most of them unknown. */
#include "kineto_key.h"

static const struct text key_text[K_COUNT] = {
#define X(e, s) [e] = { s, sizeof(s) - 1 },
	EVENT_KEYS(X) ARG_KEYS(X) COLL_KEYS(X)
#undef X
};

static unsigned key_hash(const unsigned char *s, size_t n)
{
	return (s[0] * 5u + s[n - 1] * 29u + (unsigned)n * 101u) & 255;
}

void key_table_init(struct key_table *t)
{
	memset(t, 0, sizeof *t);
	for (unsigned k = 0; k < K_COUNT; k++) {
		unsigned char *slot = t->slot[k >= K_ARG_FIRST];
		unsigned h = key_hash((const void *)key_text[k].s, key_text[k].n);

		while (slot[h])
			h = (h + 1) & 255;
		slot[h] = (unsigned char)(k + 1);
	}
}

enum kineto_key key_find(const struct key_table *t, bool args,
	const unsigned char *s, size_t n)
{
	const unsigned char *slot = t->slot[args];

	if (n == 0)
		return K_NONE;
	for (unsigned h = key_hash(s, n); slot[h]; h = (h + 1) & 255) {
		const struct text *k = &key_text[slot[h] - 1];

		if (k->n == n && bytes_eq(k->s, (const char *)s, n))
			return slot[h] - 1;
	}
	return K_NONE;
}

static bool is_guess(const struct key_guess *g, bool args, const unsigned char *s, size_t n)
{
	return g->place == args + 1 && g->n == n + 3 && memcmp(g->text + 1, s, n) == 0;
}

void key_learn(struct key_table *t, bool args, const unsigned char *s, size_t n,
	enum kineto_key key)
{
	struct key_guess *g;
	unsigned char at;

	if (n == 0 || n > KEY_GUESS_BYTES - 3)
		return;
	at = (unsigned char)(key_hash(s, n) ^ (args ? 0x55 : 0));
	for (int i = 0; i < 4 && t->guess[at].place && !is_guess(&t->guess[at], args, s, n); i++)
		at++;
	g = &t->guess[at];
	*g = (struct key_guess){ .text = "\"", .n = (unsigned char)(n + 3),
		.key = (unsigned char)key, .place = args + 1 };
	memcpy(g->text + 1, s, n);
	memcpy(g->text + 1 + n, "\":", 2);
	t->next[t->kind][t->at] = at;
	t->at = at;
}

const char *key_name(enum kineto_key k)
{
	return key_text[k].s;
}
