/* jw.c - see jw.h. */
#include "base.h"

#include "jw.h"
#include "num.h"
#include "utf8.h"

/* From here on a double, and so jq and JavaScript, loses integers. */
#define EXACT_MAX (INT64_C(1) << 53)
#define DEPTH_MAX 64

void jw_init(struct jw *w, struct buf *b)
{
	*w = (struct jw){ .b = b };
}

static bool in_object(const struct jw *w)
{
	return w->depth > 0 && (w->object >> (w->depth - 1) & 1);
}

/* Before any value: its place is right, its comma is written. */
static inline void value_begins(struct jw *w)
{
	assert(w->key || !in_object(w));
	if (!w->key && w->comma && w->depth > 0)
		buf_addc(w->b, ',');
	w->comma = true;
	w->key = false;
}

void jw_open(struct jw *w, char kind)
{
	uint64_t bit = UINT64_C(1) << w->depth;

	assert((kind == '{' || kind == '[') && w->depth < DEPTH_MAX);
	value_begins(w);
	buf_addc(w->b, kind);
	w->object = kind == '{' ? w->object | bit : w->object & ~bit;
	w->depth++;
	w->comma = false;
}

void jw_begin(struct jw *w, struct text json)
{
	assert(w->depth == 0 && json.n > 1 && json.s[0] == '{');
	buf_add(w->b, json.s, json.n);
	w->depth = 1;
	w->object = 1;
	w->comma = true;
}

void jw_close(struct jw *w, char kind)
{
	assert(w->depth > 0 && !w->key && kind == (in_object(w) ? '}' : ']'));
	buf_addc(w->b, kind);
	w->depth--;
	w->comma = true;
}

void jw_key_text(struct jw *w, struct text key)
{
	assert(in_object(w) && !w->key);
	if (w->comma)
		buf_addc(w->b, ',');
	buf_addc(w->b, '"');
	jw_escape(w->b, key);
	buf_add(w->b, "\":", 2);
	w->key = true;
}

void jw_str(struct jw *w, const char *s)
{
	jw_text(w, (struct text){ s, strlen(s) });
}

void jw_int(struct jw *w, int64_t n)
{
	bool quoted = n > EXACT_MAX || n < -EXACT_MAX;

	value_begins(w);
	if (quoted)
		buf_addc(w->b, '"');
	buf_add_int(w->b, n);
	if (quoted)
		buf_addc(w->b, '"');
}

void jw_u64(struct jw *w, uint64_t n)
{
	bool quoted = n > EXACT_MAX;

	value_begins(w);
	if (quoted)
		buf_addc(w->b, '"');
	buf_add_u64(w->b, n);
	if (quoted)
		buf_addc(w->b, '"');
}

void jw_bool(struct jw *w, bool v)
{
	value_begins(w);
	buf_adds(w->b, v ? "true" : "false");
}

void jw_raw(struct jw *w, struct text json)
{
	assert(json.n > 0);
	value_begins(w);
	buf_add(w->b, json.s, json.n);
}

void jw_ratio(struct jw *w, int64_t a, int64_t over, int digits)
{
	value_begins(w);
	num_add_ratio(w->b, a, over, digits);
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Marks the bytes of a word that are not plain: DEL and what is above it show in
 * the sum's highest bit.  Where one is, those above it may be marked too. */
static uint64_t odd_bytes(uint64_t w)
{
	const uint64_t one = UINT64_C(0x0101010101010101);

	return (w | (w + one) | (w - one * ' ') | ((w ^ one * '"') - one)
		| ((w ^ one * '\\') - one)) & one * 0x80;
}

static uint64_t word_at(const char *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof w);
	return w;
}

/* Nearly every text is: names are long, eight bytes at a time and no look at where. */
static bool is_all_plain(struct text t)
{
	uint64_t odd = 0, w = UINT64_C(0x2e2e2e2e2e2e2e2e);
	uint32_t half[2];
	size_t i;

	if (t.n >= 8) {
		for (i = 0; i + 8 <= t.n; i += 8)
			odd |= odd_bytes(word_at(t.s + i));
		return !(odd | odd_bytes(word_at(t.s + t.n - 8)));
	}
	if (t.n >= 4) {
		memcpy(&half[0], t.s, 4);
		memcpy(&half[1], t.s + t.n - 4, 4);
		w = half[0] | (uint64_t)half[1] << 32;
	}
	for (i = 0; t.n < 4 && i < t.n; i++)
		w = w << 8 | (unsigned char)t.s[i];
	return !odd_bytes(w);
}

static size_t plain_run(struct text t, size_t at)
{
	while (at + 8 <= t.n && !odd_bytes(word_at(t.s + at)))
		at += 8;
	while (at < t.n && is_plain((unsigned char)t.s[at]))
		at++;
	return at;
}

static void escape_rune(struct buf *b, uint32_t rune)
{
	static const char from[] = "\"\\\n\t\r\b\f", to[] = "\"\\ntrbf";
	const char *p = rune && rune < 0x80 ? strchr(from, (int)rune) : NULL;

	if (p)
		buf_addf(b, "\\%c", to[p - from]);
	else
		buf_addf(b, "\\u%04x", (unsigned)rune);
}

static void escape(struct buf *b, struct text t)
{
	uint32_t rune;
	size_t i = 0, n;

	while (i < t.n) {
		n = plain_run(t, i);
		if (n > i) {
			buf_add(b, t.s + i, n - i);
			i = n;
			continue;
		}
		n = utf8_next(t, i, &rune);
		if (rune == RUNE_BAD)
			buf_adds(b, "\xef\xbf\xbd");
		else if (rune_is_control(rune) || rune == '"' || rune == '\\')
			escape_rune(b, rune);
		else
			buf_add(b, t.s + i, n);
		i += n;
	}
}

void jw_escape(struct buf *b, struct text t)
{
	if (is_all_plain(t))
		buf_add(b, t.s, t.n);
	else
		escape(b, t);
}

void jw_text(struct jw *w, struct text t)
{
	char *p;

	value_begins(w);
	if (!is_all_plain(t)) {
		buf_addc(w->b, '"');
		escape(w->b, t);
		buf_addc(w->b, '"');
		return;
	}
	p = buf_more(w->b, t.n + 2);
	*p++ = '"';
	if (t.n)
		memcpy(p, t.s, t.n);
	p += t.n;
	*p++ = '"';
	buf_upto(w->b, p);
}
