#include "unit.h"

#include <stdlib.h>

#include "mem.h"
#include "split.h"

#define WORLD 400 /* ns: small enough to own every one by hand */

static uint32_t seed_state;

static int roll(int n)
{
	seed_state = seed_state * 1664525u + 1013904223u;
	return (int)((seed_state >> 8) % (uint32_t)n);
}

static bool outranks(const struct split_op *a, const struct split_op *b)
{
	if (a->class != b->class)
		return a->class < b->class;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	if (a->stream != b->stream)
		return a->stream < b->stream;
	return a->corr < b->corr;
}

static int64_t last_piece_ns;

static void own(void *arg, const struct split_op *op, int64_t start_ns, int64_t end_ns)
{
	struct spans *v = arg;

	assert_true(start_ns >= last_piece_ns && end_ns > start_ns);
	assert_true(start_ns >= op->start_ns && end_ns <= op->end_ns);
	last_piece_ns = end_ns;
	*(int64_t *)op->owner += end_ns - start_ns;
	(void)spans_part(v, op->class, start_ns, end_ns);
}

static int by_start(const void *a, const void *b)
{
	const struct split_op *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static size_t ops_make(struct split_op *op, size_t n, int64_t *owned)
{
	for (size_t i = 0; i < n; i++) {
		int64_t start_ns = roll(WORLD - 60);

		op[i] = (struct split_op){ .start_ns = start_ns,
			.end_ns = start_ns + (roll(8) ? roll(40) : 0),
			.class = (enum split_class)roll(SPLIT_CLASSES),
			.stream = roll(3), .corr = i };
	}
	qsort(op, n, sizeof *op, by_start);
	for (size_t i = 0; i < n; i++) {
		op[i].owner = &owned[i];
		owned[i] = 0;
	}
	return n;
}

/* Every ns by itself. */
static void brute(const struct split_op *op, size_t n, const struct spans *v,
	int64_t *owned, struct span *want)
{
	for (int64_t ns = 0; ns < WORLD; ns++) {
		const struct split_op *best = NULL;
		bool comm = false;

		for (size_t i = 0; i < n; i++) {
			if (op[i].start_ns > ns || op[i].end_ns <= ns)
				continue;
			comm |= op[i].class == SPLIT_COMM;
			if (!best || outranks(&op[i], best))
				best = &op[i];
		}
		if (best)
			owned[best - op]++;
		for (size_t s = 0; s < v->n && best; s++) {
			if (ns < v->span[s].start_ns || ns >= v->span[s].end_ns)
				continue;
			want[s].part_ns[best->class]++;
			want[s].busy_ns++;
			want[s].comm_ns += comm;
		}
	}
	for (size_t s = 0; s < v->n; s++)
		for (size_t i = 0; i < n; i++)
			want[s].ops += op[i].start_ns < v->span[s].end_ns &&
				(op[i].end_ns > v->span[s].start_ns ||
				op[i].start_ns >= v->span[s].start_ns);
}

/* Steps, one of no length, two that overlap as host steps may. */
static size_t spans_make(struct span *span)
{
	const int64_t edge[][2] = { { -1000, 50 }, { 50, 120 }, { 120, 120 }, { 120, 200 },
		{ 190, 260 }, { 260, 1000 } };

	for (size_t i = 0; i < ARRAY_LEN(edge); i++)
		span[i] = (struct span){ .start_ns = edge[i][0], .end_ns = edge[i][1] };
	return ARRAY_LEN(edge);
}

static void one_world(size_t n)
{
	struct split_op *op = xcalloc(n, sizeof *op);
	int64_t *owned = xcalloc(n, sizeof *owned), *want = xcalloc(n, sizeof *want);
	struct span span[8], wanted[8] = { { 0 } };
	struct spans v;
	struct split s;
	int64_t busy_ns = 0;

	ops_make(op, n, owned);
	spans_init(&v, span, spans_make(span));
	split_init(&s, own, &v);
	last_piece_ns = 0;
	for (size_t i = 0; i < n; i++) {
		spans_op(&v, &s, &op[i]);
		split_add(&s, &op[i]);
	}
	split_end(&s);
	brute(op, n, &v, want, wanted);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(owned[i], want[i]);
		busy_ns += want[i];
	}
	assert_int_equal(s.busy_ns, busy_ns);
	for (size_t i = 0; i < v.n; i++) {
		for (int c = 0; c < SPLIT_CLASSES; c++)
			assert_int_equal(span[i].part_ns[c], wanted[i].part_ns[c]);
		assert_int_equal(span[i].busy_ns, wanted[i].busy_ns);
		assert_int_equal(span[i].comm_ns, wanted[i].comm_ns);
		assert_int_equal(span[i].ops, wanted[i].ops);
	}
	split_release(&s);
	free(op);
	free(owned);
	free(want);
}

static void test_every_ns_has_one_owner(void **state)
{
	(void)state;
	for (seed_state = 1; seed_state < 300; seed_state++) {
		uint32_t seed = seed_state;

		one_world(1 + (size_t)roll(60));
		seed_state = seed;
	}
}

/* A long op outlasts what follows: nothing is kept of those. */
static void test_memory_is_flat(void **state)
{
	struct split s;
	struct split_op op = { .start_ns = 0, .end_ns = 1000000 };

	(void)state;
	split_init(&s, NULL, NULL);
	split_add(&s, &op);
	for (int64_t i = 1; i < 100000; i++) {
		op = (struct split_op){ .start_ns = i, .end_ns = i + 5,
			.class = (enum split_class)(i % SPLIT_CLASSES) };
		split_add(&s, &op);
	}
	split_end(&s);
	assert_int_equal(s.part_ns[SPLIT_COMPUTE], 1000000);
	assert_int_equal(s.busy_ns, 1000000);
	for (int c = 0; c < SPLIT_CLASSES; c++)
		assert_true(s.queue[c].cap <= 64);
	split_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_ns_has_one_owner),
		cmocka_unit_test(test_memory_is_flat),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
