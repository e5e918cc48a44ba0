/* rank_report_time.c - part 1 of the report: where the time went (rank_report.h). */
#include "base.h"
#include "rank_report.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "tab.h"

#define BAR_CELLS 60
#define CLASSES_MAX 16

void rank_report_table(const struct rank_report *r, struct tab *t)
{
	struct buf text = BUF_INIT;
	tab_put(t, &text, r->width - 4, false);
	tab_free(t);
	for (const char *at = text.data; at && *at;) {
		const char *nl = strchr(at, '\n');
		size_t n = nl ? (size_t)(nl - at) : strlen(at);
		buf_adds(r->b, "    ");
		buf_add(r->b, at, n);
		buf_addc(r->b, '\n');
		at += n + (nl != NULL);
	}
	buf_addc(r->b, '\n');
	buf_release(&text);
}

static void share_row(struct tab *t, const char *name, int64_t ns, int64_t steps, int64_t wall_ns,
	const char *words)
{
	char step[NUM_LEN], share[NUM_LEN];
	tab_row(t, name, num_fmt_ns(step, ns / steps), num_fmt_share(share, ns, wall_ns), words);
}

static void time_split(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	int64_t steps = MAX(job->steps, 1), wall_ns = job->busy_ns + job->idle_ns;
	bool split = job->split_known; /* else busy is all that is known */
	struct tab_part part[] = { { 'C', split ? job->compute_ns : job->busy_ns },
		{ 'N', job->comm_ns }, { 'T', job->copy_ns }, { '.', job->idle_ns } };
	rank_report_line(r, "%s%s%s:", job->whole ? "The window" : "A step",
		job->about > 1 ? ", on average over all devices" :
		steps > 1 ? ", on average" : "",
		job->weighed ? ", as profiled" : "");
	buf_adds(r->b, "\n    ");
	tab_bar(r->b, part, ARRAY_LEN(part), BAR_CELLS);
	buf_adds(r->b, "\n\n");
	struct tab *t = tab_new("lrrl");
	share_row(t, split ? "C compute" : "C busy", part[0].value, steps, wall_ns, "");
	if (split) {
		share_row(t, "N communication", job->comm_ns, steps, wall_ns,
			"not hidden behind compute");
		share_row(t, "T copies", job->copy_ns, steps, wall_ns,
			"not hidden behind either");
	}
	share_row(t, ". idle", job->idle_ns, steps, wall_ns, "");
	share_row(t, "= wall", wall_ns, steps, wall_ns, "");
	rank_report_table(r, t);
}

static void time_binds(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	char seen[NUM_LEN];
	int64_t hidden_ns = 0;
	for (size_t i = 0; i < job->n; i++)
		if (!job->unit[i].left_out)
			ns_add(&hidden_ns, job->unit[i].compute_ns -
				ratio_of(job->unit[i].compute_ns, job->unit[i].seen));
	if (job->binds == BINDS_DEVICE) {
		rank_report_line(r, "The device binds: it has work queued nearly all the time, "
			"so a faster host would "
			"gain next to nothing.");
	} else if (hidden_ns > 0) {
		bool host = job->binds == BINDS_IDLE && job->idle_why == WHY_HOST;
		rank_report_line(r, "%s%s of compute%s runs while the host "
			"is late anyway. Making "
			"%s would gain next to nothing until the host is quicker.",
			host ? "The host binds: " : "",
			num_fmt_ns(seen, hidden_ns / MAX(job->steps, 1)),
			job->whole ? "" : " a step",
			host ? "those kernels faster" : "that part faster");
	} else {
		return;
	}
	buf_addc(r->b, '\n');
}

/* -1: only zeroes are left. */
static int idle_largest(const struct rank_job *job, const bool *done)
{
	int best = -1;
	for (int i = 0; i < IDLE_CAUSE_COUNT; i++)
		if (!done[i] && job->cause_ns[i] > (best < 0 ? 0 : job->cause_ns[best]))
			best = i;
	return best;
}

static void time_idle(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	int64_t steps = MAX(job->steps, 1), wall_ns = job->busy_ns + job->idle_ns, known_ns = 0;
	char unsure[NUM_LEN];
	for (size_t i = 0; i < IDLE_CAUSE_COUNT; i++)
		ns_add(&known_ns, job->cause_ns[i]);
	if (!known_ns)
		return;
	rank_report_line(r, "Idle, by what the machine did instead:");
	buf_addc(r->b, '\n');
	struct tab *t = tab_new("lrrw");
	bool done[IDLE_CAUSE_COUNT] = { false };
	for (int best; (best = idle_largest(job, done)) >= 0; done[best] = true)
		share_row(t, idle_cause_name((enum idle_cause)best), job->cause_ns[best], steps,
			wall_ns, idle_cause_words((enum idle_cause)best));
	rank_report_table(r, t);
	if (job->unsure_ns)
		rank_report_line(r, "%s a step of it lies in steps whose operations are partly missing "
			"from the trace: nothing is concluded from it.\n",
			num_fmt_ns(unsure, job->unsure_ns / steps));
}

struct class_sum {
	struct text name;
	int64_t own_ns, count;
};

static int class_order(const void *a, const void *b)
{
	const struct class_sum *x = a, *y = b;
	if (x->own_ns != y->own_ns)
		return x->own_ns < y->own_ns ? 1 : -1;
	return text_compare(x->name, y->name);
}

static size_t classes_sum(const struct rank_report *r, struct class_sum *sum)
{
	const struct rank_rows *rows = r->rank->rows;
	const struct rank_job *job = r->rank->job;
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++) {
		const struct rank_row *row = &rows->row[i];
		struct text name = row_text(row, "class");
		size_t k = 0;
		if (!row_is(row, "view3.class") || row_true(row, "any_device") ||
		    row_is_aside(job, row))
			continue;
		while (k < n && !text_eq(sum[k].name, name))
			k++;
		if (k == CLASSES_MAX)
			continue;
		if (k == n)
			sum[n++] = (struct class_sum){ .name = name };
		ns_add(&sum[k].own_ns, row_ns(row, "own_ns"));
		ns_add(&sum[k].count, row_ns(row, "count"));
	}
	qsort(sum, n, sizeof *sum, class_order);
	return n;
}

static void time_classes(const struct rank_report *r)
{
	struct class_sum sum[CLASSES_MAX];
	const struct rank_job *job = r->rank->job;
	int64_t steps = MAX(job->steps, 1);
	size_t n = classes_sum(r, sum);
	if (!n)
		return;
	rank_report_line(r, "Busy, by kind of operation:");
	buf_addc(r->b, '\n');
	struct tab *t = tab_new("lrrr");
	tab_head(t, "kind", r->rank->job->whole ? "time" : "a step", "of the wall", "operations");
	for (size_t i = 0; i < n; i++) {
		char step[NUM_LEN], share[NUM_LEN], count[NUM_LEN];
		char *name = xmemdup0(sum[i].name.s ? sum[i].name.s : "", sum[i].name.n);
		tab_row(t, name, num_fmt_ns(step, sum[i].own_ns / steps),
			num_fmt_share(share, sum[i].own_ns, job->busy_ns + job->idle_ns),
			num_fmt_count(count, sum[i].count));
		free(name);
	}
	rank_report_table(r, t);
}

static const char on_device[] = " on the device, which the host runs ahead of";

static void time_run(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	char run[NUM_LEN], startup[NUM_LEN], plain[NUM_LEN], share[NUM_LEN], profiled[NUM_LEN];
	int64_t profiled_ns;
	bool ahead;

	if (job->run_ns == NO_NUM)
		return;
	ahead = text_is(row_text(job->run_row, "plain_clock"), "device");
	num_fmt_ns(run, job->run_ns);
	num_fmt_ns(startup, job->startup_ns);
	num_fmt_ns(plain, job->plain_ns);
	if (job->run_cut)
		rank_report_line(r, "The whole run: at least %s. Its timing was cut short, and it "
			"took longer: %s start-up and %" PRId64 " steps with a median of %s%s came.",
			run, startup, job->run_steps, plain, ahead ? on_device : "");
	else
		rank_report_line(r, "The whole run: %s, of it %s start-up (%s), then %" PRId64
			" steps with a median of %s%s.", run, startup, num_fmt_share(share,
			job->startup_ns, job->run_ns), job->run_steps, plain,
			ahead ? on_device : "");
	if (row_int(job->run_row, "profiled_median_ns", &profiled_ns))
		rank_report_line(r, "Under the profiler a step took %s: %s scaled to the plain step.",
			num_fmt_ns(profiled, profiled_ns), job->cpu_job ? "costs are" :
			"what idle costs is");
	buf_addc(r->b, '\n');
}

static const struct { const char *name, *words; } COUNTS[] = {
#define COUNT(name, words) { #name, words },
#include "counts.def"
#undef COUNT
};

/* The import report: what the reader repaired or lost, not how much there was. */
static void time_import(const struct rank_report *r)
{
	static const char *const PLAIN[] = { "events", "device_ops", "launches", "linked_ops",
		"flow_starts", "flow_ends", "meta_events", "spilled", "worst_delay_ns" };
	const struct rank_rows *rows = r->rank->rows;
	struct buf b = BUF_INIT;
	for (size_t k = 0; k < ARRAY_LEN(COUNTS); k++) {
		int64_t n = 0;
		bool plain = !*COUNTS[k].words;
		for (size_t i = 0; i < ARRAY_LEN(PLAIN); i++)
			plain |= strcmp(COUNTS[k].name, PLAIN[i]) == 0;
		for (size_t i = 0; i < rows->n && !plain; i++)
			if (row_is(&rows->row[i], "view1.import"))
				ns_add(&n, row_ns(&rows->row[i], COUNTS[k].name));
		if (n)
			buf_addf(&b, "%s%" PRId64 " %s", b.len ? "; " : "", n, COUNTS[k].words);
	}
	if (b.len) {
		rank_report_wrap(r, "What the trace's reader had to repair or could not link: ",
			"", buf_text(&b));
		buf_addc(r->b, '\n');
	}
	buf_release(&b);
}

void rank_report_time(const struct rank_report *r)
{
	buf_adds(r->b, "\n## 1. Where the time went\n\n");
	time_run(r);
	if (r->rank->job->cpu_job) {
		rank_report_cpu(r);
	} else if (r->rank->job->busy_known) {
		time_split(r);
		time_binds(r);
		time_idle(r);
		time_classes(r);
	}
	rank_report_ranks(r);
	rank_report_memory(r);
	time_import(r);
}
