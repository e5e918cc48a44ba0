/* pack.c - records of all sizes and kinds, packed and read back through windows. */
#include "unit.h"
#include "mem.h"
#include "pack.h"
#include "say.h"
#include "scratch.h"

#include <unistd.h>

#define RECORDS 600u

enum shape { SAME, NEAR, ANY, ENDS, SHAPES };

static int64_t word_of(enum shape shape, size_t record, size_t word, uint64_t *seed)
{
	static const int64_t end[] = { INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1 };
	uint64_t x = dice(seed);

	switch (shape) {
	case SAME: return (int64_t)word * 1000;
	case NEAR: return (int64_t)(1000000 * word + 300 * record + x % 100);
	case ENDS: return end[x % ARRAY_LEN(end)];
	default: return (int64_t)(x >> (dice(seed) % 64));
	}
}

static int64_t *records_make(enum shape shape, size_t words)
{
	int64_t *v = xreallocarray(NULL, RECORDS * words, sizeof *v);
	uint64_t seed = 7 + words;

	for (size_t i = 0; i < RECORDS * words; i++)
		v[i] = word_of(shape, i / words, i % words, &seed);
	return v;
}

static int file_open(void)
{
	int fd = scratch_open("/tmp");

	assert_true(fd >= 0);
	return fd;
}

/* Its length; the file begins with 5 bytes that are no record's. */
static int64_t file_make(int fd, const int64_t *v, size_t size)
{
	unsigned char *to = xmalloc(PACK_ROOM(size));
	char *before = xcalloc(1, size);
	int64_t at = 5;

	for (size_t i = 0; i < RECORDS; i++) {
		const char *item = (const char *)v + i * size;
		size_t n = pack_put(to, before, item, size);

		assert_true(n <= PACK_ROOM(size) - 8);
		assert_memory_equal(before, item, size);
		assert_int_equal(scratch_write(fd, "/tmp", to, n, at), 0);
		at += (int64_t)n;
	}
	free(before);
	free(to);
	return at;
}

static void file_check(int fd, int64_t end, const int64_t *v, size_t size, size_t window)
{
	struct unpack u;

	unpack_begin(&u, fd, "/tmp", 5, end, size, window);
	for (size_t i = 0; i < RECORDS; i++) {
		assert_int_equal(unpack_next(&u), 0);
		assert_memory_equal(u.item, (const char *)v + i * size, size);
	}
	assert_true(u.at == end && u.next == u.have); /* there is no more */
	unpack_release(&u);
}

static void comes_back(void **state)
{
	static const size_t window[] = { 1, 200, 1000, 1 << 20 };

	(void)state;
	for (size_t words = 1; words <= 17; words++)
		for (int shape = 0; shape < SHAPES; shape++) {
			int64_t *v = records_make((enum shape)shape, words);
			int fd = file_open();
			int64_t end = file_make(fd, v, 8 * words);

			for (size_t w = 0; w < ARRAY_LEN(window); w++)
				file_check(fd, end, v, 8 * words, window[w]);
			close(fd);
			free(v);
		}
}

/* What it is for: neighbours that resemble each other take little. */
static void neighbours_are_short(void **state)
{
	static const size_t most[SHAPES] = { [SAME] = 4, [NEAR] = 4 + 8 * 2 };

	(void)state;
	for (int shape = SAME; shape <= NEAR; shape++) {
		int64_t *v = records_make((enum shape)shape, 8);
		int fd = file_open();

		assert_true(file_make(fd, v, 64) - 5 <= (int64_t)(RECORDS * most[shape]) + 64);
		close(fd);
		free(v);
	}
}

static void short_file_is_said(void **state)
{
	int64_t *v = records_make(ANY, 4);
	int fd = file_open();
	int64_t end = file_make(fd, v, 32);
	struct unpack u;
	int rc = 0;

	(void)state;
	assert_int_equal(ftruncate(fd, end / 2), 0);
	unpack_begin(&u, fd, "/tmp", 5, end, 32, 1000);
	for (size_t i = 0; i < RECORDS && rc == 0; i++)
		rc = unpack_next(&u);
	assert_int_equal(rc, -1);
	unpack_release(&u);
	close(fd);
	free(v);
}

/* Bytes that nobody wrote: each record ends in the file, or is said not to. */
static void other_bytes_are_said(void **state)
{
	int fd = file_open();
	struct unpack u;
	unsigned char ff[4096];

	(void)state;
	memset(ff, 0xff, sizeof ff);
	assert_int_equal(pwrite(fd, ff, sizeof ff, 0), sizeof ff);
	unpack_begin(&u, fd, "/tmp", 0, sizeof ff, 136, 200);
	/* 17 words of 8 bytes and 9 bytes of lengths: 28 fit, and a part */
	for (int i = 0; i < 28; i++)
		assert_int_equal(unpack_next(&u), 0);
	assert_int_equal(unpack_next(&u), -1);
	unpack_release(&u);
	unpack_begin(&u, fd, "/tmp", 0, 2 * 145, 136, 4096);
	assert_int_equal(unpack_next(&u), 0);
	assert_int_equal(unpack_next(&u), 0);
	assert_int_equal(unpack_next(&u), -1); /* none behind the last */
	unpack_release(&u);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(neighbours_are_short),
		cmocka_unit_test(short_file_is_said),
		cmocka_unit_test(other_bytes_are_said),
	};

	say_init(argc ? argv[0] : NULL);
	say_verbosity = -1;
	return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
