/* jw.h - append-only JSON writer.  Integers beyond 2^53 become strings, there
 * is no float but jw_ratio, strings are escaped (control bytes, DEL, C1, U+2028/9,
 * marks that turn the direction of text: no raw byte of a record can move a
 * terminal's cursor) and invalid UTF-8 becomes U+FFFD exactly as text_fix_utf8()
 * does it: a loader that takes names from elsewhere repairs them with that
 * (utf8.h) and gets the same bytes.  Misuse (a value in an object without its
 * key, a close that does not fit) asserts. */
#ifndef TP_JW_H
#define TP_JW_H

#include <assert.h>

#include "base.h"
#include "buf.h"

struct jw {
	struct buf *b;
	int depth;         /* at most 64 */
	bool comma;        /* a value went before on this level */
	bool key;          /* a key waits for its value */
	uint64_t object;   /* bit d: level d is an object */
};

void jw_init(struct jw *w, struct buf *b);
void jw_open(struct jw *w, char kind);           /* '{' or '[' */
void jw_close(struct jw *w, char kind);          /* '}' or ']' */
/* The outermost object is open and has members: their text with its brace. */
void jw_begin(struct jw *w, struct text json);
void jw_key_text(struct jw *w, struct text key); /* any bytes */
void jw_text(struct jw *w, struct text t);
void jw_str(struct jw *w, const char *s);
void jw_int(struct jw *w, int64_t n);
void jw_u64(struct jw *w, uint64_t n);
void jw_bool(struct jw *w, bool v);
void jw_raw(struct jw *w, struct text json);     /* already JSON */
/* a/over with `digits` decimals, as num_add_ratio. */
void jw_ratio(struct jw *w, int64_t a, int64_t over, int digits);

/* A key of the program's own, in which nothing is to be escaped.  Inline: most are
 * literals, which the compiler copies in two moves (a call a key was 3 % of a trace
 * into a stream). */
static inline void jw_key_plain(struct jw *w, const char *key, size_t n)
{
	char *p = buf_more(w->b, n + 4);

	assert(w->depth > 0 && (w->object >> (w->depth - 1) & 1) && !w->key);
	if (w->comma)
		*p++ = ',';
	*p++ = '"';
	memcpy(p, key, n);
	p += n;
	*p++ = '"';
	*p++ = ':';
	buf_upto(w->b, p);
	w->key = true;
}
static inline void jw_key(struct jw *w, const char *key)
{
	jw_key_plain(w, key, strlen(key));
}

/* key and value at once */
static inline void jw_ktext(struct jw *w, const char *key, struct text t)
{
	if (!t.s) /* left out */
		return;
	jw_key(w, key);
	jw_text(w, t);
}
static inline void jw_kstr(struct jw *w, const char *key, const char *s)
{
	if (s) /* else left out */
		jw_ktext(w, key, (struct text){ s, strlen(s) });
}
static inline void jw_kint(struct jw *w, const char *key, int64_t n)
{
	jw_key(w, key);
	jw_int(w, n);
}
static inline void jw_kbool(struct jw *w, const char *key, bool v)
{
	jw_key(w, key);
	jw_bool(w, v);
}
static inline void jw_kratio(struct jw *w, const char *key, int64_t a, int64_t over, int digits)
{
	jw_key(w, key);
	jw_ratio(w, a, over, digits);
}

/* Escape text into b as the inside of a JSON string, without quotes.  (Text for
 * a person: text_show() of utf8.h.) */
void jw_escape(struct buf *b, struct text t);

#endif
