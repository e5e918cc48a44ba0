/* face_comm.h - tp-view4's text, and the rows that compare ranks. */
#ifndef TP_FACE_COMM_H
#define TP_FACE_COMM_H

#include "view_comm.h"

/* The trace that is member `m` of run `run`. */
const struct comm_trace *comm_member(const struct comm_all *a, size_t run, size_t m);
/* As --device chose; a CPU job has none to choose. */
bool comm_wants_device(const struct view *v, const struct comm_trace *ct, size_t device);
size_t comm_device_count(const struct comm_trace *ct, size_t device);
/* bytes x num / den without overflow, rounded down. */
int64_t comm_scaled(int64_t bytes, int64_t num, int64_t den);
/* view4.skew: how far apart the ranks of a run start the same step, on clocks
 * that are known to be comparable. */
int comm_skew_put(struct view *v, const struct comm_all *a) RESULT_USED;
int comm_text(struct view *v, const struct comm_all *a) RESULT_USED;

#endif
