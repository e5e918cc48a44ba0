/* ingest_kineto.c - a Chrome trace into the store, or out as records. */
#include "base.h"
#include "ingest.h"

#include "event_text.h"
#include "evrec.h"
#include "kineto.h"
#include "mem.h"

struct feed {
	struct ingest *g;
	struct in *in;
	struct load load;
	bool failed;           /* ours, not the input's */
	int64_t n;
};

/* Looking at the clock for each event would cost as much as loading it. */
#define PROGRESS_EVERY 16384

static void show_progress(const struct feed *f)
{
	int64_t size = in_raw_size(f->in);
	int64_t done = (int64_t)in_raw_offset(f->in);

	if (size > 0)
		say_progress("%s: %" PRId64 " events, %d %%", in_name(f->in), f->n,
			(int)(done * 100 / size));
	else
		say_progress("%s: %" PRId64 " events", in_name(f->in), f->n);
}

static int take_event(void *arg, const struct event *ev)
{
	struct feed *f = arg;
	int rc;

	if (++f->n % PROGRESS_EVERY == 0)
		show_progress(f);
	if (f->g->store)
		rc = load_event(&f->load, ev);
	else if (f->g->text)
		rc = event_text_put(f->g->out->out, ev);
	else
		rc = evrec_put(f->g->out, ev, 0);
	f->failed |= rc < 0;
	return rc;
}

static int finish_store(struct feed *f, struct trace_info *info)
{
	int rc = load_finish(&f->load, info);

	if (rc < 0)
		return -1;
	if (rc > 1)
		return ST_FAIL;
	if (rc > 0) {
		note("%s: the same bytes as an input before, nothing changed", info->path);
		return ST_OK;
	}
	import_report(info, f->load.steps.rule, false);
	f->g->traces++;
	return info->partial ? ST_PARTIAL : ST_OK;
}

static int finish_records(struct feed *f, struct trace_info *info)
{
	if (!f->g->text && (evrec_put_info(f->g->out, info, info->base_ns) < 0
		|| stream_end(f->g->out, !info->partial, -1) < 0))
		return -1;
	import_report(info, NULL, false);
	f->g->traces++;
	return info->partial ? ST_PARTIAL : ST_OK;
}

static int begin(struct feed *f)
{
	struct ingest *g = f->g;

	if (g->store)
		return load_begin(&f->load, g->store, &g->opt);
	if (g->text)
		return event_text_head(g->out->out, in_name(f->in));
	return stream_head(g->out, 0, (struct text){ NULL, 0 }, g->argv);
}

/* Nothing of the input can be used: its rows leave the scratch again. */
static int give_up(struct feed *f)
{
	if (f->failed)
		return -1;
	if (f->g->store)
		return store_drop_trace(f->g->store, f->load.id) < 0 ? -1 : ST_FAIL;
	return !f->g->text && stream_end(f->g->out, false, -1) < 0 ? -1 : ST_FAIL;
}

int ingest_kineto(struct ingest *g, struct in *in, const void *first, size_t n)
{
	struct feed f = { .g = g, .in = in };
	struct event_sink sink = { take_event, &f };
	struct trace_info info;
	int status = -1;

	trace_info_init(&info);
	info.path = xstrdup(in_name(in));
	if (g->rank != NO_INT) {
		info.rank = g->rank;
		info.rank_from = "option";
	}
	if (begin(&f) == 0) {
		if (kineto_read(in, first, n, &sink, &info) < 0)
			status = give_up(&f);
		else
			status = g->store ? finish_store(&f, &info)
				: finish_records(&f, &info);
		g->events += f.n;
	}
	if (g->store)
		load_release(&f.load);
	trace_info_release(&info);
	return status;
}
