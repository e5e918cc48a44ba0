/* rank_report.c - see rank_report.h. */
#include "base.h"
#include "rank_report.h"

#include <stdio.h>

#include "num.h"

#define LINE_MAX_BYTES 1024 /* our own words and a few numbers, no names */

static const char *const VIEWS[] = { "", "the split of the steps", "lost time", "kernels",
	"overlap and exposure", "memory" };

/* Bytes of a character behind its first are no column of their own. */
static int columns_of(const char *s, size_t n)
{
	int columns = 0;
	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xC0) != 0x80;
	return columns;
}

void rank_report_wrap(const struct rank_report *r, const char *first, const char *rest,
	struct text t)
{
	buf_adds(r->b, first);
	int column = columns_of(first, strlen(first));
	int indent = columns_of(rest, strlen(rest));
	bool begun = false;
	for (size_t at = 0; at < t.n;) {
		size_t n = 0;
		while (at + n < t.n && t.s[at + n] != ' ')
			n++;
		int word = columns_of(t.s + at, n);
		if (begun && column + 1 + word > r->width) {
			buf_addc(r->b, '\n');
			buf_adds(r->b, rest);
			column = indent;
			begun = false;
		}
		if (begun)
			buf_addc(r->b, ' ');
		buf_add(r->b, t.s + at, n);
		column += word + begun;
		begun = true;
		for (at += n; at < t.n && t.s[at] == ' ';)
			at++;
	}
	buf_addc(r->b, '\n');
}

void rank_report_line(const struct rank_report *r, const char *fmt, ...)
{
	char text[LINE_MAX_BYTES];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (n > 0)
		rank_report_wrap(r, "", "", (struct text){ text, MIN((size_t)n, sizeof text - 1) });
}

size_t rank_report_shown(const struct rank_report *r)
{
	size_t n = r->rank->n;
	return (uint64_t)r->top < n ? (size_t)r->top : n;
}

void cost_add(struct buf *b, const struct rank_report *r, const struct finding *f)
{
	char out[NUM_LEN];
	if (!f->charges) {
		percent_add(b, f->number_micro);
		buf_adds(b, f->cause->way == WAY_MOST ? " (under " : " (from ");
		percent_add(b, f->cause->threshold_micro);
		buf_addc(b, ')');
		return;
	}
	if (f->of == CHARGE_RUN)
		buf_addf(b, "%s in all", num_fmt_ns(out, f->cost_ns));
	else
		buf_addf(b, "at most %s%s", num_fmt_ns(out, f->per_step_ns),
			r->rank->job->whole ? "" : " a step");
	if (f->share_micro == NO_NUM) {
		if (f->of == CHARGE_RUN) { /* of the run there was, and it was longer */
			buf_adds(b, " (at most ");
			percent_add(b, f->number_micro);
			buf_adds(b, " of the run)");
		}
		return;
	}
	buf_adds(b, " (");
	percent_add(b, f->share_micro);
	buf_adds(b, f->share_of == SHARE_RUN ? " of the run)" : f->share_of == SHARE_TIMED ?
		" of the timed steps)" : r->rank->job->whole ? " of the window)" : " of it)");
}

static const char *idle_verdict(const struct rank_job *job)
{
	switch (job->idle_why) {
	case WHY_NOT_KNOWN: return "why was not looked at (view 2)";
	case WHY_UNSURE:
		return "but operations of the device are missing from the trace in most of it";
	case WHY_HOST: return "the host does not keep it supplied";
	default: return "for most of that the trace does not show the host to be late";
	}
}

/* The window is what the trace spans, where it marks no steps in it. */
static const char *step_words(const struct rank_job *job)
{
	if (job->whole)
		return job->about > 1 ? "an average window" : "a window";
	return job->steps > 1 || job->about > 1 ? "an average step" : "a step";
}

/* What a job on the CPU spends its steps in, and that it is one. */
static void head_cpu(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	int64_t wall_ns = job->busy_ns + job->idle_ns, steps = MAX(job->steps, 1);
	char wall[NUM_LEN], operators[NUM_LEN], outside[NUM_LEN];
	bool known = job->busy_known && wall_ns;
	if (known)
		rank_report_line(r, "**%s** Operators of PyTorch take %s of %s of %s, in %s none "
			"runs.", job->idle_ns > job->busy_ns ? "Most of a step is no operator." :
			"The operators take most of a step.",
			num_fmt_share(operators, job->busy_ns, wall_ns),
			step_words(job),
			num_fmt_ns(wall, job->base_ns / steps),
			num_fmt_share(outside, job->idle_ns, wall_ns));
	if (job->partial_counts) {
		/* a cut takes what comes last in a file, often the device's part */
		rank_report_line(r, "%sThe part of the %s that was read has no device; what follows "
			"is of its operators.", known ? "" : "**No operator is known.** ",
			job->traces > 1 ? "traces" : "trace");
		return;
	}
	rank_report_line(r, "%s is a job of the CPU: %s neither launches nor device operations "
		"(or the profiler was not told to record the device, or the trace was cut short "
		"before them).", known ? "This" : "**No operator is known.** This",
		job->traces > 1 ? "the traces hold" : "the trace holds");
}

/* Empty when unknown; several kinds are not one name. */
static struct text device_name(const struct rank_job *job)
{
	struct text name = TEXT("");
	for (size_t i = 0; i < job->n; i++) {
		const struct rank_row *row = job->unit[i].rank_row;
		struct text own = row ? row_text(row, "device_name") : TEXT("");
		if (job->unit[i].aside || !own.n)
			continue;
		if (name.n && !text_eq(own, name))
			return TEXT("of several kinds");
		name = own;
	}
	return name;
}

/* What a rank without a device in its trace did is no verdict on the job. */
static void head_unread(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	struct text name = device_name(job);
	struct buf b = BUF_INIT;
	buf_adds(&b, "**The device's part of the trace was not read**: ");
	if (job->all_traces == 1)
		buf_adds(&b, "the trace is");
	else
		buf_addf(&b, "%" PRId64 " of %" PRId64 " traces %s", job->unread_traces,
			job->all_traces, job->unread_traces == 1 ? "is" : "are");
	buf_adds(&b, " cut short before any operation of the device");
	if (name.n && job->all_traces == 1) {
		buf_adds(&b, ", though it names one (");
		plain_add(&b, name);
		buf_addc(&b, ')');
	}
	if (job->works.n[WORK_UNKNOWN] > job->works.unread)
		buf_adds(&b, "; elsewhere work was launched, but no operation of a device is in the "
			"trace");
	buf_adds(&b, ". What the device did is not known: no time can be called busy or idle, and "
		"nothing below says what the job waits for. Take the trace again, or the whole file.");
	rank_report_wrap(r, "", "", buf_text(&b));
	buf_release(&b);
}

/* Before the figures, all of which it touches. */
static void head_partial(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	if (job->partial_counts)
		rank_report_line(r, "**A trace is incomplete**: what was not read of it may count as "
			"%s below, and its steps may seem shorter. Take it again, or the whole file.",
			job->cpu_job ? "time without an operator" : "idle time");
}

static void head_verdict(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	char wall[NUM_LEN], idle[NUM_LEN], share[NUM_LEN];
	if (!job->n || !job->wall_ns) {
		rank_report_line(r, "**Nothing to judge**: no step, no device operation in "
			"these rows.");
		return;
	}
	if (job->cpu_job) {
		head_cpu(r);
		return;
	}
	if (!job->busy_known && job->works.unread) {
		head_unread(r);
		return;
	}
	if (!job->busy_known) {
		rank_report_line(r, "**What the device did is not known**: work was launched, "
			"but no "
			"operation of a device is in the trace. No time can be called idle, and "
			"nothing below "
			"says that it was.");
		return;
	}
	int64_t base_ns = job->base_ns, steps = MAX(job->steps, 1);
	const char *mean = step_words(job);
	num_fmt_ns(wall, base_ns / steps);
	num_fmt_ns(idle, job->plain_idle_ns / steps);
	if (job->binds == BINDS_DEVICE) {
		rank_report_line(r, "**The device works.** It is busy %s of %s of %s: the "
			"host keeps up, and "
			"only work on the device can make the step shorter.",
			num_fmt_share(share, job->busy_ns, base_ns), mean, wall);
		return;
	}
	if (job->binds == BINDS_COMM) {
		rank_report_line(r, "**The device waits for other devices.** %s of %s of %s is "
			"communication that no computation hides; it is idle for another %s.",
			num_fmt_share(share, job->comm_ns, base_ns), mean, wall, idle);
		return;
	}
	bool waits = job->binds == BINDS_IDLE;
	rank_report_line(r, "**%s** It stands idle %s of %s of %s (%s): %s.",
		waits ? "The device waits." : "The device works, but waits in between.", idle, mean, wall,
		num_fmt_share(share, job->plain_idle_ns, base_ns), idle_verdict(job));
	if (job->comm_ns * 10 >= base_ns)
		rank_report_line(r, "Communication that no computation hides takes another %s.",
			num_fmt_share(share, job->comm_ns, base_ns));
}

static void head_first(const struct rank_report *r)
{
	struct buf b = BUF_INIT;
	if (!r->rank->n || !r->rank->finding[0].charges) {
		/* without views 2 and 3 there is nothing to name a cause by */
		if (r->rank->job->busy_known && r->rank->job->wall_ns && !(r->missing & (1u << 2 | 1u << 3)))
			rank_report_line(r, r->rank->job->idle_why == WHY_UNSURE ?
				"No cause is named: that idle may be none." :
				"No single cause costs enough to be called a finding.");
		return;
	}
	const struct finding *f = &r->rank->finding[0];
	words_add(&b, f->cause->title, f->row[0], NAMES_MARKED);
	buf_adds(&b, ". It costs ");
	cost_add(&b, r, f);
	buf_addc(&b, '.');
	rank_report_wrap(r, "**Look first at this**: ", "", buf_text(&b));
	buf_release(&b);
}

static void head_missing(const struct rank_report *r)
{
	struct buf b = BUF_INIT;
	for (int v = 1; v <= RANK_VIEWS; v++) {
		if (!(r->missing & 1u << v))
			continue;
		buf_addf(&b, "%s%s (view %d)", b.len ? ", " : "", VIEWS[v], v);
	}
	if (b.len) {
		buf_addc(&b, '.');
		rank_report_wrap(r, r->only ? "Not asked for: " : "**Not looked at**: ", "",
			buf_text(&b));
		if (!r->only)
			rank_report_line(r, "Nothing is said about what was not looked at.");
	}
	buf_release(&b);
}

static void head_basis(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	if (!job->n)
		return;
	struct buf b = BUF_INIT;
	int64_t steps = NO_NUM;
	bool same = true;
	for (size_t i = 0; i < job->n; i++) {
		if (job->unit[i].aside)
			continue;
		same &= steps == NO_NUM || job->unit[i].steps == steps;
		steps = job->unit[i].steps;
	}
	steps = same ? steps : job->steps;
	buf_adds(&b, "Seen: ");
	if (job->whole)
		buf_adds(&b, "the whole window, in which no steps are marked,");
	else
		buf_addf(&b, "%" PRId64 " step%s%s", steps, steps == 1 ? "" : "s",
			same ? "" : " in all,");
	bool processes = rank_job_processes(job);
	buf_addf(&b, " of %zu %s%s", job->about, processes ? "process" : "device",
		job->about == 1 ? "" : processes ? "es" : "s");
	if (job->ranks > 1)
		buf_addf(&b, " in %" PRId64 " ranks", job->ranks);
	if (job->empty)
		buf_addf(&b, ", %" PRId64 " empty step%s left out", job->empty,
			job->empty == 1 ? "" : "s");
	if (job->traces > job->ranks)
		buf_addf(&b, ", %" PRId64 " traces", job->traces);
	struct text name = device_name(job);
	if (name.n) {
		buf_adds(&b, " (");
		plain_add(&b, name);
		buf_addc(&b, ')');
	}
	if (r->rank->share_of_run)
		buf_adds(&b, ". Shares are of the whole run, timed without a profiler.");
	else if (job->run_cut)
		buf_addf(&b, ". Shares are of the profiled %s: **the run that was timed without "
			"a profiler was cut short**, and how long it took is not known.",
			job->whole ? "window" : "steps");
	else
		buf_addf(&b, ". Shares are of the profiled %s: the run was not timed "
			"without a profiler "
			"(tp-time), and a profiler makes the host slower than it is.",
			job->whole ? "window" : "steps");
	if (job->partial && !job->partial_counts)
		buf_adds(&b, " **A trace was incomplete.**");
	rank_report_wrap(r, "", "", buf_text(&b));
	buf_release(&b);
}

/* Ranks that are in no figure. */
static void head_aside(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	struct buf b = BUF_INIT;
	if (!works_aside(&job->works))
		return;
	buf_adds(&b, "**");
	works_words(&b, &job->works, (size_t)job->all_traces == job->n ? "traces" : "devices");
	buf_adds(&b, "**: left out of all sums, averages and costs.");
	rank_report_wrap(r, "", "", buf_text(&b));
	buf_release(&b);
}

/* Two runs of a job can be one after the other in a store, or two jobs. */
static void head_runs(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	if (job->runs > 1)
		rank_report_line(r, "**These are %" PRId64 " runs**, not one: their traces do not "
			"overlap in time, or have a rank twice. All figures are of all of them "
			"together; if they are not alike, give each a store of its own.",
			job->runs);
}

void rank_report_add(const struct rank_report *r)
{
	buf_adds(r->b, "# Why the job is slow\n\n");
	head_partial(r);
	head_verdict(r);
	head_first(r);
	buf_addc(r->b, '\n');
	head_basis(r);
	head_aside(r);
	head_runs(r);
	head_missing(r);
	rank_report_time(r);
	rank_report_findings(r);
	rank_report_prescription(r);
}
