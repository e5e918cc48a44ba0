/* Matching across ranks, with the truth known since we make the clocks. */
#include "unit.h"

#include "arrive.h"
#include "event.h"

enum { N = 40 };

/* Collectives come at uneven distances, since an even rhythm fits any shift.
 * Each lasts 900 ns for who comes on time, and ends on rank r r ns later. */
static int64_t begin_of(int i)
{
	return 1000 * i + i * i * 37 % 500;
}

static void job(struct arrive *a, size_t r, int64_t clock_ns, int64_t late_ns,
	int skip, bool numbered)
{
	for (int i = skip; i < N; i++) {
		struct arrive_item x = {
			.start_ns = begin_of(i) + late_ns + clock_ns,
			.end_ns = begin_of(i) + 900 + clock_ns + (int64_t)r,
			.class = 42, .seq = numbered ? i : NO_INT, .at = (size_t)i,
		};
		arrive_add(a, r, &x);
	}
}

static void one_host(void **state)
{
	(void)state;
	for (int numbered = 0; numbered < 2; numbered++) {
		struct arrive a;
		arrive_init(&a);
		for (int r = 0; r < 3; r++)
			arrive_rank(&a, r, "h");
		job(&a, 0, 0, 0, 0, numbered);
		job(&a, 1, 0, 500, 2, numbered); /* its window begins later */
		job(&a, 2, 0, 30, 0, numbered);
		arrive_match(&a);
		assert_int_equal(a.nset, N);
		for (size_t i = 0; i < a.nset; i++) {
			size_t first = a.rank[0].item[a.set[i].member[0]].at;
			for (size_t r = 1; r < 3; r++)
				if (a.set[i].member[r] != SIZE_MAX)
					assert_int_equal(a.rank[r].item[a.set[i].member[r]].at, first);
			assert_int_equal(a.set[i].by_seq, numbered);
		}
		assert_int_equal(a.rank[1].last, N - 2);
		assert_int_equal(a.rank[1].wait_ns, 0);
		assert_int_equal(a.rank[0].wait_ns, 500 * (N - 2) + 30 * 2);
		assert_int_equal(a.rank[1].late_ns, (500 + 470) * (N - 2));
		assert_int_equal(a.rank[0].wait_ns + a.rank[0].wire_ns, 900 * N);
		arrive_release(&a);
	}
}

static void two_hosts(void **state)
{
	(void)state;
	struct arrive a;
	arrive_init(&a);
	arrive_rank(&a, 0, "left");
	arrive_rank(&a, 1, "right");
	job(&a, 0, 0, 0, 0, false);
	job(&a, 1, 777000123, 250, 1, false);
	arrive_match(&a);
	assert_int_equal(a.nset, N - 1);
	assert_int_equal(a.rank[1].offset_ns, 777000124); /* ends one ns apart */
	assert_int_equal(a.rank[1].residual_ns, 0);
	assert_int_equal(a.rank[1].last, N - 1);
	assert_int_equal(a.rank[0].wait_ns, 249 * (N - 1));
	arrive_release(&a);
}

static void missing_ranks(void **state)
{
	(void)state;
	struct arrive a;
	arrive_init(&a);
	for (int r = 0; r < 2; r++) {
		arrive_rank(&a, r, NULL);
		job(&a, (size_t)r, 0, 0, 0, true);
	}
	for (size_t i = 0; i < a.rank[0].n; i++)
		a.rank[0].item[i].need = i < 10 ? 2 : 3;
	arrive_match(&a);
	assert_int_equal(a.nset, 10);
	assert_int_equal(a.nshort, N - 10);
	arrive_release(&a);
}

static void nothing_in_common(void **state)
{
	(void)state;
	struct arrive a;
	arrive_init(&a);
	arrive_rank(&a, 0, "left");
	arrive_rank(&a, 1, "right");
	job(&a, 0, 0, 0, 0, true);
	struct arrive_item x = { .start_ns = 5, .end_ns = 9, .class = 7, .seq = 1 };
	arrive_add(&a, 1, &x);
	arrive_match(&a);
	assert_int_equal(a.nset, 0);
	assert_false(a.rank[1].tied);
	arrive_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_host),
		cmocka_unit_test(two_hosts),
		cmocka_unit_test(missing_ranks),
		cmocka_unit_test(nothing_in_common),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
