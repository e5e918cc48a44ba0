#include "unit.h"

#include <stdlib.h>

#include "num.h"
#include "tab.h"
#include "utf8.h"

static const char long_name[] = "void at::native::vectorized_elementwise_kernel<4, "
	"at::native::FillFunctor<c10::BFloat16>, std::array<char*, 1ul> >(int)";

static void put(struct buf *b, const char *spec, int width, bool cut)
{
	struct tab *t = tab_new(spec);

	tab_head(t, "name", "n", "where");
	tab_row(t, "a", "12", long_name);
	tab_row(t, "longer", "3", NULL);
	buf_reset(b);
	tab_put(t, b, width, cut);
	tab_free(t);
}

static void test_wrap_and_cut(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	put(&b, "lrw", 40, true);
	assert_string_equal(b.data,
		"name     n  where\n"
		"a       12  void at::native::vectoriz...\n"
		"longer   3\n");
	put(&b, "lrw", 40, false);
	assert_string_equal(b.data,
		"name     n  where\n"
		"a       12  void\n"
		"            at::native::vectorized_eleme\n"
		"            ntwise_kernel<4,\n"
		"            at::native::FillFunctor<c10:\n"
		"            :BFloat16>,\n"
		"            std::array<char*, 1ul>\n"
		"            >(int)\n"
		"longer   3\n");
	/* a column that is no 'w' is left alone, whatever the width */
	put(&b, "lrl", 40, true);
	assert_non_null(strstr(b.data, long_name));
	buf_release(&b);
}

static void cut_is(const char *cell, int width, const char *want)
{
	struct tab *t = tab_new("w");
	struct buf b = BUF_INIT;

	tab_row(t, cell);
	tab_put(t, &b, width, true);
	b.data[b.len - 1] = '\0';
	assert_string_equal(b.data, want);
	assert_true(text_width((struct text){ b.data, b.len - 1 }) <= width);
	tab_free(t);
	buf_release(&b);
}

/* A line's number is what a place is for. */
static void test_cut_place(void **state)
{
	static const char cell[] = "/home/user/src/project/train.py:1234 (step): aten::item";

	(void)state;
	cut_is(cell, 55, cell);
	cut_is(cell, 40, ".../train.py:1234 (step): aten::item");
	cut_is(cell, 30, ".../train.py:1234 (step): a...");
	cut_is(cell, 22, ".../train.py:1234 (...");
	cut_is(cell, 17, ".../train.py:1234");
	cut_is(cell, 14, "...ain.py:1234");
	cut_is("aten::convolution_backward at /a/b/c/net.py:7 (forward)", 38,
		"aten::convolution_backward.../net.py:7");
	cut_is("train.py:12 (main), more, and more still", 24, "train.py:12 (main), m...");
	cut_is("std::array<char*, 1ul>::at<float>", 20, "std::array<char*,...");
}

/* Each line is within the width, for any width; and cells keep their bytes. */
static void test_widths(void **state)
{
	struct buf b = BUF_INIT, all = BUF_INIT;
	const char *p, *end;
	int width;

	(void)state;
	for (width = 24; width < 200; width++) {
		put(&b, "lrw", width, false);
		buf_reset(&all);
		for (p = b.data; *p; p = end + 1) {
			end = strchr(p, '\n');
			assert_true(end - p <= width);
			if (end - p > 12 && *p != '-' && *p != 'n')
				buf_add(&all, p + 12, (size_t)(end - p) - 12);
		}
		for (p = long_name, end = all.data; *p; p++)
			if (*p != ' ') {
				while (*end == ' ')
					end++;
				assert_int_equal(*end++, *p);
			}
	}
	buf_release(&b);
	buf_release(&all);
}

static void test_hostile_cells(void **state)
{
	struct tab *t = tab_new("lr");
	struct buf b = BUF_INIT;

	(void)state;
	tab_row(t, "\x1b[2Jx\n\xe2\x80\xae", "1");
	tab_row(t, "\xe6\xbc\xa2" "e\xcc\x81\xff", "23");
	tab_put(t, &b, 80, true);
	assert_string_equal(b.data,
		"\\x1b[2Jx\\x0a\\u202e   1\n"
		"\xe6\xbc\xa2" "e\xcc\x81\xef\xbf\xbd                23\n");
	tab_free(t);
	buf_release(&b);
}

static void test_bar(void **state)
{
	static const struct tab_part v[] = { { 'C', 50 }, { 'x', 30 }, { '.', 20 } };
	static const struct tab_part big[] = { { 'a', INT64_MAX }, { 'b', INT64_MAX },
		{ 'c', INT64_MAX }, { 'd', -5 } };
	static const struct tab_part none[] = { { 'a', 0 }, { 'b', -1 } };
	struct tab_part part[7];
	struct buf b = BUF_INIT;
	uint64_t seed = 7;
	size_t i, n;
	int width;

	(void)state;
	tab_bar(&b, v, 3, 10);
	assert_string_equal(b.data, "CCCCCxxx..");
	buf_reset(&b);
	tab_bar(&b, v, 3, 7); /* 3.5 2.1 1.4 */
	assert_string_equal(b.data, "CCCCxx.");
	buf_reset(&b);
	tab_bar(&b, big, 4, 4);
	assert_string_equal(b.data, "aabc");
	buf_reset(&b);
	tab_bar(&b, none, 2, 3);
	assert_string_equal(b.data, "   ");
	for (i = 0; i < 5000; i++) {
		width = (int)(dice(&seed) % 90);
		for (n = 0; n < 7; n++)
			part[n] = (struct tab_part){ (char)('a' + n),
				(int64_t)(dice(&seed) >> (dice(&seed) % 64)) };
		part[0].value = 1;
		buf_reset(&b);
		tab_bar(&b, part, 1 + i % 7, width);
		assert_int_equal(b.len, width);
	}
	buf_release(&b);
}

static void test_spark(void **state)
{
	static const int64_t v[] = { 0, 1, 7, 8, 3 }, ends[] = { INT64_MIN, 0, INT64_MAX };
	struct buf b = BUF_INIT;

	(void)state;
	tab_spark(&b, v, 5, 9, 0, 8);
	assert_string_equal(b.data, "\xe2\x96\x81\xe2\x96\x82\xe2\x96\x88\xe2\x96\x88\xe2\x96\x84");
	buf_reset(&b);
	tab_spark(&b, v, 5, 2, 0, 8); /* 0 1 | 7 8 3 */
	assert_string_equal(b.data, "\xe2\x96\x82\xe2\x96\x88");
	buf_reset(&b);
	tab_spark(&b, ends, 3, 3, INT64_MIN, INT64_MAX);
	assert_string_equal(b.data, "\xe2\x96\x81\xe2\x96\x85\xe2\x96\x88");
	buf_reset(&b);
	tab_spark(&b, v, 5, 5, 3, 3);
	assert_int_equal(b.len, 15);
	buf_release(&b);
}

static void test_environment(void **state)
{
	(void)state;
	setenv("COLUMNS", "132", 1);
	assert_int_equal(tab_width(-1), 132);
	setenv("COLUMNS", "1", 1);
	assert_int_equal(tab_width(-1), 80);
	unsetenv("COLUMNS");
	assert_int_equal(tab_width(-1), 80);
	assert_false(tab_colour(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap_and_cut),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_cut_place),
		cmocka_unit_test(test_hostile_cells),
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_spark),
		cmocka_unit_test(test_environment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
