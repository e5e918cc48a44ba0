/* The condition language, the causes file, and the partition of rank_run. */
#include "base.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cause.h"
#include "rank.h"
#include "rank_join.h"
#include "say.h"

static struct rank_rows rows;
static struct rec_parser *parser;

static void row_give(const char *line)
{
	struct rec r;
	const char *why = NULL;
	if (!parser)
		parser = rec_parser_new();
	assert_int_equal(rec_parse(parser, (struct text){ line, strlen(line) }, &r, &why), 0);
	assert_int_equal(rank_rows_add(&rows, &r), 1);
}

static int rows_begin(void **state)
{
	(void)state;
	rank_rows_init(&rows);
	return 0;
}

static int rows_end(void **state)
{
	(void)state;
	rank_rows_release(&rows);
	rec_parser_free(parser);
	parser = NULL;
	return 0;
}

static bool holds(const char *source)
{
	const char *why = NULL;
	struct cond *c = cond_new((struct text){ source, strlen(source) }, &why);
	if (!c)
		fail_msg("%s: %s", source, why);
	bool result = cond_holds(c, &rows.row[0]);
	cond_free(c);
	return result;
}

static void test_conditions(void **state)
{
	(void)state;
	row_give("{\"kind\":\"view3.kernel\",\"name\":\"sgemm\",\"own_ns\":3000,\"time_ns\":50000,"
		"\"count\":10,\"blocks\":8,\"sms\":16,\"share\":0.25,\"pageable\":true,"
		"\"big\":\"9007199254740993\",\"doing\":[\"aten::mm\",{\"name\":\"aten::item\",\"ns\":1}]}");
	rank_rows_settle(&rows);
	struct buf words = BUF_INIT;
	row_words(&rows.row[0], "doing", &words);
	rows.row[0].doing = words;
	assert_true(holds("name = \"sgemm\""));
	assert_false(holds("name != \"sgemm\""));
	assert_true(holds("name ~ \"^S.E\" and own_ns < 4us"));
	assert_false(holds("own_ns < 3us"));
	assert_true(holds("own_ns <= 3us and own_ns >= 3000"));
	assert_true(holds("share = 25% and share < 0.26"));
	assert_true(holds("blocks < sms and fill = 50% and mean_ns = 5us"));
	assert_true(holds("doing ~ \"^aten::item$\" and mostly ~ \"mm$\" and mostly !~ \"item\""));
	assert_true(holds("big > 9007199254 and pageable and not file"));
	/* an absent field never compares, on either side */
	assert_false(holds("bytes < 5 or bytes >= 5 or own_ns < bytes or file = \"x\""));
	/* or binds least, not tightest */
	assert_true(holds("name = \"x\" and name = \"y\" or pageable"));
	assert_false(holds("name = \"x\" and (name = \"y\" or pageable)"));
	assert_true(holds("not name = \"x\" and not (name = \"y\" and pageable)"));
	assert_true(holds("not not ((pageable))"));
}

static void test_bad_conditions(void **state)
{
	static const char *const BAD[] = { "", "and", "a <", "a < \"x", "a ~ b", "a ~ \"(\"",
		"(a", "a)",
		"a b", "a < 5parsec", "a or", "not", "5 < a", "a == 5" };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		const char *why = NULL;
		assert_null(cond_new((struct text){ BAD[i], strlen(BAD[i]) }, &why));
		assert_non_null(why);
	}
	/* deep nesting is refused, not followed */
	char deep[4096];
	memset(deep, '(', sizeof deep);
	const char *why = NULL;
	assert_null(cond_new((struct text){ deep, sizeof deep }, &why));
	assert_string_equal(why, "condition too long");
}

static const char WORDS[] = "\ttitle T {func}\n\twhy W\n\tdirection D\n\teffort E\n\tnumerics "
	"N\n\tclear C\n";

static struct causes causes_of(const char *head, const char *more)
{
	struct causes c = { 0 };
	struct buf b = BUF_INIT;
	buf_addf(&b, "%s%s%s", head, WORDS, more);
	assert_int_equal(causes_parse(&c, buf_text(&b), "test"), 0);
	buf_release(&b);
	return c;
}

static void test_causes_file(void **state)
{
	(void)state;
	struct causes c = causes_of("# comment\ncause one\n\ttake view2.site: cause = \"sync\"\n"
		"\t\tor cause = \"host\"\n\tleast 2.5%\n", "");
	assert_int_equal(c.n, 1);
	assert_string_equal(c.cause[0].name, "one");
	assert_int_equal(c.cause[0].threshold_micro, 25000);
	row_give("{\"kind\":\"view2.site\",\"cause\":\"host\"}");
	rank_rows_settle(&rows);
	assert_true(cond_holds(c.cause[0].take[0].cond, &rows.row[0]));
	causes_release(&c);
}

static void test_bad_causes(void **state)
{
	static const char *const BAD[] = { "\ttitle x\n", "cause a\n", "cause\n", "what a\n",
		"cause a\n\ttake view9.x\n", "cause a\n\ttake view2.site: (\n", "cause "
		"a\n\tleast x\n",
		"cause a\n\ttake view2.site\n\ttitle x\n", "cause a\n\tgroup some\n",
		"cause a\n\tmeasure b c\n", "cause a\n\tcolour red\n" };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		struct causes c = { 0 };
		assert_int_equal(causes_parse(&c, (struct text){ BAD[i], strlen(BAD[i]) },
			"test"), -1);
		causes_release(&c);
	}
}

/* Two causes want the same rows: the first has them, each once, and the sum is
 * that of the rows. */
static void test_partition(void **state)
{
	(void)state;
	row_give("{\"kind\":\"view1.step\",\"key\":\"s\",\"trace\":1,\"device\":\"0\",\"wall_ns\":1000,"
		"\"busy_ns\":400,\"idle_ns\":600,\"compute_ns\":400,\"flags\":[]}");
	row_give("{\"kind\":\"view2.site\",\"key\":\"a\",\"trace\":1,\"device\":\"0\",\"cause\":\"sync\","
		"\"cost_ns\":350,\"file\":\"m.py\",\"line\":3,\"func\":\"f\"}");
	row_give("{\"kind\":\"view2.site\",\"key\":\"b\",\"trace\":1,\"device\":\"0\",\"cause\":\"host\","
		"\"cost_ns\":250,\"file\":\"m.py\",\"line\":9,\"func\":\"g\"}");
	row_give("{\"kind\":\"view3.kernel\",\"key\":\"k\",\"trace\":1,\"device\":\"0\",\"name\":\"sgemm\","
		"\"class\":\"gemm\",\"own_ns\":400,\"file\":\"m.py\",\"line\":3,\"func\":\"f\"}");
	rank_rows_settle(&rows);
	struct causes c = causes_of("cause first\n\ttake view2.site: cause = \"sync\"\n"
		"\ttake view3.kernel: name ~ \"sgemm\"\n", "cause second\n\ttake view2.site\n"
		"\ttake view3.kernel\n\ttitle T\n\twhy W\n\tdirection D\n\teffort E\n\tnumerics "
		"N\n\tclear C\n");
	struct rank_job job;
	struct rank rank;
	struct rank_options how = { NULL, NULL };
	assert_int_equal(rank_job_init(&job, &rows, true), 0);
	assert_int_not_equal(job.binds, BINDS_DEVICE);
	rank_join(&job, &rows);
	rank_run(&rank, &c, &job, &rows, &how);
	assert_int_equal(rank.n, 2);
	assert_string_equal(rank.finding[0].cause->name, "first");
	assert_int_equal(rank.finding[0].n, 2);
	assert_int_equal(rank.finding[0].raw_ns + rank.finding[1].raw_ns, 1000);
	/* 250 ns of host-late idle hide as much kernel time */
	assert_int_equal(rank.finding[0].cost_ns, 350 + 150);
	rank_release(&rank);
	rank_job_release(&job);
	causes_release(&c);
}

/* The set of rows counts, not their order; a repeat counts once. */
static void test_order(void **state)
{
	(void)state;
	row_give("{\"kind\":\"view2.site\",\"key\":\"b\",\"trace\":1,\"cost_ns\":1}");
	row_give("{\"kind\":\"view2.site\",\"key\":\"a\",\"trace\":1,\"cost_ns\":2}");
	row_give("{\"kind\":\"view2.site\",\"key\":\"b\",\"trace\":1,\"cost_ns\":1}");
	row_give("{\"kind\":\"view2.site\",\"key\":\"b\",\"trace\":1,\"cost_ns\":7}");
	rank_rows_settle(&rows);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.clashes, 1);
	assert_int_equal(row_num(&rows.row[0], "cost_ns"), 2);
	assert_int_equal(row_num(&rows.row[1], "cost_ns"), 1);
}

/* More charged than there was is no report, it is an error. */
static void test_overcharge(void **state)
{
	(void)state;
	row_give("{\"kind\":\"view1.step\",\"key\":\"s\",\"trace\":1,\"device\":\"0\",\"wall_ns\":10,"
		"\"busy_ns\":4,\"idle_ns\":6}");
	row_give("{\"kind\":\"view2.site\",\"key\":\"a\",\"trace\":1,\"device\":\"0\",\"cost_ns\":7}");
	rank_rows_settle(&rows);
	struct rank_job job;
	assert_int_equal(rank_job_init(&job, &rows, true), -1);
	rank_job_release(&job);
	/* unless rows were lost: then what is charged was there at least */
	assert_int_equal(rank_job_init(&job, &rows, false), 0);
	assert_int_equal(job.idle_ns, 7);
	rank_job_release(&job);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, rows_begin, rows_end)
	const struct CMUnitTest tests[] = { T(test_conditions), T(test_bad_conditions),
		T(test_causes_file), T(test_bad_causes), T(test_partition), T(test_order),
		T(test_overcharge) };
	say_init("cause");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
