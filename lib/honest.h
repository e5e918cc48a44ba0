/* honest.h - the honest clock in a store: what tp-time saw with no profiler on.
 *
 * One struct honest a process of a run, in order of run and rank. */
#ifndef TP_HONEST_H
#define TP_HONEST_H

#include "pace.h"
#include "view.h"

/* Where a long step stood that ordinary ones never do. */
struct honest_line {
	char *file, *func;       /* func NULL unknown */
	int64_t line, dur_ns;
};
struct honest_step {
	int64_t step;            /* its number, from 1 */
	int64_t start_ns, wall_ns;
	int64_t device_ns;       /* NO_INT unknown */
	int64_t took_ns;         /* by the clock that tells (pace.h) */
	struct honest_line *line;
	size_t nline;
};
struct honest_phase {
	char *phase, *file, *func; /* NULL unknown */
	int64_t start_ns, dur_ns, line; /* unix ns; NO_INT unknown */
};
struct honest {
	int64_t run, rank;       /* rank NO_INT unknown */
	bool cut;                /* its stream was: the run had more than this */
	struct honest_step *step;
	size_t nstep, capstep;
	struct honest_phase *phase;
	size_t nphase, capphase;
	struct beat beat[BEATS_MAX];
	size_t nbeat;
	bool ahead;              /* the device's clock tells what a step takes */
	/* NO_INT unknown */
	int64_t median_ns;       /* of what the steps took */
	int64_t wall_median_ns;  /* of the walls */
	int64_t startup_ns;      /* the phases' sum */
	int64_t total_ns;        /* first phase to the last step's end, of a cut run
	                          * less than it took */
};
int honest_load(struct view *v, struct honest **out, size_t *n) RESULT_USED;
void honest_free(struct honest *h, size_t n);

/* honest_lines.c: what a step's and a phase's record says beyond the columns.
 * A record that cannot be read says nothing. */
struct rec_parser;
void honest_step_lines(struct rec_parser *p, struct text record, struct honest_step *s);
char *honest_phase_func(struct rec_parser *p, struct text record);
void honest_lines_free(struct honest_step *s);
/* The line that most steps of each beat show, and no shorter beat has taken. */
void beats_place(const struct honest *h, struct beat *beat, size_t n);

#endif
