/* rec.c - see rec.h. */
#include "base.h"

#include <stdlib.h>
#include <yajl/yajl_parse.h>

#include "jw.h"
#include "mem.h"
#include "num.h"
#include "rec.h"
#include "rec_scan.h"
#include "token.h"
#include "utf8.h"

/* One object or array under way: its members go to fn, whatever is nested in
 * them only as a slice. */
struct walk {
	yajl_handle yajl;
	struct text json;
	bool array_too;    /* else the outermost value must be an object */
	bool done;         /* it was closed */
	int depth;
	size_t value_at;   /* where the nested value at depth 1 begins */
	struct text key;
	struct buf key_buf;
	const char *why;
	rec_each_fn *fn;
	void *arg;
};

static int stop(struct walk *w, const char *why)
{
	w->why = why;
	return 0;
}

static bool is_slice_of(struct text t, const char *s)
{
	uintptr_t a = (uintptr_t)t.s, p = (uintptr_t)s;

	return p >= a && p < a + t.n;
}

static int on_value(struct walk *w, enum rec_type type, struct text value)
{
	if (w->depth == 0)
		return stop(w, "not a JSON object");
	if (w->depth > 1)
		return 1;
	return w->fn(w->arg, w->key, type, value) < 0 ? 0 : 1;
}

static int on_null(void *arg)
{
	return on_value(arg, REC_NULL, TEXT("null"));
}

static int on_bool(void *arg, int v)
{
	return on_value(arg, REC_BOOL, v ? TEXT("true") : TEXT("false"));
}

static int on_number(void *arg, const char *s, size_t n)
{
	return on_value(arg, REC_NUM, (struct text){ s, n });
}

static int on_string(void *arg, const unsigned char *s, size_t n)
{
	return on_value(arg, REC_STR, (struct text){ (const char *)s, n });
}

/* yajl decodes an escaped key in the buffer that the value will take. */
static int on_key(void *arg, const unsigned char *s, size_t n)
{
	struct walk *w = arg;

	if (w->depth > 1)
		return 1;
	w->key = (struct text){ (const char *)s, n };
	if (!is_slice_of(w->json, w->key.s)) {
		buf_reset(&w->key_buf);
		buf_add(&w->key_buf, s, n);
		w->key = buf_text(&w->key_buf);
	}
	return 1;
}

static int open_value(struct walk *w, bool array)
{
	if (w->depth == 0 && array && !w->array_too)
		return stop(w, "not a JSON object");
	if (w->depth == 1)
		w->value_at = yajl_get_bytes_consumed(w->yajl) - 1;
	if (++w->depth > REC_DEPTH_MAX)
		return stop(w, "nested too deep");
	return 1;
}

/* yajl takes several values one after the other, also on one line. */
static int close_value(struct walk *w, enum rec_type type)
{
	size_t end = yajl_get_bytes_consumed(w->yajl);

	w->depth--;
	if (w->depth == 1)
		return on_value(w, type, (struct text){
			w->json.s + w->value_at, end - w->value_at });
	if (w->depth > 0)
		return 1;
	w->done = true;
	for (; end < w->json.n; end++)
		if (!strchr(" \t\r\n", w->json.s[end]) || !w->json.s[end])
			return stop(w, "more than one value on the line");
	return 1;
}

static int on_open_map(void *arg)
{
	return open_value(arg, false);
}

static int on_close_map(void *arg)
{
	return close_value(arg, REC_OBJ);
}

static int on_open_array(void *arg)
{
	return open_value(arg, true);
}

static int on_close_array(void *arg)
{
	return close_value(arg, REC_ARR);
}

static const yajl_callbacks walk_calls = {
	.yajl_null = on_null, .yajl_boolean = on_bool, .yajl_number = on_number,
	.yajl_string = on_string, .yajl_start_map = on_open_map,
	.yajl_map_key = on_key, .yajl_end_map = on_close_map,
	.yajl_start_array = on_open_array, .yajl_end_array = on_close_array,
};

static yajl_handle yajl_new(const yajl_callbacks *calls, void *arg)
{
	yajl_handle h = yajl_alloc(calls, &(yajl_alloc_funcs){ MEM_LIB }, arg);

	/* our own check is stricter: yajl takes overlong forms and surrogates */
	if (h)
		yajl_config(h, yajl_dont_validate_strings, 1);
	return h;
}

/* 0, or -1 with w->why set, and the handle gone: it is of no use after that. */
static int walk_run(struct walk *w, struct text json)
{
	yajl_status st;

	if (!w->yajl) {
		w->yajl = yajl_new(&walk_calls, w);
		if (!w->yajl) {
			w->why = "out of memory";
			return -1;
		}
		yajl_config(w->yajl, yajl_allow_multiple_values, 1);
	}
	w->json = json;
	w->why = NULL;
	w->depth = 0;
	w->done = false;
	w->key = TEXT("");
	st = yajl_parse(w->yajl, (const unsigned char *)json.s, json.n);
	if (st == yajl_status_ok && w->done)
		return 0;
	if (!w->why)
		w->why = st != yajl_status_ok ? "not JSON" : w->depth > 0 ?
			"ends inside the object" : "not a JSON object";
	yajl_free(w->yajl);
	w->yajl = NULL;
	return -1;
}

static void walk_release(struct walk *w)
{
	if (w->yajl)
		yajl_free(w->yajl);
	buf_release(&w->key_buf);
}

struct rec_parser {
	struct walk walk;
	struct rec_scan scan;
	size_t nfield;
	struct buf decoded; /* strings that had escapes */
	struct rec_field field[REC_KEYS_MAX];
};

/* Decoded text is never longer than its escapes, so that room for the whole
 * line, made at the first one, is never moved. */
static struct text text_keep(struct rec_parser *p, struct text t)
{
	char *at;

	if (t.n == 0)
		return TEXT("");
	if (is_slice_of(p->walk.json, t.s))
		return t;
	if (p->decoded.len == 0)
		buf_room(&p->decoded, p->walk.json.n);
	at = p->decoded.data + p->decoded.len;
	buf_add(&p->decoded, t.s, t.n);
	return (struct text){ at, t.n };
}

static int add_field(void *arg, struct text key, enum rec_type type,
	struct text value)
{
	struct rec_parser *p = arg;

	if (p->nfield == REC_KEYS_MAX) {
		p->walk.why = "too many keys";
		return -1;
	}
	if (type == REC_STR)
		value = text_keep(p, value);
	p->field[p->nfield++] = (struct rec_field){
		text_keep(p, key), type, value };
	return 0;
}

struct rec_parser *rec_parser_new(void)
{
	struct rec_parser *p = xcalloc(1, sizeof(*p));

	p->walk.fn = add_field;
	p->walk.arg = p;
	return p;
}

void rec_parser_free(struct rec_parser *p)
{
	if (!p)
		return;
	walk_release(&p->walk);
	buf_release(&p->decoded);
	buf_release(&p->scan.copy);
	free(p);
}

/* line, and where the scanner may read it. */
static int line_parse(struct rec_parser *p, struct text line, const char *padded,
	struct rec *out, const char **why)
{
	if (line.n > REC_LINE_MAX) {
		*why = "line too long";
		return -1;
	}
	if (!utf8_valid(line)) {
		*why = "invalid UTF-8";
		return -1;
	}
	if (!rec_scan(&p->scan, padded, line.n, p->field, &p->nfield)) {
		p->nfield = 0;
		buf_reset(&p->decoded);
		if (walk_run(&p->walk, line) < 0) {
			*why = p->walk.why;
			return -1;
		}
	}
	*out = (struct rec){ .line = line, .kind = TEXT(""),
		.field = p->field, .nfield = p->nfield };
	out->kind = rec_text(out, "kind");
	if (!out->kind.s)
		out->kind = TEXT("");
	return 0;
}

int rec_parse(struct rec_parser *p, struct text line, struct rec *out,
	const char **why)
{
	struct buf *copy = &p->scan.copy;

	if (line.n > REC_LINE_MAX) {
		*why = "line too long";
		return -1;
	}
	buf_reset(copy);
	buf_room(copy, line.n + TOKEN_PAD);
	buf_add(copy, line.s, line.n);
	memset(copy->data + line.n, 0, TOKEN_PAD);
	return line_parse(p, line, copy->data, out, why);
}

int rec_parse_padded(struct rec_parser *p, struct text line, struct rec *out,
	const char **why)
{
	return line_parse(p, line, line.s, out, why);
}

int rec_each(struct text json, rec_each_fn *fn, void *arg)
{
	struct walk w = { .array_too = true, .fn = fn, .arg = arg };
	int r = walk_run(&w, json);

	walk_release(&w);
	return r;
}

const struct rec_field *rec_get(const struct rec *r, const char *key)
{
	size_t i, n = strlen(key);

	for (i = r->nfield; i-- > 0;)
		if (r->field[i].key.n == n && memcmp(r->field[i].key.s, key, n) == 0)
			return &r->field[i];
	return NULL;
}

/* The digits of a number or of a string, or {NULL,0}. */
static struct text number_text(const struct rec *r, const char *key)
{
	const struct rec_field *f = rec_get(r, key);

	if (!f || (f->type != REC_NUM && f->type != REC_STR))
		return (struct text){ NULL, 0 };
	return f->value;
}

int rec_int(const struct rec *r, const char *key, int64_t *out)
{
	return num_int(number_text(r, key), INT64_MIN, INT64_MAX, out);
}

int rec_u64(const struct rec *r, const char *key, uint64_t *out)
{
	return num_u64(number_text(r, key), out);
}

struct text rec_text(const struct rec *r, const char *key)
{
	const struct rec_field *f = rec_get(r, key);

	return f && f->type == REC_STR ? f->value : (struct text){ NULL, 0 };
}

bool rec_true(const struct rec *r, const char *key)
{
	const struct rec_field *f = rec_get(r, key);

	return f && f->type == REC_BOOL && f->value.n == 4;
}
