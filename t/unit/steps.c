#include "unit.h"

#include <stdlib.h>

#include "mem.h"
#include "steps.h"

static struct marks marks_of(const int64_t (*v)[2], size_t n)
{
	struct marks m = { xcalloc(n + 1, sizeof *m.item), n, n + 1, 0 };
	size_t i;

	for (i = 0; i < n; i++)
		m.item[i] = (struct mark){ v[i][0], v[i][1], 1, (int64_t)i };
	return m;
}

static void release(struct load *l)
{
	free(l->profiler.item);
	free(l->regex.item);
	free(l->optimizer.item);
	free(l->steps.mark);
	free(l->steps.h);
}

static void test_order(void **state)
{
	const int64_t v[][2] = { { 300, 100 }, { 100, 90 }, { 200, 100 } };
	struct load l = { .first_ns = 0, .last_ns = 1000 };

	(void)state;
	l.profiler = marks_of(v, 3);
	l.regex = marks_of(v, 1);
	steps_choose(&l);
	assert_string_equal(l.steps.rule, "ProfilerStep");
	assert_int_equal(l.steps.n, 3);
	assert_int_equal(l.steps.mark[0].idx, 1);
	assert_int_equal(l.steps.h[0], 100);
	assert_int_equal(l.steps.h[2], 300);
	assert_int_equal(l.steps.h[3], 400);
	assert_int_equal(steps_at(&l.steps, 99), -1);
	assert_int_equal(steps_at(&l.steps, 100), 0);
	assert_int_equal(steps_at(&l.steps, 199), 0);
	assert_int_equal(steps_at(&l.steps, 399), 2);
	assert_int_equal(steps_at(&l.steps, 400), -1);
	release(&l);
}

/* An optimizer inside another ends within it: one step, not two. */
static void test_optimizer(void **state)
{
	const int64_t v[][2] = { { 100, 50 }, { 300, 60 }, { 310, 20 }, { 500, 50 } };
	struct load l = { .first_ns = 0, .last_ns = 1000 };

	(void)state;
	l.optimizer = marks_of(v, 4);
	steps_choose(&l);
	assert_string_equal(l.steps.rule, "Optimizer.step");
	assert_int_equal(l.steps.n, 2);
	assert_int_equal(l.steps.mark[0].ts, 150);
	assert_int_equal(l.steps.mark[0].dur, 210);
	assert_int_equal(l.steps.mark[1].ts, 360);
	assert_int_equal(l.steps.h[2], 550);
	release(&l);
}

static void test_whole(void **state)
{
	const int64_t v[][2] = { { 100, 50 } };
	struct load l = { .first_ns = 10, .last_ns = 1000 };
	struct load none = { .first_ns = NO_INT, .last_ns = NO_INT };

	(void)state;
	l.optimizer = marks_of(v, 1); /* one end bounds nothing */
	steps_choose(&l);
	assert_string_equal(l.steps.rule, "whole");
	assert_int_equal(l.steps.n, 1);
	assert_int_equal(l.steps.h[0], 10);
	assert_int_equal(l.steps.h[1], 1000);
	assert_int_equal(steps_at(&l.steps, 1000), 0);
	release(&l);
	steps_choose(&none);
	assert_int_equal(none.steps.n, 0);
	release(&none);
}

static void test_drain(void **state)
{
	const int64_t v[][2] = { { 100, 100 }, { 200, 100 }, { 300, 100 } };
	struct load l = { .first_ns = 0, .last_ns = 1000 };
	int64_t drain[4] = { NO_INT, NO_INT, NO_INT, NO_INT };

	(void)state;
	l.profiler = marks_of(v, 3);
	steps_choose(&l);
	steps_drain_add(&l.steps, drain, NO_INT, 90);  /* no call: before the window */
	steps_drain_add(&l.steps, drain, 150, 240);    /* runs past step 0's end */
	steps_drain_add(&l.steps, drain, 200, 260);    /* issued at h_1: of step 1 */
	steps_drain_add(&l.steps, drain, 290, 500);    /* past the next step's end too */
	steps_drain_add(&l.steps, drain, 400, 900);    /* issued behind the last step */
	steps_drain_end(&l.steps, drain);
	assert_int_equal(drain[0], 100);
	assert_int_equal(drain[1], 240);
	assert_int_equal(drain[2], 500);
	assert_int_equal(drain[3], 500);
	release(&l);
}

static void test_cover(void **state)
{
	const int64_t drain[] = { 100, 200, 300, 400 };
	int64_t cover[4] = { 0 }, sum[3], n = 0;
	size_t k;

	(void)state;
	steps_cover(drain, 3, cover, 50, 100);   /* ends where step 0 begins */
	steps_cover(drain, 3, cover, 150, 201);  /* steps 0 and 1 */
	steps_cover(drain, 3, cover, 400, 500);  /* begins where the last one ends */
	steps_cover(drain, 3, cover, 200, 200);  /* no length: still an op of step 1 */
	for (k = 0; k < 3; k++)
		sum[k] = n += cover[k];
	assert_int_equal(sum[0], 1);
	assert_int_equal(sum[1], 2);
	assert_int_equal(sum[2], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_optimizer),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
