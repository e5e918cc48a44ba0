/* line.h - lines of an input, each at most REC_LINE_MAX bytes (and a little);
 * memory is one line. */
#ifndef TP_LINE_H
#define TP_LINE_H

#include "base.h"
#include "in.h"

struct line_reader {
	struct in *in;
	char *data;
	size_t at, scan, len, cap;
	uint64_t offset;       /* of data[at], in decoded bytes */
	uint64_t line_offset;  /* of the line returned last */
	bool skipping, ended;
	bool torn;             /* the line returned last had no newline */
	int (*idle)(void *);   /* before a read that would block */
	void *idle_arg;
};

/* first/n: bytes of in that were read already. */
void line_reader_init(struct line_reader *l, struct in *in, const void *first, size_t n);
void line_reader_release(struct line_reader *l);

/* LINE_LONG: one was too long and is skipped, *line untouched.  A line is valid
 * until the next call and comes without its newline, CR, byte order mark; a NUL is
 * in their place, and LINE_PAD bytes behind its end can be read. */
#define LINE_PAD 32
enum line_got { LINE_FAILED = -1, LINE_END, LINE_READ, LINE_LONG };
enum line_got line_next(struct line_reader *l, struct text *line) RESULT_USED;

#endif
