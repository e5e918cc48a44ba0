/* draft.c - files that appear whole or not at all; see path.h. */
#include "base.h"
#include "path.h"
#include "buf.h"
#include "mem.h"
#include "num.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names to remove, in memory that a signal handler may read at any time:
 * a slot counts only while its flag is set. */
#define DOOMED_MAX 32
static struct {
	char name[PATH_MAX];
	volatile sig_atomic_t live;
} doomed[DOOMED_MAX];
static pid_t doomed_by; /* a forked child must not remove its parent's */

static void doomed_remove(void)
{
	if (getpid() != doomed_by)
		return;
	for (size_t i = 0; i < DOOMED_MAX; i++)
		if (doomed[i].live) {
			(void)unlink(doomed[i].name);
			doomed[i].live = 0;
		}
}

/* SA_RESETHAND made the action the default one again: the signal raised here
 * is delivered when the handler returns, and the parent sees its number. */
static void on_signal(int sig)
{
	doomed_remove();
	raise(sig);
}

/* An ignored signal (nohup) stays ignored, a program's own handler stays. */
static void handlers_install(void)
{
	static const int sigs[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ
	};
	struct sigaction sa = { .sa_handler = on_signal }, old;

	sa.sa_flags = (int)SA_RESETHAND;
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(sigs); i++)
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
			(void)sigaction(sigs[i], &sa, NULL);
}

int path_doom(const char *name)
{
	static bool ready;
	size_t n = strlen(name);

	if (!ready) {
		if (atexit(doomed_remove) != 0)
			return error("cannot register the removal of files");
		handlers_install();
		ready = true;
	}
	doomed_by = getpid();
	if (n >= sizeof doomed[0].name)
		return error("%s: name too long", name);
	for (size_t i = 0; i < DOOMED_MAX; i++)
		if (!doomed[i].live) {
			memcpy(doomed[i].name, name, n + 1);
			doomed[i].live = 1;
			return 0;
		}
	return error("%s: too many temporary files", name);
}

void path_spare(const char *name)
{
	for (size_t i = 0; i < DOOMED_MAX; i++)
		if (doomed[i].live && strcmp(doomed[i].name, name) == 0)
			doomed[i].live = 0;
}

/* /dev/stdout and its kin: opening them anew would lose O_APPEND and the
 * offset.  The fd's number, or -1. */
static int named_fd(const char *target)
{
	static const char *const dir[] = { "/dev/fd/", "/proc/self/fd/" };
	int64_t fd;

	if (strcmp(target, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(target, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_LEN(dir); i++) {
		size_t n = strlen(dir[i]);

		if (strncmp(target, dir[i], n) == 0 && num_int((struct text){
				target + n, strlen(target + n) }, 0, INT_MAX, &fd) == 0)
			return (int)fd;
	}
	return -1;
}

static int special_open(struct draft *d)
{
	int like = named_fd(d->target);

	d->fd = like >= 0 ? fcntl(like, F_DUPFD_CLOEXEC, 3) :
		open(d->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (d->fd < 0)
		return error_errno("%s", d->target);
	return 0;
}

/* The mode that open(2) would have given; mkstemp's is 0600. */
static mode_t new_file_mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return 0666 & ~mask;
}

/* DIR/.NAME.XXXXXX; the name shortened, so that it fits where the target did. */
static char *temp_pattern(const char *target)
{
	const char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	struct buf b = BUF_INIT;

	buf_add(&b, target, (size_t)(name - target));
	buf_addf(&b, ".%.200s.XXXXXX", name);
	return b.data;
}

static int temp_open(struct draft *d)
{
	d->temp = temp_pattern(d->target);
	d->fd = mkostemp(d->temp, O_CLOEXEC);
	if (d->fd < 0) {
		error_errno("%s", d->target);
		free(d->temp);
		d->temp = NULL;
		return -1;
	}
	if (path_doom(d->temp) < 0) {
		(void)unlink(d->temp);
		return -1;
	}
	if (fchmod(d->fd, new_file_mode()) < 0)
		return error_errno("%s", d->temp);
	return 0;
}

int draft_open(struct draft *d, const char *target)
{
	struct stat st;
	int rc;

	*d = (struct draft){ .fd = -1 };
	if (!*target)
		return error("the name of the output is empty");
	if (stat(target, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return error("%s: is a directory", target);
		d->target = realpath(target, NULL);
	} else {
		st.st_mode = S_IFREG;
	}
	if (!d->target || named_fd(target) >= 0) {
		free(d->target);
		d->target = xstrdup(target);
	}
	rc = S_ISREG(st.st_mode) && named_fd(target) < 0 ? temp_open(d) :
		special_open(d);
	if (rc < 0)
		draft_abort(d);
	return rc;
}

/* Is d->fd still ours, and not closed by out_close() and the number used
 * again?  A special target cannot tell; there the program's fd is taken. */
static bool fd_is_ours(const struct draft *d)
{
	struct stat a, b;

	return d->fd >= 0 && d->temp && fstat(d->fd, &a) == 0 &&
		stat(d->temp, &b) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
}

static int temp_sync(struct draft *d)
{
	int rc = 0;

	if (!fd_is_ours(d))
		d->fd = open(d->temp, O_WRONLY | O_CLOEXEC);
	if (d->fd < 0)
		return error_errno("%s", d->target);
	/* EINVAL, ENOSYS, ENOTSUP: a file system that knows no fsync */
	if (fsync(d->fd) < 0 && errno != EINVAL && errno != ENOSYS &&
	    errno != ENOTSUP)
		rc = error_errno("%s", d->target);
	if (close(d->fd) < 0 && errno != EINTR && rc == 0)
		rc = error_errno("%s", d->target);
	d->fd = -1;
	return rc;
}

static void draft_release(struct draft *d)
{
	free(d->target);
	free(d->temp);
	*d = (struct draft){ .fd = -1 };
}

int draft_commit(struct draft *d)
{
	if (d->temp) {
		if (temp_sync(d) < 0) {
			draft_abort(d);
			return -1;
		}
		if (rename(d->temp, d->target) < 0) {
			error_errno("%s", d->target);
			draft_abort(d);
			return -1;
		}
		path_spare(d->temp);
	}
	draft_release(d);
	return 0;
}

void draft_abort(struct draft *d)
{
	if (d->temp) {
		if (fd_is_ours(d))
			close(d->fd);
		(void)unlink(d->temp);
		path_spare(d->temp);
	}
	draft_release(d);
}
