/* view_comm_in.h - inside of view_comm.c: one trace's scan. */
#ifndef TP_VIEW_COMM_IN_H
#define TP_VIEW_COMM_IN_H

#include "view_comm.h"

struct comm_scan {
	struct view *v;
	struct comm_trace *ct;
	struct names names;
	sqlite3_stmt *args, *up;
	int64_t stack_call;       /* whose stack_text holds */
	struct buf stack_text;
	struct split *split;
	struct spans *spans;
	struct span_sink { struct spans *spans; } *sink;
};

/* An op of device d, in order of start. */
void comm_scan_part(struct comm_scan *s, size_t d, const struct split_op *x);
/* A collective, behind its comm_scan_part; --step can leave it out. */
void comm_scan_item(struct comm_scan *s, const struct comm_key *key,
	const struct coll_info *info, int64_t start_ns, int64_t end_ns);
/* view_comm_cpu.c: the operators and collectives of a CPU job. */
int comm_scan_host(struct comm_scan *s) RESULT_USED;

#endif
