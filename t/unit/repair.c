/* repair.c - what a faulty value becomes, and what is counted for it. */
#include "unit.h"

#include "repair.h"

struct row {
	const char *in, *out;   /* out NULL: bad */
	const char *count;      /* the one counter that is 1, NULL: none */
	enum repair_after after;
};

static int64_t count_of(const struct import_counts *c, const char *name)
{
#define COUNT(n, words) if (strcmp(name, #n) == 0) return c->n;
#include "counts.def"
#undef COUNT
	return -1;
}

static int64_t count_sum(const struct import_counts *c)
{
	int64_t sum = 0;
#define COUNT(n, words) sum += c->n;
#include "counts.def"
#undef COUNT
	return sum;
}

static const struct row rows[] = {
	{ "{\"a\":1,\"b\":[1,2.5e3,{\"c\":null}]},", "{\"a\":1,\"b\":[1,2.5e3,{\"c\":null}]}", NULL, 0 },
	{ "{ }]", "{}", NULL, 0 },
	/* non-numbers */
	{ "{\"a\":nan,\"b\":1}", "{\"a\":null,\"b\":1}", "nonnumeric", 0 },
	{ "{\"a\":-inf}", "{\"a\":null}", "nonnumeric", 0 },
	{ "{\"a\":-nan(ind)}", "{\"a\":null}", "nonnumeric", 0 },
	{ "{\"a\":N/A}", "{\"a\":null}", "nonnumeric", 0 },
	{ "{\"a\":1.#QNAN , \"b\":2}", "{\"a\":null,\"b\":2}", "nonnumeric", 0 },
	{ "[1,Infinity]", "[1,null]", "nonnumeric", 0 },
	{ "{\"a\":True}", "{\"a\":true}", NULL, 0 },
	{ "{\"a\":007}", "{\"a\":null}", "nonnumeric", 0 },
	/* backslashes: one that is no escape makes all literal */
	{ "{\"n\":\"C:\\users\\train\\new.py\"}", "{\"n\":\"C:\\\\users\\\\train\\\\new.py\"}", "bad_escapes", 0 },
	{ "{\"n\":\"a\\tb\\u0041\\\"\"}", "{\"n\":\"a\\tb\\u0041\\\"\"}", NULL, 0 },
	{ "{\"n\":\"C:\\tmp\\\", \"k\":1}", "{\"n\":\"C:\\\\tmp\\\\\",\"k\":1}", "bad_escapes", 0 },
	{ "{\"n\":\"{\\\"a\\\": \\\"b\\\"}\", \"k\":1}", "{\"n\":\"{\\\"a\\\": \\\"b\\\"}\",\"k\":1}", NULL, 0 },
	/* control bytes */
	{ "{\"n\":\"a\nb\tc\001\"}", "{\"n\":\"a\\u000ab\\u0009c\\u0001\"}", "control_names", 0 },
	/* quotes that close nothing */
	{ "{\"n\":\"load \"shard 3\" now\",\"k\":1}", "{\"n\":\"load \\\"shard 3\\\" now\",\"k\":1}", "bare_quotes", 0 },
	{ "{\"n\":\"f(\"a\", \"b\")\",\"k\":1}", "{\"n\":\"f(\\\"a\\\", \\\"b\\\")\",\"k\":1}", "bare_quotes", 0 },
	{ "{\"n\":\"d[\"a\"]{\"b\"}\", \"k\":1}", "{\"n\":\"d[\\\"a\\\"]{\\\"b\\\"}\",\"k\":1}", "bare_quotes", 0 },
	{ "{\"a\":{\"n\":\"{\"x\"}\"}},\n {\"ph\":1}", "{\"a\":{\"n\":\"{\\\"x\\\"}\"}}", "bare_quotes", 0 },
	{ "[\"a \"b\" c\", \"d\"]", "[\"a \\\"b\\\" c\",\"d\"]", "bare_quotes", 0 },
	{ "{\"k\"ey\":1}", "{\"k\\\"ey\":1}", "bare_quotes", 0 },
	/* commas */
	{ "{\"a\":1,}", "{\"a\":1}", "trailing_commas", 0 },
	{ "[1,2,]", "[1,2]", "trailing_commas", 0 },
	{ "{\"a\":1\n\"b\":2}", "{\"a\":1,\"b\":2}", "missing_commas", 0 },
	{ "{\"a\":\"x\"\n\"b\":2}", "{\"a\":\"x\",\"b\":2}", "missing_commas", 0 },
	{ "[{}{}]", "[{},{}]", "missing_commas", 0 },
	/* a member of the document */
	{ "nan, \"k\":1", "null", "nonnumeric", AFTER_MEMBER },
	{ "\"a \"q\" b\", \"k\": 1", "\"a \\\"q\\\" b\"", "bare_quotes", AFTER_MEMBER },
	/* nothing can be made of these */
	{ "{\"a\" 1}", NULL, NULL, 0 },
	{ "{\"a\":1]", NULL, NULL, 0 },
	{ "{a:1}", NULL, NULL, 0 },
	{ "{\"a\":1 2}", NULL, NULL, 0 },
	{ "{\"a\":", NULL, NULL, 0 },
	{ "{\"a\":\"b", NULL, NULL, 0 },
	{ "{:1}", NULL, NULL, 0 },
	/* a string that lost its end takes no other event with it */
	{ "{\"n\":\"a},\n{\"ph\":\"X\",\"n\":\"b\"}]", NULL, NULL, 0 },
};

static void rewrites(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];
		struct import_counts c = { 0 };
		size_t used = 0;
		enum repair_result res;

		buf_reset(&out);
		res = repair_value(text_of(r->in), true, r->after, &out, &used, &c);
		if (!r->out) {
			if (res != REPAIR_BAD)
				fail_msg("%s became %s", r->in, out.data);
			assert_int_equal(count_sum(&c), 0);
			continue;
		}
		if (res != REPAIR_OK)
			fail_msg("%s is refused", r->in);
		assert_string_equal(out.data, r->out);
		if (count_sum(&c) != (r->count != NULL))
			fail_msg("%s counts %d faults", r->in, (int)count_sum(&c));
		if (r->count)
			assert_int_equal(count_of(&c, r->count), 1);
	}
	buf_release(&out);
}

/* Cut at any byte, the answer is "more", or the same as with all of it. */
static void waits_for_more(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];

		for (size_t n = 0; r->out && n < strlen(r->in); n++) {
			struct import_counts c = { 0 };
			struct text cut = { r->in, n };
			size_t used = 0;

			buf_reset(&out);
			switch (repair_value(cut, false, r->after, &out, &used, &c)) {
			case REPAIR_MORE:
				assert_int_equal(out.len, 0);
				break;
			case REPAIR_OK:
				assert_string_equal(out.data, r->out);
				break;
			default:
				fail_msg("%.*s is refused", (int)n, r->in);
			}
		}
	}
	buf_release(&out);
}

static void depth_is_bounded(void **state)
{
	struct buf in = BUF_INIT, out = BUF_INIT;
	struct import_counts c = { 0 };
	size_t used;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_addc(&in, '[');
	assert_int_equal(repair_value(buf_text(&in), true, AFTER_ELEMENT, &out,
		&used, &c), REPAIR_BAD);
	buf_release(&in);
	buf_release(&out);
}

static void next_event(void **state)
{
	static const char two[] = "{\"ph\":\"X\",\"args\":{\"name\":1}, junk },\n  { \"ph\": 1}";
	struct text t = text_of(two);

	(void)state;
	assert_int_equal(repair_next_event(t, 1, SEEK_LAST), strstr(two, "{ \"ph\"") - two);
	/* the value of args is no event */
	assert_int_equal(repair_next_event(text_of("x, \"args\":{\"name\":1}"), 0, SEEK_LAST), 20);
	/* a bracket ends the events only before what stands behind them */
	assert_int_equal(repair_next_event(text_of("x], \"traceName\": \"a\"}"), 0, SEEK_LAST), 1);
	assert_int_equal(repair_next_event(text_of("x]}\n"), 0, SEEK_LAST), 1);
	assert_int_equal(repair_next_event(text_of("x]}\n"), 0, SEEK_BOTH), 4);
	assert_int_equal(repair_next_event(text_of("[1], \"y\": 2}"), 0, SEEK_LAST), 12);
	assert_int_equal(repair_next_event(text_of(""), 0, SEEK_LAST), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewrites),
		cmocka_unit_test(waits_for_more),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(next_event),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
