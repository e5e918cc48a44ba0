/* kineto_scan.c - the fast way through an event.
 *
 * A validating tokenizer for what nearly every event of a trace is made of.  It
 * calls the same callbacks as yajl does, but for keys and values that nobody
 * asked for none: shapes, strides and inputs are half of a trace's text and are
 * only checked.  What it does not plainly recognise it leaves alone: yajl then
 * reads that event from its first byte, and repair.c what yajl refuses.
 *
 * Measured on a trace of a million events (323 MB): yajl and its callbacks took
 * 1.05 s, this takes 0.4 s.
 *
 * Where the scan stopped tells whether it was the end or a byte of the file. */
#include "kineto_doc.h"

#include "token.h"

_Static_assert(KEY_GUESS_BYTES <= TOKEN_PAD, "a guess may be held against the last byte");

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A container as the value of a key of the event or its args; *args: its
 * members are to be read as those of args. */
static bool member_container(struct doc *d, const char **p, bool *args)
{
	if (d->key == K_NONE)
		return token_container(p, NULL, NULL);
	if (!(**p == '{' ? doc_callbacks.yajl_start_map(d)
			 : doc_callbacks.yajl_start_array(d)))
		return false;
	if (d->in_args && d->depth == d->event_depth + 1) {
		*args = true;
		++*p;
		return true;
	}
	if (d->key != K_NONE || d->capture.depth)
		return token_container(p, &doc_callbacks, d);
	d->depth--;
	return token_container(p, NULL, NULL);
}

/* Behind a value: 1 a member follows, 0 the event is at its end, -1 neither. */
static int member_end(struct doc *d, const char **p)
{
	for (;;) {
		*p = blanks_end(*p);
		if (**p == ',') {
			++*p;
			return 1;
		}
		if (**p != '}')
			return -1;
		if (d->depth == d->event_depth)
			return 0;
		++*p;
		if (!doc_callbacks.yajl_end_map(d))
			return -1;
	}
}

static bool member_key(struct doc *d, const char **p)
{
	struct text t;

	*p = blanks_end(*p);
	if (key_guessed(&d->keys, d->in_args, p, &d->key)) {
		*p = blanks_end(*p);
		return true;
	}
	if (!token_key(p, &t))
		return false;
	d->key = key_find(&d->keys, d->in_args, (const unsigned char *)t.s, t.n);
	key_learn(&d->keys, d->in_args, (const unsigned char *)t.s, t.n, d->key);
	return true;
}

/* A string or a number of ours: straight to its place, as the callbacks would; the
 * way through them cost a twentieth of loading. */
static bool member_scalar(struct doc *d, const char **p)
{
	struct text t = { *p, 0 };
	bool quoted = **p == '"';

	if (d->key == K_NONE)
		return token_scalar(p, NULL, NULL);
	if (quoted) {
		++*p;
		if (!token_string(p, &t))
			return false;
	} else if (**p == '-' || is_digit(**p)) {
		if (!token_number(p))
			return false;
		t.n = (size_t)(*p - t.s);
	} else {
		return token_scalar(p, &doc_callbacks, d);
	}
	if (d->key == K_CAT || d->key == K_PH)
		key_kind(&d->keys, d->key == K_PH, t);
	if (d->key != K_GRID) /* of which the elements count */
		doc_set(d, d->key, t, quoted);
	return t.n <= STRING_MAX;
}

static int member(struct doc *d, const char **p)
{
	bool args = false, ok;

	if (!member_key(d, p))
		return -1;
	if (**p == '{' || **p == '[')
		ok = member_container(d, p, &args);
	else
		ok = member_scalar(d, p);
	if (!ok)
		return -1;
	if (args && *blanks_end(*p) != '}')
		return 1;
	return member_end(d, p);
}

/* As if the event had not been looked at. */
static void forget(struct doc *d, int64_t dup_keys)
{
	d->info->count.dup_keys = dup_keys;
	d->depth = d->event_depth - 1;
	d->in_args = false;
	d->capture.depth = 0;
	d->key = K_NONE;
	d->seen = 0;
}

enum scan_result scan_event(struct doc *d, const char **at, const char *end)
{
	const char *p = *at + 1;
	int64_t dup_keys = d->info->count.dup_keys;
	int more;

	if (!doc_callbacks.yajl_start_map(d))
		return SCAN_ODD;
	if (*blanks_end(p) == '}')
		more = member_end(d, &p);
	else
		while ((more = member(d, &p)) > 0)
			;
	if (more < 0) {
		forget(d, dup_keys);
		return p >= end ? SCAN_CUT : SCAN_ODD;
	}
	doc_callbacks.yajl_end_map(d);
	if (d->stop)
		return SCAN_STOP;
	*at = p + 1;
	return SCAN_EVENT;
}

const char *scan_event_end(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			while (*(p = plain_end(p + 1)) != '"' && p < end)
				p += *p == '\\';
		} else if (*p == '{' || *p == '[') {
			depth++;
		} else if ((*p == '}' || *p == ']') && --depth <= 0) {
			return p + 1;
		}
	}
	return NULL;
}
