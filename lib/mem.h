/* mem.h - allocation that cannot return NULL: out of memory is die(), after
 * the temporary files of path.h are removed (atexit).  Not for the capture
 * library. */
#ifndef TP_MEM_H
#define TP_MEM_H

#include "base.h"

void *xmalloc(size_t n) NEVER_NULL;
void *xcalloc(size_t n, size_t size) NEVER_NULL; /* overflow checked */
void *xreallocarray(void *p, size_t n, size_t size) NEVER_NULL; /* overflow checked */
char *xstrdup(const char *s) NEVER_NULL;
char *xmemdup0(const void *p, size_t n) NEVER_NULL; /* n bytes and a NUL */

/* The same for a library that takes an allocator, its context last: yajl looks at
 * no NULL of its own. */
#define MEM_LIB mem_lib_alloc, mem_lib_realloc, mem_lib_free, NULL
void *mem_lib_alloc(void *ctx, size_t n);
void *mem_lib_realloc(void *ctx, void *p, size_t n);
void mem_lib_free(void *ctx, void *p);

/* Make room for one more element in a growing array:
 *	GROW(v.item, v.n, v.cap);  v.item[v.n++] = x; */
#define GROW(p, n, cap) do { \
	if ((n) >= (cap)) { \
		(cap) = (cap) ? (cap) * 2 : 16; \
		(p) = xreallocarray((p), (cap), sizeof *(p)); \
	} \
} while (0)

#endif
