/* tp-view1 - runtime decomposition: wall = busy + idle, per step, rank and
 * device, on one ordered scan of the device ops. */
#include "base.h"
#include "mem.h"
#include "view1.h"

#include <stdlib.h>

static struct view v = VIEW_INIT;
static const struct opt opts[] = { VIEW_OPTS(v), OPT_END };
static const struct opt_page page = {
	.usage = "tp-view1 [options] STORE",
	.what = "How the wall clock splits: compute, exposed communication, copies, idle.",
	.example = "tp-view1 -t store.db",
	.opt = opts,
};

static void flag_put(struct jw *w, bool set, const char *word)
{
	if (set)
		jw_str(w, word);
}

static void flags_put(struct jw *w, const struct decomp *d, int flags, bool unknown)
{
	jw_key(w, "flags");
	jw_open(w, '[');
	flag_put(w, flags & STEP_EMPTY, "empty");
	flag_put(w, flags & STEP_INCOMPLETE, "incomplete");
	flag_put(w, flags & STEP_WHOLE, "whole_window");
	flag_put(w, unknown, "busy_unknown");
	flag_put(w, d->cpu_job, "cpu_job");
	jw_close(w, ']');
}

/* prefix "" or "window_" */
static void split_put(struct jw *w, const char *prefix, int64_t wall_ns,
	const int64_t *part_ns, int64_t busy_ns)
{
	const struct { const char *name; int64_t ns; } field[] = {
		{ "wall_ns", wall_ns }, { "busy_ns", busy_ns },
		{ "compute_ns", part_ns[SPLIT_COMPUTE] },
		{ "exposed_comm_ns", part_ns[SPLIT_COMM] },
		{ "exposed_copy_ns", part_ns[SPLIT_COPY] },
		{ "idle_ns", wall_ns - busy_ns },
	};
	struct buf key = BUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(field); i++) {
		buf_reset(&key);
		buf_addf(&key, "%s%s", prefix, field[i].name);
		jw_kint(w, key.data, field[i].ns);
	}
	buf_release(&key);
}

/* From this host step's start to the next one's; the last ends with itself. */
static int64_t host_wall(const struct view_steps *s, size_t i)
{
	if (i + 1 < s->n)
		return s->step[i + 1].host_ts_ns - s->step[i].host_ts_ns;
	return s->step[i].host_dur_ns;
}

static const char *device_or_null(const struct decomp_part *p)
{
	return *p->device ? p->device : NULL;
}

static int step_put(const struct decomp *d, const struct decomp_part *p, size_t i)
{
	const struct view_step *s = &p->steps.step[i];
	const struct span *span = part_step(p, i);
	struct view_where at = { d->trace, device_or_null(p), s, NULL };
	struct jw *w = view_row(&v, "view1.step", &at);
	bool unknown = p->unknown;

	jw_kstr(w, "clock", v.clock == CLOCK_HOST ? "host" : "drain");
	jw_kint(w, "start_ns", view_time(&v, d->trace, s->ts_ns));
	if (unknown)
		jw_kint(w, "wall_ns", s->dur_ns);
	else
		split_put(w, "", s->dur_ns, span->part_ns, span->busy_ns);
	jw_kint(w, "host_wall_ns", host_wall(&p->steps, i));
	jw_kint(w, "run_ahead_ns", s->ts_ns - s->host_ts_ns);
	if (!unknown)
		jw_kint(w, "comm_ns", span->comm_ns);
	jw_kint(w, "ops", (int64_t)span->ops);
	if (s->launches != NO_INT) {
		jw_kint(w, "launches", s->launches);
		jw_kint(w, "lone_launches", s->lone == NO_INT ? 0 : s->lone);
	}
	flags_put(w, d, part_step_flags(p, i), unknown);
	return view_put(&v);
}

static void rank_flags(struct jw *w, const struct decomp *d, const struct part_stat *s)
{
	const struct decomp_part *p = s->part;

	jw_key(w, "flags");
	jw_open(w, '[');
	flag_put(w, s->outlier, "outlier_spread");
	flag_put(w, s->straggler != NULL, "straggler");
	flag_put(w, p->unknown, "busy_unknown");
	flag_put(w, d->cpu_job, "cpu_job");
	flag_put(w, s->whole, "whole_window");
	flag_put(w, s->incomplete > 0, "incomplete");
	flag_put(w, p->untimed > 0, "untimed_ops");
	flag_put(w, trace_device_unread(d->trace), "device_unread");
	jw_close(w, ']');
}

static void rank_steps(struct jw *w, const struct part_stat *s)
{
	jw_kint(w, "run", s->run);
	jw_kint(w, "steps", (int64_t)s->steps);
	jw_kint(w, "counted_steps", (int64_t)s->counted);
	if (!s->counted)
		return;
	jw_kint(w, "median_ns", s->median_ns);
	jw_kint(w, "min_ns", s->min_ns);
	jw_kint(w, "max_ns", s->max_ns);
	jw_kint(w, "run_ahead_ns", s->run_ahead_ns);
	if (s->median_ns > 0)
		jw_kratio(w, "spread", s->max_ns - s->min_ns, s->median_ns, 4);
	if (!s->part->unknown)
		jw_kint(w, "comm_ns", s->comm_ns);
}

static int rank_put(const struct decomp *d, const struct part_stat *s)
{
	const struct decomp_part *p = s->part;
	struct view_where at = { d->trace, device_or_null(p), NULL, NULL };
	struct jw *w = view_row(&v, "view1.rank", &at);

	if (p->info && p->info->name)
		jw_kstr(w, "device_name", p->info->name);
	else if (p->info || trace_device_unread(d->trace))
		jw_kstr(w, "device_name", d->trace->device_name);
	if (p->info)
		jw_kstr(w, "main_stream", p->info->main_stream);
	jw_kstr(w, "step_rule", d->trace->step_rule);
	rank_steps(w, s);
	if (!p->unknown) {
		jw_kint(w, "head_ns", part_head(p)->busy_ns);
		jw_kint(w, "tail_ns", part_tail(p)->busy_ns);
		split_put(w, "window_", p->split.last_ns - p->split.first_ns,
			p->split.part_ns, p->split.busy_ns);
		jw_kint(w, "ops", (int64_t)p->split.ops);
	}
	if (p->untimed)
		jw_kint(w, "untimed_ops", (int64_t)p->untimed);
	jw_kstr(w, "straggler", s->straggler);
	rank_flags(w, d, s);
	return view_put(&v);
}

static int import_put(const struct view_trace *t)
{
	struct view_where at = { t, NULL, NULL, NULL };
	struct jw *w = view_row(&v, "view1.import", &at);

	jw_kstr(w, "path", t->path);
	jw_kstr(w, "host", t->host);
	jw_kstr(w, "torch", t->torch);
	if (t->world_size != NO_INT)
		jw_kint(w, "world_size", t->world_size);
	jw_kbool(w, "partial", t->partial);
	jw_kstr(w, "why_partial", t->why_partial);
#define COUNT(name, words) jw_kint(w, #name, t->count.name);
#include "counts.def"
#undef COUNT
	return view_put(&v);
}

static int trace_put(const struct decomp *d, const struct part_stat *stat)
{
	for (size_t k = 0; k < d->n; k++) {
		const struct decomp_part *p = &d->part[k];

		for (size_t s = 0; s < p->steps.n; s++)
			if (p->steps.step[s].chosen && step_put(d, p, s) < 0)
				return -1;
		if (rank_put(d, &stat[k]) < 0)
			return -1;
	}
	return import_put(d->trace);
}

static int job_fill(struct view1 *job)
{
	size_t k = 0;

	for (size_t i = 0; i < v.ntrace; i++) {
		struct decomp *d = &job->decomp[job->n++];

		if (decomp_begin(d, &v, &v.trace[i]) < 0 || decomp_run(d, NULL) < 0 ||
		    decomp_check(d) < 0)
			return -1;
		job->nstat += d->n;
	}
	job->stat = xcalloc(job->nstat + 1, sizeof *job->stat);
	for (size_t i = 0; i < job->n; i++)
		for (size_t p = 0; p < job->decomp[i].n; p++)
			part_stat_make(&job->stat[k++], job->decomp[i].trace,
				&job->decomp[i].part[p]);
	job->works = stats_works(job->stat, job->nstat);
	stats_compare(job->stat, job->nstat);
	return honest_load(&v, &job->honest, &job->nhonest);
}

static int run(struct view *view)
{
	struct view1 job = { .view = view };
	size_t at = 0;
	int rc;

	job.decomp = xcalloc(v.ntrace + 1, sizeof *job.decomp);
	rc = job_fill(&job);
	for (size_t i = 0; i < job.n && rc == 0; at += job.decomp[i++].n)
		rc = trace_put(&job.decomp[i], &job.stat[at]);
	if (rc == 0)
		rc = view1_run_put(&job);
	if (rc == 0 && v.as_text)
		view1_text(&job);
	for (size_t i = 0; i < job.n; i++)
		decomp_release(&job.decomp[i]);
	honest_free(job.honest, job.nhonest);
	free(job.stat);
	free(job.decomp);
	return rc;
}

int main(int argc, char **argv)
{
	return view_main(&v, &page, argc, argv, run);
}
