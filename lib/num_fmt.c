/* num_fmt.c - numbers for a person; see num.h. */
#include "base.h"
#include "num.h"

__extension__ typedef unsigned __int128 u128;

struct unit {
	const char *name;
	uint64_t size;
};

static uint64_t magnitude(int64_t n)
{
	return n < 0 ? (uint64_t)-(n + 1) + 1 : (uint64_t)n;
}

/* v * 10^digits / size, half away from zero. */
static u128 div_round(uint64_t v, int digits, uint64_t size)
{
	u128 wide = v;

	while (digits-- > 0)
		wide *= 10;
	return (wide + size / 2) / size;
}

/* Three significant digits of the largest unit that keeps the number above
 * one; whole numbers in the smallest unit and beyond the largest. */
static char *fmt_units(char *out, int64_t n, const struct unit *u, size_t nunit,
	unsigned base)
{
	const char *sign = n < 0 ? "-" : "";
	uint64_t v = magnitude(n), r = v;
	size_t k = 0;
	int digits = 0;

	while (k + 1 < nunit && div_round(v, 0, u[k].size) >= base)
		k++;
	if (k > 0) {
		digits = 2;
		r = (uint64_t)div_round(v, digits, u[k].size);
		while (digits > 0 && r >= 1000)
			r = (uint64_t)div_round(v, --digits, u[k].size);
	}
	if (digits == 2)
		snprintf(out, NUM_LEN, "%s%" PRIu64 ".%02u %s", sign, r / 100,
			(unsigned)(r % 100), u[k].name);
	else if (digits == 1)
		snprintf(out, NUM_LEN, "%s%" PRIu64 ".%u %s", sign, r / 10,
			(unsigned)(r % 10), u[k].name);
	else
		snprintf(out, NUM_LEN, "%s%" PRIu64 " %s", sign, r, u[k].name);
	return out;
}

char *num_fmt_ns(char *out, int64_t ns)
{
	static const struct unit u[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }
	};

	return fmt_units(out, ns, u, ARRAY_LEN(u), 1000);
}

char *num_fmt_bytes(char *out, int64_t bytes)
{
	static const struct unit u[] = {
		{ "B", 1 }, { "KB", 1000 }, { "MB", 1000000 },
		{ "GB", 1000000000 }, { "TB", UINT64_C(1000000000000) }
	};

	return fmt_units(out, bytes, u, ARRAY_LEN(u), 1000);
}

char *num_fmt_gib(char *out, int64_t bytes)
{
	static const struct unit u[] = {
		{ "B", 1 }, { "KiB", UINT64_C(1) << 10 },
		{ "MiB", UINT64_C(1) << 20 }, { "GiB", UINT64_C(1) << 30 },
		{ "TiB", UINT64_C(1) << 40 }
	};

	return fmt_units(out, bytes, u, ARRAY_LEN(u), 1024);
}

char *num_fmt_count(char *out, int64_t n)
{
	uint64_t v = magnitude(n);
	char tmp[NUM_LEN];
	size_t at = sizeof tmp;
	int group = 0;

	tmp[--at] = '\0';
	do {
		if (group++ == 3) {
			tmp[--at] = ',';
			group = 1;
		}
		tmp[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (n < 0)
		tmp[--at] = '-';
	memcpy(out, tmp + at, sizeof tmp - at);
	return out;
}

char *num_fmt_share(char *out, int64_t part, int64_t whole)
{
	uint64_t tenths;
	u128 wide;

	if (whole <= 0) {
		memcpy(out, "-", 2);
		return out;
	}
	wide = div_round(magnitude(part), 3, (uint64_t)whole);
	/* more than 10^17 per cent means nothing to anybody */
	tenths = wide > 1000000000000000000 ? 1000000000000000000 : (uint64_t)wide;
	snprintf(out, NUM_LEN, "%s%" PRIu64 ".%u %%",
		part < 0 && tenths ? "-" : "", tenths / 10,
		(unsigned)(tenths % 10));
	return out;
}

void num_add_ratio(struct buf *b, int64_t a, int64_t over, int digits)
{
	uint64_t v = magnitude(a), d = (uint64_t)over, whole = v / d, one = 1, frac;

	for (int i = 0; i < digits; i++)
		one *= 10;
	frac = (uint64_t)div_round(v % d, digits, d);
	if (frac == one) {
		whole++;
		frac = 0;
	}
	if (a < 0 && (whole || frac))
		buf_addc(b, '-');
	buf_addf(b, "%" PRIu64, whole);
	if (digits > 0)
		buf_addf(b, ".%0*" PRIu64, digits, frac);
}
