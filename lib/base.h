/* base.h - the first include of every .c: attributes, integer types, the
 * banned list.  Nothing here allocates or prints. */
#ifndef TP_BASE_H
#define TP_BASE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#define RESULT_USED __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* A slice of bytes that someone else owns; not NUL-terminated. */
struct text {
	const char *s;
	size_t n;
};
#define TEXT(lit) ((struct text){ (lit), sizeof(lit) - 1 })

static inline bool text_eq(struct text a, struct text b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static inline bool text_is(struct text a, const char *lit)
{
	size_t n = strlen(lit);
	return a.n == n && memcmp(a.s, lit, n) == 0;
}

/* Calls that hide an error, follow the locale, or write past an end.  The
 * system headers that declare them must come first: they are above. */
#ifndef TP_ALLOW_BANNED
#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strtok gets
#pragma GCC poison atoi atol atof mktemp tmpnam asctime ctime
#endif

#endif
