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
#define NEVER_NULL __attribute__((returns_nonnull))
#define NORETURN __attribute__((noreturn))
/* What holds by construction, said to the analyzers of make lint, which cannot see
 * it from where they look (the sanitizers check it). */
#define HOLDS(cond) ((cond) ? (void)0 : __builtin_unreachable())
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

/* The same n bytes?  Keys and words are short: up to 16 bytes are compared as two
 * numbers that may overlap, a third of what a call of memcmp takes. */
static inline bool bytes_eq(const char *a, const char *b, size_t n)
{
	if (n > 16)
		return memcmp(a, b, n) == 0;
	if (n >= 8) {
		uint64_t head[2], tail[2];
		memcpy(&head[0], a, 8);
		memcpy(&head[1], b, 8);
		memcpy(&tail[0], a + n - 8, 8);
		memcpy(&tail[1], b + n - 8, 8);
		return head[0] == head[1] && tail[0] == tail[1];
	}
	if (n >= 4) {
		uint32_t head[2], tail[2];
		memcpy(&head[0], a, 4);
		memcpy(&head[1], b, 4);
		memcpy(&tail[0], a + n - 4, 4);
		memcpy(&tail[1], b + n - 4, 4);
		return head[0] == head[1] && tail[0] == tail[1];
	}
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static inline bool text_eq(struct text a, struct text b)
{
	return a.n == b.n && bytes_eq(a.s, b.s, a.n);
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
