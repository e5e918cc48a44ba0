/* kineto_key.h - the keys of a Chrome-trace event that we read, and the lookup
 * from a key's bytes to its number.  All others are skipped. */
#ifndef TP_KINETO_KEY_H
#define TP_KINETO_KEY_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base.h"

/* X(enum, key).  Of the event itself: */
#define EVENT_KEYS(X) \
	X(K_PH, "ph") X(K_CAT, "cat") X(K_NAME, "name") X(K_PID, "pid") \
	X(K_TID, "tid") X(K_TS, "ts") X(K_DUR, "dur") X(K_ARGS, "args")
/* Of its args: links, place, size, memory; */
#define ARG_KEYS(X) \
	X(K_EXT, "External id") X(K_EXT_OLD, "external id") \
	X(K_CORR, "correlation") X(K_DEVICE, "device") X(K_STREAM, "stream") \
	X(K_STREAM_WAS, "original_stream") X(K_BYTES, "bytes") \
	X(K_SIZE, "size") X(K_GRID, "grid") X(K_SEQ, "Sequence number") \
	X(K_FWD_TID, "Fwd thread id") X(K_MEM_BYTES, "Bytes") \
	X(K_MEM_ALLOCATED, "Total Allocated") \
	X(K_MEM_RESERVED, "Total Reserved") X(K_MEM_ADDR, "Addr") \
	X(K_MEM_DEVICE, "Device Id") X(K_MEM_TYPE, "Device Type")
/* and what a collective carries. */
#define COLL_KEYS(X) \
	X(K_COLL, "Collective name") X(K_COLL_IN, "In msg nelems") \
	X(K_COLL_OUT, "Out msg nelems") X(K_COLL_SIZE, "Group size") \
	X(K_COLL_DTYPE, "dtype") X(K_COLL_INSPLIT, "In split size") \
	X(K_COLL_OUTSPLIT, "Out split size") \
	X(K_COLL_PG, "Process Group Name") \
	X(K_COLL_DESC, "Process Group Description") \
	X(K_COLL_RANKS, "Process Group Ranks") X(K_COLL_SRC, "Src Rank") \
	X(K_COLL_DST, "Dst Rank") X(K_COLL_SEQ, "Seq") \
	X(K_COLL_COMMS, "Comms Id") X(K_COLL_COMMUNICATOR, "Communicator_id") \
	X(K_COLL_RANK, "Rank") X(K_COLL_START, "Global rank start") \
	X(K_COLL_STRIDE, "Global rank stride")

enum kineto_key {
#define X(e, s) e,
	EVENT_KEYS(X) ARG_KEYS(X) COLL_KEYS(X)
#undef X
	K_COUNT,
	K_NONE = K_COUNT
};
#define K_BIT(k) (UINT64_C(1) << (k))
#define K_ARG_FIRST K_EXT
#define K_COLL_FIRST K_COLL
#define K_ARG_BITS (~(K_BIT(K_ARG_FIRST) - 1))
#define K_COLL_BITS (~(K_BIT(K_COLL_FIRST) - 1))
_Static_assert(K_COUNT < 64, "a set of keys is one word");

#define KEY_GUESS_BYTES 32 /* longer keys, with quotes and colon, are not guessed */
#define KEY_KINDS 64

struct key_table {
	unsigned char slot[2][256]; /* event, args: key number + 1, open addressing */
	/* Keys met, by their hash, and for each the one that followed it last in an
	 * event of that kind: such events have the same keys.  Where a key's end is
	 * known beforehand, the processor need not wait for the look at its bytes
	 * before it goes on behind it: a tenth off loading. */
	struct key_guess {
		char text[KEY_GUESS_BYTES]; /* "key": */
		unsigned char n, key, place; /* place: 1 event, 2 args, 0 nothing is here */
	} guess[256];
	unsigned char next[KEY_KINDS][256], at, kind;
};
void key_table_init(struct key_table *t);
/* K_NONE: not one of ours. */
enum kineto_key key_find(const struct key_table *t, bool args,
	const unsigned char *s, size_t n);
/* The phase, and then the category, of the event at hand: operators, calls, kernels
 * and the arrows between them follow each other, and one chain of keys for all of
 * them guessed a sixth wrong. */
static inline void key_kind(struct key_table *t, bool phase, struct text word)
{
	unsigned n = word.n ? (unsigned char)word.s[word.n / 2] + (unsigned)word.n : 0;

	t->kind = (unsigned char)((phase ? n : t->kind + n) % KEY_KINDS);
}

/* a and b begin with the same n bytes?  KEY_GUESS_BYTES of both can be read: with
 * SSE2 all are compared and those behind n left out, without a branch. */
static inline bool key_begins(const char *a, const char *b, size_t n)
{
#ifdef __SSE2__
	__m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)a),
		_mm_loadu_si128((const void *)b));
	__m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)(a + 16)),
		_mm_loadu_si128((const void *)(b + 16)));
	uint32_t equal = (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;

	return (~equal & ((UINT64_C(1) << n) - 1)) == 0;
#else
	return bytes_eq(a, b, n);
#endif
}

/* From its opening quote: true when it is the key that was to be expected; *p is
 * then behind its colon. */
static inline bool key_guessed(struct key_table *t, bool args, const char **p,
	enum kineto_key *key)
{
	unsigned char at = t->next[t->kind][t->at];
	const struct key_guess *g = &t->guess[at];

	if (g->place != args + 1 || !key_begins(*p, g->text, g->n))
		return false;
	t->at = at;
	*p += g->n;
	*key = (enum kineto_key)g->key;
	return true;
}
/* What it was instead. */
void key_learn(struct key_table *t, bool args, const unsigned char *s, size_t n,
	enum kineto_key key);
const char *key_name(enum kineto_key k);

#endif
