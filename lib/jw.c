#include "base.h"

#include <assert.h>

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
static void value_begins(struct jw *w)
{
	assert(!in_object(w) || w->key);
	if (w->comma && !w->key && w->depth > 0)
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

void jw_key_raw(struct jw *w, struct text quoted)
{
	assert(in_object(w) && !w->key);
	if (w->comma)
		buf_addc(w->b, ',');
	buf_add(w->b, quoted.s, quoted.n);
	w->key = true;
}

void jw_key(struct jw *w, const char *key)
{
	jw_key_text(w, (struct text){ key, strlen(key) });
}

void jw_text(struct jw *w, struct text t)
{
	value_begins(w);
	buf_addc(w->b, '"');
	jw_escape(w->b, t);
	buf_addc(w->b, '"');
}

void jw_str(struct jw *w, const char *s)
{
	jw_text(w, (struct text){ s, strlen(s) });
}

/* By hand: printf is a third of the cost of writing an event record. */
static void add_digits(struct buf *b, bool minus, uint64_t n, bool quoted)
{
	char out[24], *p = out + sizeof(out);

	if (quoted)
		*--p = '"';
	do {
		*--p = (char)('0' + n % 10);
	} while (n /= 10);
	if (minus)
		*--p = '-';
	if (quoted)
		*--p = '"';
	buf_add(b, p, (size_t)(out + sizeof(out) - p));
}

void jw_int(struct jw *w, int64_t n)
{
	uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	value_begins(w);
	add_digits(w->b, n < 0, size, size > EXACT_MAX);
}

void jw_u64(struct jw *w, uint64_t n)
{
	value_begins(w);
	add_digits(w->b, false, n, n > EXACT_MAX);
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

void jw_kstr(struct jw *w, const char *key, const char *s)
{
	if (!s)
		return;
	jw_key(w, key);
	jw_str(w, s);
}

void jw_ktext(struct jw *w, const char *key, struct text t)
{
	if (!t.s)
		return;
	jw_key(w, key);
	jw_text(w, t);
}

void jw_kint(struct jw *w, const char *key, int64_t n)
{
	jw_key(w, key);
	jw_int(w, n);
}

void jw_kbool(struct jw *w, const char *key, bool v)
{
	jw_key(w, key);
	jw_bool(w, v);
}

void jw_kratio(struct jw *w, const char *key, int64_t a, int64_t over, int digits)
{
	jw_key(w, key);
	jw_ratio(w, a, over, digits);
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Where the bytes that need no look end, eight at a time: names are long, and
 * nearly all of them plain. */
static size_t plain_run(struct text t, size_t at)
{
	const uint64_t one = UINT64_C(0x0101010101010101);
	uint64_t w, quote, back;

	for (; at + 8 <= t.n; at += 8) {
		memcpy(&w, t.s + at, 8);
		quote = w ^ one * '"';
		back = w ^ one * '\\';
		/* DEL and what is above it show in the sum's highest bit */
		if (((w | (w + one) | (w - one * ' ') | (quote - one) | (back - one))
			& one * 0x80))
			break;
	}
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

void jw_escape(struct buf *b, struct text t)
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
