/* demangle.c - see demangle.h. */
#include "base.h"
#include "demangle.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

/* What a name says again of itself (substitutions, template parameters) can double
 * it each time: 230 bytes become 142 MB, 300 more than there is memory, and nothing
 * stops the C++ library.  Three to a level grow fastest: 24 of them make 3^8 times
 * the longest part, some MB. */
#define REFS_MAX 24
/* A name with more is tried in a process of its own, in 1 to 2 ms, which may take
 * so much; when this many were ended for it none is tried any more. */
#define CHILD_BYTES (256u << 20)
#define CHILD_SECONDS 1
#define KILLED_MAX 8

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

/* Appends; false: it is none, or too long a one. */
static bool ask(struct buf *b, demangle_fn *fn, const char *word)
{
	int status = -1;
	char *out = fn(word, NULL, NULL, &status);
	size_t n = out && status == 0 ? strnlen(out, DEMANGLE_OUT_MAX + 1) : 0;

	if (n > 0 && n <= DEMANGLE_OUT_MAX)
		buf_add(b, out, n);
	free(out);
	return n > 0 && n <= DEMANGLE_OUT_MAX;
}

static void limit(int what, rlim_t most)
{
	(void)setrlimit(what, &(struct rlimit){ most, most });
}

__attribute__((noreturn)) static void child(int fd, demangle_fn *fn, const char *word)
{
	struct buf b = BUF_INIT;
	bool good = true;

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CHILD_SECONDS);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* larger themselves */
	limit(RLIMIT_DATA, CHILD_BYTES);
#endif
	if (!ask(&b, fn, word))
		_exit(0);
	for (size_t at = 0; good && at < b.len;) {
		ssize_t n = write(fd, b.data + at, b.len - at);

		good = n > 0;
		at += good ? (size_t)n : 0;
	}
	_exit(0);
}

static void take(struct buf *b, int fd)
{
	char got[4096];
	ssize_t n;

	while ((n = read(fd, got, sizeof got)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && b->len <= DEMANGLE_OUT_MAX)
			buf_add(b, got, (size_t)n);
}

/* The same as ask, where it may take more than there is. */
static bool ask_apart(struct buf *b, demangle_fn *fn, const char *word)
{
	static int killed;
	struct buf got = BUF_INIT;
	int fd[2], status = -1;
	pid_t pid;
	bool good;

	if (killed == KILLED_MAX || pipe2(fd, O_CLOEXEC))
		return false;
	pid = fork();
	if (pid == 0)
		child(fd[1], fn, word);
	close(fd[1]);
	if (pid > 0)
		take(&got, fd[0]);
	close(fd[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	killed += pid > 0 && status != 0;
	good = pid > 0 && status == 0 && got.len > 0;
	if (good)
		buf_add(b, got.data, got.len);
	buf_release(&got);
	return good;
}

static size_t refs(const char *word)
{
	size_t n = 0;

	for (; *word; word++)
		n += *word == 'S' || *word == 'T';
	return n;
}

void demangle(struct buf *b, struct text name)
{
	char word[DEMANGLE_MAX + 1];
	demangle_fn *fn;

	if (name.n > 2 && name.n <= DEMANGLE_MAX && name.s[0] == '_' &&
	    name.s[1] == 'Z' && (fn = find())) {
		memcpy(word, name.s, name.n);
		word[name.n] = '\0';
		if (refs(word) <= REFS_MAX ? ask(b, fn, word) : ask_apart(b, fn, word))
			return;
	}
	buf_add(b, name.s, name.n);
}
