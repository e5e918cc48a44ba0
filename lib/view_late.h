/* view_late.h - what the rank that came last did while the others waited.
 *
 * The stretches are those between the first and the last arrival of the matched
 * collectives at which this rank was the last one, 50 us and more each (what is
 * shorter is no loss).  In them a device that stood idle has the causes and
 * places of its lost time (tp-view2); one that was busy for more than half of
 * them had work of its own.  A CPU job has the lines, or functions, that the
 * user's code was in, on the thread that was in it most. */
#ifndef TP_VIEW_LATE_H
#define TP_VIEW_LATE_H

#include "view_comm.h"

/* Fills late of every trace; the runs are matched. */
int late_find(struct view *v, struct comm_all *a) RESULT_USED;
/* Adds to the row that view_row began: late_ns, late_at_ns, late_cause, and
 * late_file, late_line, late_func, late_how. */
int late_put(struct view *v, const struct comm_trace *ct) RESULT_USED;
/* "  meanwhile its device was idle: host, at train.py:12 (main), 300 us of 310 us",
 * if that is known. */
int late_text(struct view *v, const struct comm_trace *ct) RESULT_USED;

#endif
