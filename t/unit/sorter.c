#include "unit.h"
#include "mem.h"
#include "say.h"
#include "sorter.h"

struct item {
	int64_t key;
	uint32_t seq;
	char pad[9];
};

static size_t compared;

static int item_cmp(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	compared++;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

enum shape { RANDOM, ORDERED, BACKWARD, NEARLY, SAME, SHAPES };

static int64_t key_of(enum shape shape, size_t i, size_t n, uint64_t *seed)
{
	switch (shape) {
	case RANDOM: return (int64_t)(dice(seed) % (n + 1));
	case ORDERED: return (int64_t)i;
	case BACKWARD: return -(int64_t)i;
	case NEARLY: return (int64_t)(i + (i % 50 == 0 ? dice(seed) % 40 : 0));
	default: return 7;
	}
}

static struct item *items_make(size_t n, enum shape shape)
{
	struct item *v = xcalloc(n, sizeof *v);
	uint64_t seed = 99 + n;

	for (size_t i = 0; i < n; i++) {
		v[i].key = key_of(shape, i, n, &seed);
		/* no two are equal, or the order would not be total */
		v[i].seq = (uint32_t)(shape == SAME ? n - i : i);
	}
	return v;
}

static void fill(struct sorter *s, const struct item *v, size_t n, size_t memory)
{
	sorter_init(s, sizeof *v, item_cmp, "/tmp", memory);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(sorter_add(s, &v[i]), 0);
	assert_int_equal(sorter_done(s), 0);
}

static void check_order(struct sorter *s, const struct item *want, size_t n)
{
	struct sorter_iter a, b;
	const struct item *p, *q;

	/* two at once, one a step behind, then both to their ends */
	assert_int_equal(sorter_first(s, &a), 0);
	assert_int_equal(sorter_first(s, &b), 0);
	for (size_t i = 0; i < n; i++) {
		p = sorter_next(&a);
		assert_non_null(p);
		assert_memory_equal(p, &want[i], sizeof *p);
		if (i % 3 == 0) {
			q = sorter_next(&b);
			assert_non_null(q);
			assert_memory_equal(q, &want[i / 3], sizeof *q);
		}
	}
	assert_null(sorter_next(&a));
	assert_null(sorter_next(&a));
	assert_false(a.failed);
	sorter_iter_release(&a);
	sorter_iter_release(&b);
}

static void agrees_with_qsort(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 7, 8, 9, 16, 17, 33, 100,
		255, 1000, 4099 };
	static const size_t memory[] = { 1, 200, 4000, 1 << 20 };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
		for (int shape = 0; shape < SHAPES; shape++) {
			size_t n = sizes[k];
			struct item *v = items_make(n, (enum shape)shape);
			struct item *want = items_make(n, (enum shape)shape);

			qsort(want, n, sizeof *want, item_cmp);
			for (size_t m = 0; m < ARRAY_LEN(memory); m++) {
				struct sorter s;

				fill(&s, v, n, memory[m]);
				assert_int_equal(s.total, n);
				assert_int_equal(sorter_spilled(&s),
					n * sizeof *v * 2 > MAX(memory[m],
						4 * sizeof *v) ? n : 0);
				check_order(&s, want, n);
				sorter_release(&s);
			}
			free(v);
			free(want);
		}
}

static void order_costs_one_look(void **state)
{
	struct item *v = items_make(5000, ORDERED);
	struct sorter_iter it;
	struct sorter s;

	(void)state;
	compared = 0;
	fill(&s, v, 5000, 4000); /* spills */
	assert_true(compared < 5000);
	assert_int_equal(s.nrun, 1);
	compared = 0;
	assert_int_equal(sorter_first(&s, &it), 0);
	while (sorter_next(&it))
		;
	assert_int_equal(compared, 0);
	sorter_iter_release(&it);
	sorter_release(&s);
	free(v);
}

static void no_scratch_is_said(void **state)
{
	struct item x = { .key = 1 };
	struct sorter s;
	int rc = 0;

	(void)state;
	sorter_init(&s, sizeof x, item_cmp, "/nonexistent/dir", 1);
	for (int i = 0; i < 3 && rc == 0; i++)
		rc = sorter_add(&s, &x);
	assert_int_equal(rc, -1);
	assert_int_equal(sorter_add(&s, &x), -1);
	assert_int_equal(sorter_done(&s), -1);
	sorter_release(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_qsort),
		cmocka_unit_test(order_costs_one_look),
		cmocka_unit_test(no_scratch_is_said),
	};

	say_init(argc ? argv[0] : NULL);
	return cmocka_run_group_tests_name("sorter", tests, NULL, NULL);
}
