/* kname.h - what kernel names say, and forms of them that fit a table.
 *
 * C++ names run to a kilobyte, most of it namespaces, lambdas and argument lists;
 * those are left out as long as the names of the table stay different.  Records
 * always carry the whole name. */
#ifndef TP_KNAME_H
#define TP_KNAME_H

#include "kernels.h"

#define KNAME_MAX 84 /* two lines of the table */

/* n malloc'd names in a malloc'd array.  whole: nothing is left out. */
char **kname_all(struct kernel *const *k, size_t n, bool whole);
/* One name, shorter: malloc'd. */
char *kname_short(const char *name);

/* "Memcpy HtoD (Pageable -> Device)" "CopyDeviceToDevice": "HtoD", "DtoD", ...;
 * NULL when the name tells none. */
const char *copy_direction(const char *name);
bool copy_is_pageable(const char *name);

#endif
