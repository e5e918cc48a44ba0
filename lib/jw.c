#include "base.h"

#include <endian.h>

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

/* Copied at once, and looked at in the copy. */
#define ESCAPE_BYTES 512

/* How many of n bytes need no look, eight at a time: names are long, and nearly
 * all of them plain.  Seven bytes behind them are read, whatever they are. */
static size_t plain_run(const char *s, size_t n)
{
	const uint64_t one = UINT64_C(0x0101010101010101);
	uint64_t w, quote, back, stop;
	size_t at;

	for (at = 0; at < n; at += 8) {
		memcpy(&w, s + at, 8);
		w = le64toh(w);
		quote = w ^ one * '"';
		back = w ^ one * '\\';
		/* DEL and what is above it show in the sum's highest bit; the lowest
		 * mark is right, those above it need not be */
		stop = (w | (w + one) | (w - one * ' ') | (quote - one) | (back - one))
			& one * 0x80;
		if (stop)
			return MIN(n, at + (size_t)(__builtin_ctzll(stop) >> 3));
	}
	return n;
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

static size_t escape_one(struct buf *b, struct text t, size_t at)
{
	uint32_t rune;
	size_t n = utf8_next(t, at, &rune);

	if (rune == RUNE_BAD)
		buf_adds(b, "\xef\xbf\xbd");
	else if (rune_is_control(rune) || rune == '"' || rune == '\\')
		escape_rune(b, rune);
	else
		buf_add(b, t.s + at, n);
	return n;
}

void jw_escape(struct buf *b, struct text t)
{
	size_t i = 0, n;
	char *to;

	while (i < t.n) {
		n = MIN(t.n - i, ESCAPE_BYTES);
		to = buf_more(b, n + 8);
		memcpy(to, t.s + i, n);
		memset(to + n, 0, 8);
		n = plain_run(to, n);
		buf_upto(b, to + n);
		i += n;
		/* one by one while they come in a row, so that a text of nothing else
		 * is not copied again for each */
		while (i < t.n && !is_plain((unsigned char)t.s[i]))
			i += escape_one(b, t, i);
	}
}
