/* names.c - each text once. */
#include "base.h"
#include "names.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "frame.h"
#include "match.h"
#include "mem.h"
#include "say.h"
#include "store.h"
#include "utf8.h"

/* Eight bytes a round: kernel names are 300-600 bytes long, and byte by byte
 * hashing was a tenth of the loading time. */
uint32_t text_hash(struct text t, uint64_t seed)
{
	const uint64_t k = 0x9e3779b97f4a7c15u;
	uint64_t h = seed ^ (t.n * k), w;
	size_t i;

	for (i = 0; i + 8 <= t.n; i += 8) {
		memcpy(&w, t.s + i, 8);
		h = (h ^ w) * k;
		h ^= h >> 29;
	}
	if (i < t.n) {
		w = 0;
		memcpy(&w, t.s + i, t.n - i);
		h = (h ^ w) * k;
		h ^= h >> 29;
	}
	h *= k;
	return (uint32_t)(h >> 32);
}

int names_init(struct names *v, struct db *db, int64_t trace)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel hands it over so */
	const void *random = (const void *)getauxval(AT_RANDOM);

	memset(v, 0, sizeof *v);
	v->db = db;
	v->trace = trace;
	/* numbers follow the order of arrival, so the seed never shows; it only
	 * keeps a file from choosing names that collide */
	if (random)
		memcpy(&v->seed, random, sizeof v->seed);
	v->nbucket = 1u << 12;
	v->bucket = xcalloc(v->nbucket, sizeof *v->bucket);
	v->put = db_prepare(db, "INSERT INTO name VALUES (?,?)");
	v->put_frame = db_prepare(db, "INSERT INTO frame VALUES (?,?,?,?,?)");
	return v->put && v->put_frame ? 0 : -1;
}

void names_release(struct names *v)
{
	db_finish(&v->put);
	db_finish(&v->put_frame);
	free(v->name);
	free(v->bucket);
	buf_release(&v->text);
	buf_release(&v->fixed);
	memset(v, 0, sizeof *v);
}

unsigned names_flags(const struct names *v, int64_t n)
{
	return n >= 1 && n <= v->n ? v->name[n - 1].flags : 0;
}

struct text names_text(const struct names *v, int64_t n)
{
	if (n < 1 || n > v->n)
		return (struct text){ NULL, 0 };
	return (struct text){ v->text.data + v->name[n - 1].off, v->name[n - 1].len };
}

static void grow_buckets(struct names *v)
{
	uint32_t i, at;

	free(v->bucket);
	v->nbucket *= 2;
	v->bucket = xcalloc(v->nbucket, sizeof *v->bucket);
	for (i = 0; i < v->n; i++) {
		at = v->name[i].hash & (v->nbucket - 1);
		while (v->bucket[at])
			at = (at + 1) & (v->nbucket - 1);
		v->bucket[at] = i + 1;
	}
}

/* The place of the text: its n there, or 0 and room for it. */
static uint32_t *find(const struct names *v, struct text t, uint32_t hash)
{
	uint32_t at = hash & (v->nbucket - 1), n;
	const struct name_slot *s;

	while ((n = v->bucket[at]) != 0) {
		s = &v->name[n - 1];
		if (s->hash == hash && s->len == t.n
		    && memcmp(v->text.data + s->off, t.s, t.n) == 0)
			break;
		at = (at + 1) & (v->nbucket - 1);
	}
	return &v->bucket[at];
}

static int put_frame(struct names *v, int64_t n, const struct frame *f)
{
	sqlite3_stmt *st = v->put_frame;

	sqlite3_bind_int64(st, 1, STORE_ID(v->trace, n));
	db_bind_text(st, 2, f->file);
	sqlite3_bind_int64(st, 3, f->line);
	db_bind_text(st, 4, f->func);
	sqlite3_bind_int(st, 5, f->own);
	return db_run(v->db, st);
}

static unsigned flags_of(struct names *v, struct text t)
{
	unsigned flags = 0;
	char *s;

	if (text_begins(t, "ProfilerStep#"))
		flags |= NAME_STEP;
	else if (text_begins(t, "Optimizer.step#"))
		flags |= NAME_OPTIMIZER;
	if (v->regex) {
		s = xmemdup0(t.s, t.n);
		if (match_finds(v->regex, s))
			flags |= NAME_REGEX;
		free(s);
	}
	return flags | call_flags(t) | frame_flags(t);
}

static int store_name(struct names *v, int64_t n, struct text t, unsigned *flags)
{
	struct frame f;

	*flags = flags_of(v, t);
	if (frame_parse(t, v->scope, &f)) {
		*flags |= NAME_FRAME | (f.own ? NAME_OWN : 0) |
			(f.line_known ? NAME_LINE : 0);
		v->has_lines |= f.line_known;
		if (put_frame(v, n, &f) < 0)
			return -1;
	}
	sqlite3_bind_int64(v->put, 1, STORE_ID(v->trace, n));
	db_bind_text(v->put, 2, t);
	return db_run(v->db, v->put);
}

/* As it is stored: valid UTF-8, and without NUL, at which SQL functions and
 * shells would stop. */
static struct text fix(struct names *v, struct text t)
{
	const char *nul;

	buf_reset(&v->fixed);
	while ((nul = t.n ? memchr(t.s, '\0', t.n) : NULL) != NULL) {
		text_fix_utf8(&v->fixed, (struct text){ t.s, (size_t)(nul - t.s) });
		buf_adds(&v->fixed, "\xef\xbf\xbd");
		t.n -= (size_t)(nul - t.s) + 1;
		t.s = nul + 1;
	}
	text_fix_utf8(&v->fixed, t);
	return buf_text(&v->fixed);
}

static bool is_clean(struct text t)
{
	return utf8_valid(t) && (t.n == 0 || memchr(t.s, '\0', t.n) == NULL);
}

static int64_t add_name(struct names *v, struct text t, uint32_t hash,
	uint32_t *slot, unsigned *flags)
{
	if (v->last >= UINT32_MAX - 1)
		return error("%s: more than %u names", v->db->name, UINT32_MAX - 1);
	if (store_name(v, ++v->last, t, flags) < 0)
		return -1;
	/* numbers beyond v->n are never remembered, so once full it stays so */
	if (v->overflow || v->n >= NAMES_MAX || v->text.len + t.n > NAMES_BYTES) {
		v->overflow++;
		return v->last;
	}
	GROW(v->name, v->n, v->cap);
	v->name[v->n++] = (struct name_slot){ (uint32_t)v->text.len,
		(uint32_t)t.n, hash, (uint16_t)*flags };
	*slot = v->n;
	buf_add(&v->text, t.s, t.n);
	if (v->n > v->nbucket / 2)
		grow_buckets(v);
	return v->n;
}

int64_t names_put(struct names *v, struct text t, unsigned *flags)
{
	uint32_t hash, *slot;

	if (t.s == NULL) /* an event without one */
		t = TEXT("");
	hash = text_hash(t, v->seed);
	slot = find(v, t, hash);
	if (*slot == 0 && !is_clean(t)) {
		t = fix(v, t);
		hash = text_hash(t, v->seed);
		slot = find(v, t, hash);
		v->bad_utf8 += *slot == 0;
	}
	if (*slot == 0)
		return add_name(v, t, hash, slot, flags);
	*flags = v->name[*slot - 1].flags;
	return *slot;
}
