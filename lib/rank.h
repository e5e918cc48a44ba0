/* rank.h - rows and causes in, findings and cleared causes out.
 *
 *	rank_rows_settle; rank_job_init; rank_join; rank_run; ... rank_release.
 *
 * Each row that charges time is taken by one cause at most and by one finding,
 * so findings never overlap and their sum never exceeds idle + busy.  Findings
 * are in order of cost; ties by cause, then by the rows themselves. */
#ifndef TP_RANK_H
#define TP_RANK_H

#include "cause.h"
#include "rank_job.h"
#include "schedule.h"

#define RANK_SEEN_MAX 6

/* What a share is of: the whole run, the profiled window, the steps that were timed
 * of a run that was cut. */
enum share_of { SHARE_UNKNOWN, SHARE_RUN, SHARE_WINDOW, SHARE_TIMED };

enum trust { TRUST_LOW, TRUST_MEDIUM, TRUST_HIGH };

struct finding {
	const struct cause *cause;
	enum charge_of of;
	bool charges;                 /* false: a measure without a cost */
	const struct rank_row **row;  /* charged (or measured), the largest first */
	size_t n, cap;
	const struct rank_row *seen[RANK_SEEN_MAX]; /* evidence beside them */
	size_t nseen;
	int64_t raw_ns;               /* as the rows say */
	int64_t cost_ns;              /* what of it counts */
	int64_t per_step_ns;
	int64_t share_micro;          /* of what share_of says; NO_NUM unknown */
	enum share_of share_of;       /* of what charges */
	int64_t number_micro;         /* what was held against the threshold */
	int64_t devices;              /* on how many units */
	unsigned doubts;              /* rank_trust.c */
	enum trust trust;
	struct buf raise;             /* what would raise it, sentences */
	bool scope_known, in_scope;
	const struct phase *phase;
};

struct cleared {
	const struct cause *cause;
	int64_t number_micro;         /* the largest group's */
	int64_t raw_micro;            /* before the hidden part is left out */
	const struct rank_row *row[3];
	size_t n;
};

struct rank {
	const struct causes *causes;
	const struct rank_job *job;
	struct rank_rows *rows;
	struct finding *finding;
	size_t n, cap;
	struct cleared *cleared;
	size_t ncleared, capcleared;
	int64_t small_ns;             /* taken by causes, each under its threshold */
	size_t nsmall;                /* groups of them */
	bool share_of_run;            /* share_micro is of the whole run */
};

struct rank_options {
	const char *scope;            /* NULL: the user's own frames, as the views say */
	const struct schedule *schedule; /* NULL: none */
};

void rank_run(struct rank *rank, const struct causes *causes, const struct rank_job *job,
	struct rank_rows *rows, const struct rank_options *options);
void rank_release(struct rank *rank);

bool clause_holds(const struct cause_clause *clause, const struct rank_row *row);
/* rank_trust.c: confidence, and what would raise it. */
void finding_trust(struct finding *f, const struct rank *rank);
/* rank_seen.c: the rows beside the charged ones. */
void finding_see(struct finding *f, const struct rank *rank);
/* The ns that a row charges, before worth; 0 when its kind charges none. */
int64_t row_charge(const struct rank_row *row);
const char *trust_name(enum trust t);
/* small_ns of the same whole as findings' numbers, in millionths. */
int64_t rank_small_micro(const struct rank *rank);
#define RANK_SMALL_TITLE "everything else, in places each under its threshold"

#endif
