#include "unit.h"

#include <stdlib.h>

#include "mem.h"
#include "rec.h"

static struct rec_parser *parser;

static int open_parser(void **state)
{
	(void)state;
	parser = rec_parser_new();
	return 0;
}

static int close_parser(void **state)
{
	(void)state;
	rec_parser_free(parser);
	return 0;
}

static const char *parse(const char *line, struct rec *r)
{
	const char *why = NULL;

	return rec_parse(parser, text_of(line), r, &why) < 0 ? why : NULL;
}

static void test_fields(void **state)
{
	static const char line[] = " { \"kind\":\"ev\\u0065nt\", \"n\" : -12,"
		"\"s\":\"plain\",\"\\u006bey\":\"a\\\"b\\u0000c\",\"o\":{\"a\": [1, {}]},"
		"\"l\":[ ],\"big\":\"12345678901234567890\",\"f\":1.5e3,\"t\":true,"
		"\"z\":null,\"n\":13} \r";
	const struct rec_field *f;
	struct rec r;
	int64_t n = 5;
	uint64_t u;

	(void)state;
	assert_null(parse(line, &r));
	assert_true(text_is(r.kind, "event"));
	assert_true(text_is(r.line, line));
	assert_int_equal(r.nfield, 11);
	assert_int_equal(rec_int(&r, "n", &n), 0);
	assert_int_equal(n, 13);
	assert_true(text_is(rec_text(&r, "s"), "plain"));
	assert_true(rec_text(&r, "s").s > line && rec_text(&r, "s").s < line + sizeof(line));
	assert_true(text_eq(rec_text(&r, "key"), (struct text){ "a\"b\0c", 5 }));
	assert_true(text_is(rec_get(&r, "o")->value, "{\"a\": [1, {}]}"));
	assert_int_equal(rec_get(&r, "o")->type, REC_OBJ);
	assert_true(text_is(rec_get(&r, "l")->value, "[ ]"));
	assert_int_equal(rec_int(&r, "big", &n), -1);
	assert_int_equal(n, 13);
	assert_int_equal(rec_u64(&r, "big", &u), 0);
	assert_true(u == UINT64_C(12345678901234567890));
	f = rec_get(&r, "f");
	assert_int_equal(f->type, REC_NUM);
	assert_true(text_is(f->value, "1.5e3"));
	assert_int_equal(rec_int(&r, "f", &n), -1);
	assert_true(rec_true(&r, "t"));
	assert_false(rec_true(&r, "z"));
	assert_int_equal(rec_get(&r, "z")->type, REC_NULL);
	assert_null(rec_get(&r, "absent"));
	assert_null(rec_text(&r, "n").s);
}

/* After each refusal the parser must take the next line as if nothing was. */
static void test_refused(void **state)
{
	static const char *const bad[] = {
		"", "   ", "[]", "12", "\"s\"", "null", "tru", "{", "{\"a\":1", "{\"a\"}",
		"{\"a\":1}{\"a\":2}", "{\"a\":1} x", "{\"a\":1} {", "{\"a\":nan}",
		"{\"a\":\"\x01\"}", "{\"a\":\"\xff\"}", "{\"a\":\"\xc0\x80\"}",
		"{\"a\":\"\xed\xa0\x80\"}", "\xef\xbb\xbf{}", "{a:1}", "{\"a\":1,}",
		"{\"a\":[1,2}", "{\"a\":\"x\n", "{\"a\":01}", "{\"a\":\"\\x\"}",
		"{\"a\":tru", "{\"a\":1}]", "/* c */ {}",
	};
	struct rec r;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		if (!parse(bad[i], &r))
			fail_msg("taken: %s", bad[i]);
		assert_null(parse("{\"kind\":\"x\"}", &r));
		assert_true(text_is(r.kind, "x"));
	}
	assert_null(parse("{}", &r));
	assert_int_equal(r.nfield, 0);
	assert_true(text_is(r.kind, ""));
	assert_null(parse("{\"kind\":3}", &r));
	assert_true(text_is(r.kind, ""));
}

static char *nested(size_t depth)
{
	char *s = xmalloc(2 * depth + 16), *p = s;
	size_t i;

	memcpy(p, "{\"a\":", 5);
	p += 5;
	for (i = 1; i < depth; i++)
		*p++ = '[';
	for (i = 1; i < depth; i++)
		*p++ = ']';
	*p++ = '}';
	*p = '\0';
	return s;
}

static void test_limits(void **state)
{
	struct buf b = BUF_INIT;
	struct rec r;
	char *s;
	int i, n;

	(void)state;
	s = nested(REC_DEPTH_MAX);
	assert_null(parse(s, &r));
	free(s);
	s = nested(REC_DEPTH_MAX + 1);
	assert_string_equal(parse(s, &r), "nested too deep");
	free(s);
	s = nested(1000000);
	assert_string_equal(parse(s, &r), "nested too deep");
	free(s);
	for (n = REC_KEYS_MAX; n <= REC_KEYS_MAX + 1; n++) {
		buf_reset(&b);
		for (i = 0; i < n; i++)
			buf_addf(&b, "%c\"\\u006b%d\":%d", i ? ',' : '{', i, i);
		buf_addc(&b, '}');
		if (n == REC_KEYS_MAX)
			assert_null(parse(b.data, &r));
		else
			assert_string_equal(parse(b.data, &r), "too many keys");
	}
	buf_reset(&b);
	buf_adds(&b, "{\"a\":\"");
	buf_room(&b, REC_LINE_MAX);
	memset(b.data + b.len, 'x', REC_LINE_MAX);
	b.len = REC_LINE_MAX - 2;
	buf_adds(&b, "\"}");
	assert_null(parse(b.data, &r));
	b.len = REC_LINE_MAX - 2;
	buf_adds(&b, "x\"}");
	assert_string_equal(parse(b.data, &r), "line too long");
	buf_release(&b);
}

static int collect(void *arg, struct text key, enum rec_type type, struct text value)
{
	buf_addf(arg, "%.*s:%d:%.*s;", (int)key.n, key.s, (int)type,
		(int)value.n, value.s);
	return 0;
}

static int refuse(void *arg, struct text key, enum rec_type type, struct text value)
{
	(void)key, (void)type, (void)value;
	return ++*(int *)arg == 2 ? -1 : 0;
}

static void test_each(void **state)
{
	struct buf b = BUF_INIT;
	int calls = 0;

	(void)state;
	assert_int_equal(rec_each(TEXT("[1,\"x\\ty\",{\"a\":[2]},null]"), collect, &b), 0);
	assert_string_equal(b.data, ":2:1;:3:x\ty;:4:{\"a\":[2]};:0:null;");
	buf_reset(&b);
	assert_int_equal(rec_each(TEXT("{\"a\\u0062\":\"\\u0063d\",\"e\":true}"), collect, &b), 0);
	assert_string_equal(b.data, "ab:3:cd;e:1:true;");
	assert_int_equal(rec_each(TEXT("12"), collect, &b), -1);
	assert_int_equal(rec_each(TEXT("[1"), collect, &b), -1);
	assert_int_equal(rec_each(TEXT("[1,2,3]"), refuse, &calls), -1);
	assert_int_equal(calls, 2);
	buf_release(&b);
}

static void test_compact(void **state)
{
	struct buf b = BUF_INIT, c = BUF_INIT;
	char *s;

	(void)state;
	buf_adds(&b, "x");
	assert_int_equal(rec_compact(&b, TEXT("{ \"a\" :\n [1.50, -0,\t12345678901234567890 ],"
		"\r\n\"b\\u0041\":\"\\u00e9\xff\\/\" , \"a\":null,\"e\":{}}\n")), 0);
	assert_string_equal(b.data, "x{\"a\":[1.50,-0,12345678901234567890],"
		"\"bA\":\"\xc3\xa9\xef\xbf\xbd/\",\"a\":null,\"e\":{}}");
	assert_int_equal(rec_compact(&c, (struct text){ b.data + 1, b.len - 1 }), 0);
	assert_string_equal(c.data, b.data + 1);
	buf_reset(&b);
	buf_adds(&b, "x");
	assert_int_equal(rec_compact(&b, TEXT("{\"a\":1")), -1);
	assert_int_equal(rec_compact(&b, TEXT("{\"a\":nan}")), -1);
	assert_int_equal(rec_compact(&b, TEXT("{} {}")), -1);
	assert_int_equal(rec_compact(&b, TEXT("")), -1);
	s = nested(100);
	assert_int_equal(rec_compact(&b, text_of(s)), -1);
	free(s);
	assert_string_equal(b.data, "x");
	buf_release(&b);
	buf_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_compact),
	};
	return cmocka_run_group_tests(tests, open_parser, close_parser);
}
