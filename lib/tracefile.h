/* tracefile.h - a trace that torch.profiler has written, made ready: the lines
 * that the hook noted put among its events, compressed, in place whole.
 *
 * lines: a file with ",\n"-separated events (share/hook/tp_hook/lines.py), whose
 * times have the trace's own base; NULL for none. */
#ifndef TP_TRACEFILE_H
#define TP_TRACEFILE_H

#include "base.h"

struct tracefile {
	const char *raw, *lines;
	int64_t rank, world_size; /* put in where the file says none */
};
/* As target: gzip, or plain for gzip = false.  Beside and renamed: whole or not
 * at all.  -1 said. */
int tracefile_join(const struct tracefile *t, const char *target, bool gzip) RESULT_USED;
/* Reads it once: launches without device activity are said, since nothing in the
 * file says so.  -1: it cannot be read (said). */
int tracefile_check(const char *path, int64_t rank) RESULT_USED;

#endif
