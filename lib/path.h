/* path.h - where things are, and files that appear whole or not at all.
 *
 * A program finds ../share and ../lib from its own path (/proc/self/exe,
 * symlinks resolved), the same in the tree, in .build/MODE and installed
 * (there: PREFIX/share/tp, PREFIX/lib/tp). */
#ifndef TP_PATH_H
#define TP_PATH_H

#include "base.h"

/* Malloc'd path of share/NAME; NULL with error() if it is not there. */
char *path_share(const char *name) RESULT_USED;
char *path_lib(const char *name) RESULT_USED;

/* A file under construction beside its target: made by mkstemp with mode
 * 0666 & ~umask, O_CLOEXEC, removed at exit and on SIGINT SIGTERM SIGHUP unless
 * committed.  Special targets (/dev/null, /dev/stdout, a FIFO) are opened
 * directly, /dev/stdout and /dev/fd/N are a dup of that fd.  A target that is a
 * symbolic link stays one: what it points at is replaced.  Target names are used
 * as they are: no pattern, no URI.
 *
 * fd may be handed to out_open(), which closes it: commit and abort notice (a
 * special target's fd is for the one who writes to close).
 * What opened temp by name (SQLite) must be closed before either. */
struct draft {
	char *target, *temp; /* temp is NULL for a special target */
	int fd;
};
int draft_open(struct draft *d, const char *target) RESULT_USED; /* -1 said */
/* fsync, close, rename; -1 said, and the draft is gone. */
int draft_commit(struct draft *d) RESULT_USED;
void draft_abort(struct draft *d);               /* also after a failure; idempotent */
/* A further name to remove at exit and on signal (a store's "-journal", a
 * scratch file); -1 said when the fixed table of 32 is full.  Only the process
 * that asked removes: a forked child does not. */
int path_doom(const char *name) RESULT_USED;
void path_spare(const char *name);               /* take it off the list again */

#endif
