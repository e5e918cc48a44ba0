/* kineto.c - bytes in, the parser fed, and the end of the document. */
#include "kineto.h"

#include <stdlib.h>

#include "kineto_read.h"
#include "mem.h"
#include "repair.h"
#include "say.h"
#include "token.h"

int reader_fill(struct reader *r, size_t keep)
{
	ssize_t got = 0;

	memmove(r->bytes, r->bytes + keep, r->n - keep);
	r->at += (int64_t)keep;
	r->n -= keep;
	r->fed -= MIN(r->fed, keep);
	r->d.unit_at -= (int64_t)MIN(unit_at(r), keep);
	if (r->n > BUFFER - CHUNK)
		return error("%s: byte %" PRId64 ": too long to be held",
			r->d.info->path, r->at);
	if (!r->end)
		got = in_read(r->in, r->bytes + r->n, CHUNK);
	if (got < 0)
		return -1;
	hash_add(&r->hash, r->bytes + r->n, (size_t)got);
	r->n += (size_t)got;
	memset(r->bytes + r->n, 0, TOKEN_PAD);
	r->end = got == 0;
	return got > 0;
}

/* --- the parser -------------------------------------------------------- */

yajl_status reader_feed_aside(struct reader *r, const char *s, size_t n)
{
	struct doc *d = &r->d;
	yajl_status st;

	d->chunk = s;
	d->chunk_n = n;
	d->chunk_at = -1;
	st = yajl_parse(d->parser, (const unsigned char *)s, n);
	if (st == yajl_status_ok && doc_keep(d) < 0)
		st = yajl_status_client_canceled;
	return st;
}

void reader_restart(struct reader *r, const char *prefix)
{
	struct doc *d = &r->d;

	if (d->parser)
		yajl_free(d->parser);
	d->parser = yajl_alloc(&doc_callbacks, &(yajl_alloc_funcs){ MEM_LIB }, d);
	if (!d->parser)
		die("out of memory");
	yajl_config(d->parser, yajl_dont_validate_strings, 1);
	doc_rewind(d);
	if (*prefix && reader_feed_aside(r, prefix, strlen(prefix)) != yajl_status_ok)
		die("the parser refuses %s", prefix);
	r->lost = false;
}

void reader_restart_events(struct reader *r)
{
	reader_restart(r, r->d.array_form ? "[" : "{\"traceEvents\":[");
}

enum step reader_cut_short(struct reader *r)
{
	go_on_at(r, r->n);
	doc_partial(&r->d, "truncated at byte %" PRId64, r->at + (int64_t)r->n);
	return STEP_END;
}

/* --- the loop ---------------------------------------------------------- */

/* Blanks between two events, however many, are not kept; a comma is. */
static void forget_blanks(struct reader *r)
{
	size_t p = unit_at(r);
	bool comma = false;

	for (; p < r->fed && (is_blank(r->bytes[p]) || r->bytes[p] == ','); p++)
		comma |= r->bytes[p] == ',';
	if (p < r->fed)
		return;
	if (comma)
		r->bytes[--p] = ',';
	r->d.unit_at = (int64_t)p;
}

/* Keep the text of the unit in progress, unless it has grown beyond all use. */
static enum step next_chunk(struct reader *r)
{
	struct doc *d = &r->d;
	size_t keep;
	int more;

	if (doc_in_events(d) && !doc_in_event(d))
		forget_blanks(r);
	keep = r->lost ? r->fed : unit_at(r);
	if (r->n - keep > UNIT_MAX) {
		if (doc_in_events(d)) {
			doc_bad_event(d, "larger than 4 MiB");
			return mend_resync(r, r->n - REPAIR_OVERLAP);
		}
		r->lost = true;
		keep = r->fed;
	}
	/* a string without an end would grow in the parser */
	if (d->tokens != r->idle_tokens)
		r->idle_bytes = 0;
	r->idle_tokens = d->tokens;
	r->idle_bytes += d->chunk_n;
	if (r->lost && r->idle_bytes > 2 * UNIT_MAX)
		return mend_find_events(r, r->fed);
	more = reader_fill(r, keep);
	return more < 0 ? STEP_FAIL : more == 0 ? STEP_END : STEP_ON;
}

/* The events from here on, as long as the scanner knows them. */
static enum scan_result scan_events(struct reader *r)
{
	struct doc *d = &r->d;
	const char *p, *end = r->bytes + r->n;
	enum scan_result res = SCAN_EVENT;
	bool comma;

	d->chunk = r->bytes;
	d->chunk_n = r->n;
	d->chunk_at = -1;
	while (res == SCAN_EVENT) {
		p = blanks_end(r->bytes + r->fed);
		comma = *p == ',';
		if (!comma && p < end)
			return SCAN_ODD;
		if (comma)
			p = blanks_end(p + 1);
		if (p == end) {
			/* megabytes of blanks are no event that is too large */
			if (comma)
				r->bytes[p - r->bytes - 1] = ',';
			go_on_at(r, r->n - comma);
			return SCAN_CUT;
		}
		if (*p != '{')
			return SCAN_ODD;
		res = scan_event(d, &p, end);
		if (res == SCAN_EVENT)
			go_on_at(r, (size_t)(p - r->bytes));
	}
	return res;
}

/* How far yajl is to be fed: one event, so that the scanner takes over behind
 * it; the head of the document up to its events, if they are in sight. */
static size_t feed_end(const struct reader *r)
{
	static const char key[] = "\"traceEvents\"";
	const struct doc *d = &r->d;
	const char *from = r->bytes + r->fed, *end = r->bytes + r->n, *p;

	if (d->event_depth > 0) {
		p = scan_event_end(r->bytes + unit_at(r), end);
	} else if (d->depth == 0) {
		p = blanks_end(from) + 1;
	} else {
		p = memmem(from, r->n - r->fed, key, sizeof key - 1);
		p = p ? memchr(p, '[', (size_t)(end - p)) : NULL;
		p = p ? p + 1 : NULL;
	}
	return p && p > from && p < end ? (size_t)(p - r->bytes) : r->n;
}

/* The event at hand is cut by the end of the buffer; where the input ends too,
 * yajl is to say so. */
static enum step more_of_event(struct reader *r)
{
	enum step step = next_chunk(r);

	return step == STEP_END && r->fed < r->n ? STEP_ON : step;
}

static enum step parse_chunk(struct reader *r)
{
	struct doc *d = &r->d;
	enum scan_result res = SCAN_ODD;
	yajl_status st;
	size_t end;

	if (doc_between_events(d) && !d->fresh && r->fed == unit_at(r) && !r->careful)
		res = scan_events(r);
	if (res == SCAN_STOP)
		return STEP_FAIL;
	if (res == SCAN_CUT && !r->end)
		return more_of_event(r);
	if (r->fed == r->n)
		return STEP_ON;
	end = feed_end(r);
	d->chunk = r->bytes + r->fed;
	d->chunk_n = end - r->fed;
	d->chunk_at = (int64_t)r->fed;
	st = yajl_parse(d->parser, (const unsigned char *)d->chunk, d->chunk_n);
	if (d->stop)
		return STEP_FAIL;
	if (d->done)
		return STEP_END;
	if (st != yajl_status_ok || doc_keep(d) < 0)
		return mend(r);
	r->fed = end;
	return STEP_ON;
}

static int64_t count_trailing(struct reader *r)
{
	int64_t count = 0;
	size_t p = unit_at(r);
	int more;

	do {
		for (; p < r->n && count == 0 && is_blank(r->bytes[p]); p++)
			;
		count += (int64_t)(r->n - p);
		go_on_at(r, r->n);
		more = reader_fill(r, r->n);
		p = 0;
	} while (more > 0);
	return more < 0 ? -1 : count;
}

/* Behind the last event: was that all? */
static int finish(struct reader *r)
{
	struct doc *d = &r->d;
	struct trace_info *info = d->info;
	const char *cut = in_cut(r->in);

	if (d->done) {
		int64_t n = count_trailing(r);

		if (n < 0)
			return -1;
		info->count.trailing_bytes = n;
		if (n > 0)
			doc_partial(d, "%" PRId64 " bytes behind the document's "
				"end: another process wrote the same file?", n);
	} else {
		size_t p = unit_at(r);

		while (p < r->n && (is_blank(r->bytes[p]) || r->bytes[p] == ','))
			p++;
		if (cut)
			doc_partial(d, "%s", cut);
		else if (p < r->n || !d->array_form || r->lost)
			reader_cut_short(r);
	}
	if (!d->events_seen)
		return error("%s: no traceEvents in it%s", info->path,
			info->partial ? ", and it is damaged" : "");
	info_finish(d);
	info->hash = hash_value(&r->hash);
	return 0;
}

static int read_all(struct reader *r)
{
	enum step step;

	reader_restart(r, "");
	while (r->n < 3 && !r->end)
		if (reader_fill(r, 0) < 0)
			return -1;
	if (r->n >= 3 && memcmp(r->bytes, "\xef\xbb\xbf", 3) == 0)
		go_on_at(r, 3);
	do
		step = r->fed < r->n ? parse_chunk(r) : next_chunk(r);
	while (step == STEP_ON);
	return step == STEP_FAIL ? -1 : finish(r);
}

int kineto_read_carefully(struct in *in, const void *first, size_t n,
	const struct event_sink *sink, struct trace_info *info, bool careful)
{
	struct reader r = { .in = in, .careful = careful };
	int rc;

	if (!info->path)
		info->path = xstrdup(in_name(in));
	doc_init(&r.d, sink, info);
	hash_init(&r.hash);
	r.bytes = xmalloc(BUFFER + TOKEN_PAD);
	r.mended_at = -1;
	if (first) {
		r.n = MIN(n, BUFFER - CHUNK);
		memcpy(r.bytes, first, r.n);
		hash_add(&r.hash, first, r.n);
	}
	memset(r.bytes + r.n, 0, TOKEN_PAD);
	rc = read_all(&r);
	free(r.bytes);
	buf_release(&r.out);
	doc_release(&r.d);
	return rc;
}

int kineto_read(struct in *in, const void *first, size_t n,
	const struct event_sink *sink, struct trace_info *info)
{
	return kineto_read_carefully(in, first, n, sink, info, false);
}
