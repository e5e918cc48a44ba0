/* Bytes in and out: every face, every cut, every chop. */
#include "unit.h"
#include "buf.h"
#include "in.h"
#include "mem.h"
#include "out.h"
#include "say.h"

#define ZLIB_CONST
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

/* Lines that compress about as records do. */
static void text_make(struct buf *b, size_t n)
{
	uint64_t seed = 7;

	while (b->len < n)
		buf_addf(b, "{\"kind\":\"event\",\"start_ns\":%" PRIu64 "}\n",
			dice(&seed) % 1000000);
}

/* What out.c makes of the text, flushed after each `every` bytes. */
static void packed(struct buf *to, const struct buf *text, enum out_face face,
	size_t every)
{
	char name[] = "/tmp/tp-unit.XXXXXX";
	int fd = mkstemp(name), keep = dup(fd);
	struct out *o = out_open(fd, face);
	ssize_t got;

	assert_non_null(o);
	unlink(name);
	for (size_t at = 0; at < text->len; at += every) {
		assert_int_equal(out_write(o, text->data + at,
			MIN(every, text->len - at)), 0);
		assert_int_equal(out_flush(o), 0);
	}
	assert_int_equal(out_close(o), 0);
	lseek(keep, 0, SEEK_SET);
	do {
		buf_room(to, 65536);
		got = read(keep, to->data + to->len, 65536);
		assert_true(got >= 0);
		to->len += (size_t)got;
	} while (got > 0);
	close(keep);
}

static void gzip_member(struct buf *to, const char *s, size_t n)
{
	z_stream z = { .next_in = (const Bytef *)s, .avail_in = (uInt)n };
	size_t room = n + 1000;

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + 15, 8,
		Z_DEFAULT_STRATEGY), Z_OK);
	buf_room(to, room);
	z.next_out = (Bytef *)to->data + to->len;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->len += room - z.avail_out;
	deflateEnd(&z);
}

/* Reads all of in, `step` bytes a call. */
static void drain(struct in *in, struct buf *to, size_t step)
{
	ssize_t got;

	do {
		buf_room(to, step);
		got = in_read(in, to->data + to->len, step);
		assert_true(got >= 0);
		to->len += (size_t)got;
	} while (got > 0);
	assert_int_equal(in_offset(in), to->len);
}

static void check_whole(const struct buf *raw, const struct buf *text,
	enum in_face face, size_t step)
{
	struct in *in = in_memory("x", raw->data, raw->len);
	struct buf got = BUF_INIT;

	assert_non_null(in);
	assert_int_equal(in_face(in), face);
	drain(in, &got, step);
	assert_null(in_cut(in));
	assert_int_equal(got.len, text->len);
	assert_memory_equal(got.data, text->data, got.len);
	assert_int_equal(in_raw_offset(in), raw->len);
	in_close(in);
	buf_release(&got);
}

static void round_trip(void **state)
{
	static const size_t steps[] = { 1, 7, 4096, 1 << 20 };
	static const size_t flushes[] = { 61, 100000, 10000000 };
	struct buf text = BUF_INIT, raw = BUF_INIT;

	(void)state;
	text_make(&text, 5000000);
	for (size_t i = 0; i < ARRAY_LEN(flushes); i++) {
		buf_reset(&raw);
		packed(&raw, &text, OUT_PLAIN, flushes[i]);
		check_whole(&raw, &text, IN_PLAIN, steps[1 + i]);
		buf_reset(&raw);
		packed(&raw, &text, OUT_LZ4, flushes[i]);
		assert_true(raw.len * 2 < text.len); /* linked blocks */
		check_whole(&raw, &text, IN_LZ4, steps[i]);
	}
	buf_reset(&raw);
	gzip_member(&raw, text.data, 100);
	gzip_member(&raw, text.data + 100, text.len - 100);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		check_whole(&raw, &text, IN_GZIP, steps[i]);
	buf_add(&raw, "\0\0\0\0\0\0\0", 7); /* tar's habit */
	check_whole(&raw, &text, IN_GZIP, 4096);
	buf_release(&text);
	buf_release(&raw);
}

static void several_frames(void **state)
{
	static const char skip[] = "\x53\x2a\x4d\x18\x03\0\0\0abc";
	struct buf text = BUF_INIT, raw = BUF_INIT, all = BUF_INIT;

	(void)state;
	text_make(&text, 500);
	buf_add(&raw, skip, sizeof skip - 1);
	packed(&raw, &text, OUT_LZ4, 77);
	buf_add(&raw, skip, sizeof skip - 1);
	packed(&raw, &text, OUT_LZ4, 1000);
	buf_add(&all, text.data, text.len);
	buf_add(&all, text.data, text.len);
	check_whole(&raw, &all, IN_LZ4, 1);
	check_whole(&raw, &all, IN_LZ4, 10000);
	buf_release(&text);
	buf_release(&raw);
	buf_release(&all);
}

/* A stream cut at each byte: whole only at a seam, and what comes is right. */
static void check_cuts(const struct buf *raw, const struct buf *text, size_t seam)
{
	for (size_t n = 1; n <= raw->len; n++) {
		struct in *in = in_memory("x", raw->data, n);
		struct buf got = BUF_INIT;

		assert_non_null(in);
		drain(in, &got, 50);
		if ((in_cut(in) == NULL) != (n == seam || n == raw->len))
			fail_msg("cut at %zu of %zu: %s", n, raw->len,
				in_cut(in) ? in_cut(in) : "looks whole");
		assert_true(got.len <= text->len);
		assert_memory_equal(got.data, text->data, got.len);
		if (n == raw->len)
			assert_int_equal(got.len, text->len);
		else if (in_cut(in))
			assert_non_null(strstr(in_cut(in), " ends early at byte"));
		in_close(in);
		buf_release(&got);
	}
}

static void cut_at_each_byte(void **state)
{
	struct buf text = BUF_INIT, raw = BUF_INIT, twice = BUF_INIT;
	size_t seam;

	(void)state;
	text_make(&text, 300);
	buf_add(&twice, text.data, text.len);
	buf_add(&twice, text.data, text.len);
	packed(&raw, &text, OUT_LZ4, 77);
	seam = raw.len;
	packed(&raw, &text, OUT_LZ4, 300);
	check_cuts(&raw, &twice, seam);
	buf_reset(&raw);
	gzip_member(&raw, text.data, text.len);
	seam = raw.len;
	gzip_member(&raw, text.data, text.len);
	check_cuts(&raw, &twice, seam);
	buf_release(&text);
	buf_release(&raw);
	buf_release(&twice);
}

/* A flipped byte is found, and what stood before it comes out: all earlier
 * blocks of LZ4. */
static void damage(void **state)
{
	struct buf text = BUF_INIT, raw = BUF_INIT, got = BUF_INIT;
	enum in_face face;

	(void)state;
	text_make(&text, 1000000);
	for (face = IN_GZIP; face <= IN_LZ4; face++) {
		struct in *in;

		buf_reset(&raw);
		buf_reset(&got);
		if (face == IN_GZIP)
			gzip_member(&raw, text.data, text.len);
		else
			packed(&raw, &text, OUT_LZ4, 10000000);
		memset(raw.data + raw.len * 9 / 10, 0xff, 64);
		in = in_memory("x", raw.data, raw.len);
		assert_non_null(in);
		drain(in, &got, 300000);
		assert_non_null(in_cut(in));
		assert_true(got.len > 500000);
		assert_memory_equal(got.data, text.data, 500000);
		in_close(in);
	}
	buf_release(&text);
	buf_release(&raw);
	buf_release(&got);
}

static void garbage_behind(void **state)
{
	struct buf text = BUF_INIT, raw = BUF_INIT, got = BUF_INIT;

	(void)state;
	text_make(&text, 1000);
	for (int gzip = 0; gzip < 2; gzip++) {
		struct in *in;

		buf_reset(&raw);
		buf_reset(&got);
		if (gzip)
			gzip_member(&raw, text.data, text.len);
		else
			packed(&raw, &text, OUT_LZ4, 1000);
		buf_adds(&raw, "garbage!");
		in = in_memory("x", raw.data, raw.len);
		drain(in, &got, 64);
		assert_int_equal(got.len, text.len);
		assert_non_null(in_cut(in));
		assert_non_null(strstr(in_cut(in), "what follows"));
		in_close(in);
	}
	buf_release(&text);
	buf_release(&raw);
	buf_release(&got);
}

/* One byte a read(2): a socket that keeps messages apart, as stdin. */
static void one_byte_a_read(void **state)
{
	struct buf text = BUF_INIT, raw = BUF_INIT;
	int keep = dup(STDIN_FILENO);

	(void)state;
	text_make(&text, 2000);
	for (int kind = 0; kind < 3; kind++) {
		struct buf got = BUF_INIT;
		struct in *in;
		int pair[2];
		pid_t pid;

		buf_reset(&raw);
		if (kind == 2)
			gzip_member(&raw, text.data, text.len);
		else
			packed(&raw, &text, kind ? OUT_LZ4 : OUT_PLAIN, 100);
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
		pid = fork();
		if (pid == 0) {
			for (size_t i = 0; i < raw.len; i++)
				if (write(pair[1], raw.data + i, 1) != 1)
					_exit(1);
			_exit(0);
		}
		close(pair[1]);
		dup2(pair[0], STDIN_FILENO);
		close(pair[0]);
		in = in_open("-");
		assert_non_null(in);
		assert_string_equal(in_name(in), "stdin");
		assert_int_equal(in_raw_size(in), -1);
		drain(in, &got, 512);
		assert_null(in_cut(in));
		assert_int_equal(got.len, text.len);
		assert_memory_equal(got.data, text.data, got.len);
		in_close(in);
		buf_release(&got);
		waitpid(pid, NULL, 0);
	}
	dup2(keep, STDIN_FILENO);
	close(keep);
	buf_release(&text);
	buf_release(&raw);
}

/* The moment to flush: nothing at hand, also not inside the decoder. */
static void would_block(void **state)
{
	struct buf text = BUF_INIT, raw = BUF_INIT, got = BUF_INIT;
	int keep = dup(STDIN_FILENO), p[2];
	struct in *in;
	char c[4096];

	(void)state;
	text_make(&text, 1000);
	packed(&raw, &text, OUT_LZ4, 500); /* two flushed blocks */
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	dup2(p[0], STDIN_FILENO);
	assert_int_equal(write(p[1], raw.data, 30), 30); /* inside block one */
	in = in_open("-");
	assert_true(in_would_block(in));
	assert_true(in_would_block(in));
	assert_true(write(p[1], raw.data + 30, raw.len - 40) > 0);
	assert_false(in_would_block(in));
	assert_int_equal(in_read(in, c, 10), 10);
	assert_false(in_would_block(in)); /* decoded bytes at hand */
	buf_add(&got, c, 10);
	while (!in_would_block(in)) {
		ssize_t n = in_read(in, c, sizeof c);

		assert_true(n > 0);
		buf_add(&got, c, (size_t)n);
	}
	assert_memory_equal(got.data, text.data, got.len);
	close(p[1]);
	assert_false(in_would_block(in)); /* the end is news, too */
	assert_int_equal(in_read(in, c, 1), 0);
	assert_non_null(in_cut(in));
	in_close(in);
	close(p[0]);
	dup2(keep, STDIN_FILENO);
	close(keep);
	buf_release(&text);
	buf_release(&raw);
	buf_release(&got);
}

static void refused(void **state)
{
	static const char zstd[] = "\x28\xb5\x2f\xfd....";

	(void)state;
	assert_null(in_open("/"));
	assert_null(in_open("/nonexistent/file"));
	assert_null(in_memory("x", zstd, sizeof zstd));
	assert_null(in_memory("x", "PK\3\4....", 8));
	assert_null(in_memory("x", "BZh91AY", 7));
	assert_null(in_memory("x", "\xfd""7zXZ\0", 6));
}

static void full_device(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	text_make(&text, 3000000);
	for (int face = OUT_PLAIN; face <= OUT_LZ4; face++) {
		int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
		struct out *o = out_open(fd, (enum out_face)face);

		assert_int_equal(out_write(o, "x\n", 2), 0);
		assert_int_equal(out_flush(o), -1);
		assert_int_equal(out_write(o, "x\n", 2), -1);
		assert_int_equal(out_close(o), -1);
		fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
		o = out_open(fd, (enum out_face)face);
		assert_int_equal(out_write(o, text.data, text.len), -1);
		out_abort(o);
	}
	buf_release(&text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(several_frames),
		cmocka_unit_test(cut_at_each_byte),
		cmocka_unit_test(damage),
		cmocka_unit_test(garbage_behind),
		cmocka_unit_test(one_byte_a_read),
		cmocka_unit_test(would_block),
		cmocka_unit_test(refused),
		cmocka_unit_test(full_device),
	};

	say_init(argc ? argv[0] : NULL);
	return cmocka_run_group_tests_name("in", tests, NULL, NULL);
}
