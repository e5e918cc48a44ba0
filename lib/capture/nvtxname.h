/* nvtxname.h - NVTX's registered strings: a program names a string once and then
 * uses its handle, for as long as it runs.
 *
 * A handle is a place in a table of fixed size; the copy of its string stays for
 * good, so that its text can be sent again when the receiver has forgotten it.
 * Any number of threads; nobody waits. */
#ifndef TP_NVTXNAME_H
#define TP_NVTXNAME_H

#include "base.h"

#define NVTXNAME_MAX 4096 /* names that a program has in its source; more are unnamed */

/* The handle of a string, the same for the same bytes; 0: no room (a note says it,
 * once). */
uintptr_t nvtxname_add(const char *s);
/* Its text's id (emit_text); 0: not a handle, or no room in the ring. */
uint32_t nvtxname_text(uintptr_t handle);

#endif
