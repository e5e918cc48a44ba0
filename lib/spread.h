/* spread.h - what the steps of a part say together: median, spread, sums, and
 * across ranks who is late. */
#ifndef TP_SPREAD_H
#define TP_SPREAD_H

#include "decompose.h"
#include "works.h"

#define OUTLIER_PERCENT 10       /* a spread above it is called an outlier */
#define WALLS_DIFFER_PERCENT 5   /* medians of ranks that differ by more */
#define COMM_LATE_PERCENT 80     /* of the median rank's comm: waits for nobody */

struct part_stat {
	const struct decomp_part *part;
	const struct view_trace *trace;
	size_t steps;            /* chosen */
	size_t counted;          /* of them neither empty nor incomplete */
	size_t empty, incomplete;
	size_t worked;           /* of the chosen those that are not empty */
	int64_t median_ns, min_ns, max_ns; /* walls of the counted; NO_INT none */
	int64_t comm_ns;         /* median a step of the comm union; NO_INT none */
	int64_t run_ahead_ns;    /* median; NO_INT none */
	/* sums over the chosen, the empty ones left out */
	int64_t wall_ns, busy_ns, part_ns[SPLIT_CLASSES], idle_ns;
	bool outlier, whole;     /* whole: no steps, the whole window is one row */
	enum work work;
	bool counts, aside;      /* in sums over parts, or only listed: works.h */
	int run;                 /* traces of one run of the job share it */
	const char *straggler;   /* why, or NULL */
	bool least_comm;         /* communicates less than others, who may wait for it */
};
void part_stat_make(struct part_stat *s, const struct view_trace *t,
	const struct decomp_part *p);

/* Sets work, counts and aside; returns all by kind: but for any_device, the sum of others. */
struct works stats_works(struct part_stat *stat, size_t n);

/* Which traces belong to one run: they overlap in time and no rank comes twice.
 * Then, of the parts that are not aside, marks the straggler of each run, if there is
 * one, and who communicates least: where walls differ that can be another rank. */
void stats_compare(struct part_stat *stat, size_t n);

#endif
