#include "unit.h"
#include "buf.h"
#include "num.h"

/* --- a second, slow way to scale: strings of digits, by hand --- */

struct digits {
	char d[512];
	int n;
};

/* x + 1 */
static void digits_inc(struct digits *x)
{
	int i = x->n - 1;

	while (i >= 0 && x->d[i] == '9')
		x->d[i--] = '0';
	if (i >= 0) {
		x->d[i]++;
		return;
	}
	memmove(x->d + 1, x->d, (size_t)x->n++);
	x->d[0] = '1';
}

/* The text of int.frac * 10^shift, half to even; "" beyond int64. */
static void slow_scale(const char *whole, const char *frac, int shift,
	bool minus, char *out)
{
	static const char half[] = "5000000000000000000000000000000000000000"
		"000000000000000000000000000000000000000000000000000000000000000"
		"000000000000000000000000000000000000000000000000000000000000000";
	struct digits x = { .n = 0 };
	char rest[256] = "";
	int nrest = 0, point = (int)strlen(whole) + shift, n = 0, c;
	const char *lim = minus ? "9223372036854775808" : "9223372036854775807";
	size_t skip = 0;

	x.d[x.n++] = '0';
	for (; point < 0; point++)
		rest[nrest++] = '0';
	for (const char *part = whole; part; part = part == whole ? frac : NULL)
		for (const char *p = part; *p; p++, n++) {
			if (n < point)
				x.d[x.n++] = *p;
			else
				rest[nrest++] = *p;
		}
	for (; n < point; n++)
		x.d[x.n++] = '0';
	while (nrest < 150)
		rest[nrest++] = '0';
	rest[150] = '\0';
	c = strncmp(rest, half, 150);
	if (c > 0 || (c == 0 && (x.d[x.n - 1] - '0') % 2))
		digits_inc(&x);
	x.d[x.n] = '\0';
	while (x.d[skip] == '0' && x.d[skip + 1])
		skip++;
	*out = '\0';
	if (strlen(x.d + skip) > 19 ||
	    (strlen(x.d + skip) == 19 && strcmp(x.d + skip, lim) > 0))
		return;
	snprintf(out, 64, "%s%s", minus && x.d[skip] != '0' ? "-" : "",
		x.d + skip);
}

static void some_digits(uint64_t *seed, char *s, int most)
{
	int n = (int)(dice(seed) % (uint64_t)(most + 1));
	uint64_t style = dice(seed) % 4;

	for (int i = 0; i < n; i++)
		*s++ = style == 0 ? "05"[dice(seed) % 2] : style == 1 ? '9' :
			(char)('0' + dice(seed) % 10);
	*s = '\0';
}

static void scaled_agrees_with_slow(void **state)
{
	uint64_t seed = 42;
	int fits = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char whole[32], frac[40], text[128], want[64], got[64] = "";
		bool minus = dice(&seed) % 2, with_exp = dice(&seed) % 3 == 0;
		int e = with_exp ? (int)(dice(&seed) % 61) - 30 : 0, n;
		int scale = (int)(dice(&seed) % 10);
		int64_t v = 77;

		some_digits(&seed, whole, 20);
		some_digits(&seed, frac, 30);
		if (!*whole && !*frac)
			continue;
		n = snprintf(text, sizeof text, "%s%s%s%s", minus ? "-" : "",
			whole, *frac ? "." : "", frac);
		if (with_exp)
			snprintf(text + n, sizeof text - (size_t)n, "%c%s%d",
				"eE"[i % 2], e >= 0 && i % 3 ? "+" : "", e);
		slow_scale(whole, frac, e + scale, minus, want);
		if (num_scaled(text_of(text), scale, &v) == 0)
			snprintf(got, sizeof got, "%" PRId64, v);
		else
			assert_int_equal(v, 77);
		if (strcmp(got, want) != 0)
			fail_msg("%s scale %d: %s, want %s", text, scale, got, want);
		fits += *got != '\0';
	}
	assert_true(fits > 50000);
}

static void scaled_by_hand(void **state)
{
	static const struct { const char *s; int scale; int64_t want; } yes[] = {
		{ "1754575046234567.891", 3, INT64_C(1754575046234567891) },
		{ "0.0005", 3, 0 }, { "0.0015", 3, 2 }, { "0.0025", 3, 2 },
		{ "0.00250000000000000000000000000000000001", 3, 3 },
		{ "-0.0015", 3, -2 }, { "1e3", 0, 1000 }, { "1.5E+2", 0, 150 },
		{ "0e99999999999999999999", 3, 0 }, { "-0", 0, 0 },
		{ "1e-99999999999999999999", 9, 0 }, { ".5", 1, 5 }, { "5.", 0, 5 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "+7", 0, 7 }, { "12345", -2, 123 }, { "150", -2, 2 },
	};
	static const char *const no[] = {
		"", "-", ".", "e5", "1e", "1e+", "0x10", "1 ", " 1", "nan", "inf",
		"1.2.3", "1,5", "9223372036854775808", "-9223372036854775809",
		"1e19", "1e99999999999999999999", "9223372036854775807.5", "--1",
	};
	int64_t v = 5;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		if (num_scaled(text_of(yes[i].s), yes[i].scale, &v) < 0 ||
		    v != yes[i].want)
			fail_msg("%s: %" PRId64, yes[i].s, v);
	}
	v = 5;
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		if (num_scaled(text_of(no[i]), 0, &v) == 0 || v != 5)
			fail_msg("'%s' taken as %" PRId64, no[i], v);
}

static void integers(void **state)
{
	int64_t v = 1;
	uint64_t u = 1;

	(void)state;
	assert_int_equal(num_int(TEXT("-12"), -20, 20, &v), 0);
	assert_int_equal(v, -12);
	assert_int_equal(num_int(TEXT("21"), -20, 20, &v), -1);
	assert_int_equal(num_int(TEXT("12x"), 0, 20, &v), -1);
	assert_int_equal(num_int(TEXT("+1"), 0, 20, &v), -1);
	assert_int_equal(num_int(TEXT("-"), -9, 9, &v), -1);
	assert_int_equal(v, -12);
	assert_int_equal(num_int(TEXT("-9223372036854775808"), INT64_MIN,
		INT64_MAX, &v), 0);
	assert_true(v == INT64_MIN);
	assert_int_equal(num_u64(TEXT("18446744073709551615"), &u), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(num_u64(TEXT("18446744073709551616"), &u), -1);
	assert_int_equal(num_u64(TEXT(""), &u), -1);
	assert_true(u == UINT64_MAX);
}

static void units(void **state)
{
	int64_t v = 0, a = 0, b = 0;

	(void)state;
	assert_int_equal(num_bytes(TEXT("139.8"), INT64_C(1) << 30, &v), 0);
	assert_true(v == INT64_C(150109106995)); /* ...995.2 */
	assert_int_equal(num_bytes(TEXT("80GiB"), 1, &v), 0);
	assert_true(v == INT64_C(80) << 30);
	assert_int_equal(num_bytes(TEXT("80GB"), 1, &v), 0);
	assert_true(v == INT64_C(80000000000));
	assert_int_equal(num_bytes(TEXT("-1"), 1, &v), -1);
	assert_int_equal(num_bytes(TEXT("1gb"), 1, &v), -1);
	assert_int_equal(num_bytes(TEXT("9007199254740992TiB"), 1, &v), -1);
	assert_int_equal(num_range(TEXT("12:14"), &a, &b), 0);
	assert_true(a == 12 && b == 14);
	assert_int_equal(num_range(TEXT("12:+3"), &a, &b), 0);
	assert_true(a == 12 && b == 14);
	assert_int_equal(num_range(TEXT("7"), &a, &b), 0);
	assert_true(a == 7 && b == 7);
	assert_int_equal(num_range(TEXT("7:6"), &a, &b), -1);
	assert_int_equal(num_range(TEXT("7:+0"), &a, &b), -1);
	assert_int_equal(num_range(TEXT(":7"), &a, &b), -1);
	assert_int_equal(num_range(TEXT("1:"), &a, &b), -1);
	assert_int_equal(num_range(TEXT(""), &a, &b), -1);
	assert_true(a == 7 && b == 7);
}

static void for_a_person(void **state)
{
	char s[NUM_LEN];

	(void)state;
	assert_string_equal(num_fmt_ns(s, 0), "0 ns");
	assert_string_equal(num_fmt_ns(s, 847), "847 ns");
	assert_string_equal(num_fmt_ns(s, 12345), "12.3 us");
	assert_string_equal(num_fmt_ns(s, 54712345), "54.7 ms");
	assert_string_equal(num_fmt_ns(s, 1334999999), "1.33 s");
	assert_string_equal(num_fmt_ns(s, 999999), "1.00 ms");
	assert_string_equal(num_fmt_ns(s, 9995), "10.0 us");
	assert_string_equal(num_fmt_ns(s, 99950), "100 us");
	assert_string_equal(num_fmt_ns(s, -1500), "-1.50 us");
	assert_string_equal(num_fmt_ns(s, INT64_MIN), "-9223372037 s");
	assert_string_equal(num_fmt_bytes(s, 4), "4 B");
	assert_string_equal(num_fmt_bytes(s, 1090000000), "1.09 GB");
	assert_string_equal(num_fmt_bytes(s, -33333), "-33.3 KB");
	assert_string_equal(num_fmt_gib(s, 1095216660), "1.02 GiB");
	assert_string_equal(num_fmt_gib(s, 1023 << 20), "1023 MiB");
	assert_string_equal(num_fmt_count(s, 3654), "3,654");
	assert_string_equal(num_fmt_count(s, -999), "-999");
	assert_string_equal(num_fmt_count(s, 1000000), "1,000,000");
	assert_string_equal(num_fmt_count(s, INT64_MIN),
		"-9,223,372,036,854,775,808");
	assert_string_equal(num_fmt_share(s, 124, 1000), "12.4 %");
	assert_string_equal(num_fmt_share(s, 1, 0), "-");
	assert_string_equal(num_fmt_share(s, -1, 3), "-33.3 %");
	assert_string_equal(num_fmt_share(s, INT64_MAX, INT64_MAX), "100.0 %");
}

static const char *ratio(struct buf *b, int64_t a, int64_t over, int digits)
{
	buf_reset(b);
	num_add_ratio(b, a, over, digits);
	return b->data;
}

static void ratios(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	assert_string_equal(ratio(&b, 1, 3, 4), "0.3333");
	assert_string_equal(ratio(&b, 2, 3, 4), "0.6667");
	assert_string_equal(ratio(&b, 1, 8, 2), "0.13");
	assert_string_equal(ratio(&b, -1, 8, 2), "-0.13");
	assert_string_equal(ratio(&b, -1, 1000, 2), "0.00");
	assert_string_equal(ratio(&b, 9999, 10000, 2), "1.00");
	assert_string_equal(ratio(&b, 5, 2, 0), "3");
	assert_string_equal(ratio(&b, INT64_MIN, 1, 9),
		"-9223372036854775808.000000000");
	assert_string_equal(ratio(&b, INT64_MAX - 1, INT64_MAX, 9), "1.000000000");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaled_agrees_with_slow),
		cmocka_unit_test(scaled_by_hand),
		cmocka_unit_test(integers),
		cmocka_unit_test(units),
		cmocka_unit_test(for_a_person),
		cmocka_unit_test(ratios),
	};

	return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}
