/* rank_report.h - the report for a person (tp-rank -t): Markdown that reads as plain
 * text too.  Part 1 says where the time went, part 2 what was found and what
 * was not the problem, part 3 what to do.  Each number of parts 2 and 3 is in
 * a row of a view or in a finding or cleared record, and its row is named. */
#ifndef TP_RANK_REPORT_H
#define TP_RANK_REPORT_H

#include "rank_text.h"
#include "tab.h"

struct rank_report {
	struct buf *b;
	int width;
	const struct rank *rank;
	int64_t top;          /* findings shown */
	unsigned missing;     /* bit N: view N was not seen */
	unsigned only;        /* bit N: view N was asked for with --only; 0: all */
};

void rank_report_add(const struct rank_report *r);

/* One paragraph or item, wrapped: `first` begins the first line, `rest` the
 * others. */
void rank_report_wrap(const struct rank_report *r, const char *first, const char *rest,
	struct text t);
void rank_report_line(const struct rank_report *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Puts the table as a block, and frees it. */
void rank_report_table(const struct rank_report *r, struct tab *t);
/* The parts, for rank_report.c alone. */
void rank_report_time(const struct rank_report *r);
void rank_report_cpu(const struct rank_report *r); /* of it: what a CPU job's step is made of */
void rank_report_ranks(const struct rank_report *r); /* of it: ranks and steps, one by one */
void rank_report_memory(const struct rank_report *r); /* of it: what was reserved */
/* "run 2 rank 1 ", the run where there are several. */
void rank_report_place(struct buf *b, const struct rank_job *job, const struct rank_row *row);
void rank_report_findings(const struct rank_report *r);
void rank_report_prescription(const struct rank_report *r);
void cost_add(struct buf *b, const struct rank_report *r, const struct finding *f);
size_t rank_report_shown(const struct rank_report *r);

#endif
