/* num.c - see num.h. */
#include "base.h"
#include "num.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* acc * 10 + digit, or false beyond 64 bits. */
static bool acc_digit(uint64_t *acc, char c)
{
	uint64_t d = (uint64_t)(c - '0');

	if (*acc > (UINT64_MAX - d) / 10)
		return false;
	*acc = *acc * 10 + d;
	return true;
}

int num_u64(struct text t, uint64_t *out)
{
	uint64_t acc = 0;
	size_t i, safe = MIN(t.n, 19u); /* 10^19 - 1 fits: no look at the size */

	if (t.n == 0)
		return -1;
	for (i = 0; i < safe; i++) {
		if (!is_digit(t.s[i]))
			return -1;
		acc = acc * 10 + (uint64_t)(t.s[i] - '0');
	}
	for (; i < t.n; i++)
		if (!is_digit(t.s[i]) || !acc_digit(&acc, t.s[i]))
			return -1;
	*out = acc;
	return 0;
}

/* |value| and sign -> int64 */
static int sign_apply(uint64_t acc, bool minus, int64_t *out)
{
	if (acc > (uint64_t)INT64_MAX + minus)
		return -1;
	*out = !minus ? (int64_t)acc : acc == 0 ? 0 : -(int64_t)(acc - 1) - 1;
	return 0;
}

int num_int(struct text t, int64_t lo, int64_t hi, int64_t *out)
{
	bool minus = t.n > 0 && t.s[0] == '-';
	uint64_t acc;
	int64_t v;

	if (minus)
		t = (struct text){ t.s + 1, t.n - 1 };
	if (num_u64(t, &acc) < 0 || sign_apply(acc, minus, &v) < 0)
		return -1;
	if (v < lo || v > hi)
		return -1;
	*out = v;
	return 0;
}

/* A decimal taken apart: digits of s with at most one point at nint. */
struct decimal {
	const char *s;
	size_t n, nint;  /* digits in all, before the point */
	int64_t exp;
	bool minus;
};

static char decimal_digit(const struct decimal *d, size_t i)
{
	return d->s[i < d->nint ? i : i + 1];
}

/* The exponent saturates here: every text is far shorter, so that what lies
 * beyond is zero or an overflow all the same. */
#define EXP_MAX INT64_C(100000000000000000)

static int exponent_parse(const char *s, const char *end, int64_t *out)
{
	bool minus = s < end && *s == '-';
	int64_t e = 0;

	if (s < end && (*s == '-' || *s == '+'))
		s++;
	if (s == end)
		return -1;
	for (; s < end; s++) {
		if (!is_digit(*s))
			return -1;
		if (e < EXP_MAX)
			e = e * 10 + (*s - '0');
	}
	*out = minus ? -e : e;
	return 0;
}

static int decimal_parse(struct text t, struct decimal *d)
{
	const char *s = t.s, *end = t.s + t.n;

	*d = (struct decimal){ .minus = s < end && *s == '-' };
	if (s < end && (*s == '-' || *s == '+'))
		s++;
	d->s = s;
	while (s < end && is_digit(*s))
		s++;
	d->nint = d->n = (size_t)(s - d->s);
	if (s < end && *s == '.') {
		const char *point = s++;

		while (s < end && is_digit(*s))
			s++;
		d->n += (size_t)(s - point) - 1;
	}
	if (d->n == 0)
		return -1;
	if (s == end)
		return 0;
	if (*s != 'e' && *s != 'E')
		return -1;
	return exponent_parse(s + 1, end, &d->exp);
}

/* Half to even: what is the part from digit `at` on against one half? */
static bool decimal_rounds_up(const struct decimal *d, int64_t at, bool odd)
{
	char c;

	if (at < 0 || (uint64_t)at >= d->n)
		return false;
	c = decimal_digit(d, (size_t)at);
	if (c != '5')
		return c > '5';
	for (size_t i = (size_t)at + 1; i < d->n; i++)
		if (decimal_digit(d, i) != '0')
			return true;
	return odd;
}

int num_scaled(struct text t, int scale, int64_t *out)
{
	struct decimal d;
	uint64_t acc = 0;
	int64_t keep; /* digits that make up the integer */

	if (decimal_parse(t, &d) < 0)
		return -1;
	keep = (int64_t)d.nint + d.exp + scale;
	for (int64_t i = 0; i < keep; i++) {
		char digit = '0';

		if ((uint64_t)i < d.n)
			digit = decimal_digit(&d, (size_t)i);
		else if (acc == 0)
			break;
		if (!acc_digit(&acc, digit))
			return -1;
	}
	if (decimal_rounds_up(&d, keep, acc & 1)) {
		if (acc == UINT64_MAX)
			return -1;
		acc++;
	}
	return sign_apply(acc, d.minus, out);
}

/* GCC's wide integer holds any int64 times 10^9. */
__extension__ typedef unsigned __int128 u128;

struct unit {
	const char *name;
	int64_t size;
};

/* "1.5" times unit, exact but for digits of the fraction past the ninth. */
static int times_unit(struct text t, int64_t unit, int64_t *out)
{
	const char *point = t.n ? memchr(t.s, '.', t.n) : NULL;
	struct text whole = t, frac = { NULL, 0 };
	int64_t w = 0, f = 0, part;
	u128 wide;

	if (point) {
		whole.n = (size_t)(point - t.s);
		frac = (struct text){ point, t.n - whole.n };
		for (size_t i = 1; i < frac.n; i++)
			if (!is_digit(frac.s[i]))
				return -1;
		if (num_scaled(frac, 9, &f) < 0)
			return -1;
	}
	if (num_int(whole, 0, INT64_MAX, &w) < 0)
		return -1;
	wide = (u128)f * (uint64_t)unit;
	part = (int64_t)(wide / 1000000000);
	wide %= 1000000000;
	if (wide > 500000000 || (wide == 500000000 && (part & 1)))
		part++;
	if (w > (INT64_MAX - part) / unit)
		return -1;
	*out = w * unit + part;
	return 0;
}

static int with_unit(struct text t, const struct unit *u, int64_t bare,
	int64_t *out)
{
	size_t n = 0;

	while (n < t.n && (is_digit(t.s[n]) || t.s[n] == '.'))
		n++;
	if (n == t.n)
		return times_unit(t, bare, out);
	for (; u->name; u++)
		if (text_is((struct text){ t.s + n, t.n - n }, u->name))
			return times_unit((struct text){ t.s, n }, u->size, out);
	return -1;
}

#define KIB(n) (INT64_C(1) << (10 * (n)))

int num_bytes(struct text t, int64_t unit, int64_t *out)
{
	static const struct unit units[] = {
		{ "B", 1 }, { "KB", 1000 }, { "MB", 1000000 },
		{ "GB", 1000000000 }, { "TB", INT64_C(1000000000000) },
		{ "KiB", KIB(1) }, { "MiB", KIB(2) }, { "GiB", KIB(3) },
		{ "TiB", KIB(4) }, { NULL, 0 }
	};

	return with_unit(t, units, unit, out);
}

int num_range(struct text t, int64_t *first, int64_t *last)
{
	const char *colon = t.n ? memchr(t.s, ':', t.n) : NULL;
	struct text left = t, right;
	int64_t a, b;

	if (colon)
		left.n = (size_t)(colon - t.s);
	if (num_int(left, 0, INT64_MAX, &a) < 0)
		return -1;
	b = a;
	if (colon) {
		right = (struct text){ colon + 1, t.n - left.n - 1 };
		if (right.n && *right.s == '+') {
			right = (struct text){ right.s + 1, right.n - 1 };
			if (num_int(right, 1, INT64_MAX - a, &b) < 0)
				return -1;
			b += a - 1;
		} else if (num_int(right, a, INT64_MAX, &b) < 0) {
			return -1;
		}
	}
	*first = a;
	*last = b;
	return 0;
}
