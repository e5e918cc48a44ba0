/* line.c - see line.h. */
#include "base.h"

#include <stdlib.h>

#include "line.h"
#include "mem.h"
#include "rec.h"

#define CHUNK (64u << 10)
#define KEEP_MAX (REC_LINE_MAX + 8) /* a CR and a mark do not count */

void line_reader_init(struct line_reader *l, struct in *in, const void *first, size_t n)
{
	*l = (struct line_reader){ .in = in, .cap = MAX(n, CHUNK), .len = n };
	l->data = xmalloc(l->cap + LINE_PAD);
	if (n)
		memcpy(l->data, first, n);
	memset(l->data + n, 0, LINE_PAD);
}

void line_reader_release(struct line_reader *l)
{
	free(l->data);
	l->data = NULL;
}

static void drop_until(struct line_reader *l, size_t at)
{
	l->offset += at - l->at;
	l->at = l->scan = at;
}

/* More bytes behind what there is: 1, 0 at the end, -1. */
static int fill(struct line_reader *l)
{
	ssize_t n;

	if (l->at > 0) {
		memmove(l->data, l->data + l->at, l->len - l->at);
		l->scan -= l->at;
		l->len -= l->at;
		l->at = 0;
	}
	if (l->cap - l->len < CHUNK / 2) {
		l->cap *= 2;
		l->data = xreallocarray(l->data, l->cap + LINE_PAD, 1);
	}
	if (l->idle && in_would_block(l->in) && l->idle(l->idle_arg) < 0)
		return -1;
	n = in_read(l->in, l->data + l->len, l->cap - l->len);
	if (n < 0)
		return -1;
	l->len += (size_t)n;
	memset(l->data + l->len, 0, LINE_PAD);
	return n > 0;
}

static struct text line_trim(char *s, size_t n)
{
	while (n > 0 && s[n - 1] == '\r') /* all: what is passed on must read the same again */
		n--;
	s[n] = '\0';
	if (n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
		return (struct text){ s + 3, n - 3 };
	return (struct text){ s, n };
}

static enum line_got line_give(struct line_reader *l, size_t end, struct text *line)
{
	bool skipped = l->skipping;

	if (!skipped) {
		l->line_offset = l->offset;
		*line = line_trim(l->data + l->at, end - l->at);
	}
	l->skipping = false;
	drop_until(l, MIN(end + 1, l->len));
	return skipped ? LINE_LONG : LINE_READ;
}

enum line_got line_next(struct line_reader *l, struct text *line)
{
	const char *newline;
	int r;

	for (;;) {
		newline = memchr(l->data + l->scan, '\n', l->len - l->scan);
		l->torn = !newline;
		if (newline)
			return line_give(l, (size_t)(newline - l->data), line);
		l->scan = l->len;
		if (l->ended) {
			if (l->at == l->len && !l->skipping)
				return LINE_END;
			return line_give(l, l->len, line);
		}
		if (l->len - l->at > KEEP_MAX && !l->skipping) {
			l->skipping = true;
			l->line_offset = l->offset;
		}
		if (l->skipping)
			drop_until(l, l->len);
		r = fill(l);
		if (r < 0)
			return LINE_FAILED;
		l->ended = r == 0;
	}
}
