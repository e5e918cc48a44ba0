/* view1_look.c - the first lines of the runtime decomposition: what to look at; see
 * view1.h. */
#include "base.h"
#include "view1.h"
#include "binds.h"
#include "num.h"

#define IDLE_BIG_PERCENT 20
#define COMM_BIG_PERCENT 10
#define COPY_BIG_PERCENT 5

struct view1_totals view1_totals(const struct view1 *job)
{
	struct view1_totals t = { 0 };

	for (size_t i = 0; i < job->nstat; i++) {
		const struct part_stat *s = &job->stat[i];

		if (s->part->any)
			continue;
		t.parts++;
		t.operators += trace_is_cpu_job(s->trace);
		t.partial |= s->trace->partial;
		t.steps += s->whole ? 0 : s->steps;
		t.empty += s->empty;
		if (!s->counts)
			continue;
		t.known = true;
		t.wall_ns += s->wall_ns;
		t.busy_ns += s->busy_ns;
		for (int c = 0; c < SPLIT_CLASSES; c++)
			t.part_ns[c] += s->part_ns[c];
	}
	for (size_t i = 0; i < job->n; i++)
		t.cut += trace_device_unread(job->decomp[i].trace);
	t.cpu = job->works.n[WORK_CPU];
	t.unread = job->works.unread;
	t.devices = t.parts - t.cpu - t.unread;
	t.all_cpu = t.operators && t.operators == t.parts;
	return t;
}

static void add_look(struct buf *b, const char *what, int64_t ns, int64_t wall_ns,
	const char *where)
{
	char share[NUM_LEN];

	buf_addf(b, "  %s %s of the wall clock: %s\n", what,
		num_fmt_share(share, ns, wall_ns), where);
}

/* Idle as it is without a profiler, where that is known: the report's number. */
static int64_t plain_idle(const struct view1 *job, const struct part_stat *s)
{
	for (size_t i = 0; i < job->nhonest; i++) {
		const struct honest *h = &job->honest[i];
		bool same_rank = h->rank == NO_INT || s->trace->rank == NO_INT ||
			h->rank == s->trace->rank;

		if (h->nstep && same_rank && s->worked)
			return ratio_of(s->idle_ns, ratio_plain(h->median_ns,
				view1_profiled(job, h->rank), s->busy_ns / (int64_t)s->worked));
	}
	return s->idle_ns;
}

static struct binds_sum binds_make(const struct view1 *job)
{
	struct binds_sum sum = { 0 };

	for (size_t i = 0; i < job->nstat; i++) {
		const struct part_stat *s = &job->stat[i];

		if (s->counts)
			binds_add(&sum, &(struct binds_device){ s->busy_ns, plain_idle(job, s),
				s->part_ns[SPLIT_COMM], s->median_ns, s->run_ahead_ns, s->whole });
	}
	return sum;
}

/* What binds, in the words of the report. */
static void binds_text(struct view1 *job, const struct view1_totals *t)
{
	struct buf *b = &job->view->text;
	struct binds_sum sum = binds_make(job);
	int64_t idle_ns = t->wall_ns - t->busy_ns;
	char plain[NUM_LEN];

	switch (binds_of(&sum)) {
	case BINDS_NOTHING:
		return;
	case BINDS_DEVICE:
		add_look(b, "the device is busy", t->busy_ns, t->wall_ns, "it binds (see tp-view3)");
		break;
	case BINDS_COMM:
		break; /* said below */
	case BINDS_IDLE:
		add_look(b, "the device is IDLE", idle_ns, t->wall_ns, "see lost time (tp-view2)");
		break;
	case BINDS_BOTH:
		if (idle_ns > t->wall_ns / 100 * IDLE_BIG_PERCENT)
			add_look(b, "the device works, but is IDLE", idle_ns, t->wall_ns,
				"see tp-view2");
		else
			buf_addf(b, "  the device works %s of the wall clock and waits in between:"
				" see tp-view3\n", num_fmt_share(plain, t->busy_ns, t->wall_ns));
	}
	if (sum.idle_ns < idle_ns)
		buf_addf(b, "  (%s as the plain run has it: a profiler slows the host)\n",
			num_fmt_share(plain, sum.idle_ns, sum.wall_ns));
}

/* The first lines: which view has the answer. */
static void look_text(struct view1 *job, const struct view1_totals *t)
{
	struct buf *b = &job->view->text;
	int64_t percent_ns = t->wall_ns / 100;
	char median[NUM_LEN];

	if (!t->wall_ns)
		return;
	if (t->all_cpu) {
		add_look(b, "operators take", t->busy_ns, t->wall_ns, t->partial ?
			"no device in what was read" :
			"a job without a device\n  (tp-view2: what the rest is, tp-view3: "
			"which operators)");
		return;
	}
	if (job->nstat == 1 && job->stat[0].counted && !job->stat[0].whole)
		buf_addf(b, "  a step takes %s (median)\n",
			num_fmt_ns(median, job->stat[0].median_ns));
	binds_text(job, t);
	if (t->part_ns[SPLIT_COMM] > percent_ns * COMM_BIG_PERCENT)
		add_look(b, "EXPOSED COMMUNICATION takes", t->part_ns[SPLIT_COMM], t->wall_ns,
			"see overlap (tp-view4)");
	if (t->part_ns[SPLIT_COPY] > percent_ns * COPY_BIG_PERCENT)
		add_look(b, "EXPOSED COPIES take", t->part_ns[SPLIT_COPY], t->wall_ns,
			"see the copies of tp-view3");
}

static const char *why_unknown(const struct view_trace *t)
{
	return trace_device_unread(t) ? "  The trace was cut short: what the device did stands in the"
		" part that was\n  not read.\n" :
		"  Usual reasons: CUPTI was not initialised, another tool had taken it, or the\n"
		"  user may not read the counters.\n";
}

/* Beside others that count, aside_text() tells. */
static void unread_text(struct view1 *job, const struct view_trace *t)
{
	struct buf *b = &job->view->text;

	if (!trace_device_unread(t) || works_aside(&job->works))
		return;
	buf_adds(b, "  ");
	view_add_place(b, t, NULL);
	buf_adds(b, ": the trace was cut short before any operation of its device:\n"
		"  busy and idle are unknown\n");
}

static void unknown_text(struct view1 *job)
{
	struct buf *b = &job->view->text;

	for (size_t i = 0; i < job->n; i++) {
		const struct view_trace *t = job->decomp[i].trace;

		if (!trace_busy_unknown(t)) {
			unread_text(job, t);
			continue;
		}
		buf_adds(b, "  ");
		view_add_place(b, t, NULL);
		buf_addf(b, ": NO DEVICE ACTIVITY in this trace although %" PRId64
			" launches were\n  recorded: busy and idle are unknown (not 0 %% and"
			" 100 %%).\n%s", t->count.launches, why_unknown(t));
	}
}

static void partial_text(struct view1 *job, const struct view_trace *t)
{
	struct buf *b = &job->view->text;
	int64_t n = t->count.unlinked_ops;

	if (!t->partial)
		return;
	buf_addf(b, "  trace %" PRId64 " is PARTIAL: %s\n", t->number,
		t->why_partial ? t->why_partial : "cut short");
	if (n && job->view->clock == CLOCK_DRAIN)
		buf_addf(b, "  %" PRId64 " device op%s without a call in it: a step that ends"
			" there may end later\n", n, n == 1 ? "" : "s");
}

static void aside_text(struct view1 *job, const struct view1_totals *t)
{
	struct buf *b = &job->view->text;

	if (!works_aside(&job->works))
		return;
	buf_adds(b, "  ");
	works_words(b, &job->works, t->parts == job->n ? "traces" : "devices");
	buf_adds(b, ":\n  listed below, left out of all sums and comparisons\n");
}

static void spread_lines(struct view1 *job)
{
	struct buf *b = &job->view->text;
	char median[NUM_LEN];

	for (size_t i = 0; i < job->nstat; i++) {
		const struct part_stat *s = &job->stat[i];

		if (s->straggler && !s->least_comm) {
			buf_adds(b, "  longest step: ");
			view1_add_part(b, job, s);
			buf_addf(b, ", %s\n", num_fmt_ns(median, s->median_ns));
		}
		if (s->least_comm) {
			buf_adds(b, "  ");
			view1_add_part(b, job, s);
			buf_addf(b, " communicates least, %s a step:\n  the others may wait for it"
				" (see who came last in tp-view4)\n",
				num_fmt_ns(median, s->comm_ns));
		}
	}
	for (size_t i = 0; i < job->n; i++)
		partial_text(job, job->decomp[i].trace);
	for (size_t i = 0; i < job->nhonest; i++)
		if (job->honest[i].cut && (!i || job->honest[i].run != job->honest[i - 1].run))
			buf_addf(b, "  timed run %" PRId64 " is PARTIAL: its stream was cut short\n",
				job->honest[i].run);
}

void view1_look(struct view1 *job, const struct view1_totals *t)
{
	unknown_text(job);
	look_text(job, t);
	aside_text(job, t);
	spread_lines(job);
}
