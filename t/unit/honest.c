#include "unit.h"

#include <stdlib.h>

#include "honest.h"
#include "mem.h"

#define MS 1000000LL

static void test_median(void **state)
{
	int64_t odd[] = { 5, 1, 3 }, even[] = { 4, 1, 2, 9 };

	(void)state;
	assert_int_equal(median_ns(odd, 3), 3);
	assert_int_equal(median_ns(even, 4), 3);
	assert_int_equal(median_ns(NULL, 0), NO_INT);
}

static struct honest steps(size_t n)
{
	struct honest h = { .nstep = n, .step = xcalloc(n, sizeof *h.step) };

	for (size_t i = 0; i < n; i++) /* a plain run's jitter */
		h.step[i] = (struct honest_step){ .step = (int64_t)i + 1,
			.wall_ns = 30 * MS + (int64_t)(i * 7 % 11) * 50000 };
	return h;
}

/* Evaluation every 10, a checkpoint on every second of them; the first quarter
 * of the run is another regime. */
static void test_two_beats(void **state)
{
	struct honest h = steps(200);
	struct beat b[BEATS_MAX];

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		if (i < 50)
			h.step[i].wall_ns -= 12 * MS;
		if (h.step[i].step % 10 == 0)
			h.step[i].wall_ns += 140 * MS;
		if (h.step[i].step % 20 == 0)
			h.step[i].wall_ns += 350 * MS;
	}
	assert_int_equal(honest_beats(&h, b), 2);
	assert_int_equal(b[0].every, 10);
	assert_int_equal(b[0].first, 10);
	assert_int_equal(b[0].count, 20);
	assert_in_range(b[0].each_ns, 139 * MS, 141 * MS);
	assert_int_equal(b[1].every, 20);
	assert_int_equal(b[1].first, 20);
	assert_int_equal(b[1].count, 10);
	assert_in_range(b[1].each_ns, 349 * MS, 352 * MS);
	free(h.step);
}

static void test_no_beat(void **state)
{
	struct honest h = steps(120);
	struct beat b[BEATS_MAX];

	(void)state;
	assert_int_equal(honest_beats(&h, b), 0);
	/* long steps that keep no beat */
	for (size_t i = 3; i < 120; i = i * 2 + 1)
		h.step[i].wall_ns += 90 * MS;
	assert_int_equal(honest_beats(&h, b), 0);
	h.nstep = 0;
	assert_int_equal(honest_beats(&h, b), 0);
	free(h.step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_two_beats),
		cmocka_unit_test(test_no_beat),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
