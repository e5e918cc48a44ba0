/* say.h - words to a person: one line, one write(2), on stderr.
 *
 * say_init() first, in every main.  A message is "PROG: what: why", lower case,
 * no full stop; control bytes in it are shown as \xNN, so a name from a trace
 * can't move the cursor.  The library reports with error() where the cause is
 * known and returns its -1 upward; only programs die. */
#ifndef TP_SAY_H
#define TP_SAY_H

#include "base.h"

enum tp_status {
	ST_OK = 0,
	ST_NO = 1,      /* tp-window alone: no window to be had */
	ST_FAIL = 2,    /* something went wrong, nothing half-written is left */
	ST_PARTIAL = 3, /* done, but the input was cut short or partly unreadable */
	ST_OWN = 125    /* tp-time, tp-capture: their own failure */
};

extern int say_fail_status; /* of die() and usage errors: ST_FAIL, or ST_OWN set
                             * before say_init() by who relays a job's status */
extern int say_verbosity; /* 0 normal, -1 quiet (-q), 1.. verbose (-v) */

/* Program start, in this order: remember the name, make sure that fds 0-2 are
 * open (closed stdin/stderr become /dev/null; a closed stdout is fatal, 2),
 * SIGPIPE back to its default and unblocked. */
void say_init(const char *argv0);
const char *say_prog(void);

void warn(const char *fmt, ...) PRINTF_LIKE(1, 2);  /* always printed */
void note(const char *fmt, ...) PRINTF_LIKE(1, 2);  /* not with -q */
void info(const char *fmt, ...) PRINTF_LIKE(1, 2);  /* only with -v */
int error(const char *fmt, ...) PRINTF_LIKE(1, 2);  /* warn(), returns -1 */
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) NORETURN; /* exit(2) */
/* As die, with ": strerror(errno)" behind. */
void die_errno(const char *fmt, ...) PRINTF_LIKE(1, 2) NORETURN;
int error_errno(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Progress on a terminal's stderr (else nothing): shown after one second, one
 * line rewritten at most five times a second; say_progress(NULL) clears it.
 * Any message above clears it first. */
void say_progress(const char *fmt, ...) PRINTF_LIKE(1, 2);
void say_progress_done(void);

#endif
