/* fault - preloaded by tests: makes the Nth call of a kind fail, or kills the
 * process there.  What to do stands in TP_FAULT:
 *
 *	KIND:N:ACTION
 *
 * KIND    read write open close rename fsync malloc mmap fork, or `any`: all of
 *         them but malloc and mmap.  What makes a name or an fd counts as open,
 *         what changes a file in any other way as write (ftruncate) or rename
 *         (link, unlink, rmdir).
 * N       from 1; `N+`: this one and all that follow; 0: none, only count
 * ACTION  a number: errno, the call fails (close closes and then fails)
 *         short: read and write do half of it, one: a byte  (legal: nothing may
 *         change)
 *         kill: SIGKILL before the call          torn: half a write, then SIGKILL
 *         int, term: that signal before the call
 *
 * TP_FAULT_STATE names a file of at least sizeof(struct state) bytes: calls are
 * counted there, over all processes that are looked at, and how often a fault
 * was injected.  Only programs whose name begins with TP_FAULT_PROG ("tp-") are
 * looked at: neither the shell nor what it runs beside them.
 *
 * TP_FAULT_SITES names a file that gets the number of every malloc that comes
 * from where none came from before (the eight innermost callers): failing those
 * alone tries each place once, not each of some 80000 calls.
 *
 * TP_FAULT_TRACE=1 writes the callers of each fault to stderr (addr2line -e tells
 * what they are).
 *
 * SQLite reaches its system calls by name, so its I/O is covered; stdio's reads
 * are by way of fopencookie().  The calls that libc makes inside of itself
 * (realpath, getcwd, directories) are not. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { READ, WRITE, OPEN, CLOSE, RENAME, FSYNC, MALLOC, MMAP, FORK, KINDS };

static const char *const kind_name[KINDS] = {
	"read", "write", "open", "close", "rename", "fsync", "malloc", "mmap", "fork"
};

struct state {
	int64_t calls[KINDS], any, fired;
	char where[64]; /* the call that was hit last */
};

enum action { PASS, FAIL, SHORT, ONE, TORN, KILL, INT, TERM };

static struct {
	bool on, any, lasting;
	enum kind kind;
	int64_t n;
	enum action action;
	int error;
	struct state *state;
	int sites_fd;
	bool trace;
} plan = { .sites_fd = -1 };

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

/* The real one, looked up when first needed: dlsym may itself allocate. */
#define REAL(ret, name, ...) \
	static ret (*real)(__VA_ARGS__); \
	if (!real) { \
		bool keep = plan.on; \
		plan.on = false; \
		*(void **)&real = dlsym(RTLD_NEXT, name); \
		plan.on = keep; \
	}

static bool plan_kind(const char *s, size_t n)
{
	if (n == 3 && !memcmp(s, "any", 3)) {
		plan.any = true;
		return true;
	}
	for (int k = 0; k < KINDS; k++)
		if (strlen(kind_name[k]) == n && !memcmp(s, kind_name[k], n)) {
			plan.kind = (enum kind)k;
			return true;
		}
	return false;
}

static bool plan_action(const char *s)
{
	static const char *const word[] = { "short", "one", "torn", "kill", "int", "term" };

	for (int i = 0; i < 6; i++)
		if (!strcmp(s, word[i])) {
			plan.action = (enum action)(SHORT + i);
			return true;
		}
	plan.error = atoi(s);
	plan.action = FAIL;
	return plan.error > 0;
}

static void trace(void)
{
	void *caller[32];
	int n;

	plan.on = false;
	n = backtrace(caller, 32);
	backtrace_symbols_fd(caller + 1, n - 1, 2);
	plan.on = true;
}

/* Have these callers been here?  If not, tell the call's number. */
static void site(int64_t number)
{
	static uint64_t seen[1 << 16];
	void *caller[10];
	char line[24];
	uint64_t h = 14695981039346656037u;
	int n;

	plan.on = false; /* backtrace() loads its library at first */
	n = backtrace(caller, 10);
	plan.on = true;
	for (int i = 2; i < n; i++)
		h = (h ^ (uintptr_t)caller[i]) * 1099511628211u;
	size_t at = h >> 48;
	for (; seen[at]; at = (at + 1) & 0xffff)
		if (seen[at] == h)
			return;
	seen[at] = h;
	plan.on = false;
	n = snprintf(line, sizeof line, "%lld\n", (long long)number);
	plan.on = true;
	(void)!syscall(SYS_write, plan.sites_fd, line, n);
}

static void __attribute__((constructor)) begin(void)
{
	const char *what = getenv("TP_FAULT"), *prog = getenv("TP_FAULT_PROG");
	const char *file = getenv("TP_FAULT_STATE");
	char *end;
	void *map;
	int fd;

	prog = prog ? prog : "tp-";
	if (!what || !file || strncmp(program_invocation_short_name, prog, strlen(prog)))
		return;
	const char *colon = strchr(what, ':');
	if (!colon || !plan_kind(what, (size_t)(colon - what)))
		goto bad;
	plan.n = strtoll(colon + 1, &end, 10);
	plan.lasting = *end == '+';
	if (end[plan.lasting] != ':' || !plan_action(end + plan.lasting + 1))
		goto bad;
	fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		goto bad;
	map = (void *)syscall(SYS_mmap, NULL, sizeof(struct state),
		PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	if (map == MAP_FAILED)
		goto bad;
	plan.state = map;
	plan.trace = getenv("TP_FAULT_TRACE");
	const char *sites = getenv("TP_FAULT_SITES");
	if (sites)
		plan.sites_fd = (int)syscall(SYS_openat, AT_FDCWD, sites,
			O_WRONLY | O_APPEND | O_CLOEXEC);
	plan.on = true;
	return;
bad:
	(void)!syscall(SYS_write, 2, "fault: bad TP_FAULT\n", 20);
	_exit(121);
}

/* What is to happen at this call; FAIL has set errno. */
static enum action look(enum kind kind, const char *where)
{
	int64_t n, any = 0;

	if (!plan.on)
		return PASS;
	n = __atomic_add_fetch(&plan.state->calls[kind], 1, __ATOMIC_RELAXED);
	if (kind != MALLOC && kind != MMAP)
		any = __atomic_add_fetch(&plan.state->any, 1, __ATOMIC_RELAXED);
	if (kind == MALLOC && plan.sites_fd >= 0)
		site(n);
	if (plan.any)
		n = any;
	else if (kind != plan.kind)
		return PASS;
	if (plan.n == 0 || (plan.lasting ? n < plan.n : n != plan.n))
		return PASS;
	__atomic_add_fetch(&plan.state->fired, 1, __ATOMIC_RELAXED);
	size_t len = strnlen(where, sizeof plan.state->where - 1);
	memcpy(plan.state->where, where, len);
	plan.state->where[len] = '\0';
	if (plan.trace)
		trace();
	if (plan.action == KILL || (plan.action == TORN && kind != WRITE))
		syscall(SYS_kill, getpid(), SIGKILL);
	if (plan.action == INT || plan.action == TERM)
		syscall(SYS_kill, getpid(), plan.action == INT ? SIGINT : SIGTERM);
	if (plan.action == FAIL)
		errno = plan.error;
	return plan.action;
}

#define FAILS(kind, where) (look(kind, where) == FAIL)

/* How many bytes of n a read or write is allowed. */
static size_t part(enum action a, size_t n)
{
	if (a == ONE)
		return n > 0;
	return (a == SHORT || a == TORN) && n > 1 ? n / 2 : n;
}

static void torn(enum action a)
{
	if (a == TORN)
		syscall(SYS_kill, getpid(), SIGKILL);
}

ssize_t read(int fd, void *p, size_t n)
{
	REAL(ssize_t, "read", int, void *, size_t)
	enum action a = look(READ, "read");
	return a == FAIL ? -1 : real(fd, p, part(a, n));
}

static ssize_t any_pread(int fd, void *p, size_t n, off_t at)
{
	REAL(ssize_t, "pread64", int, void *, size_t, off_t)
	enum action a = look(READ, "pread");
	return a == FAIL ? -1 : real(fd, p, part(a, n), at);
}
ssize_t pread(int fd, void *p, size_t n, off_t at) { return any_pread(fd, p, n, at); }
ssize_t pread64(int fd, void *p, size_t n, off_t at) { return any_pread(fd, p, n, at); }

ssize_t write(int fd, const void *p, size_t n)
{
	REAL(ssize_t, "write", int, const void *, size_t)
	/* words to a person are no data: where they go is no fault of interest */
	enum action a = fd == 2 ? PASS : look(WRITE, "write");
	ssize_t done = a == FAIL ? -1 : real(fd, p, part(a, n));
	torn(a);
	return done;
}

static ssize_t any_pwrite(int fd, const void *p, size_t n, off_t at)
{
	REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t)
	enum action a = look(WRITE, "pwrite");
	ssize_t done = a == FAIL ? -1 : real(fd, p, part(a, n), at);
	torn(a);
	return done;
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) { return any_pwrite(fd, p, n, at); }
ssize_t pwrite64(int fd, const void *p, size_t n, off_t at) { return any_pwrite(fd, p, n, at); }

static int any_truncate(int fd, off_t n)
{
	REAL(int, "ftruncate64", int, off_t)
	return FAILS(WRITE, "ftruncate") ? -1 : real(fd, n);
}
int ftruncate(int fd, off_t n) { return any_truncate(fd, n); }
int ftruncate64(int fd, off_t n) { return any_truncate(fd, n); }

/* --- names and fds --- */
static int open_real(int dir, const char *name, int flags, mode_t mode)
{
	REAL(int, "openat64", int, const char *, int, ...)
	return FAILS(OPEN, "open") ? -1 : real(dir, name, flags, mode);
}
#define WITH_MODE(flags) \
	mode_t mode = 0; \
	va_list ap; \
	va_start(ap, flags); \
	if ((flags) & (O_CREAT | O_TMPFILE)) \
		mode = va_arg(ap, mode_t); \
	va_end(ap);
int open(const char *name, int flags, ...)
{
	WITH_MODE(flags)
	return open_real(AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...)
{
	WITH_MODE(flags)
	return open_real(AT_FDCWD, name, flags, mode);
}
int openat(int dir, const char *name, int flags, ...)
{
	WITH_MODE(flags)
	return open_real(dir, name, flags, mode);
}
int openat64(int dir, const char *name, int flags, ...)
{
	WITH_MODE(flags)
	return open_real(dir, name, flags, mode);
}

int mkostemp(char *name, int flags)
{
	REAL(int, "mkostemp64", char *, int)
	return FAILS(OPEN, "mkostemp") ? -1 : real(name, flags);
}
char *mkdtemp(char *name)
{
	REAL(char *, "mkdtemp", char *)
	return FAILS(OPEN, "mkdtemp") ? NULL : real(name);
}
int mkdir(const char *name, mode_t mode)
{
	REAL(int, "mkdir", const char *, mode_t)
	return FAILS(OPEN, "mkdir") ? -1 : real(name, mode);
}
int symlink(const char *to, const char *name)
{
	REAL(int, "symlink", const char *, const char *)
	return FAILS(OPEN, "symlink") ? -1 : real(to, name);
}
int pipe2(int fd[2], int flags)
{
	REAL(int, "pipe2", int *, int)
	return FAILS(OPEN, "pipe2") ? -1 : real(fd, flags);
}
int socket(int domain, int type, int protocol)
{
	REAL(int, "socket", int, int, int)
	return FAILS(OPEN, "socket") ? -1 : real(domain, type, protocol);
}
int dup2(int from, int to)
{
	REAL(int, "dup2", int, int)
	return FAILS(OPEN, "dup2") ? -1 : real(from, to);
}
/* A folder that cannot be read is one that cannot be removed: as unlink(). */
DIR *opendir(const char *name)
{
	REAL(DIR *, "opendir", const char *)
	bool keep = plan.on;
	plan.on = false;
	DIR *d = real(name);
	plan.on = keep;
	return d;
}
int accept4(int fd, struct sockaddr *at, socklen_t *n, int flags)
{
	REAL(int, "accept4", int, struct sockaddr *, socklen_t *, int)
	return FAILS(OPEN, "accept4") ? -1 : real(fd, at, n, flags);
}

int close(int fd)
{
	REAL(int, "close", int)
	int rc, error;
	if (!FAILS(CLOSE, "close"))
		return real(fd);
	/* as with NFS: the fd is gone, and so is what it still held */
	error = errno;
	rc = real(fd);
	(void)rc;
	errno = error;
	return -1;
}

/* stdio in the programs only reads */
static ssize_t cookie_read(void *c, char *p, size_t n)
{
	ssize_t got;

	/* EINTR takes a handler that returns, and the programs that have one read
	 * nothing by stdio */
	do
		got = read((int)(intptr_t)c, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}
static int cookie_close(void *c)
{
	return close((int)(intptr_t)c);
}
static FILE *any_fopen(const char *name, const char *mode)
{
	REAL(FILE *, "fopen64", const char *, const char *)
	cookie_io_functions_t io = { .read = cookie_read, .close = cookie_close };
	if (!plan.on || mode[0] != 'r' || strchr(mode, '+'))
		return real(name, mode);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, "r", io);
}
FILE *fopen(const char *name, const char *mode) { return any_fopen(name, mode); }
FILE *fopen64(const char *name, const char *mode) { return any_fopen(name, mode); }

int rename(const char *from, const char *to)
{
	REAL(int, "rename", const char *, const char *)
	return FAILS(RENAME, "rename") ? -1 : real(from, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
	REAL(int, "renameat2", int, const char *, int, const char *, unsigned)
	return FAILS(RENAME, "renameat2") ? -1 : real(a, from, b, to, flags);
}
int link(const char *from, const char *to)
{
	REAL(int, "link", const char *, const char *)
	return FAILS(RENAME, "link") ? -1 : real(from, to);
}
/* A name that cannot be removed stays: nothing to hold a program to, but a
 * place to kill it at. */
int unlink(const char *name)
{
	REAL(int, "unlink", const char *)
	if (plan.action != FAIL)
		(void)look(RENAME, "unlink");
	return real(name);
}

int fsync(int fd)
{
	REAL(int, "fsync", int)
	return FAILS(FSYNC, "fsync") ? -1 : real(fd);
}
int fdatasync(int fd)
{
	REAL(int, "fdatasync", int)
	return FAILS(FSYNC, "fdatasync") ? -1 : real(fd);
}

/* --- memory and processes --- */
void *malloc(size_t n)
{
	return FAILS(MALLOC, "malloc") ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
	return FAILS(MALLOC, "calloc") ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t n)
{
	return FAILS(MALLOC, "realloc") ? NULL : __libc_realloc(p, n);
}

/* glibc's own frees twice, or jumps through NULL, where its memory ends (seen
 * with 2.36): what it tells its caller is the fault of interest. */
int regcomp(regex_t *re, const char *pattern, int flags)
{
	REAL(int, "regcomp", regex_t *, const char *, int)
	bool keep = plan.on;
	if (FAILS(MALLOC, "regcomp"))
		return REG_ESPACE;
	plan.on = false;
	int rc = real(re, pattern, flags);
	plan.on = keep;
	return rc;
}
int regexec(const regex_t *re, const char *s, size_t n, regmatch_t *m, int flags)
{
	REAL(int, "regexec", const regex_t *, const char *, size_t, regmatch_t *, int)
	bool keep = plan.on;
	if (FAILS(MALLOC, "regexec"))
		return REG_ESPACE;
	plan.on = false;
	int rc = real(re, s, n, m, flags);
	plan.on = keep;
	return rc;
}

static void *any_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	REAL(void *, "mmap64", void *, size_t, int, int, int, off_t)
	return FAILS(MMAP, "mmap") ? MAP_FAILED : real(at, n, prot, flags, fd, off);
}
void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	return any_mmap(at, n, prot, flags, fd, off);
}
void *mmap64(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	return any_mmap(at, n, prot, flags, fd, off);
}

pid_t fork(void)
{
	REAL(pid_t, "fork", void)
	return FAILS(FORK, "fork") ? -1 : real();
}
