/* Hidden and exposed, against a slow count of single nanoseconds. */
#include "unit.h"

#include "expose.h"

enum { SPAN = 400, OPS = 24 };

struct op { int64_t start, end; bool comm; };

static int64_t hidden_by_sweep[OPS];

static void take(void *arg, size_t at, int64_t hidden_ns)
{
	(void)arg;
	hidden_by_sweep[at] = hidden_ns;
}

static int by_start(const void *a, const void *b)
{
	const struct op *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

static void sweep(const struct op *op, size_t n)
{
	struct expose e;
	expose_init(&e, take, NULL);
	for (size_t i = 0; i < n; i++) {
		if (op[i].comm)
			expose_comm(&e, op[i].start, op[i].end, i);
		else
			expose_compute(&e, op[i].start, op[i].end);
	}
	expose_end(&e);
	expose_release(&e);
}

static void random_ops(void **state)
{
	(void)state;
	unsigned seed = 7;
	for (int round = 0; round < 2000; round++) {
		struct op op[OPS];
		bool compute[SPAN] = { false };
		for (int i = 0; i < OPS; i++) {
			op[i].start = rand_r(&seed) % (SPAN - 60);
			op[i].end = op[i].start + rand_r(&seed) % 60;
			op[i].comm = rand_r(&seed) % 3 == 0;
		}
		qsort(op, OPS, sizeof *op, by_start);
		for (int i = 0; i < OPS; i++)
			for (int64_t t = op[i].start; !op[i].comm && t < op[i].end; t++)
				compute[t] = true;
		sweep(op, OPS);
		for (int i = 0; i < OPS; i++) {
			int64_t hidden = 0;
			for (int64_t t = op[i].start; t < op[i].end; t++)
				hidden += compute[t];
			if (op[i].comm)
				assert_int_equal(hidden_by_sweep[i], hidden);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_ops) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
