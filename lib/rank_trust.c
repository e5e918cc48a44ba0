/* rank_trust.c - how far a finding can be trusted (rank.h). */
#include "base.h"
#include "rank.h"

/* Doubts are of three kinds, and each kind takes one level, however many doubts
 * there are: where it is (the anchor), how much it is (steps, clock), and whether
 * the trace can be relied on.  Fewer than three steps, or steps that differ by
 * more than a tenth (the outlier spread of view 1), are no steady state. */
enum doubt { DOUBT_NONE = 0, DOUBT_WHERE = 1, DOUBT_AMOUNT = 2, DOUBT_TRACE = 4 };

#define STEPS_MIN 3
#define SPREAD_MAX_MICRO 100000
/* Idle that ends with an operation without its call. */
#define UNLINKED_MAX_PERCENT 5

const char *trust_name(enum trust t)
{
	static const char *const NAMES[] = { "low", "medium", "high" };
	return NAMES[t];
}

static void doubt(struct finding *f, enum doubt kind, const char *raise)
{
	f->doubts |= kind;
	if (strstr(f->raise.len ? f->raise.data : "", raise))
		return;
	if (f->raise.len)
		buf_adds(&f->raise, "; ");
	buf_adds(&f->raise, raise);
}

static void doubt_anchor(struct finding *f)
{
	struct text how = row_text(f->row[0], "how");
	enum charge_of of;
	if (!cause_charge(f->row[0]->kind, &of) || of == CHARGE_RUN)
		return;
	if (!row_get(f->row[0], "file"))
		doubt(f, DOUBT_WHERE, "record Python stacks (with_stack) for the line");
	else if (text_is(how, "other_thread"))
		doubt(f, DOUBT_WHERE, "the anchor is the line of the thread that waits: check what it "
			"started");
	else if (text_is(how, "function"))
		doubt(f, DOUBT_NONE, "the trace knows the function, not the line in it: capture with "
			"exact lines");
}

static void doubt_steps(struct finding *f, const struct rank *rank)
{
	const struct rank_row *row = f->row[0];
	if (row->unit < 0)
		return;
	const struct rank_unit *u = &rank->job->unit[row->unit];
	int64_t spread;
	if (u->whole)
		doubt(f, DOUBT_AMOUNT, "mark the steps (a profiler schedule, or --step-regex)");
	else if (u->steps < STEPS_MIN)
		doubt(f, DOUBT_AMOUNT, "profile more steps");
	else if (u->rank_row && row_micro(u->rank_row, "spread", &spread) &&
		spread > SPREAD_MAX_MICRO)
		doubt(f, DOUBT_AMOUNT, "profile steps that agree: these walls differ by more than a tenth");
	if (u->incomplete)
		doubt(f, DOUBT_AMOUNT, "a step lost device operations: profile again");
}

static void doubt_run(struct finding *f, const struct rank *rank)
{
	if (f->of == CHARGE_RUN && rank->job->run_cut)
		doubt(f, DOUBT_AMOUNT, "time the job to its end: the timed run was cut short");
}

static void doubt_import(struct finding *f, const struct rank *rank)
{
	for (size_t i = 0; i < rank->rows->n; i++) {
		const struct rank_row *r = &rank->rows->row[i];
		if (!row_is(r, "view1.import") || r->trace != f->row[0]->trace ||
		    r->store != f->row[0]->store)
			continue;
		if (row_true(r, "partial") || row_num(r, "dropped") || row_num(r, "bad_events"))
			doubt(f, DOUBT_TRACE, "the trace is incomplete: take it again");
		if (row_num(r, "untimed_ops") || row_num(r, "impossible_ops"))
			doubt(f, DOUBT_TRACE, "some device operations have no usable times: take the "
				"trace again");
	}
}

/* Idle before an operation without a launch has no cause; with much of it the
 * shares of the others are too small. */
static void doubt_links(struct finding *f, const struct rank *rank)
{
	if (f->of != CHARGE_IDLE || f->row[0]->unit < 0)
		return;
	const struct rank_unit *u = &rank->job->unit[f->row[0]->unit];
	if (u->cause_ns[IDLE_UNLINKED] > scale(u->idle_ns, UNLINKED_MAX_PERCENT, 100))
		doubt(f, DOUBT_TRACE, "much of the idle time ends with operations whose launch is "
			"not in the trace: let the profiler warm up longer");
}

void finding_trust(struct finding *f, const struct rank *rank)
{
	doubt_anchor(f);
	doubt_steps(f, rank);
	doubt_run(f, rank);
	doubt_import(f, rank);
	doubt_links(f, rank);
	if (f->charges && f->of == CHARGE_IDLE && !rank->job->honest)
		doubt(f, DOUBT_AMOUNT, "time the job without a profiler (tp-time): it inflates the "
			"host's share");
	if (f->cause->raise)
		doubt(f, DOUBT_NONE, f->cause->raise);
	f->trust = TRUST_HIGH;
	for (unsigned kind = DOUBT_WHERE; kind <= DOUBT_TRACE; kind <<= 1)
		if (f->doubts & kind && f->trust > TRUST_LOW)
			f->trust--;
}
