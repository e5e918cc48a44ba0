/* jw.h - append-only JSON writer.  Integers beyond 2^53 become strings, there
 * is no float but jw_ratio, strings are escaped (control bytes, DEL, C1, U+2028/9,
 * marks that turn the direction of text: no raw byte of a record can move a
 * terminal's cursor) and invalid UTF-8 becomes U+FFFD exactly as text_fix_utf8()
 * does it: a loader that takes names from elsewhere repairs them with that
 * (utf8.h) and gets the same bytes.  Misuse (a value in an object without its
 * key, a close that does not fit) asserts. */
#ifndef TP_JW_H
#define TP_JW_H

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
void jw_key(struct jw *w, const char *key);
void jw_key_text(struct jw *w, struct text key);
void jw_key_raw(struct jw *w, struct text quoted); /* "key": as it is to stand there */
void jw_text(struct jw *w, struct text t);
void jw_str(struct jw *w, const char *s);
void jw_int(struct jw *w, int64_t n);
void jw_u64(struct jw *w, uint64_t n);
void jw_bool(struct jw *w, bool v);
void jw_raw(struct jw *w, struct text json);     /* already JSON */
/* a/over with `digits` decimals, as num_add_ratio. */
void jw_ratio(struct jw *w, int64_t a, int64_t over, int digits);

/* key and value at once */
void jw_kstr(struct jw *w, const char *key, const char *s);   /* NULL: left out */
void jw_ktext(struct jw *w, const char *key, struct text t);  /* t.s NULL: left out */
void jw_kint(struct jw *w, const char *key, int64_t n);
void jw_kbool(struct jw *w, const char *key, bool v);
void jw_kratio(struct jw *w, const char *key, int64_t a, int64_t over, int digits);

/* Escape text into b as the inside of a JSON string, without quotes.  (Text for
 * a person: text_show() of utf8.h.) */
void jw_escape(struct buf *b, struct text t);

#endif
