/* Any text as a causes file, and any record as a row that is asked, ranked and
 * reported. */
#include "base.h"
#include "cause.h"
#include "rank.h"
#include "rank_join.h"
#include "rank_report.h"

static const char CAUSES[] =
	"cause a\n\ttake view2.site: doing ~ \"x|^a\" and in_run_share >= 5%\n"
	"\ttake view3.kernel: fill < 50% or mean_ns > 2us\n\tsee view2.loss\n\tleast 1%\n"
	"\ttitle {func}{op\n\twhy {anchor}\n\tdirection {}\n\teffort e\n\tnumerics n\n\tclear c\n"
	"cause b\n\ttake view5.device\n\tmeasure headroom_bytes / capacity_bytes\n\tmost 5%\n"
	"\ttitle t\n\twhy w\n\tdirection d\n\teffort e\n\tnumerics n\n\tclear c\n"
	"cause c\n\ttake view1.startup\n\ttake view2.site\n\ttake view3.kernel\n\tleast 0\n"
	"\ttitle t\n\twhy w\n\tdirection d\n\teffort e\n\tnumerics n\n\tclear c\n";

static void rows_take(struct rank_rows *rows, struct text t)
{
	struct rec_parser *parser = rec_parser_new();
	while (t.n) {
		const char *nl = memchr(t.s, '\n', t.n), *why;
		struct text line = { t.s, nl ? (size_t)(nl - t.s) : t.n };
		struct rec r;
		if (rec_parse(parser, line, &r, &why) == 0 && rank_rows_add(rows, &r) < 0)
			break;
		t = (struct text){ t.s + line.n + (nl != NULL), t.n - line.n - (nl != NULL) };
	}
	rec_parser_free(parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct text t = { (const char *)p, n };
	struct causes causes = { 0 };
	(void)!causes_parse(&causes, t, "fuzz");
	causes_release(&causes);
	if (causes_parse(&causes, TEXT(CAUSES), "own") != 0)
		__builtin_trap();
	struct rank_rows rows;
	struct rank_job job;
	struct rank rank;
	struct rank_options how = { "/a", NULL };
	struct buf b = BUF_INIT;
	rank_rows_init(&rows);
	rows_take(&rows, t);
	rank_rows_settle(&rows);
	if (rank_job_init(&job, &rows, false) != 0)
		__builtin_trap();
	rank_join(&job, &rows);
	rank_run(&rank, &causes, &job, &rows, &how);
	struct rank_report report = { .b = &b, .width = 80, .rank = &rank, .top = 3 };
	rank_report_add(&report);
	buf_release(&b);
	rank_release(&rank);
	rank_job_release(&job);
	rank_rows_release(&rows);
	causes_release(&causes);
	return 0;
}
