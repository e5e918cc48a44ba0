/* utf8.c - see utf8.h. */
#include "base.h"
#include "utf8.h"

#define FFFD "\xef\xbf\xbd"

struct range {
	uint32_t first, last;
};

/* Combining marks, joiners and variation selectors: the blocks that occur in
 * names and paths, not the whole of Unicode. */
static const struct range zero_wide[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd },
	{ 0x0610, 0x061a }, { 0x064b, 0x065f }, { 0x0900, 0x0902 },
	{ 0x0941, 0x0948 }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a },
	{ 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x200b, 0x200d }, { 0x20d0, 0x20f0 }, { 0x3099, 0x309a },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff },
	{ 0xe0100, 0xe01ef },
};

static const struct range two_wide[] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x23e9, 0x23ec },
	{ 0x25fd, 0x25fe }, { 0x2614, 0x2615 }, { 0x2648, 0x2653 },
	{ 0x26a1, 0x26a1 }, { 0x26d4, 0x26d4 }, { 0x2705, 0x2705 },
	{ 0x270a, 0x270b }, { 0x2728, 0x2728 }, { 0x274c, 0x274c },
	{ 0x2753, 0x2755 }, { 0x2757, 0x2757 }, { 0x2e80, 0x303e },
	{ 0x3041, 0x33ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },
	{ 0xa000, 0xa4cf }, { 0xa960, 0xa97f }, { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
	{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool range_has(const struct range *r, size_t n, uint32_t rune)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (rune > r[mid].last)
			lo = mid + 1;
		else if (rune < r[mid].first)
			hi = mid;
		else
			return true;
	}
	return false;
}

/* The second byte alone decides on overlong forms, surrogates and the upper
 * end; what follows it is 80..BF. */
size_t utf8_next(struct text t, size_t at, uint32_t *rune)
{
	const unsigned char *p = (const unsigned char *)t.s + at;
	size_t left = t.n - at, need, i;
	unsigned char lo = 0x80, hi = 0xbf;
	uint32_t r;

	if (p[0] < 0x80) {
		*rune = p[0];
		return 1;
	}
	*rune = RUNE_BAD;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 1;
	need = p[0] < 0xe0 ? 1 : p[0] < 0xf0 ? 2 : 3;
	r = p[0] & (0x3fu >> need);
	if (p[0] == 0xe0)
		lo = 0xa0;
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xed)
		hi = 0x9f;
	else if (p[0] == 0xf4)
		hi = 0x8f;
	for (i = 1; i <= need; i++) {
		if (i >= left || p[i] < lo || p[i] > hi)
			return i;
		lo = 0x80;
		hi = 0xbf;
		r = r << 6 | (p[i] & 0x3f);
	}
	*rune = r;
	return need + 1;
}

/* Bytes from `at` on that are ASCII: eight at a time, since nearly all are. */
static size_t ascii_run(struct text t, size_t at)
{
	size_t i = at;
	uint64_t w;

	while (i + 8 <= t.n) {
		memcpy(&w, t.s + i, 8);
		if (w & UINT64_C(0x8080808080808080))
			break;
		i += 8;
	}
	while (i < t.n && !((unsigned char)t.s[i] & 0x80))
		i++;
	return i - at;
}

bool utf8_valid(struct text t)
{
	uint32_t rune;
	size_t i = 0;

	while ((i += ascii_run(t, i)) < t.n) {
		i += utf8_next(t, i, &rune);
		if (rune == RUNE_BAD)
			return false;
	}
	return true;
}

void text_fix_utf8(struct buf *b, struct text t)
{
	uint32_t rune;
	size_t i = 0, n;

	while (i < t.n) {
		n = ascii_run(t, i);
		if (n) {
			buf_add(b, t.s + i, n);
			i += n;
			continue;
		}
		n = utf8_next(t, i, &rune);
		if (rune == RUNE_BAD)
			buf_adds(b, FFFD);
		else
			buf_add(b, t.s + i, n);
		i += n;
	}
}

bool rune_is_control(uint32_t r)
{
	return r < 0x20 || (r >= 0x7f && r <= 0x9f) || r == 0x061c ||
		r == 0x200e || r == 0x200f || (r >= 0x2028 && r <= 0x202e) ||
		(r >= 0x2066 && r <= 0x2069);
}

void text_show(struct buf *b, struct text t)
{
	uint32_t rune;
	size_t i, n;

	for (i = 0; i < t.n; i += n) {
		n = utf8_next(t, i, &rune);
		if (rune == RUNE_BAD)
			buf_adds(b, FFFD);
		else if (!rune_is_control(rune))
			buf_add(b, t.s + i, n);
		else if (rune < 0x80)
			buf_addf(b, "\\x%02x", (unsigned)rune);
		else
			buf_addf(b, "\\u%04x", (unsigned)rune);
	}
}

int rune_width(uint32_t rune)
{
	if (rune < 0x300)
		return 1;
	if (range_has(zero_wide, ARRAY_LEN(zero_wide), rune))
		return 0;
	return range_has(two_wide, ARRAY_LEN(two_wide), rune) ? 2 : 1;
}

int text_width(struct text t)
{
	uint32_t rune;
	size_t i;
	int w = 0;

	for (i = 0; i < t.n;) {
		i += utf8_next(t, i, &rune);
		w += rune_width(rune);
	}
	return w;
}

void text_add_cut(struct buf *b, struct text t, size_t max)
{
	size_t n = t.n;

	if (n > max) {
		n = max > 3 ? max - 3 : 0;
		while (n > 0 && ((unsigned char)t.s[n] & 0xc0) == 0x80)
			n--;
	}
	if (n)
		buf_add(b, t.s, n);
	if (n < t.n)
		buf_adds(b, "...");
}
