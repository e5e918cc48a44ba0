/* The stream module.  With words behind its name this program is a filter for
 * the black-box tests (t/1*.t):
 *	stream make N [-j|-z]           a stream of N records
 *	stream relay [-j|-z] [FILE]     pass all on, record kind "drop" excepted
 *	stream read [FILE]              the kinds that came, one a line
 */
#include "unit.h"

#include <unistd.h>

#include "mem.h"
#include "num.h"
#include "say.h"
#include "stream.h"

#define HEAD "{\"kind\":\"head\",\"tp\":1,\"epoch_ns\":\"1790857026000000001\"}\n"
#define END(n) "{\"kind\":\"end\",\"records\":" #n ",\"dropped\":0,\"complete\":true}\n"
#define ONE "{\"kind\":\"x\",\"n\":1}\n"

/* What a text reads as: kinds by their first letter, then the status. */
struct read_back {
	char kinds[256];
	size_t n;
	int status;           /* -1: stream_next failed */
	bool cut;             /* at the end */
	int64_t epoch_ns;
};

static struct stream *text_open(const void *p, size_t n)
{
	struct in *in = in_memory("text", p, n);

	assert_non_null(in);
	return stream_adopt(in, NULL, 0);
}

static struct read_back text_read(const void *p, size_t n)
{
	struct stream *s = text_open(p, n);
	struct read_back got = { .n = 0 };
	struct rec r;
	int more;

	while ((more = stream_next(s, &r)) > 0)
		if (got.n < sizeof(got.kinds) - 1)
			got.kinds[got.n++] = r.kind.n ? r.kind.s[0] : '-';
	if (more == 0)
		more = stream_next(s, &r); /* the end stays the end */
	got.cut = stream_cut(s);
	got.epoch_ns = stream_epoch_ns(s);
	got.status = stream_close(s);
	if (more < 0)
		got.status = -1;
	return got;
}

static void reads_as(const char *text, const char *kinds, int status)
{
	struct read_back got = text_read(text, strlen(text));

	if (strcmp(got.kinds, kinds) != 0 || got.status != status)
		fail_msg("%s: '%s' %d, want '%s' %d", text, got.kinds, got.status,
			kinds, status);
}

static void test_whole(void **state)
{
	(void)state;
	reads_as(HEAD ONE ONE END(2), "hxxe", 0);
	reads_as(HEAD END(0), "he", 0);
	reads_as(HEAD ONE END(1) HEAD END(0), "hxehe", 0);
	assert_true(text_read(HEAD END(0), strlen(HEAD END(0))).epoch_ns ==
		INT64_C(1790857026000000001));
	/* a last line without newline, CR LF, blank lines, a mark, unknown keys */
	reads_as("{\"kind\":\"head\",\"tp\":\"1.7\",\"new\":{}}\r\n\r\n  \n" ONE
		"{\"kind\":\"end\",\"records\":1}", "hxe", 0);
	reads_as("\xef\xbb\xbf" HEAD ONE END(1) "\xef\xbb\xbf" HEAD END(0), "hxehe", 0);
	/* no head at all, but an end that agrees */
	reads_as(ONE END(1), "xe", 0);
}

static void test_cut(void **state)
{
	(void)state;
	reads_as("", "", 3);
	reads_as("\n", "", 3);
	reads_as(HEAD, "h", 3);
	reads_as(HEAD ONE, "hx", 3);
	reads_as(ONE, "x", 3);
	reads_as(HEAD ONE HEAD END(0), "hxhe", 3);
	reads_as(HEAD END(0) ONE, "hex", 3);
	reads_as(HEAD END(0) "{\"ki", "he", 3);
	reads_as(HEAD ONE END(2), "hxe", 3);
	reads_as(HEAD ONE ONE END(1), "hxxe", 3);
	reads_as(HEAD "{\"kind\":\"end\"}\n", "he", 3);
	reads_as(HEAD "{\"kind\":\"end\",\"records\":0,\"complete\":false}\n", "he", 3);
	assert_false(text_read(HEAD ONE HEAD END(0), strlen(HEAD ONE HEAD END(0))).cut);
	assert_true(text_read(HEAD ONE, strlen(HEAD ONE)).cut);
}

static void test_bad_lines(void **state)
{
	(void)state;
	reads_as(HEAD ONE "nonsense\n" END(1), "hxe", 3);
	reads_as(HEAD ONE "{\"kind\":\"x\"\n" ONE END(3), "hxxe", 3);
	reads_as("{}\n[]\n" HEAD END(0), "-he", 3);
	reads_as(HEAD "{\"a\":\"\xff\"}\n" END(0), "he", 3);
	/* the bad one may have been the head: times mean nothing */
	reads_as(HEAD END(0) "{\"kind\":\"head\",\"epoch_ns\":\n" ONE END(1), "hexe", 3);
	assert_true(text_read("{\n" ONE END(1), strlen("{\n" ONE END(1))).cut);
	/* of another time: the whole is refused */
	reads_as("{\"kind\":\"head\",\"tp\":2}\n" ONE, "", -1);
	reads_as("{\"kind\":\"head\",\"tp\":\"10.1\"}\n" ONE, "", -1);
	reads_as("{\"kind\":\"head\"}\n" ONE, "", -1);
	reads_as("{\"kind\":\"head\",\"tp\":1,\"epoch_ns\":1.5}\n" ONE, "", -1);
	reads_as(HEAD ONE END(1) "{\"kind\":\"head\",\"tp\":3}\n", "hxe", -1);
}

static void test_reject(void **state)
{
	const char *text = HEAD ONE ONE END(2);
	struct stream *s = text_open(text, strlen(text));
	struct rec r;

	(void)state;
	while (stream_next(s, &r) > 0)
		if (text_is(r.kind, "x"))
			stream_reject(s, "no use");
	assert_true(stream_cut(s));
	assert_int_equal(stream_close(s), ST_PARTIAL);
}

/* Around the limit, and a line far above it: skipped, with what is behind. */
static void test_long_lines(void **state)
{
	static const size_t extra[] = { 0, 1, 7, 20, 100000, 20u << 20 };
	struct buf b = BUF_INIT;
	struct read_back got;
	size_t i, pad;

	(void)state;
	for (i = 0; i < ARRAY_LEN(extra); i++) {
		buf_reset(&b);
		buf_adds(&b, HEAD "{\"kind\":\"long\",\"a\":\"");
		pad = REC_LINE_MAX + extra[i] - strlen("{\"kind\":\"long\",\"a\":\"\"}");
		buf_room(&b, pad);
		memset(b.data + b.len, 'x', pad);
		b.len += pad;
		buf_adds(&b, "\"}\r\n" ONE END(2));
		got = text_read(b.data, b.len);
		assert_string_equal(got.kinds, extra[i] ? "hxe" : "hlxe");
		assert_int_equal(got.status, extra[i] ? 3 : 0);
	}
	buf_release(&b);
}

/* --- writing ---------------------------------------------------------------- */

static void make(struct stream_writer *w, int64_t records)
{
	int64_t i;

	if (stream_head(w, INT64_C(1790857026000000000), (struct text){ NULL, 0 }, NULL) < 0)
		die("head");
	for (i = 0; i < records; i++) {
		jw_kint(stream_begin(w, "x"), "n", i);
		if (stream_put(w) < 0)
			die("put");
	}
	if (stream_end(w, true, -1) < 0)
		die("end");
}

/* The bytes of a stream of n records. */
static struct buf made(int64_t n, enum face face)
{
	FILE *f = tmpfile();
	struct stream_writer w;
	struct buf b = BUF_INIT;
	int fd = dup(fileno(f));
	ssize_t got;

	assert_int_equal(stream_writer_init(&w, fd, face), 0);
	make(&w, n);
	assert_int_equal(stream_writer_close(&w), 0);
	rewind(f);
	buf_room(&b, 1 << 20);
	got = pread(fileno(f), b.data, 1 << 20, 0);
	assert_true(got > 0);
	b.len = (size_t)got;
	fclose(f);
	return b;
}

static void test_written(void **state)
{
	struct buf b = made(1, FACE_JSON);
	struct stream *s = text_open(b.data, b.len);
	struct rec r;

	(void)state;
	assert_int_equal(stream_next(s, &r), 1);
	assert_true(text_is(r.kind, "head"));
	assert_true(text_is(stream_head_text(s, "program"), "stream"));
	assert_true(text_is(stream_head_text(s, "epoch_ns"), "1790857026000000000"));
	assert_true(stream_prov(s).n > 2);
	assert_int_equal(stream_next(s, &r), 1);
	assert_true(text_is(r.line, "{\"kind\":\"x\",\"n\":0}"));
	assert_int_equal(stream_next(s, &r), 1);
	assert_true(text_is(r.line,
		"{\"kind\":\"end\",\"records\":1,\"dropped\":0,\"complete\":true}"));
	assert_int_equal(stream_next(s, &r), 0);
	assert_int_equal(stream_close(s), 0);
	buf_release(&b);
}

/* The one promise of the end record: however much of a stream is lost, it does
 * not read as whole.  Only the last newline can go, since nothing is lost by it. */
static void test_cut_anywhere(void **state)
{
	static const enum face faces[] = { FACE_JSON, FACE_LZ4 };
	struct read_back got;
	struct buf b;
	size_t i, n, whole;

	(void)state;
	for (i = 0; i < ARRAY_LEN(faces); i++) {
		b = made(20, faces[i]);
		whole = faces[i] == FACE_JSON ? b.len - 1 : b.len;
		for (n = 0; n <= b.len; n++) {
			got = text_read(b.data, n);
			if (got.status != (n < whole ? ST_PARTIAL : ST_OK))
				fail_msg("cut at %zu of %zu: %d", n, b.len, got.status);
		}
		buf_release(&b);
	}
}

static void test_too_long_to_write(void **state)
{
	struct stream_writer w;
	FILE *f = tmpfile();
	struct buf b = BUF_INIT;
	static const char want[] = "{\"kind\":\"end\",\"records\":0,\"dropped\":1,"
		"\"complete\":true,\"job_status\":7}\n";
	char end[sizeof(want) + 8];

	(void)state;
	buf_room(&b, REC_LINE_MAX);
	memset(b.data, 'x', REC_LINE_MAX);
	b.len = REC_LINE_MAX;
	assert_int_equal(stream_writer_init(&w, dup(fileno(f)), FACE_JSON), 0);
	assert_int_equal(stream_head(&w, 0, (struct text){ NULL, 0 }, NULL), 0);
	jw_ktext(stream_begin(&w, "x"), "a", buf_text(&b));
	assert_int_equal(stream_put(&w), 0);
	assert_int_equal(w.records, 0);
	assert_int_equal(w.dropped, 1);
	assert_int_equal(stream_end(&w, true, 7), 0);
	assert_int_equal(stream_writer_close(&w), 0);
	assert_int_equal(fseek(f, 1 - (long)sizeof(want), SEEK_END), 0);
	assert_non_null(fgets(end, sizeof(end), f));
	assert_string_equal(end, want);
	fclose(f);
	buf_release(&b);
}

/* --- the filter ------------------------------------------------------------- */

static int run_relay(const char *path, enum face face, char **argv)
{
	struct stream *s = stream_open(path);
	struct stream_writer w;
	struct rec r;
	int more;

	if (!s || stream_writer_init(&w, 1, face) < 0)
		return ST_FAIL;
	stream_on_idle(s, stream_writer_flush, &w);
	while ((more = stream_next(s, &r)) > 0)
		if (!text_is(r.kind, "drop") && stream_relay(s, &w, &r, argv) < 0)
			return ST_FAIL;
	if (more < 0 || stream_relay(s, &w, NULL, argv) < 0 ||
	    stream_writer_close(&w) < 0)
		return ST_FAIL;
	return stream_close(s);
}

static int run_read(const char *path)
{
	struct stream *s = stream_open(path);
	struct rec r;
	int more, status;

	if (!s)
		return ST_FAIL;
	while ((more = stream_next(s, &r)) > 0)
		print_message("%.*s\n", (int)r.kind.n, r.kind.s);
	status = stream_close(s);
	return more < 0 ? ST_FAIL : status;
}

static int run_make(const char *count, enum face face)
{
	struct stream_writer w;
	int64_t n;

	if (num_int(text_of(count), 0, INT64_MAX, &n) < 0 ||
	    stream_writer_init(&w, 1, face) < 0)
		return ST_FAIL;
	make(&w, n);
	return stream_writer_close(&w) < 0 ? ST_FAIL : ST_OK;
}

static int filter(int argc, char **argv)
{
	enum face face = FACE_JSON;
	const char *word = "-";
	int i;

	for (i = 2; i < argc; i++) {
		if (strcmp(argv[i], "-z") == 0)
			face = FACE_LZ4;
		else if (strcmp(argv[i], "-j") != 0)
			word = argv[i];
	}
	if (strcmp(argv[1], "make") == 0)
		return run_make(word, face);
	if (strcmp(argv[1], "read") == 0)
		return run_read(word);
	return run_relay(word, face, argv);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_reject),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_too_long_to_write),
	};
	say_init(argv[0]);
	if (argc > 1)
		return filter(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
