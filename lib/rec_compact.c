/* rec_compact.c - see rec.h. */
#include "base.h"

#include <yajl/yajl_parse.h>

#include "jw.h"
#include "mem.h"
#include "rec.h"

/* The value will stand inside a record. */
#define DEPTH_MAX (REC_DEPTH_MAX - 4)

static int put_null(void *w)
{
	jw_raw(w, TEXT("null"));
	return 1;
}

static int put_bool(void *w, int v)
{
	jw_bool(w, v);
	return 1;
}

static int put_number(void *w, const char *s, size_t n)
{
	jw_raw(w, (struct text){ s, n });
	return 1;
}

static int put_string(void *w, const unsigned char *s, size_t n)
{
	jw_text(w, (struct text){ (const char *)s, n });
	return 1;
}

static int put_key(void *w, const unsigned char *s, size_t n)
{
	jw_key_text(w, (struct text){ (const char *)s, n });
	return 1;
}

static int put_open(struct jw *w, char kind)
{
	if (w->depth == DEPTH_MAX)
		return 0;
	jw_open(w, kind);
	return 1;
}

static int put_open_map(void *w)
{
	return put_open(w, '{');
}

static int put_open_array(void *w)
{
	return put_open(w, '[');
}

static int put_close_map(void *w)
{
	jw_close(w, '}');
	return 1;
}

static int put_close_array(void *w)
{
	jw_close(w, ']');
	return 1;
}

static const yajl_callbacks put_calls = {
	.yajl_null = put_null, .yajl_boolean = put_bool,
	.yajl_number = put_number, .yajl_string = put_string,
	.yajl_start_map = put_open_map, .yajl_map_key = put_key,
	.yajl_end_map = put_close_map, .yajl_start_array = put_open_array,
	.yajl_end_array = put_close_array,
};

int rec_compact(struct buf *b, struct text json)
{
	size_t len = b->len;
	yajl_handle h;
	struct jw w;
	bool whole;

	jw_init(&w, b);
	h = yajl_alloc(&put_calls, &(yajl_alloc_funcs){ MEM_LIB }, &w);
	if (!h)
		return -1;
	/* invalid UTF-8 is replaced on the way out */
	yajl_config(h, yajl_dont_validate_strings, 1);
	whole = yajl_parse(h, (const unsigned char *)json.s, json.n) ==
		yajl_status_ok && yajl_complete_parse(h) == yajl_status_ok;
	yajl_free(h);
	if (whole && b->len > len)
		return 0;
	b->len = len;
	if (b->data)
		b->data[len] = '\0';
	return -1;
}
