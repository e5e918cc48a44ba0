/* Code objects and strings of CPython as bytes: tables of lines by hand, tables
 * and strings that end too early, and what tells one code object from another. */
#include "base.h"
#include "unit.h"

#include "capture/pycode.c"
#include "capture/pylayout.c"

/* Is this the line of each two bytes, from the first on? */
static void lines_are(enum pyline_table kind, struct text table, const int *want, int n)
{
	for (int at = 0; at < n; at++)
		assert_int_equal(pyline_find(kind, table, 10, 2 * at), want[at]);
	assert_int_equal(pyline_find(kind, table, 10, -1), 10);
}

static void notab(void **state)
{
	/* 4 bytes of line 10, 2 of 13, 2 of 12, then 300 lines on */
	static const char t[] = { 4, 3, 2, -1, 2, 127, 0, 127, 0, 46 };
	static const int want[] = { 10, 10, 13, 12, 312, 312 };

	(void)state;
	lines_are(PYLINE_NOTAB, (struct text){ t, sizeof t }, want, ARRAY_LEN(want));
}

static void pairs(void **state)
{
	/* a stretch without a line has that of the one before */
	static const char t[] = { 4, 0, 2, 3, 2, -128, 0, 127, 4, -2 };
	static const int want[] = { 10, 10, 13, 13, 138, 138 };

	(void)state;
	lines_are(PYLINE_PAIRS, (struct text){ t, sizeof t }, want, ARRAY_LEN(want));
}

static void locations(void **state)
{
	/* form << 3 | units - 1 */
	static const unsigned char t[] = {
		0x80 | 0 << 3 | 1, 0x11,           /* two units, no line further */
		0x80 | 11 << 3 | 0, 1, 2,          /* one line on */
		0x80 | 12 << 3 | 0, 1, 2,          /* two */
		0x80 | 15 << 3 | 0,                /* none: as before */
		0x80 | 13 << 3 | 0, 0x07,          /* three back */
		0x80 | 14 << 3 | 0, 0x40 | 0x18, 0x12, 0, 1, 1, /* 0x12 << 6 | 0x18 is twice 588 */
	};
	static const int want[] = { 10, 10, 11, 13, 13, 10, 598, 598 };

	(void)state;
	lines_are(PYLINE_LOCATIONS, (struct text){ (const char *)t, sizeof t },
		want, ARRAY_LEN(want));
}

/* Any bytes, in memory that ends where they end. */
static void any_table(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const size_t n = dice(&seed) % 24;
		char *t = malloc(n ? n : 1);

		for (size_t k = 0; k < n; k++)
			t[k] = (char)dice(&seed);
		for (int kind = PYLINE_NOTAB; kind <= PYLINE_LOCATIONS; kind++)
			for (int at = -1; at < 60; at += 7)
				pyline_find((enum pyline_table)kind, (struct text){ t, n },
					INT32_MAX - 3, at);
		free(t);
	}
}

/* A string object of 3.12 in memory that ends with its characters. */
static char *string_make(unsigned kind, bool ascii, const void *characters, size_t n)
{
	const struct pylayout *l = pylayout_of(0x030c0000);
	const size_t head = ascii ? l->ascii : l->compact;
	char *s = calloc(1, head + n * kind + 1);
	const int64_t length = (int64_t)n;
	const uint32_t bits = kind << 2 | 1u << 5 | (ascii ? 1u << 6 : 0);

	memcpy(s + PY_LENGTH, &length, sizeof length);
	memcpy(s + PY_STATE, &bits, sizeof bits);
	memcpy(s + head, characters, n * kind);
	return s;
}

static void copy_is(char *string, const char *want, size_t size)
{
	char got[64];
	size_t n = pystring_copy(pylayout_of(0x030c0000), string, got, size);

	assert_int_equal(n, strlen(want));
	assert_memory_equal(got, want, n);
	free(string);
}

static void strings(void **state)
{
	static const uint16_t two[] = { 'a', 0x20ac, 0xdcff, 0xe9 };
	static const uint32_t four[] = { 0x1d4b3, 'b', 0x110000, 0xe9 };
	char *odd = string_make(1, true, "abc", 3);

	(void)state;
	copy_is(string_make(1, true, "abc", 3), "abc", 64);
	copy_is(string_make(1, true, "abc", 3), "ab", 2);
	copy_is(string_make(1, false, "\xe9t\xe9", 3), "\xc3\xa9t\xc3\xa9", 64);
	copy_is(string_make(1, false, "\xe9t\xe9", 3), "\xc3\xa9t", 4);
	copy_is(string_make(2, false, two, 4), "a\xe2\x82\xac\xef\xbf\xbd\xc3\xa9", 64);
	copy_is(string_make(2, false, two, 4), "a", 3);
	copy_is(string_make(4, false, four, 4), "\xf0\x9d\x92\xb3" "b\xef\xbf\xbd\xc3\xa9", 64);
	/* of a form that is not known */
	memset(odd + PY_STATE, 0, 4);
	copy_is(odd, "", 64);
	odd = string_make(1, true, "abc", 3);
	memset(odd + PY_LENGTH, 0xff, 8);
	copy_is(odd, "", 64);
}

static void keys(void **state)
{
	char a[600];
	uint64_t all[600];

	(void)state;
	memset(a, 'x', sizeof a);
	for (size_t n = 0; n < 600; n++) {
		char *s = malloc(n ? n : 1); /* nothing is read past the end */

		memcpy(s, a, n);
		all[n] = key_bytes(s, n);
		free(s);
		for (size_t k = 0; k < n; k++)
			assert_true(all[k] != all[n]);
	}
	/* one byte, wherever it stands in what is looked at */
	for (size_t n = 1; n < 600; n += 37)
		for (size_t k = n > KEY_BYTES ? n - KEY_BYTES : 0; k < n; k++) {
			a[k]++;
			assert_true(key_bytes(a, n) != all[n]);
			a[k]--;
		}
}

static void versions(void **state)
{
	(void)state;
	assert_null(pylayout_of(0));
	assert_null(pylayout_of(-1));
	assert_null(pylayout_of(0x02070000));
	assert_null(pylayout_of(0x030700f0));
	assert_null(pylayout_of(0x030f00f0));
	assert_null(pylayout_of(0x030e00f0));
	assert_non_null(pylayout_of(0x030800f0));
	assert_non_null(pylayout_of(0x030d00f0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notab),
		cmocka_unit_test(pairs),
		cmocka_unit_test(locations),
		cmocka_unit_test(any_table),
		cmocka_unit_test(strings),
		cmocka_unit_test(keys),
		cmocka_unit_test(versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
