/* decompose_cpu.h - inside of decompose_cpu*.c: the host records of a CPU job in
 * order of time, and what they say of a thread at a moment.
 *
 *	cpu_records_sort(&s, d, places);        operators; with places the rest too
 *	for each record of the sorter:  cpu_lane_add(&lane, &r, ...)
 *	cpu_lane_at(&lane, ts, &at);            where the thread stands
 *	cpu_lane_release(&lane); */
#ifndef TP_DECOMPOSE_CPU_H
#define TP_DECOMPOSE_CPU_H

#include "decompose.h"
#include "sorter.h"

/* LINE: an executed line; FRAME: a function of the user's code; NOTE, INPUT: an
 * annotation, a data loader's. */
enum cpu_kind { CPU_NONE, CPU_OPERATOR, CPU_LINE, CPU_FRAME, CPU_NOTE, CPU_INPUT };

struct cpu_record {
	int64_t ts_ns, end_ns;
	int64_t track, name;
	int64_t seq;             /* an operator's, NO_INT none */
	enum cpu_kind kind;
	int backward;            /* an operator that names its forward one */
};
/* In order of start; outer before inner. */
int cpu_records_sort(struct sorter *s, struct decomp *d, bool places) RESULT_USED;

struct cpu_place { int64_t frame; int how; }; /* enum idle_how */

/* What is open on a thread, innermost last. */
struct cpu_lane {
	struct cpu_open {
		int64_t end_ns, name;
		enum cpu_kind kind;
		void *owner;           /* an operator's */
		struct cpu_place place; /* the same */
		bool inherits;         /* what it calls has its place */
	} *open;
	size_t nopen, capopen;     /* operators */
	struct cpu_open *mark;     /* functions and annotations */
	size_t nmark, capmark;
	int64_t line, line_end_ns; /* at most one is alive; 0 none */
};
void cpu_lane_release(struct cpu_lane *l);
/* The operator that runs at ts_ns, NULL none. */
const struct cpu_open *cpu_lane_operator(struct cpu_lane *l, int64_t ts_ns);
/* A line, function or annotation begins. */
void cpu_lane_mark(struct cpu_lane *l, const struct cpu_record *r);

struct cpu_state {
	bool any;                /* something is recorded */
	struct cpu_place place;  /* the user's innermost line, else function */
	int64_t note;            /* the innermost annotation's name, 0 none */
	bool input;              /* inside of a data loader's */
	int64_t until_ns;        /* it holds up to there, unless something begins */
};
void cpu_lane_at(struct cpu_lane *l, int64_t ts_ns, struct cpu_state *out);

#endif
