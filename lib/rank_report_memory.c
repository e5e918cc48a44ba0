/* rank_report_memory.c - what the report says of memory; see rank_report.h. */
#include "base.h"
#include "rank_report.h"
#include "num.h"

#include <stdio.h>

#define DEVICES_MAX 16 /* told, of all ranks together */

static const char *capacity_share(char of[3 * NUM_LEN], int64_t peak, int64_t capacity)
{
	char all[NUM_LEN], share[NUM_LEN];
	snprintf(of, 3 * NUM_LEN, " of %s (%s)", num_fmt_gib(all, capacity),
		num_fmt_share(share, peak, capacity));
	return of;
}

/* View 5 can be alone: then there are no units to tell of how many traces the rows are. */
static bool several_traces(const struct rank *rank)
{
	const struct rank_row *first = NULL;
	for (size_t i = 0; i < rank->rows->n; i++) {
		const struct rank_row *row = &rank->rows->row[i];
		if (!row_is(row, "view5.device"))
			continue;
		if (first && (row->store != first->store || row->trace != first->trace))
			return true;
		first = row;
	}
	return rank->job->all_traces > 1;
}

/* "rank 1 device 0": of a store with one trace the device says it. */
static const char *place(struct buf *b, const struct rank_row *row, const struct rank *rank,
	bool several)
{
	buf_reset(b);
	if (several)
		rank_report_place(b, rank->job, row);
	buf_addf(b, "device %.*s", (int)row->device.n, row->device.s ? row->device.s : "");
	return b->data;
}

static const char *unallocated(const struct rank_row *row)
{
	return row_flag(row, "reserved_only") ? "; how much of it was allocated is not known" : "";
}

void rank_report_memory(const struct rank_report *r)
{
	const struct rank_rows *rows = r->rank->rows;
	const struct rank_job *job = r->rank->job;
	bool several = several_traces(r->rank);
	struct buf where = BUF_INIT;
	size_t n = 0;
	for (size_t i = 0; i < rows->n && n < DEVICES_MAX; i++) {
		const struct rank_row *row = &rows->row[i];
		int64_t peak, capacity;
		char a[NUM_LEN], of[3 * NUM_LEN];
		if (!row_is(row, "view5.device") || row_true(row, "any_device") ||
		    text_is(row->device, "cpu"))
			continue;
		if (row_flag(row, "relative"))
			rank_report_line(r, "Memory of %s: changes alone were recorded; what "
				"was allocated and reserved is not known.",
				place(&where, row, r->rank, several));
		else if (row_int(row, "peak_reserved_bytes", &peak))
			rank_report_line(r, "Memory of %s: at most %s reserved%s%s.",
				place(&where, row, r->rank, several), num_fmt_gib(a, peak),
				row_int(row, "capacity_bytes", &capacity) ?
				capacity_share(of, peak, capacity) : "", unallocated(row));
		else
			continue;
		n++;
	}
	buf_release(&where);
	if (!n && rows->seen[5] && !job->cpu_job) {
		rank_report_line(r, "What memory the job took was not recorded.");
		n++;
	}
	if (n)
		buf_addc(r->b, '\n');
}
