/* mem.c - see mem.h. */
#include "base.h"
#include "mem.h"
#include "say.h"

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		die("out of memory (%zu bytes wanted)", n);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		die("out of memory (%zu times %zu bytes wanted)", n, size);
	return p;
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	p = reallocarray(p, n, size);
	if (!p)
		die("out of memory (%zu times %zu bytes wanted)", n, size);
	return p;
}

char *xmemdup0(const void *p, size_t n)
{
	char *s;

	if (n == SIZE_MAX)
		die("out of memory (%zu bytes wanted)", n);
	s = xmalloc(n + 1);
	if (n)
		memcpy(s, p, n);
	s[n] = '\0';
	return s;
}

char *xstrdup(const char *s)
{
	return xmemdup0(s, strlen(s));
}

void *mem_lib_alloc(void *ctx, size_t n)
{
	(void)ctx;
	return xmalloc(n);
}

void *mem_lib_realloc(void *ctx, void *p, size_t n)
{
	(void)ctx;
	return xreallocarray(p, n, 1);
}

void mem_lib_free(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}
