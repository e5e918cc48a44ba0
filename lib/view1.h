/* view1.h - the parts of the runtime decomposition that do not fit its program:
 * the rows of the whole run (view1_run.c) and the text face (view1_text.c). */
#ifndef TP_VIEW1_H
#define TP_VIEW1_H

#include "honest.h"
#include "spread.h"

struct view1 {
	struct view *view;
	struct decomp *decomp;   /* one a trace */
	size_t n;
	struct part_stat *stat;  /* one a part, in the order of the decomps */
	size_t nstat;
	struct works works;      /* the parts, by what they hold */
	struct honest *honest;
	size_t nhonest;
};

/* view1.run, view1.startup, view1.periodic. */
int view1_run_put(struct view1 *job) RESULT_USED;
/* Median of the profiled steps over the parts of that rank (NO_INT: all) that are
 * not aside. */
int64_t view1_profiled(const struct view1 *job, int64_t rank);
void view1_run_text(struct view1 *job);
void view1_text(struct view1 *job);

/* view1_look.c: sums over the parts that count, and the first lines, which tell what to look at. */
struct view1_totals {
	int64_t wall_ns, busy_ns, part_ns[SPLIT_CLASSES];
	/* of all parts, by kind; steps: a whole window is none */
	size_t parts, devices, cpu, unread, steps, empty;
	size_t operators;        /* of the parts those that are split on them */
	size_t cut;              /* traces whose device's part was not read */
	bool known;              /* some part counts */
	bool partial;            /* a trace of these is cut short */
	bool all_cpu;            /* every part is split on operators */
};
struct view1_totals view1_totals(const struct view1 *job);
void view1_look(struct view1 *job, const struct view1_totals *t);
/* "run 2 rank 0 device 1", for text. */
void view1_add_part(struct buf *b, const struct view1 *job, const struct part_stat *s);

#endif
