/* demangle.c - see demangle.h. */
#include "base.h"
#include "demangle.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "say.h"

typedef char *demangle_fn(const char *name, char *out, size_t *n, int *status);

/* In a program linked statically the C++ library's own is linked in
 * (t/gpu/pack): such a program cannot open a shared library of another libc. */
/* the C++ ABI's name: NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
char *__cxa_demangle(const char *name, char *out, size_t *n, int *status)
	__attribute__((weak));

static demangle_fn *find(void)
{
	static bool looked;
	static demangle_fn *found;
	void *lib;

	if (looked)
		return found;
	looked = true;
	found = __cxa_demangle;
	if (found)
		return found;
	lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (lib)
		*(void **)&found = dlsym(lib, "__cxa_demangle");
	if (!found)
		note("no libstdc++.so.6 here: names of C++ kernels stay mangled");
	return found;
}

void demangle(struct buf *b, struct text name)
{
	char word[DEMANGLE_MAX + 1], *out = NULL;
	demangle_fn *fn;
	int status = -1;

	if (name.n > 2 && name.n <= DEMANGLE_MAX && name.s[0] == '_' &&
	    name.s[1] == 'Z' && (fn = find())) {
		memcpy(word, name.s, name.n);
		word[name.n] = '\0';
		out = fn(word, NULL, NULL, &status);
	}
	if (out && status == 0)
		buf_adds(b, out);
	else
		buf_add(b, name.s, name.n);
	free(out);
}
