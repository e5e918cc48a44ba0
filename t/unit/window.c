#include "unit.h"

#include "window.h"
#include "say.h"

#define MS INT64_C(1000000)

static struct series series;
static struct window window;
static uint64_t seed;

/* Within half a percent. */
static int64_t noisy(int64_t ns)
{
	return ns - ns / 200 + (int64_t)(dice(&seed) % (uint64_t)(ns / 100 + 1));
}

static int setup(void **state)
{
	(void)state;
	seed = 7;
	series_init(&series);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	window_release(&window);
	series_release(&series);
	return 0;
}

static void add(int64_t step, int64_t ms)
{
	assert_int_equal(series_add(&series, step, noisy(ms * MS), 0), 0);
}

static int choose(int64_t active)
{
	struct window_want want = { .active = active, .warmup = 2 };

	return window_choose(&series, &want, &window);
}

static void assert_clear_of(int64_t every, int64_t first)
{
	for (int64_t s = window.first_step; s < window.first_step + window.steps; s++)
		assert_true(s < first || (s - first) % every != 0);
}

static void too_few_steps(void **state)
{
	(void)state;
	for (int s = 1; s <= 4; s++)
		add(s, 100);
	assert_int_equal(choose(3), 1);
}

static void short_series_takes_the_usual(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	for (int s = 1; s <= 5; s++)
		add(s, 100);
	assert_int_equal(choose(3), 0);
	assert_int_equal(window.first_step, 3);
	assert_int_equal(window.steps, 3);
	window_reason(&window, &series, &b);
	assert_non_null(strstr(b.data, "too few"));
	buf_release(&b);
}

/* The first quarter short, evaluation every 10 steps, a checkpoint every 20. */
static void two_regimes_and_two_beats(void **state)
{
	(void)state;
	for (int s = 1; s <= 100; s++)
		add(s, (s <= 25 ? 20 : 60) + (s == 1 ? 900 : 0) +
			(s > 1 && s % 10 == 1 ? 140 : 0) +
			(s > 1 && s % 20 == 1 ? 350 : 0));
	assert_int_equal(choose(3), 0);
	assert_int_equal(window.nregime, 2);
	assert_in_range(window.regime[0].to, 24, 26);
	assert_true(window.first_step > 25);
	assert_int_equal(window.steps, 3);
	assert_clear_of(10, 11);
	assert_true(window.settled);
	assert_int_equal(window.sure, SURE_HIGH);
	assert_true(window.nbeat >= 2);
	assert_int_equal(window.beat[0].every, 10);
	assert_int_equal(window.beat[1].every, 20);
}

/* A job that the device holds back: after each evaluation its queue is empty, and
 * the host is through three steps before it has to wait again. */
static void run_ahead_hides_no_regime(void **state)
{
	(void)state;
	for (int s = 1; s <= 100; s++) {
		int since = (s - 1) % 10;

		add(s, since == 0 ? 180 : s <= 25 || since <= 3 ? 8 : 45);
	}
	assert_int_equal(choose(3), 0);
	assert_int_equal(window.nregime, 2);
	assert_true(window.regime[window.chosen].from >= 20);
	for (int64_t s = window.first_step; s < window.first_step + 3; s++)
		assert_in_range(series.wall_ns[s - 1], 44 * MS, 46 * MS);
}

static void start_up_is_no_regime(void **state)
{
	static const int64_t begin[] = { 9000, 400, 300, 150, 120 };

	(void)state;
	for (int s = 1; s <= 60; s++)
		add(s, s <= 5 ? begin[s - 1] : s == 37 ? 900 : s % 10 == 0 ? 350 : 100);
	assert_int_equal(choose(3), 0);
	assert_int_equal(window.startup, 5);
	assert_int_equal(window.nodd, 1);
	assert_int_equal(window.odd[0], 37);
	assert_true(window.first_step >= 7);
	assert_clear_of(10, 10);
}

static void pattern_is_covered_whole(void **state)
{
	(void)state;
	for (int s = 1; s <= 80; s++)
		add(s, s % 4 == 0 ? 200 : s % 4 == 1 ? 60 : 100);
	assert_int_equal(choose(3), 0);
	assert_int_equal(window.pattern, 4);
	assert_int_equal(window.steps, 4);
	assert_true(window.settled);
	assert_int_equal(choose(6), 0);
	assert_int_equal(window.steps, 8);
}

static void one_long_step_in_four_is_a_pattern(void **state)
{
	(void)state;
	for (int s = 1; s <= 80; s++)
		add(s, s % 4 == 0 ? 200 : 100);
	assert_int_equal(choose(3), 0);
	assert_int_equal(window.pattern, 4);
	assert_int_equal(window.steps, 4);
}

static void steps_that_compile_are_avoided(void **state)
{
	(void)state;
	for (int s = 1; s <= 30; s++)
		assert_int_equal(series_add(&series, s, noisy(100 * MS),
			s % 7 == 0 ? WALL_COMPILED : 0), 0);
	assert_int_equal(choose(3), 0);
	assert_true(window.settled);
	assert_clear_of(7, 7);
}

static void schedule_is_avoided(void **state)
{
	struct window_want want = { .active = 3, .warmup = 2 };

	(void)state;
	for (int s = 1; s <= 40; s++)
		add(s, 100);
	assert_int_equal(every_parse("5+2,20", want.schedule, SCHEDULE_MAX,
		&want.nschedule), 0);
	assert_int_equal(want.nschedule, 2);
	assert_int_equal(window_choose(&series, &want, &window), 0);
	assert_true(window.settled);
	assert_clear_of(5, 2);
}

static void schedule_refuses_nonsense(void **state)
{
	struct every e[2];
	size_t n;

	(void)state;
	assert_int_equal(every_parse("0", e, 2, &n), -1);
	assert_int_equal(every_parse("", e, 2, &n), -1);
	assert_int_equal(every_parse("5+", e, 2, &n), -1);
	assert_int_equal(every_parse("5,6,7", e, 2, &n), -1);
	assert_int_equal(every_parse("5,", e, 2, &n), -1);
}

static void longest_rank_counts(void **state)
{
	(void)state;
	assert_int_equal(series_add(&series, 1, 5, 0), 0);
	assert_int_equal(series_add(&series, 1, 9, 0), 0);
	assert_int_equal(series_add(&series, 1, 7, 0), 0);
	assert_int_equal(series.wall_ns[0], 9);
	assert_int_equal(series_add(&series, 0, 7, 0), -1);
	assert_int_equal(series_add(&series, INT64_MAX, 7, 0), -1);
	assert_int_equal(series_add(&series, 2, -7, 0), -1);
	assert_int_equal(series_add(&series, 2, INT64_MAX, 0), -1);
}

static void a_noisy_run_is_one_regime(void **state)
{
	(void)state;
	for (int s = 1; s <= 200; s++)
		add(s, 100 + (int64_t)(dice(&seed) % 30));
	assert_int_equal(choose(3), 0);
	assert_int_equal(window.nregime, 1);
	assert_true(window.settled);
}

/* The longest steps that are taken beside ordinary ones: no sum overflows. */
static void huge_walls_are_survived(void **state)
{
	(void)state;
	for (int s = 1; s <= 60; s++)
		assert_int_equal(series_add(&series, s, s % 5 ? MS : INT64_MAX / 1024, 0), 0);
	assert_int_equal(choose(3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(too_few_steps), T(short_series_takes_the_usual),
		T(two_regimes_and_two_beats), T(start_up_is_no_regime),
		T(run_ahead_hides_no_regime),
		T(pattern_is_covered_whole), T(one_long_step_in_four_is_a_pattern),
		T(steps_that_compile_are_avoided), T(schedule_is_avoided),
		T(schedule_refuses_nonsense), T(longest_rank_counts),
		T(a_noisy_run_is_one_regime), T(huge_walls_are_survived),
	};

	say_init("tp-unit");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
