/* emit.h - how the parts of the capture library send records: into the ring, from
 * any thread, in a few tens of ns.
 *
 *	struct cap_call *c = emit_begin(CAP_CALL, sizeof *c, tid);
 *	if (c) {
 *		*c = (struct cap_call){ ... };
 *		emit_end(c);
 *	}
 *
 * Nothing here waits, allocates or makes a system call.  What does not fit is
 * counted and said to the reader (CAP_DROPPED): a NULL needs no other care.
 * Between begin and end nothing may be called that can block: the records behind
 * this one wait for it. */
#ifndef TP_EMIT_H
#define TP_EMIT_H

#include "base.h"
#include "capwire.h"

/* Is there a link, and does the window stand open?  A look at one variable. */
bool emit_on(void);
/* It stands open, but only to get everything ready: what is recorded is not sent. */
bool emit_warming(void);
/* Does what happened then belong to the window, and not to its warm-up? */
bool emit_since(int64_t ns);

/* Room for a record: size is that of the struct and of what stands behind it, the
 * head not counted (at most CAPWIRE_MAX - sizeof(struct capwire_head)).  What
 * comes back is aligned to 8; its bytes past `size` up to the next multiple of 8
 * are zero, the others anything.  tid: emit_tid() for this thread's, 0 none.
 * NULL: no room, counted. */
void *emit_begin(enum cap_type type, size_t size, uint32_t tid);
void *emit_begin_flags(enum cap_type type, uint8_t flags, size_t size, uint32_t tid);
void emit_end(void *record);

/* The id of a text, sent (CAP_TEXT) when it is new: the same bytes give the same
 * id while they are remembered (the last few ten thousand texts are), and the text
 * stands in the ring before any record begun after this returns.  An id that is
 * kept for later may by then mean nothing to the receiver: emit_text_fresh.  Cut at a
 * character at CAPWIRE_TEXT_MAX bytes.  0: no room, or n is 0. */
uint32_t emit_text(const char *s, size_t n);
/* False: the text must be sent again. */
bool emit_text_fresh(uint32_t id);

/* One line for the person (CAP_NOTE). */
void emit_note(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* With CAP_NOTE_... flags; of at most CAPWIRE_TEXT_MAX bytes. */
void emit_note_flags(uint8_t flags, const char *line);

/* The calling thread's id (gettid), remembered. */
uint32_t emit_tid(void);
/* CLOCK_MONOTONIC. */
int64_t emit_now_ns(void);

#endif
