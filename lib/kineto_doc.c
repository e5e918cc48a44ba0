/* kineto_doc.c - the parser's callbacks.  They note slices and where we are;
 * an event costs no allocation and no copy. */
#include "kineto_doc.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"

void doc_init(struct doc *d, const struct event_sink *sink, struct trace_info *info)
{
	memset(d, 0, sizeof *d);
	d->sink = sink;
	d->info = info;
	key_table_init(&d->keys);
	d->pairs = pairs_new();
	d->arena = xmalloc(UNIT_MAX);
	d->rule = cat_rule((struct text){ "", 0 });
	doc_rewind(d);
}

void doc_release(struct doc *d)
{
	if (d->parser)
		yajl_free(d->parser);
	pairs_free(d->pairs);
	free(d->arena);
	buf_release(&d->capture.text);
	buf_release(&d->args);
}

void doc_rewind(struct doc *d)
{
	d->depth = 0;
	d->event_depth = 0;
	d->top[0] = 0;
	d->in_args = false;
	d->key = K_NONE;
	d->seen = 0;
	d->arena_n = 0;
	d->capture.depth = 0;
}

static bool in_chunk(const struct doc *d, const char *s)
{
	return s >= d->chunk && s < d->chunk + d->chunk_n;
}

/* The parser's own buffers hold a string with escapes, and a token cut by the
 * end of a chunk, for one callback only. */
static int to_arena(struct doc *d, struct text *t)
{
	if (t->n > UNIT_MAX - d->arena_n)
		return -1;
	if (t->n > 0)
		memcpy(d->arena + d->arena_n, t->s, t->n);
	t->s = d->arena + d->arena_n;
	d->arena_n += t->n;
	return 0;
}

int doc_keep(struct doc *d)
{
	if (!doc_in_event(d))
		return 0;
	for (unsigned k = 0; k < K_COUNT; k++)
		if ((d->seen & K_BIT(k)) && in_chunk(d, d->value[k].s) &&
		    to_arena(d, &d->value[k]) < 0)
			return -1;
	return 0;
}

/* A whole event or member of the document ends here. */
static void unit_end(struct doc *d)
{
	d->fresh = false;
	if (d->chunk_at >= 0)
		d->unit_at = d->chunk_at +
			(int64_t)yajl_get_bytes_consumed(d->parser);
}

static bool at_member(const struct doc *d)
{
	return d->depth == 1 && !d->array_form;
}

/* --- values kept whole ------------------------------------------------- */

static void capture_begin(struct doc *d, char kind)
{
	buf_reset(&d->capture.text);
	jw_init(&d->capture.jw, &d->capture.text);
	jw_open(&d->capture.jw, kind);
	d->capture.depth = d->depth;
}

static int capture_end(struct doc *d)
{
	struct text t = buf_text(&d->capture.text);

	d->capture.depth = 0;
	if (!doc_in_event(d)) {
		info_member(d, t, true);
		return 0;
	}
	d->value[d->key] = t;
	return to_arena(d, &d->value[d->key]);
}

/* --- events ------------------------------------------------------------ */

static void event_begin(struct doc *d)
{
	d->seen = 0;
	d->quoted = 0;
	d->blocks = NO_INT;
	d->arena_n = 0;
	d->in_args = false;
	d->key = K_NONE;
}

static int event_value(struct doc *d, struct text t, bool quoted)
{
	enum kineto_key k = d->key;

	if (k == K_GRID) {
		int64_t v;

		if (d->depth == d->event_depth + 2 && d->blocks != NO_INT &&
		    (num_int(t, 0, INT64_MAX, &v) < 0 ||
		     __builtin_mul_overflow(d->blocks, v, &d->blocks)))
			d->blocks = NO_INT;
		return 1;
	}
	d->key = K_NONE;
	if (t.n > STRING_MAX)
		return 0;
	if ((!in_chunk(d, t.s) || t.n == 0) && to_arena(d, &t) < 0)
		return 0;
	doc_set(d, k, t, quoted);
	return 1;
}

static void event_null(struct doc *d)
{
	if (d->key < K_COUNT && d->key != K_GRID) {
		if (d->seen & K_BIT(d->key))
			d->info->count.dup_keys++;
		d->seen &= ~K_BIT(d->key);
	}
	d->key = K_NONE;
}

/* --- callbacks --------------------------------------------------------- */

static int scalar(struct doc *d, const unsigned char *s, size_t n, bool quoted)
{
	d->tokens++;
	if (d->capture.depth)
		return 1;
	if (d->key != K_NONE)
		return event_value(d, (struct text){ (const char *)s, n }, quoted);
	if (at_member(d)) {
		info_member(d, (struct text){ (const char *)s, n }, false);
		unit_end(d);
	} else if (doc_between_events(d)) {
		doc_bad_event(d, "an element that is no object");
		unit_end(d);
	}
	return 1;
}

static int on_number(void *p, const char *s, size_t n)
{
	struct doc *d = p;

	if (d->capture.depth)
		jw_raw(&d->capture.jw, (struct text){ s, n });
	return scalar(d, (const unsigned char *)s, n, false);
}

static int on_string(void *p, const unsigned char *s, size_t n)
{
	struct doc *d = p;

	if (d->capture.depth)
		jw_text(&d->capture.jw, (struct text){ (const char *)s, n });
	return scalar(d, s, n, true);
}

static int on_bool(void *p, int v)
{
	struct doc *d = p;

	if (d->capture.depth)
		jw_bool(&d->capture.jw, v);
	return scalar(d, (const unsigned char *)(v ? "1" : "0"), 1, false);
}

static int on_null(void *p)
{
	struct doc *d = p;

	d->tokens++;
	if (d->capture.depth) {
		jw_raw(&d->capture.jw, TEXT("null"));
	} else if (doc_in_event(d)) {
		event_null(d);
	} else if (at_member(d)) {
		unit_end(d);
	} else if (doc_between_events(d)) {
		doc_bad_event(d, "an element that is no object");
		unit_end(d);
	}
	return 1;
}

static int on_key(void *p, const unsigned char *s, size_t n)
{
	struct doc *d = p;
	int inside = d->depth - d->event_depth;

	d->tokens++;
	if (d->capture.depth) {
		jw_key_text(&d->capture.jw, (struct text){ (const char *)s, MIN(n, 255u) });
	} else if (d->event_depth == 0) {
		if (d->depth == 1) {
			n = MIN(n, sizeof d->top - 1);
			memcpy(d->top, s, n);
			d->top[n] = 0;
		}
	} else if (inside == 0) {
		d->key = key_find(&d->keys, false, s, n);
	} else if (inside == 1 && d->in_args) {
		d->key = key_find(&d->keys, true, s, n);
	}
	return 1;
}

/* A container opens as the value of a key of the event or of its args. */
static void container_in_event(struct doc *d, char kind)
{
	enum kineto_key k = d->key;
	int inside = d->depth - d->event_depth;

	if (inside == 1 && k == K_ARGS && kind == '{') {
		if (d->seen & K_BIT(K_ARGS))
			d->seen &= ~K_ARG_BITS;
		doc_set(d, K_ARGS, TEXT(""), false);
		d->in_args = true;
	} else if (inside == 2 && k == K_GRID && kind == '[') {
		doc_set(d, k, TEXT(""), false);
		d->blocks = 1;
		return;
	} else if (inside == 2 && k >= K_COLL_FIRST && k < K_COUNT) {
		doc_set(d, k, TEXT(""), false);
		capture_begin(d, kind);
		return;
	}
	d->key = K_NONE;
}

static int container(struct doc *d, char kind)
{
	d->tokens++;
	if (++d->depth > DEPTH_MAX)
		return 0;
	if (d->capture.depth) {
		jw_open(&d->capture.jw, kind);
	} else if (doc_in_event(d)) {
		if (d->depth > d->event_depth)
			container_in_event(d, kind);
		else if (kind == '{')
			event_begin(d);
		else
			d->key = K_NONE;
	} else if (d->depth == 1) {
		d->array_form = kind == '[';
		d->event_depth = d->array_form ? 2 : 0;
		d->events_seen |= d->array_form;
		unit_end(d);
		d->fresh = true;
	} else if (d->depth == 2 && kind == '[' &&
		   strcmp(d->top, "traceEvents") == 0) {
		d->event_depth = 3;
		d->events_seen = true;
		unit_end(d);
		d->fresh = true;
	} else if (d->depth == 2 && (strcmp(d->top, "distributedInfo") == 0 ||
				     strcmp(d->top, "deviceProperties") == 0)) {
		capture_begin(d, kind);
	}
	return 1;
}

static int on_open_map(void *p)
{
	return container(p, '{');
}

static int on_open_array(void *p)
{
	return container(p, '[');
}

static int container_end(struct doc *d, char kind)
{
	d->tokens++;
	if (d->capture.depth) {
		jw_close(&d->capture.jw, kind);
		if (d->depth-- > d->capture.depth)
			return 1;
		if (capture_end(d) < 0)
			return 0;
	} else {
		d->depth--;
	}
	int inside = d->depth + 1 - d->event_depth;
	if (d->event_depth > 0 && inside >= 0) {
		d->key = K_NONE;
		if (inside == 1)
			d->in_args = false;
		if (inside > 0)
			return 1;
		if (kind == ']')
			doc_bad_event(d, "an element that is no object");
		else if (event_finish(d) < 0) {
			d->stop = true;
			return 0;
		}
		d->seen = 0;
		unit_end(d);
		return 1;
	}
	if (d->depth <= 1) {
		d->event_depth = 0;
		unit_end(d);
	}
	d->done = d->depth == 0;
	return !d->done;
}

static int on_close_map(void *p)
{
	return container_end(p, '}');
}

static int on_close_array(void *p)
{
	return container_end(p, ']');
}

const yajl_callbacks doc_callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_bool,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_open_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_close_map,
	.yajl_start_array = on_open_array,
	.yajl_end_array = on_close_array
};
