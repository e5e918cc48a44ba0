/* account.h - lost time of one device added up: by step and cause, by site, and
 * as single losses.
 *
 *	account_init(&a, step, nstep, loss, arg);
 *	for each piece in order of time:  account_piece(&a, &piece)
 *	      before a piece behind a run's start:  account_run(&a, &run)
 *	account_end(&a);  ... a.total, a.step[i].ledger, a.site ...
 *	account_release(&a);
 *
 * Pieces are those of the table `idle`, each with its anchor worked out; they are
 * cut at the steps, and what lies in no step is left out.  A gap is what lies
 * side by side; one of IDLE_LOSS_NS and more within a step is a loss.
 *
 * Memory: sites (causes times places of the code) and one run; not the pieces. */
#ifndef TP_ACCOUNT_H
#define TP_ACCOUNT_H

#include "idle.h"
#include "tiny.h"

#define ACCOUNT_SLICES 64   /* the longest stretches of a site */
#define ACCOUNT_TOP 16      /* places and doings that are told apart */

struct ledger {
	int64_t idle_ns;
	int64_t cause_ns[IDLE_CAUSE_COUNT];
};

struct account_step {
	int64_t ts_ns, dur_ns;
	bool chosen;
	bool incomplete;       /* ops are missing: its idle may be none */
	bool empty;            /* nothing ran: it has its own ledger, and counts in nothing */
	struct ledger ledger;
};

struct account_piece {
	int64_t ts_ns, end_ns;
	enum idle_cause cause;
	int64_t frame, op;     /* names; 0 none.  op only without a frame */
	int how;               /* enum idle_how */
	int64_t doing;         /* name, 0 unknown */
	int64_t before, after; /* rows of dev */
};

/* Which of a few keys has most time; key[2] only comes along. */
struct tally {
	struct { int64_t key[3]; int64_t ns; } item[ACCOUNT_TOP];
	size_t n;
};

struct slice { int64_t ts_ns, dur_ns; };

struct site {
	enum idle_cause cause;
	int64_t frame, op;
	bool incomplete;       /* in steps that are: no ground for a finding */
	int64_t cost_ns, in_run_ns, between_ns;
	int64_t gaps;          /* in how many gaps */
	int64_t how_ns[AT_BETWEEN + 1];
	struct slice *slice;   /* the longest; in order of time after account_end */
	size_t nslice, capslice;
	struct tally doing;    /* key: name; in gaps that are losses */
	struct slice now;      /* the stretch that still grows */
	int64_t last_gap;
};

struct loss {
	bool is_run;
	size_t step;
	bool incomplete;
	int64_t ts_ns, dur_ns;
	int64_t cost_ns;       /* a run: idle inside but turnaround */
	int64_t launches, kernel_ns; /* a run's */
	int64_t before, after; /* rows of dev; a run: its first and last op */
	struct ledger ledger;
	struct tally place;    /* key: frame, op; how of the first */
	struct tally doing;    /* key: name */
};
enum idle_cause ledger_main(const struct ledger *l); /* the one with most ns */

typedef int loss_fn(void *arg, const struct loss *l); /* 0, -1 said */

struct account {
	struct account_step *step; /* the caller's; in order of time */
	size_t nstep, at;
	loss_fn *loss_put;
	void *arg;
	struct ledger total;   /* of the chosen steps but the empty ones */
	struct site *site;
	size_t nsite, capsite;
	uint32_t *bucket;      /* 1 + site */
	size_t nbucket;
	struct loss gap, run;
	bool in_gap, in_run;
	int64_t gap_end_ns, gaps; /* gaps so far, 1, 2, ... */
};

void account_init(struct account *a, struct account_step *step, size_t nstep,
	loss_fn *fn, void *arg);
/* The next run in order of time; pieces up to its start were given. */
int account_run(struct account *a, const struct tiny_run *run) RESULT_USED;
int account_piece(struct account *a, const struct account_piece *p) RESULT_USED;
/* Sites are then in order of cost, most first; ties by cause and place. */
int account_end(struct account *a) RESULT_USED;
void account_release(struct account *a);
/* Most time first. */
void tally_sort(struct tally *t);

#endif
