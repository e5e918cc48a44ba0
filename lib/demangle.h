/* demangle.h - C++ names for a person: what the C++ library of this machine makes
 * of them, opened when the first is asked for. */
#ifndef TP_DEMANGLE_H
#define TP_DEMANGLE_H

#include "base.h"
#include "buf.h"

/* Appends the name as C++ writes it; or as it is: no C++ name, longer than
 * DEMANGLE_MAX, or no C++ library here (said once). */
#define DEMANGLE_MAX 4096
void demangle(struct buf *b, struct text name);

#endif
