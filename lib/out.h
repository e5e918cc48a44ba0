/* out.h - bytes out, checked.  Only this module writes to fd 1. */
#ifndef TP_OUT_H
#define TP_OUT_H

#include "base.h"
#include "buf.h"

enum out_face { OUT_PLAIN, OUT_LZ4 };

struct out; /* private */

/* Takes the fd (1 for stdout).  LZ4: linked blocks of 256 KiB, content
 * checksum, a new frame about every 2 MiB of text or after a second of
 * silence (measured: linked blocks keep a ratio above 4 even when flushed
 * every record; a new frame a MiB costs nothing). */
struct out *out_open(int fd, enum out_face face) RESULT_USED;
/* Whole records only: a frame never ends inside one write. */
int out_write(struct out *o, const void *p, size_t n) RESULT_USED;
/* Everything written so far reaches the fd.  Never fsyncs. */
int out_flush(struct out *o) RESULT_USED;
/* Flush, end the frame, close and check (fd 1 is closed too); frees o. */
int out_close(struct out *o) RESULT_USED;
/* While a reader is slow, fd is listened to: fn is called when it is readable, and
 * returns whether to give the reader up if it takes nothing for OUT_PATIENCE_MS.
 * (Measured: 4 KiB a write instead of 64 cost nothing that can be seen, at 11 bytes
 * an event.) */
#define OUT_PATIENCE_MS 2000
struct out_meanwhile {
	int fd;
	bool (*fn)(void *arg);
	void *arg;
};
void out_on_wait(struct out *o, const struct out_meanwhile *m);
/* The reader of a pipe has gone, as a write would find: for who writes seldom. */
bool out_unread(const struct out *o);
void out_abort(struct out *o);                   /* error path; cannot fail */

#endif
