/* stream.c - see stream.h. */
#include "base.h"

#include <stdlib.h>

#include "line.h"
#include "mem.h"
#include "num.h"
#include "say.h"
#include "sniff.h"
#include "stream.h"

struct stream {
	struct in *in;
	struct line_reader lines;
	struct rec_parser *parser;
	bool failed;
	bool any;              /* a record came */
	bool partial;          /* some segment was cut */
	uint64_t lines_seen, bad;
	uint64_t hollow;       /* segments of a head alone: their writers failed */

	/* the segment under way, or the one that ended last */
	bool open, cut, told;
	bool bad_before;       /* a bad line since the last one ended: its head? */
	uint64_t records, bad_here;

	/* the head in force, a copy: it outlives its line */
	struct buf head_line;
	struct rec_parser *head_parser;
	struct rec head;
	int64_t epoch_ns;
};

struct stream *stream_adopt(struct in *in, const void *first, size_t n)
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->in = in;
	line_reader_init(&s->lines, in, first, n);
	s->parser = rec_parser_new();
	s->head_parser = rec_parser_new();
	return s;
}

/* What is no stream is refused, and not skipped line by line.  A stream whose first
 * line is damaged shows by a record behind it; one that is cut in its first record
 * has told nothing yet. */
static bool may_be_stream(enum input_kind kind, const char *first, size_t n)
{
	switch (kind) {
	case INPUT_STREAM:
	case INPUT_EMPTY:
		return true;
	case INPUT_OBJECT:
		return n < SNIFF_BYTES;
	case INPUT_KINETO:
		return memmem(first, n, "\n{\"kind\":", 9) != NULL;
	case INPUT_OTHER:
		return memmem(first, n, "\"kind\"", 6) != NULL;
	case INPUT_STORE:
		break;
	}
	return false;
}

static void refuse(const char *name, enum input_kind kind, const char *what)
{
	if (kind == INPUT_STORE)
		(void)error("%s: a store, no stream of records: the views read it, as in"
			" tp-view1 %s", name, name);
	else if (kind == INPUT_KINETO)
		(void)error("%s: a Chrome trace, no stream of records: tp-ingest reads it,"
			" as in tp-ingest -o store.db %s", name, name);
	else
		(void)error("%s: %s, no stream of records", name, what);
}

struct stream *stream_open(const char *path)
{
	struct in *in = in_open(path);
	struct stream *s = NULL;
	enum input_kind kind;
	const char *what;
	char *first;
	ssize_t n;

	if (!in)
		return NULL;
	first = xmalloc(SNIFF_BYTES);
	n = input_first(in, first, &kind, &what);
	if (n >= 0 && may_be_stream(kind, first, (size_t)n))
		s = stream_adopt(in, first, (size_t)n);
	else if (n >= 0)
		refuse(in_name(in), kind, what);
	if (!s)
		in_close(in);
	free(first);
	return s;
}

int stream_close(struct stream *s)
{
	int status = s->partial ? ST_PARTIAL : ST_OK;

	line_reader_release(&s->lines);
	rec_parser_free(s->parser);
	rec_parser_free(s->head_parser);
	buf_release(&s->head_line);
	in_close(s->in);
	free(s);
	return status;
}

void stream_on_idle(struct stream *s, int (*fn)(void *), void *arg)
{
	s->lines.idle = fn;
	s->lines.idle_arg = arg;
}

int64_t stream_epoch_ns(const struct stream *s)
{
	return s->epoch_ns;
}

struct text stream_head_text(const struct stream *s, const char *key)
{
	return rec_text(&s->head, key);
}

struct text stream_prov(const struct stream *s)
{
	const struct rec_field *f = rec_get(&s->head, "prov");

	return f && f->type == REC_ARR ? f->value : TEXT("[]");
}

bool stream_cut(const struct stream *s)
{
	return s->open || s->cut;
}

static void segment_begin(struct stream *s)
{
	s->open = true;
	s->cut = s->bad_before;
	s->told = s->bad_before = false;
	s->records = s->bad_here = 0;
}

/* One warning a segment: later causes follow from the first. */
static void PRINTF_LIKE(2, 3) segment_cut(struct stream *s, const char *fmt, ...)
{
	struct buf why = BUF_INIT;
	char line[256];
	va_list ap;

	s->partial = s->cut = true;
	if (s->told)
		return;
	s->told = true;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_adds(&why, line);
	if (in_cut(s->in))
		buf_addf(&why, ": %s", in_cut(s->in));
	warn("%s: cut short: %s", in_name(s->in), why.data);
	buf_release(&why);
}

/* Five views that cannot read their store leave five heads: one line at the end. */
static void segment_no_end(struct stream *s)
{
	s->open = false;
	if (s->records == 0 && !s->told) {
		s->partial = s->cut = s->told = true;
		s->hollow++;
		return;
	}
	segment_cut(s, "no end record after %" PRIu64 " record%s", s->records,
		s->records == 1 ? "" : "s");
}

static void hollow_tell(struct stream *s)
{
	s->told = false;
	if (s->hollow == 1)
		segment_cut(s, "no end record after 0 records");
	else if (s->hollow > 1)
		segment_cut(s, "%" PRIu64 " heads with no record and no end", s->hollow);
	s->hollow = 0;
}

/* Only the first one is worth a line; the number comes at the end. */
static void line_bad(struct stream *s, const char *why)
{
	if (s->bad++ == 0)
		warn("%s: line %" PRIu64 " (byte %" PRIu64 "): no record: %s, skipped",
			in_name(s->in), s->lines_seen, s->lines.line_offset, why);
	s->bad_here++;
	s->bad_before = !s->open;
	s->partial = s->cut = true;
}

void stream_reject(struct stream *s, const char *why)
{
	line_bad(s, why);
	s->bad_here--; /* the end record counts it and so do we */
}

/* 1, "1" and "1.4" are version 1. */
static int head_version(const struct stream *s, const struct rec *head)
{
	const struct rec_field *f = rec_get(head, "tp");
	struct text t = f ? f->value : (struct text){ NULL, 0 };
	const char *point = t.n ? memchr(t.s, '.', t.n) : NULL;
	int64_t major;

	if (point)
		t.n = (size_t)(point - t.s);
	if (!f || (f->type != REC_NUM && f->type != REC_STR) ||
	    num_int(t, 0, INT64_MAX, &major) < 0)
		return error("%s: line %" PRIu64 ": the head tells no stream version",
			in_name(s->in), s->lines_seen);
	if (major != TP_STREAM_MAJOR)
		return error("%s: stream version %" PRId64 ": this program reads version %d",
			in_name(s->in), major, TP_STREAM_MAJOR);
	return 0;
}

static int head_take(struct stream *s, const struct rec *r)
{
	const char *why;
	struct rec head;
	int64_t epoch_ns = 0;

	if (s->open)
		segment_no_end(s);
	if (head_version(s, r) < 0)
		return -1;
	if (rec_get(r, "epoch_ns") && rec_int(r, "epoch_ns", &epoch_ns) < 0)
		return error("%s: line %" PRIu64 ": the head's epoch_ns is no integer",
			in_name(s->in), s->lines_seen);
	buf_reset(&s->head_line);
	buf_add(&s->head_line, r->line.s, r->line.n);
	if (rec_parse(s->head_parser, buf_text(&s->head_line), &head, &why) < 0)
		return error("%s: %s", in_name(s->in), why);
	s->head = head;
	s->epoch_ns = epoch_ns;
	segment_begin(s);
	return 0;
}

static void end_take(struct stream *s, const struct rec *r)
{
	const struct rec_field *complete = rec_get(r, "complete");
	uint64_t says;

	if (!s->open) /* an end of nothing: a segment of its own */
		segment_begin(s);
	s->open = false;
	if (rec_u64(r, "records", &says) < 0)
		segment_cut(s, "the end record tells no number of records");
	else if (says != s->records && says != s->records + s->bad_here)
		segment_cut(s, "the end record counts %" PRIu64 " record%s, %" PRIu64
			" came", says, says == 1 ? "" : "s", s->records);
	else if (complete && complete->type == REC_BOOL && !rec_true(r, "complete"))
		segment_cut(s, "its writer did not see the whole (%" PRIu64
			" record%s)", s->records, s->records == 1 ? "" : "s");
}

static int stream_finish(struct stream *s)
{
	if (s->open)
		segment_no_end(s);
	else if (!s->any)
		segment_cut(s, "no record came");
	else if (in_cut(s->in))
		segment_cut(s, "after its end record");
	hollow_tell(s);
	if (s->bad > 1)
		warn("%s: %" PRIu64 " lines in all were no records", in_name(s->in), s->bad);
	s->bad = 0;
	return 0;
}

static int record_take(struct stream *s, const struct rec *r)
{
	s->any = true;
	if (text_is(r->kind, "head"))
		return head_take(s, r);
	if (text_is(r->kind, "end")) {
		end_take(s, r);
		return 0;
	}
	if (!s->open) /* no head: the one before still holds */
		segment_begin(s);
	s->records++;
	return 0;
}

static bool is_blank(struct text t)
{
	while (t.n > 0 && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
		t.n--;
	return t.n == 0;
}

/* A line that is no record.  Half a last line is no fault of its own: the
 * missing end tells. */
static void line_refused(struct stream *s, enum line_got got, const char *why)
{
	if (got == LINE_LONG || !s->lines.torn) {
		line_bad(s, why);
		return;
	}
	s->any = true;
	if (!s->open)
		segment_begin(s);
}

int stream_next(struct stream *s, struct rec *r)
{
	enum line_got got;
	struct text line;
	const char *why;

	while (!s->failed) {
		got = line_next(&s->lines, &line);
		if (got == LINE_FAILED)
			break;
		if (got == LINE_END)
			return stream_finish(s);
		s->lines_seen++;
		why = "line too long";
		if (got == LINE_READ && is_blank(line))
			continue;
		if (got == LINE_LONG || rec_parse_padded(s->parser, line, r, &why) < 0) {
			line_refused(s, got, why);
			continue;
		}
		if (record_take(s, r) < 0)
			break;
		return 1;
	}
	s->failed = true;
	return -1;
}
