/* idle_late.h - inside of idle.c. */
#ifndef TP_IDLE_LATE_H
#define TP_IDLE_LATE_H

#include "idle.h"

struct stretch { int64_t from_ns, to_ns; };

/* An empty stretch is nothing; neighbours of one gap that say the same become
 * one piece.  state NULL: no place and no doing of its own. */
int piece_put(struct idle *v, const struct gap *gap, struct stretch s,
	enum idle_cause cause, const struct lane_state *state) RESULT_USED;
int piece_flush(struct idle *v) RESULT_USED;

/* Gives out s of the gap by what its issuing thread, whose lane exists, did. */
int late_put_part(struct idle *v, const struct gap *g, struct stretch s) RESULT_USED;

#endif
