/* say.c - see say.h. */
#include "base.h"
#include "say.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int say_verbosity;
int say_fail_status = ST_FAIL;

static const char *prog = "tp";

/* die() frees nothing, by design: the leak checker of MODE=asan, which would
 * change the exit status, must look away then. */
static bool dying;
#ifdef __SANITIZE_ADDRESS__
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return dying;
}
#endif

static void NORETURN die_now(void)
{
	dying = true;
	exit(say_fail_status);
}

/* A message is built on the stack, so that it also comes out when there is no
 * memory left; a longer one loses its tail. */
#define SAY_MAX 4096
struct line {
	char s[SAY_MAX + 8];
	size_t n;
};

static void line_add(struct line *l, const char *words)
{
	static const char hex[] = "0123456789abcdef";
	struct text t = { words, strlen(words) };
	size_t len;

	for (size_t at = 0; at < t.n && l->n < SAY_MAX; at += len) {
		uint32_t rune;

		len = utf8_next(t, at, &rune);
		if (rune != RUNE_BAD && !rune_is_control(rune)) {
			memcpy(l->s + l->n, t.s + at, len);
			l->n += len;
			continue;
		}
		for (size_t i = at; i < at + len && l->n < SAY_MAX; i++) {
			unsigned char c = (unsigned char)t.s[i];
			char esc[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

			memcpy(l->s + l->n, esc, 4);
			l->n += 4;
		}
	}
}

/* Words that cannot be delivered have nowhere to be reported. */
static void tell(const char *s, size_t n)
{
	while (write(STDERR_FILENO, s, n) < 0 && errno == EINTR)
		;
}

static struct {
	bool known, tty, shown;
	int64_t since_ns, last_ns;
} progress;

void say_progress_done(void)
{
	if (progress.shown)
		tell("\r\033[K", 4);
	progress.shown = false;
	progress.since_ns = progress.last_ns = 0;
}

static void PRINTF_LIKE(1, 0) say(const char *fmt, va_list ap, const char *why)
{
	struct line l = { .n = 0 };
	char text[SAY_MAX];
	int keep = errno;

	if (progress.shown)
		tell("\r\033[K", 4);
	progress.shown = false;
	if (vsnprintf(text, sizeof text, fmt, ap) < 0)
		text[0] = '\0';
	line_add(&l, prog);
	line_add(&l, ": ");
	line_add(&l, text);
	if (why) {
		line_add(&l, ": ");
		line_add(&l, why);
	}
	l.s[l.n++] = '\n';
	tell(l.s, l.n);
	errno = keep;
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
}

void note(const char *fmt, ...)
{
	va_list ap;

	if (say_verbosity < 0)
		return;
	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
}

void info(const char *fmt, ...)
{
	va_list ap;

	if (say_verbosity < 1)
		return;
	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
}

int error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
	return -1;
}

int error_errno(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, strerror(errno));
	va_end(ap);
	return -1;
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
	die_now();
}

void die_errno(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, strerror(errno));
	va_end(ap);
	die_now();
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define PROGRESS_WAIT_NS 1000000000
#define PROGRESS_GAP_NS 200000000

void say_progress(const char *fmt, ...)
{
	struct line l = { .n = 0 };
	char text[256];
	int64_t now;
	va_list ap;

	if (!progress.known) {
		progress.tty = isatty(STDERR_FILENO);
		progress.known = true;
	}
	if (!progress.tty || say_verbosity < 0)
		return;
	if (!fmt) {
		say_progress_done();
		return;
	}
	now = now_ns();
	if (progress.since_ns == 0)
		progress.since_ns = now;
	if (now - progress.since_ns < PROGRESS_WAIT_NS ||
	    now - progress.last_ns < PROGRESS_GAP_NS)
		return;
	progress.last_ns = now;
	va_start(ap, fmt);
	if (vsnprintf(text, sizeof text, fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	line_add(&l, prog);
	line_add(&l, ": ");
	line_add(&l, text);
	memmove(l.s + 4, l.s, l.n);
	memcpy(l.s, "\r\033[K", 4);
	tell(l.s, l.n + 4);
	progress.shown = true;
}

static bool fd_is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0 || errno != EBADF;
}

/* A later open must not land on 0 or 2. */
static void fd_fill(int fd, int flags)
{
	int null;

	if (fd_is_open(fd))
		return;
	null = open("/dev/null", flags);
	if (null >= 0 && null != fd) {
		(void)dup2(null, fd);
		close(null);
	}
}

void say_init(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
	bool has_stdout = fd_is_open(STDOUT_FILENO);
	sigset_t set;

	if (argv0 && *argv0)
		prog = slash && slash[1] ? slash + 1 : argv0;
	fd_fill(STDERR_FILENO, O_WRONLY);
	fd_fill(STDIN_FILENO, O_RDONLY);
	if (!has_stdout)
		die("standard output is closed");
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

const char *say_prog(void)
{
	return prog;
}
