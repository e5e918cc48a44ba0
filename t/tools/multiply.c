/* multiply - a large, plausible trace out of a small real one, for the bench.
 *
 *	multiply TRACE.json[.gz] COPIES [RANK WORLD] >big.json
 *
 * The captured window is laid end to end COPIES times: in copy k every ts moves
 * by k periods and each kind of id by k spans of its own, so that links inside
 * a copy hold and copies never collide.  The file's sections (host ops, memory,
 * Python frames, device work) are each repeated before the next begins, as one
 * longer capture would have them.  Only what is shifted is rewritten. */
#include "base.h"
#include "buf.h"
#include "in.h"
#include "mem.h"
#include "num.h"
#include "out.h"
#include "say.h"

#include <ctype.h>
#include <stdlib.h>

enum slot_kind { S_TS, S_CORR, S_EXT, S_EVI, S_RF, S_SEQ, S_PY, S_FLOW, S_STEP, S_KINDS };
enum section { SEC_META, SEC_HOST, SEC_MEM, SEC_PY, SEC_DEV };

struct slot { const char *at; size_t n; enum slot_kind kind; int64_t value; };
struct ev { const char *from, *to; enum section sec; size_t slot, nslot; };

static const char SEP[] = ",\n  ";

static struct {
	struct ev *ev; size_t nev, capev;
	struct slot *slot; size_t nslot, capslot;
	int64_t lo[S_KINDS], hi[S_KINDS], span[S_KINDS];
	int64_t last_us;
} t;

static const struct { const char *key; enum slot_kind kind; } keys[] = {
	{ "\"ts\":", S_TS }, { "\"correlation\":", S_CORR },
	{ "\"wait_on_cuda_event_record_corr_id\":", S_CORR },
	{ "\"External id\":", S_EXT }, { "\"Ev Idx\":", S_EVI },
	{ "\"Record function id\":", S_RF }, { "\"Sequence number\":", S_SEQ },
	{ "\"Python id\":", S_PY }, { "\"Python parent id\":", S_PY },
	{ "\"id\":", S_FLOW }, { "\"name\": \"ProfilerStep#", S_STEP },
	{ "\"name\":\"ProfilerStep#", S_STEP },
};

static bool has(const char *from, const char *to, const char *word)
{
	return memmem(from, (size_t)(to - from), word, strlen(word)) != NULL;
}

static int64_t number_at(const char *p, const char *end, size_t *n)
{
	int64_t v = 0;
	const char *q = p;
	while (q < end && isdigit((unsigned char)*q))
		q++;
	*n = (size_t)(q - p);
	if (num_int((struct text){ p, *n }, 0, INT64_MAX / 4, &v) < 0)
		*n = 0;
	return v;
}

static void slot_add(struct ev *e, const char *at, enum slot_kind kind)
{
	size_t n;
	while (at < e->to && *at == ' ')
		at++;
	int64_t v = number_at(at, e->to, &n);
	if (n == 0 || (kind == S_RF && v == 0))
		return;
	GROW(t.slot, t.nslot, t.capslot);
	t.slot[t.nslot++] = (struct slot){ at, n, kind, v };
	t.lo[kind] = MIN(t.lo[kind], v);
	t.hi[kind] = MAX(t.hi[kind], v);
}

static int slot_order(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static enum section section_of(const char *from, const char *to)
{
	if (has(from, to, "\"cat\": \"Trace\"") || !has(from, to, "\"cat\":"))
		return SEC_META;
	if (has(from, to, "\"python_function\""))
		return SEC_PY;
	if (has(from, to, "\"cpu_instant_event\""))
		return SEC_MEM;
	if (has(from, to, "\"cpu_op\"") || has(from, to, "\"user_annotation\"") ||
	    has(from, to, "\"fwdbwd\""))
		return SEC_HOST;
	return SEC_DEV;
}

static void event_add(const char *from, const char *to)
{
	struct ev e = { from, to, section_of(from, to), t.nslot, 0 };
	bool device_flow = has(from, to, "\"ac2g\"");
	bool flow = device_flow || has(from, to, "\"fwdbwd\"");
	for (size_t k = 0; e.sec != SEC_META && k < ARRAY_LEN(keys); k++) {
		enum slot_kind kind = keys[k].kind;
		size_t n = strlen(keys[k].key);
		const char *p = memmem(from, (size_t)(to - from), keys[k].key, n);
		if (!p || (kind == S_FLOW && !flow))
			continue;
		slot_add(&e, p + n, kind == S_FLOW && device_flow ? S_CORR : kind);
	}
	e.nslot = t.nslot - e.slot;
	if (e.nslot > 1)
		qsort(t.slot + e.slot, e.nslot, sizeof *t.slot, slot_order);
	const char *d = memmem(from, (size_t)(to - from), "\"dur\":", 6);
	size_t n;
	int64_t dur = 0;
	if (d) {
		for (d += 6; *d == ' '; d++)
			;
		dur = number_at(d, to, &n);
	}
	for (size_t i = 0; i < e.nslot; i++)
		if (t.slot[e.slot + i].kind == S_TS)
			t.last_us = MAX(t.last_us, t.slot[e.slot + i].value + dur);
	GROW(t.ev, t.nev, t.capev);
	t.ev[t.nev++] = e;
}

/* The events of the array that begins at p; returns the place behind the last. */
static const char *events_read(const char *p, const char *end)
{
	int depth = 0;
	const char *from = p, *last = p;
	for (; p < end; p++) {
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
		} else if (*p == '{' && depth++ == 0) {
			from = p;
		} else if (*p == '}' && --depth == 0) {
			event_add(from, p + 1);
			last = p + 1;
		} else if (*p == ']' && depth == 0) {
			break;
		}
	}
	return last;
}

static void put(struct out *o, const char *from, const char *to)
{
	if (out_write(o, from, (size_t)(to - from)) < 0)
		exit(ST_FAIL);
}

static void event_put(struct out *o, const struct ev *e, int64_t k)
{
	const char *p = e->from;
	char digits[NUM_LEN];
	for (size_t i = 0; i < e->nslot; i++) {
		const struct slot *s = &t.slot[e->slot + i];
		put(o, p, s->at);
		int n = snprintf(digits, sizeof digits, "%" PRId64, s->value + k * t.span[s->kind]);
		put(o, digits, digits + n);
		p = s->at + s->n;
	}
	put(o, p, e->to);
}

static void copies_put(struct out *o, int64_t copies)
{
	bool first = true;
	for (size_t i = 0, j; i < t.nev; i = j) {
		for (j = i + 1; j < t.nev && t.ev[j].sec == t.ev[i].sec; j++)
			;
		for (int64_t k = 0; k < (t.ev[i].sec == SEC_META ? 1 : copies); k++) {
			for (size_t e = i; e < j; e++) {
				if (!first)
					put(o, SEP, SEP + sizeof SEP - 1);
				first = false;
				event_put(o, &t.ev[e], k);
			}
		}
	}
}

static void spans_fix(void)
{
	for (int k = 0; k < S_KINDS; k++)
		t.span[k] = t.hi[k] >= t.lo[k] ? t.hi[k] + 1 : 0;
	t.span[S_TS] = t.last_us - t.lo[S_TS] + 200;
	t.span[S_CORR] = t.hi[S_CORR] - t.lo[S_CORR] + 1;
	t.span[S_SEQ] = t.hi[S_SEQ] - t.lo[S_SEQ] + 1;
	t.span[S_STEP] = t.hi[S_STEP] - t.lo[S_STEP] + 1;
}

int main(int argc, char **argv)
{
	say_init(argv[0]);
	int64_t copies, rank = -1, world = 0;
	if ((argc != 3 && argc != 5) ||
	    num_int((struct text){ argv[2], strlen(argv[2]) }, 1, 1000000, &copies) < 0)
		die("usage: multiply TRACE COPIES [RANK WORLD]");
	if (argc == 5 && (num_int((struct text){ argv[3], strlen(argv[3]) }, 0, 1 << 20, &rank) < 0 ||
	    num_int((struct text){ argv[4], strlen(argv[4]) }, 1, 1 << 20, &world) < 0))
		die("usage: multiply TRACE COPIES [RANK WORLD]");
	struct in *in = in_open(argv[1]);
	struct buf b = BUF_INIT;
	ssize_t n = 0;
	if (!in)
		return ST_FAIL;
	do {
		b.len += (size_t)n;
		buf_room(&b, 1 << 20);
	} while ((n = in_read(in, b.data + b.len, 1 << 20)) > 0);
	in_close(in);
	const char *end = b.data + b.len;
	const char *p = n < 0 ? NULL : memmem(b.data, b.len, "\"traceEvents\"", 13);
	if (!p || !(p = memchr(p, '[', (size_t)(end - p))))
		die("%s: no traceEvents", argv[1]);
	for (int k = 0; k < S_KINDS; k++)
		t.lo[k] = INT64_MAX;
	const char *tail = events_read(p + 1, end);
	spans_fix();
	struct out *o = out_open(1, OUT_PLAIN);
	if (!o)
		return ST_FAIL;
	const char *open = (const char *)memchr(b.data, '{', b.len) + 1;
	put(o, b.data, open);
	if (rank >= 0) {
		char info[128];
		int m = snprintf(info, sizeof info, "\n  \"distributedInfo\": {\"backend\": \"nccl\","
			" \"rank\": %" PRId64 ", \"world_size\": %" PRId64 "},", rank, world);
		put(o, info, info + m);
	}
	put(o, open, p + 1);
	copies_put(o, copies);
	put(o, tail, end);
	return out_close(o) < 0 ? ST_FAIL : ST_OK;
}
