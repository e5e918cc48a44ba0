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

static const char *unallocated(const struct rank_row *row)
{
	return row_flag(row, "reserved_only") ? "; how much of it was allocated is not known" : "";
}

void rank_report_memory(const struct rank_report *r)
{
	const struct rank_rows *rows = r->rank->rows;
	size_t n = 0;
	for (size_t i = 0; i < rows->n && n < DEVICES_MAX; i++) {
		const struct rank_row *row = &rows->row[i];
		int64_t peak, capacity;
		char a[NUM_LEN], of[3 * NUM_LEN];
		if (!row_is(row, "view5.device") || row_true(row, "any_device") ||
		    text_is(row->device, "cpu"))
			continue;
		if (row_flag(row, "relative"))
			rank_report_line(r, "Memory of device %.*s: changes alone were recorded; what "
				"was allocated and reserved is not known.", (int)row->device.n,
				row->device.s);
		else if (row_int(row, "peak_reserved_bytes", &peak))
			rank_report_line(r, "Memory of device %.*s: at most %s reserved%s%s.",
				(int)row->device.n, row->device.s, num_fmt_gib(a, peak),
				row_int(row, "capacity_bytes", &capacity) ?
				capacity_share(of, peak, capacity) : "", unallocated(row));
		else
			continue;
		n++;
	}
	if (!n && rows->seen[5] && !r->rank->job->cpu_job) {
		rank_report_line(r, "What memory the job took was not recorded.");
		n++;
	}
	if (n)
		buf_addc(r->b, '\n');
}
