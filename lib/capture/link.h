/* link.h - the socket to tp-capture, and the thread that empties the ring into it.
 *
 * The thread (all signals blocked, "tp-capture") sends what is in the ring, looks
 * every 10 ms when there was nothing, and calls tick() four times a second.  A
 * reader that stalls costs records (CAP_DROPPED says how many); one that has gone
 * ends the link, and gone() is called.  The fd is a high one and closed on exec;
 * before each use it is checked to be still ours, since jobs close fds by number. */
#ifndef TP_LINK_H
#define TP_LINK_H

#include "base.h"

struct link_calls {
	uint32_t (*cupti)(void);   /* for the hello */
	uint64_t (*dropped)(void); /* records that CUPTI dropped, in all */
	void (*tick)(void);        /* every 250 ms */
	void (*last)(void);        /* link_finish: before the ring is emptied */
	uint64_t (*moved)(void);   /* changes while last() gets on */
	void (*gone)(void);
};

/* Connect to DIR/CAPWIRE_SOCKET.  -1: nobody there, or no fd.  Where too many call
 * at once the thread goes on trying, for 30 s. */
int link_open(const char *dir) RESULT_USED;
/* Start the thread.  -1: none to be had (a note was sent); the socket is closed. */
int link_start(const struct link_calls *calls) RESULT_USED;
/* Send all there is, CAP_BYE, and close; returns when that is done, when nothing
 * has moved for a second, or after 10.  Not from the link's own thread. */
void link_finish(void);
/* The same, not waited for. */
void link_finish_later(void);
/* The stream will end before what it was to hold did: CAP_BYE says so. */
void link_early(void);
/* In a forked child: let go of the fd. */
void link_forget(void);

#endif
