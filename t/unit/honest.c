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
			.took_ns = 30 * MS + (int64_t)(i * 7 % 11) * 50000 };
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
			h.step[i].took_ns -= 12 * MS;
		if (h.step[i].step % 10 == 0)
			h.step[i].took_ns += 140 * MS;
		if (h.step[i].step % 20 == 0)
			h.step[i].took_ns += 350 * MS;
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
		h.step[i].took_ns += 90 * MS;
	assert_int_equal(honest_beats(&h, b), 0);
	h.nstep = 0;
	assert_int_equal(honest_beats(&h, b), 0);
	free(h.step);
}

/* A checkpoint every 20 among steps of 20 to 36 ms; the first step is start-up. */
static void test_beat_among_jitter(void **state)
{
	struct honest h = steps(200);
	struct beat b[BEATS_MAX];
	uint32_t seed = 5;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		seed = seed * 1664525u + 1013904223u;
		h.step[i].took_ns = 20 * MS + (int64_t)(seed >> 8) % (16 * MS);
		if (i % 20 == 0)
			h.step[i].took_ns += 800 * MS;
	}
	assert_int_equal(honest_beats(&h, b), 1);
	assert_int_equal(b[0].every, 20);
	assert_int_equal(b[0].first, 21);
	assert_int_equal(b[0].count, 9);
	assert_in_range(b[0].each_ns, 785 * MS, 816 * MS);
	/* jitter alone hits some beat or other four times in a row */
	for (size_t i = 0; i < 200; i++)
		h.step[i].took_ns -= i % 20 ? 0 : 800 * MS;
	assert_int_equal(honest_beats(&h, b), 0);
	/* by chance, one in seven is half as long again */
	for (size_t i = 0; i < 200; i++) {
		seed = seed * 1664525u + 1013904223u;
		h.step[i].took_ns = (seed >> 8) % 7 ? 30 * MS : 45 * MS;
	}
	assert_int_equal(honest_beats(&h, b), 0);
	free(h.step);
}

/* Ten steps are queued in the time of one, which then has the wait for all. */
static void test_runs_ahead(void **state)
{
	int64_t wall[40], device[40];

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		wall[i] = i % 10 ? 2 * MS : 982 * MS;
		device[i] = 100 * MS;
	}
	assert_true(runs_ahead(wall, device, 40));
	device[3] = device[4] = device[5] = device[6] = NO_INT;
	assert_true(runs_ahead(wall, device, 40));
	device[7] = NO_INT;
	assert_false(runs_ahead(wall, device, 40)); /* too little is known of it */
	for (size_t i = 0; i < 40; i++)
		wall[i] = device[i] = 100 * MS + (int64_t)i * 1000;
	assert_false(runs_ahead(wall, device, 40));
	assert_false(runs_ahead(NULL, NULL, 0)); /* a stream of no steps */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_two_beats),
		cmocka_unit_test(test_no_beat),
		cmocka_unit_test(test_beat_among_jitter),
		cmocka_unit_test(test_runs_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
