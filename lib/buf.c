/* buf.c - see buf.h. */
#include "base.h"
#include "buf.h"
#include "mem.h"
#include "say.h"

char *buf_room(struct buf *b, size_t n)
{
	size_t want, cap;

	if (n > SIZE_MAX / 2 - b->len - 1)
		die("out of memory (%zu bytes wanted)", n);
	want = b->len + n + 1; /* the NUL */
	if (want <= b->cap)
		return b->data + b->len;
	cap = b->cap ? b->cap : 64;
	while (cap < want)
		cap *= 2;
	b->data = xreallocarray(b->data, cap, 1);
	b->cap = cap;
	b->data[b->len] = '\0';
	return b->data + b->len;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	char *to;
	int n;

	to = buf_room(b, 0);
	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(to, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("cannot format '%s'", fmt);
	if ((size_t)n >= b->cap - b->len) {
		to = buf_room(b, (size_t)n);
		vsnprintf(to, b->cap - b->len, fmt, again);
	}
	va_end(again);
	b->len += (size_t)n;
}

/* By hand: printf was a third of the cost of writing an event record.  What lies
 * behind the digits is copied with them, so that their number need not be known. */
void buf_add_u64(struct buf *b, uint64_t n)
{
	static const char two[] = "00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849505152535455565758596061"
		"62636465666768697071727374757677787980818283848586878889909192939495969798"
		"99";
	enum { DIGITS = 20 };
	char out[2 * DIGITS] = "", *p = out + DIGITS, *to = buf_more(b, DIGITS);

	for (; n >= 100; n /= 100) {
		p -= 2;
		memcpy(p, two + n % 100 * 2, 2);
	}
	if (n >= 10) {
		p -= 2;
		memcpy(p, two + n * 2, 2);
	} else {
		*--p = (char)('0' + n);
	}
	memcpy(to, p, DIGITS);
	buf_upto(b, to + (out + DIGITS - p));
}

void buf_add_int(struct buf *b, int64_t n)
{
	if (n < 0)
		buf_addc(b, '-');
	buf_add_u64(b, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
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
