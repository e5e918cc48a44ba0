/* pack.h - records of one size, each as what differs from the one before it.
 *
 * A record is taken as words of 8 bytes.  Of each, the difference to the same
 * word of the record before takes 0 to 8 bytes, whose number stands in front,
 * four bits a word.  Records that resemble their neighbours (times in order,
 * the same thread) come to a fifth or a third, for 10 ns each way: a file of
 * them that is only written and read is worth that as soon as the kernel has to
 * find memory for its pages (doc/PERFORMANCE.md).  No format for others: the
 * bytes are this machine's.
 *
 *	n = pack_put(to, before, item, size);   // before is item now
 *	unpack_begin(&u, fd, dir, from, end, size, window);
 *	unpack_next(&u) as often as records were packed there; u.item
 *	unpack_release(&u);
 * Both begin with a record of zeros.  size: a multiple of 8. */
#ifndef TP_PACK_H
#define TP_PACK_H

#include "base.h"

/* The most that a record takes, and what is written behind it. */
#define PACK_ROOM(size) ((size) + ((size) / 8 + 1) / 2 + 8)

size_t pack_put(unsigned char *to, char *before, const void *item, size_t size);

/* A scratch file's bytes from..end, read a window at a time. */
struct unpack {
	int fd;
	const char *dir;       /* the caller's */
	int64_t at, end;       /* what was not read yet */
	size_t size, cap, next, have;
	char *item;            /* the record that came last */
	unsigned char *window;
};

void unpack_begin(struct unpack *u, int fd, const char *dir, int64_t from, int64_t end,
	size_t size, size_t window_bytes);
int unpack_next(struct unpack *u) RESULT_USED;   /* -1 said */
void unpack_release(struct unpack *u);

#endif
