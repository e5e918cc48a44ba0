#include "base.h"
#include "buf.h"
#include "mem.h"
#include "say.h"

void buf_room(struct buf *b, size_t n)
{
	size_t want, cap;

	if (n > SIZE_MAX / 2 - b->len - 1)
		die("out of memory (%zu bytes wanted)", n);
	want = b->len + n + 1; /* the NUL */
	if (want <= b->cap)
		return;
	cap = b->cap ? b->cap : 64;
	while (cap < want)
		cap *= 2;
	b->data = xreallocarray(b->data, cap, 1);
	b->cap = cap;
	b->data[b->len] = '\0';
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	buf_room(b, 0);
	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("cannot format '%s'", fmt);
	if ((size_t)n >= b->cap - b->len) {
		buf_room(b, (size_t)n);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
	}
	va_end(again);
	b->len += (size_t)n;
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf)BUF_INIT;
}
