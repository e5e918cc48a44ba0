/* What a step is bound by (lib/binds.h). */
#include "unit.h"

#include "binds.h"

static enum binds one(int64_t busy_ns, int64_t idle_ns, int64_t comm_ns, int64_t ahead_ns)
{
	struct binds_sum sum = { 0 };
	struct binds_device d = { busy_ns, idle_ns, comm_ns, busy_ns + idle_ns, ahead_ns, false };

	binds_add(&sum, &d);
	return binds_of(&sum);
}

static void test_one(void **state)
{
	(void)state;
	assert_int_equal(one(0, 0, 0, 0), BINDS_NOTHING);
	assert_int_equal(one(971, 29, 0, 0), BINDS_DEVICE);
	assert_int_equal(one(970, 30, 0, 0), BINDS_BOTH);
	assert_int_equal(one(600, 400, 0, 1001), BINDS_DEVICE);
	assert_int_equal(one(600, 400, 0, 1000), BINDS_BOTH);
	assert_int_equal(one(501, 499, 0, 0), BINDS_BOTH);
	assert_int_equal(one(500, 500, 0, 0), BINDS_IDLE);
	/* ahead of a device that idles: the launches are out of sight */
	assert_int_equal(one(100, 900, 0, 5000), BINDS_IDLE);
	assert_int_equal(one(990, 10, 500, 0), BINDS_COMM);
	assert_int_equal(one(990, 10, 499, 0), BINDS_DEVICE);
	assert_int_equal(one(INT64_MAX / 4, 0, INT64_MAX / 8 + 1, 0), BINDS_COMM);
}

static void test_several(void **state)
{
	struct binds_sum sum = { 0 };
	struct binds_device busy = { 990, 10, 0, 1000, 0, false };
	struct binds_device idle = { 100, 900, 0, 1000, 0, false };

	(void)state;
	binds_add(&sum, &busy);
	binds_add(&sum, &busy);
	binds_add(&sum, &idle);
	assert_int_equal(binds_of(&sum), BINDS_DEVICE);
	binds_add(&sum, &idle);
	assert_int_equal(binds_of(&sum), BINDS_BOTH);
	binds_add(&sum, &idle);
	assert_int_equal(binds_of(&sum), BINDS_IDLE);
}

static void test_plain(void **state)
{
	(void)state;
	/* 50 ms profiled, 30 plain, 10 busy: 40 ms of idle are 20 */
	assert_int_equal(ratio_of(40, ratio_plain(30, 50, 10)), 20);
	assert_int_equal(ratio_of(40, ratio_plain(60, 50, 10)), 40);
	assert_int_equal(ratio_of(40, ratio_plain(5, 50, 10)), 0);
	assert_int_equal(ratio_of(40, ratio_plain(5, 5, 10)), 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
