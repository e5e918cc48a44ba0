/* ingest_stream.c - a stream of the toolkit: each segment with events becomes a
 * trace, each with steps and startup phases a run of the honest clock. */
#include "base.h"
#include "ingest.h"

#include <stdlib.h>

#include "event_text.h"
#include "evrec.h"
#include "honest_rows.h"
#include "mem.h"

/* Why a trace is partial whose stream was: that one was told by the stream. */
#define CUT "the stream was cut short"

/* One segment, from head to end. */
struct segment {
	struct ingest *g;
	struct stream *stream;
	struct honest_rows honest;
	struct load load;
	struct trace_info info;
	struct hash hash;      /* over event records, where nothing tells a better one */
	int64_t epoch_ns, epoch_add_ns;
	bool open, loading;
	bool kept, rows;       /* in any segment: something for a store, rows made of one */
	int64_t n;
};

static void segment_begin(struct segment *s)
{
	s->open = true;
	s->loading = false;
	s->n = 0;
	s->epoch_ns = stream_epoch_ns(s->stream);
	s->epoch_add_ns = 0;
	hash_init(&s->hash);
	honest_rows_init(&s->honest, s->g->store);
	trace_info_init(&s->info);
}

static void segment_release(struct segment *s)
{
	if (!s->open)
		return;
	if (s->loading)
		load_release(&s->load);
	honest_rows_release(&s->honest);
	trace_info_release(&s->info);
	s->open = false;
}

/* Rows of the views and findings of tp-rank are made of a store: none is made of
 * them. */
static bool is_row(struct text kind)
{
	return (kind.n > 5 && memcmp(kind.s, "view", 4) == 0 && kind.s[5] == '.') ||
		text_is(kind, "finding") || text_is(kind, "cleared");
}

/* What the run record left open. */
static void complete_info(struct segment *s, const char *name)
{
	struct trace_info *t = &s->info;
	struct text host = stream_head_text(s->stream, "host");

	if (t->path == NULL)
		t->path = xstrdup(name);
	/* a trace file's own hash came along: then the head tells where it was
	 * read, not where it was made */
	if (t->hash == 0) {
		t->hash = hash_value(&s->hash);
		if (t->host == NULL && host.n > 0)
			t->host = xmemdup0(host.s, host.n);
	}
	if (s->g->rank != NO_INT) {
		t->rank = s->g->rank;
		t->rank_from = "option";
	}
	if (__builtin_add_overflow(s->epoch_ns, s->epoch_add_ns, &t->base_ns))
		t->base_ns = s->epoch_ns;
	if (!stream_cut(s->stream))
		return;
	t->partial = true;
	if (t->why_partial == NULL)
		t->why_partial = xstrdup(CUT);
}

static int finish_trace(struct segment *s, const char *name)
{
	int rc;

	complete_info(s, name);
	s->info.count.events = MAX(s->info.count.events, s->n);
	rc = load_finish(&s->load, &s->info);
	if (rc < 0)
		return -1;
	if (rc > 1) {
		s->g->partial = true;
		return 0;
	}
	if (rc > 0) {
		note("%s: a trace that an input before had, nothing changed", name);
		return 0;
	}
	import_report(&s->info, s->load.steps.rule, s->info.why_partial &&
		strcmp(s->info.why_partial, CUT) == 0);
	s->g->partial |= s->info.partial;
	s->g->traces++;
	s->g->events += s->n;
	return 0;
}

static int segment_finish(struct segment *s, const char *name)
{
	int rc = 0;

	if (!s->open)
		return 0;
	if (s->loading)
		rc = finish_trace(s, name);
	if (rc == 0 && honest_rows_finish(&s->honest, !s->loading, stream_cut(s->stream)) < 0)
		rc = -1;
	segment_release(s);
	return rc;
}

static int take_event(struct segment *s, const struct rec *r, const struct event *ev)
{
	if (!s->loading) {
		s->loading = true;
		if (load_begin(&s->load, s->g->store, &s->g->opt) < 0)
			return -1;
	}
	hash_add(&s->hash, r->line.s, r->line.n);
	hash_add(&s->hash, "\n", 1);
	s->n++;
	return load_event(&s->load, ev);
}

static int take_record(struct segment *s, const struct rec *r)
{
	struct event ev;
	int rc = evrec_get(r, &ev);

	s->rows |= is_row(r->kind);
	s->kept |= rc > 0 || text_is(r->kind, "step") || text_is(r->kind, "startup");
	if (rc > 0)
		return take_event(s, r, &ev);
	if (rc < 0) {
		stream_reject(s->stream, "an event that cannot be");
		return 0;
	}
	if (evrec_get_info(r, &s->info, &s->epoch_add_ns) < 0) {
		stream_reject(s->stream, "a run record that cannot be");
		return 0;
	}
	return honest_rows_take(&s->honest, r, s->epoch_ns) < 0 ? -1 : 0;
}

static int take_all(struct segment *s, const char *name)
{
	struct rec r;
	int rc;

	while ((rc = stream_next(s->stream, &r)) > 0) {
		if (text_is(r.kind, "head") || text_is(r.kind, "end")) {
			if (segment_finish(s, name) < 0)
				return -1;
			continue;
		}
		if (!s->open)
			segment_begin(s);
		if (take_record(s, &r) < 0)
			return -1;
	}
	if (segment_finish(s, name) < 0)
		return -1;
	if (rc == 0 && s->rows && !s->kept)
		rc = error("%s: rows of the views, nothing for a store: tp-rank reads them", name);
	return rc < 0 ? ST_FAIL : ST_OK;
}

/* For a person: events as lines, and the other records as they are. */
static int show_all(struct ingest *g, struct stream *stream, const char *name)
{
	struct rec r;
	struct event ev;
	int rc, got;
	bool head = false;

	while ((rc = stream_next(stream, &r)) > 0) {
		if (!head && event_text_head(g->out->out, name) < 0)
			return -1;
		head = true;
		got = evrec_get(&r, &ev);
		if (got > 0 && event_text_put(g->out->out, &ev) < 0)
			return -1;
		if (got < 0)
			stream_reject(stream, "an event that cannot be");
		if (got == 0 && stream_pass(g->out, r.line) < 0)
			return -1;
	}
	return rc < 0 ? ST_FAIL : ST_OK;
}

/* Without a store a stream passes through: its events are records already. */
static int relay_all(struct ingest *g, struct stream *stream)
{
	struct rec r;
	int rc;

	stream_on_idle(stream, stream_writer_flush, g->out);
	while ((rc = stream_next(stream, &r)) > 0)
		if (stream_relay(stream, g->out, &r, g->argv) < 0)
			return -1;
	if (stream_relay(stream, g->out, NULL, g->argv) < 0)
		return -1;
	return rc < 0 ? ST_FAIL : ST_OK;
}

int ingest_stream(struct ingest *g, struct in *in, const void *first, size_t n)
{
	struct segment s = { .g = g };
	char *name = xstrdup(in_name(in));
	int status, end;

	s.stream = stream_adopt(in, first, n);
	status = g->store ? take_all(&s, name)
		: g->text ? show_all(g, s.stream, name) : relay_all(g, s.stream);
	segment_release(&s);
	end = stream_close(s.stream);
	free(name);
	return status == ST_OK ? end : status;
}
