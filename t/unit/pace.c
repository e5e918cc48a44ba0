#include "unit.h"

#include <stdlib.h>

#include "mem.h"
#include "pace.h"

#define MS 1000000LL

static void test_median(void **state)
{
	int64_t odd[] = { 5, 1, 3 }, even[] = { 4, 1, 2, 9 };

	(void)state;
	assert_int_equal(median_ns(odd, 3), 3);
	assert_int_equal(median_ns(even, 4), 3);
	assert_int_equal(median_ns(NULL, 0), NO_INT);
}

static int64_t *steps(size_t n)
{
	int64_t *took = xcalloc(n, sizeof *took);

	for (size_t i = 0; i < n; i++) /* a plain run's jitter */
		took[i] = 30 * MS + (int64_t)(i * 7 % 11) * 50000;
	return took;
}

/* Evaluation every 10, a checkpoint on every second of them; the first quarter
 * of the run is another regime. */
static void test_two_beats(void **state)
{
	int64_t *took = steps(200);
	struct beat b[BEATS_MAX];

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		if (i < 50)
			took[i] -= 12 * MS;
		if (i % 10 == 9)
			took[i] += 140 * MS;
		if (i % 20 == 19)
			took[i] += 350 * MS;
	}
	assert_int_equal(pace_beats(took, 200, b), 2);
	assert_int_equal(b[0].every, 10);
	assert_int_equal(b[0].first, 9);
	assert_int_equal(b[0].count, 20);
	assert_in_range(b[0].each_ns, 139 * MS, 141 * MS);
	assert_int_equal(b[1].every, 20);
	assert_int_equal(b[1].first, 19);
	assert_int_equal(b[1].count, 10);
	assert_in_range(b[1].each_ns, 349 * MS, 352 * MS);
	free(took);
}

static void test_no_beat(void **state)
{
	int64_t *took = steps(120);
	struct beat b[BEATS_MAX];

	(void)state;
	assert_int_equal(pace_beats(took, 120, b), 0);
	/* long steps that keep no beat */
	for (size_t i = 3; i < 120; i = i * 2 + 1)
		took[i] += 90 * MS;
	assert_int_equal(pace_beats(took, 120, b), 0);
	assert_int_equal(pace_beats(NULL, 0, b), 0);
	free(took);
}

static double draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (double)(*seed >> 8) / (1 << 24);
}

/* A checkpoint every 20 among steps of 20 to 36 ms; the first step is start-up. */
static void test_beat_among_jitter(void **state)
{
	int64_t took[200];
	struct beat b[BEATS_MAX];
	uint32_t seed = 5;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		took[i] = (int64_t)((20 + 16 * draw(&seed)) * MS) + (i % 20 ? 0 : 800 * MS);
	assert_int_equal(pace_beats(took, 200, b), 1);
	assert_int_equal(b[0].every, 20);
	assert_int_equal(b[0].first, 20);
	assert_int_equal(b[0].count, 9);
	assert_in_range(b[0].each_ns, 785 * MS, 816 * MS);
}

/* Steps drawn at random keep no beat but by chance, whatever the shape of what they
 * are drawn from. */
static int64_t step_drawn(int shape, uint32_t *seed)
{
	double x = draw(seed);

	switch (shape) {
	case 0: return (int64_t)((20 + 16 * x) * MS);
	case 1: return x < 0.15 ? 45 * MS : 30 * MS;
	case 2: return x < 0.05 ? 180 * MS : x < 0.5 ? 36 * MS : 30 * MS;
	default: return (int64_t)(MS * 30 / (1 - x + 1e-6)); /* most short, a few very long */
	}
}

static void test_chance(void **state)
{
	int64_t took[310];
	struct beat b[BEATS_MAX];

	(void)state;
	for (int shape = 0; shape < 4; shape++)
		for (size_t n = 30; n <= 310; n = n * 3 + 10) {
			int found = 0;

			for (uint32_t seed = 1; seed <= 200; seed++) {
				uint32_t at = seed * 2654435761u;

				for (size_t i = 0; i < n; i++)
					took[i] = step_drawn(shape, &at);
				found += pace_beats(took, n, b) > 0;
			}
			if (found > 200 * 8 / 100)
				fail_msg("shape %d, %zu steps: a beat in %d of 200 runs", shape,
					n, found);
		}
}

/* What the steps of a device that takes 100 ms each took. */
static bool take(int64_t *wall, int64_t *device, size_t n, int64_t *took)
{
	bool ahead = pace_take(wall, device, n, took);

	for (size_t i = 0; ahead && i < n; i++)
		assert_int_equal(took[i], 100 * MS);
	for (size_t i = 0; !ahead && i < n; i++)
		assert_int_equal(took[i], wall[i]);
	return ahead;
}

/* Steps are queued in a fraction of the time that they take, until one waits for all. */
static void test_runs_ahead(void **state)
{
	int64_t wall[60], device[60], took[60];
	struct beat b[BEATS_MAX];

	(void)state;
	for (size_t n = 9; n <= 60; n++)
		for (int64_t every = 2; every <= 10; every++)
			for (int64_t short_ms = 2; short_ms <= 82; short_ms += 40) {
				for (size_t i = 0; i < n; i++) {
					wall[i] = (int64_t)(i + 1) % every ? short_ms * MS :
						(every * 100 - (every - 1) * short_ms) * MS;
					device[i] = 100 * MS;
				}
				if (every > (int64_t)n / 2)
					continue;
				assert_true(take(wall, device, n, took));
				assert_int_equal(pace_beats(took, n, b), 0);
			}
}

/* The first has no event before it, some are dropped: one of these has the wait. */
static void test_device_unknown(void **state)
{
	int64_t wall[41], device[41], took[41];

	(void)state;
	for (size_t i = 0; i < 41; i++) {
		wall[i] = i == 0 ? 100 * MS : i % 10 ? 2 * MS : 982 * MS;
		device[i] = i % 10 ? 100 * MS : NO_INT;
	}
	assert_true(take(wall, device, 41, took));
	for (size_t i = 0; i < 41; i++)
		device[i] = i > 1 && i % 3 == 1 ? NO_INT : 100 * MS;
	assert_true(take(wall, device, 41, took));
	device[3] = NO_INT;
	assert_false(take(wall, device, 41, took)); /* under two thirds */
	wall[0] = 5000 * MS; /* start-up is the first step's own */
	for (size_t i = 0; i < 41; i++)
		device[i] = i ? 100 * MS : 3;
	assert_true(pace_take(wall, device, 41, took));
	assert_int_equal(took[0], 5000 * MS);
	assert_int_equal(took[1], 100 * MS);
	for (size_t i = 5; i < 25; i++) { /* numbers that no step has */
		wall[i] = 0;
		device[i] = NO_INT;
	}
	assert_true(pace_take(wall, device, 41, took));
	assert_int_equal(took[5], 0);
	assert_int_equal(took[4], 100 * MS);
}

static void test_runs_along(void **state)
{
	int64_t wall[40], device[40], took[40];

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		wall[i] = 100 * MS + (int64_t)(i * 7 % 11) * MS;
		device[i] = wall[i] + (i % 2 ? MS : -MS);
	}
	assert_false(take(wall, device, 40, took));
	for (size_t i = 0; i < 40; i++)
		device[i] = 20 * MS; /* work alone, not from step to step */
	assert_false(take(wall, device, 40, took));
	assert_false(pace_take(NULL, NULL, 0, NULL)); /* a stream of no steps */
	assert_false(pace_take(wall, wall, 1, took));
	assert_int_equal(took[0], wall[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_two_beats),
		cmocka_unit_test(test_no_beat),
		cmocka_unit_test(test_beat_among_jitter),
		cmocka_unit_test(test_chance),
		cmocka_unit_test(test_runs_ahead),
		cmocka_unit_test(test_device_unknown),
		cmocka_unit_test(test_runs_along),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
