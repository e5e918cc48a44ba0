#include "unit.h"
#include "buf.h"
#include "event.h"
#include "gap.h"
#include "tiny.h"

static int run_show(void *arg, const struct tiny_run *r)
{
	struct buf *b = arg;
	buf_addf(b, "%s%" PRId64 "-%" PRId64 " n%" PRId64 " k%" PRId64 " %u..%u",
		b->len ? ", " : "", r->ts_ns / 1000, r->end_ns / 1000, r->launches,
		r->kernel_ns / 1000, r->first, r->last);
	return 0;
}

/* Letters of a device's life, each a launch of its own: t tiny (10 us, then 10
 * of idle), L long (30 us), c a copy, i 190 us more of idle, g..g one graph of
 * three tiny ops. */
static void check(const char *life, const char *want)
{
	struct buf out = BUF_INIT;
	struct tiny v;
	int64_t now_ns = 0;
	uint32_t n = 0;

	tiny_init(&v, run_show, &out);
	for (const char *p = life; *p; p++) {
		int ops = *p == 'g' ? 3 : *p == 'i' ? 0 : 1;
		for (int i = 0; i < ops; i++) {
			int64_t dur_ns = *p == 'L' ? 30000 : *p == 'g' ? 2000 : 10000;
			struct tiny_op op = { now_ns, now_ns + dur_ns,
				(uint64_t)(p - life) + 100, 1, ++n, *p != 'c' };
			assert_int_equal(tiny_add(&v, &op), 0);
			now_ns += dur_ns + (*p == 'g' ? 1000 : 10000);
		}
		if (*p == 'i')
			now_ns += 190000;
	}
	assert_int_equal(tiny_end(&v), 0);
	tiny_release(&v);
	assert_string_equal(buf_text(&out).s, want);
	buf_release(&out);
}

static void eight_make_a_run(void **s)
{
	(void)s;
	check("ttttttt", "");
	check("tttttttt", "0-150 n8 k80 1..8");
	check("ttttcccttttc", "0-210 n8 k80 1..11");
	check("tttgtttt", "0-139 n8 k76 1..10");
}

static void one_long_is_let_pass(void **s)
{
	(void)s;
	check("tttLtttt", "0-170 n8 k100 1..8");
	check("LtttttttL", "");
	check("LttttttttL", "40-190 n8 k80 2..9");
	check("tttLttttLtttttttt", "0-170 n8 k100 1..8, 220-370 n8 k80 10..17");
	/* the first try is too short: what is behind its long one is not lost */
	check("tLtttLttttt", "60-250 n9 k110 3..11");
	check("tttttttLLttttttt", "");
}

static void idle_breaks(void **s)
{
	(void)s;
	check("ttttittttt", "");           /* 10 + 190: exactly 200 us */
	check("ttttttttittttttttt", "0-150 n8 k80 1..8, 350-520 n9 k90 9..17");
}

static int gap_show(void *arg, const struct gap *g)
{
	struct buf *b = arg;
	buf_addf(b, "%s%" PRId64 "-%" PRId64 " %u>%u", b->len ? ", " : "",
		g->ts_ns, g->end_ns, g->before, g->after);
	return 0;
}

static void gaps(void **s)
{
	(void)s;
	struct buf out = BUF_INIT;
	struct gaps v;
	static const struct gap_op op[] = {
		/* start end issue end corr device n track stream linked */
		{ 10, 20, 1, 2, 1, 1, 1, 1, 0, true },
		{ 12, 15, 1, 2, 2, 1, 2, 1, 1, true },     /* inside */
		{ 20, 25, 1, 2, 3, 1, 3, 1, 0, true },     /* touches */
		{ 27, 27, 0, 0, 4, 1, 4, 1, 0, true },     /* of no length: no end */
		{ 30, 40, 0, 0, NO_ID, 1, 5, 0, 0, false },/* four end it together: */
		{ 30, 40, 9, 9, 6, 1, 6, 1, 0, true },
		{ 30, 31, 8, 9, 7, 1, 7, 1, 1, true },     /* issued first, lowest stream */
		{ 30, 30, 8, 9, 8, 1, 8, 1, 2, true },
		{ 50, 60, 3, 4, 9, 2, 9, 1, 0, true },     /* another device */
	};

	gaps_init(&v, 5, gap_show, &out);
	for (size_t i = 0; i < ARRAY_LEN(op); i++)
		assert_int_equal(gaps_add(&v, &op[i]), 0);
	assert_int_equal(gaps_end(&v, 70), 0);
	gaps_release(&v);
	assert_string_equal(buf_text(&out).s,
		"5-10 0>1, 25-30 3>7, 40-70 5>0, 5-50 0>9, 60-70 9>0");
	buf_release(&out);
}

/* An instant op that starts with the op that ends the gap may be the ending op,
 * whichever of the two comes first. */
static void instants(void **s)
{
	(void)s;
	struct buf out = BUF_INIT;
	struct gaps v;
	static const struct gap_op op[] = {
		{ 10, 10, 1, 2, 1, 1, 1, 1, 0, true },
		{ 10, 20, 5, 6, 2, 1, 2, 1, 0, true },
		{ 30, 40, 5, 6, 3, 1, 3, 1, 0, true },
		{ 30, 30, 1, 2, 4, 1, 4, 1, 0, true },
	};

	gaps_init(&v, 0, gap_show, &out);
	for (size_t i = 0; i < ARRAY_LEN(op); i++)
		assert_int_equal(gaps_add(&v, &op[i]), 0);
	assert_int_equal(gaps_end(&v, 40), 0);
	gaps_release(&v);
	assert_string_equal(buf_text(&out).s, "0-10 0>1, 20-30 2>4");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_make_a_run),
		cmocka_unit_test(one_long_is_let_pass),
		cmocka_unit_test(idle_breaks),
		cmocka_unit_test(gaps),
		cmocka_unit_test(instants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
