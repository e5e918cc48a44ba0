/* demangle.h - C++ names for a person: what the C++ library of this machine makes
 * of them, opened when the first is asked for. */
#ifndef TP_DEMANGLE_H
#define TP_DEMANGLE_H

#include "base.h"
#include "buf.h"

/* Appends the name as C++ writes it; or as it is: no C++ name, longer than
 * DEMANGLE_MAX, longer than DEMANGLE_OUT_MAX as C++ writes it, or no C++ library here
 * (said once).  A name that can grow without bound is tried in a child process of a
 * second at most. */
#define DEMANGLE_MAX 4096
#define DEMANGLE_OUT_MAX (32u << 10)
void demangle(struct buf *b, struct text name);

#endif
