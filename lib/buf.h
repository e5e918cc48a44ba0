/* buf.h - growable bytes.  data is never NULL after the first add and always
 * NUL-terminated behind len; zero-initialise with BUF_INIT. */
#ifndef TP_BUF_H
#define TP_BUF_H

#include "base.h"

struct buf {
	char *data;
	size_t len, cap;
};
#define BUF_INIT { NULL, 0, 0 }

/* At least n bytes free, and where they are. */
char *buf_room(struct buf *b, size_t n) NEVER_NULL;
static inline void buf_add(struct buf *b, const void *p, size_t n)
{
	char *to = n < b->cap - b->len ? b->data + b->len : buf_room(b, n);

	HOLDS(to);
	if (n)
		memcpy(to, p, n);
	to[n] = '\0';
	b->len += n;
}
static inline void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}
static inline void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_add_u64(struct buf *b, uint64_t n);     /* its decimal digits */
void buf_add_int(struct buf *b, int64_t n);
/* For a writer that goes byte by byte: room for n bytes behind len, and how far
 * it came.  Nothing else is added between the two. */
static inline char *buf_more(struct buf *b, size_t n)
{
	if (n >= b->cap - b->len)
		buf_room(b, n);
	return b->data + b->len;
}
static inline void buf_upto(struct buf *b, char *end)
{
	b->len = (size_t)(end - b->data);
	*end = '\0';
}
void buf_reset(struct buf *b);                   /* len = 0, memory kept */
void buf_release(struct buf *b);
static inline struct text buf_text(const struct buf *b)
{
	return (struct text){ b->data ? b->data : "", b->len };
}

#endif
