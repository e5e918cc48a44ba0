#include "unit.h"
#include "jw.h"
#include "rec.h"
#include "utf8.h"

static const char *fixed(struct buf *b, const char *s, size_t n)
{
	buf_reset(b);
	text_fix_utf8(b, (struct text){ s, n });
	return b->data ? b->data : "";
}

static void test_fix(void **state)
{
	static const struct { const char *in, *out; } v[] = {
		{ "plain", "plain" },
		{ "\xd0\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xd0\xbc\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "a\xf0\x9f\x92", "a\xef\xbf\xbd" },          /* cut off */
		{ "\xc3_", "\xef\xbf\xbd_" },
		{ "\xb9\xfe", "\xef\xbf\xbd\xef\xbf\xbd" },    /* cannot begin */
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },    /* overlong */
		{ "\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* surrogate */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};
	struct buf b = BUF_INIT, again = BUF_INIT;
	struct text in;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(v); i++) {
		in = (struct text){ v[i].in, strlen(v[i].in) };
		assert_string_equal(fixed(&b, in.s, in.n), v[i].out);
		assert_int_equal(utf8_valid(in), strcmp(v[i].in, v[i].out) == 0);
		assert_true(utf8_valid(buf_text(&b)));
		assert_string_equal(fixed(&again, b.data, b.len), b.data);
	}
	buf_release(&b);
	buf_release(&again);
}

static void test_show(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	text_show(&b, TEXT("\x1b[31mred\n\x7f \xe2\x80\xae" "evil\xc2\x9b \xd0\xbc\xff"));
	assert_string_equal(b.data,
		"\\x1b[31mred\\x0a\\x7f \\u202eevil\\u009b \xd0\xbc\xef\xbf\xbd");
	assert_int_equal(text_width(TEXT("a\xd0\xbc")), 2);
	assert_int_equal(text_width(TEXT("e\xcc\x81")), 1);
	assert_int_equal(text_width(TEXT("\xe6\xbc\xa2\xe5\xad\x97")), 4);
	buf_release(&b);
}

static void test_values(void **state)
{
	struct buf b = BUF_INIT;
	struct jw w;

	(void)state;
	jw_init(&w, &b);
	jw_open(&w, '{');
	jw_kstr(&w, "s", "a\"b\\c\n\t\x01\x7f");
	jw_kstr(&w, "none", NULL);
	jw_ktext(&w, "none", (struct text){ NULL, 0 });
	jw_ktext(&w, "nul", (struct text){ "x\0y", 3 });
	jw_kint(&w, "exact", INT64_C(9007199254740992));
	jw_kint(&w, "big", INT64_C(9007199254740993));
	jw_kint(&w, "least", INT64_MIN);
	jw_kint(&w, "minus", -7);
	jw_key(&w, "u");
	jw_u64(&w, UINT64_MAX);
	jw_kbool(&w, "yes", true);
	jw_kratio(&w, "r", 1, 3, 4);
	jw_key(&w, "a");
	jw_open(&w, '[');
	jw_int(&w, 0);
	jw_open(&w, '{');
	jw_close(&w, '}');
	jw_raw(&w, TEXT("[1]"));
	jw_close(&w, ']');
	jw_close(&w, '}');
	assert_string_equal(b.data, "{\"s\":\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\","
		"\"nul\":\"x\\u0000y\",\"exact\":9007199254740992,"
		"\"big\":\"9007199254740993\",\"least\":\"-9223372036854775808\","
		"\"minus\":-7,\"u\":\"18446744073709551615\",\"yes\":true,"
		"\"r\":0.3333,\"a\":[0,{},[1]]}");
	buf_release(&b);
}

/* What any bytes become on the way through a record is what text_fix_utf8
 * makes of them. */
static void test_text_and_back(void **state)
{
	struct rec_parser *p = rec_parser_new();
	struct buf line = BUF_INIT, want = BUF_INIT;
	char bytes[40];
	struct text t = { bytes, 0 };
	const char *why = NULL;
	struct rec r;
	struct jw w;
	size_t i;
	int round;
	uint64_t seed = 1;

	(void)state;
	for (round = 0; round < 20000; round++) {
		t.n = dice(&seed) % sizeof(bytes);
		for (i = 0; i < t.n; i++)
			bytes[i] = (char)(dice(&seed) % 3 ? (int)(dice(&seed) % 256) :
				"\xed\xa0\xf4\xe2\x80\xa8\"\\"[dice(&seed) % 8]);
		buf_reset(&line);
		jw_init(&w, &line);
		jw_open(&w, '{');
		jw_ktext(&w, "k", t);
		jw_close(&w, '}');
		assert_null(memchr(line.data, '\n', line.len));
		assert_int_equal(rec_parse(p, buf_text(&line), &r, &why), 0);
		buf_reset(&want);
		text_fix_utf8(&want, t);
		assert_true(text_eq(rec_text(&r, "k"), buf_text(&want)));
	}
	rec_parser_free(p);
	buf_release(&line);
	buf_release(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fix),
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_text_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
