/* job.c - see job.h. */
#include "base.h"
#include "job.h"
#include "mem.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* After the job's own process its others (ranks under a launcher) have this
 * long to close their links; a daemon that it left holds one for ever. */
#define LINGER_NS INT64_C(1000000000)

/* More than our links (HOOK_CLIENTS_MAX) and all else have. */
#define FDS_MAX 8192

static const int relayed[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGCHLD
};

/* As they were when we were started: the job gets them so. */
static struct {
	struct sigaction pipe;
	sigset_t mask;
} remembered;

/* The job that was started, until job_close: who dies meanwhile waits for it
 * (job_outlive). */
static struct running {
	struct job *job;
	pid_t starter;
} running;

static void job_outlive(void);
static void job_status_last(void);

void job_remember(void)
{
	/* first, so that it runs last: our folders are gone by then */
	(void)atexit(job_status_last);
	(void)sigaction(SIGPIPE, NULL, &remembered.pipe);
	(void)sigprocmask(SIG_BLOCK, NULL, &remembered.mask);
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t job_clock_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t job_unix_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

int job_open(struct job *j)
{
	sigset_t set;

	*j = (struct job){ .link = { .listen_fd = -1 }, .pid = -1, .signal_fd = -1,
		.wait_fd = -1 };
	/* our reader may go away: the job ends as it would, we say so */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(relayed); i++)
		sigaddset(&set, relayed[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	j->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (j->signal_fd < 0)
		return error_errno("signalfd");
	/* only now: a signal that ended us would leave the folder */
	return hooklink_open(&j->link);
}

/* Give the terminal to a group; from the background that takes SIGTTOU. */
static void terminal_to(pid_t group)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &old);
	(void)tcsetpgrp(STDIN_FILENO, group);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* What the child tells when it cannot become the job: the errno, and whether it
 * was exec that failed (the job's fault) or what comes before (ours, said). */
struct child_end {
	int error;
	bool at_exec;
};

static void child_fail(int fd, bool at_exec)
{
	struct child_end end = { errno, at_exec };

	if (!at_exec)
		error_errno("the job cannot be started");
	(void)!write(fd, &end, sizeof end);
	_exit(127);
}

static void child(struct job *j, const struct job_spec *spec, int fail_fd)
{
	setpgid(0, 0);
	if (j->terminal)
		terminal_to(getpid());
	if (spec->stdin_null) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
			child_fail(fail_fd, false);
	}
	if (spec->stdout_to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		child_fail(fail_fd, false);
	sigaction(SIGPIPE, &remembered.pipe, NULL);
	sigprocmask(SIG_SETMASK, &remembered.mask, NULL);
	execvp(spec->argv[0], spec->argv);
	child_fail(fail_fd, true);
}

/* Whether the child told its end on fd: it closes without a word at exec. */
static bool child_ended(int fd, struct child_end *end)
{
	size_t at = 0;
	ssize_t n;

	while (at < sizeof *end) {
		n = read(fd, (char *)end + at, sizeof *end - at);
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0)
			at += (size_t)n;
	}
	return true;
}

/* It did not become the job.  0 exec failed, -1 we did (said by the child). */
static int not_started(struct job *j, const struct child_end *end, const char *name)
{
	while (waitpid(j->pid, &j->status, 0) < 0 && errno == EINTR)
		;
	j->ended = true;
	if (j->terminal)
		terminal_to(getpgrp());
	running.job = NULL;
	if (!end->at_exec)
		return -1;
	j->exec_errno = errno = end->error;
	if (errno == ENOENT && !strchr(name, '/'))
		(void)error("%s: command not found", *name ? name : "''");
	else
		error_errno("%s", name);
	return 0;
}

int job_start(struct job *j, const struct job_spec *spec)
{
	struct child_end end;
	int told[2], r = 0;

	/* here, since the child must not die in want of memory: that would look
	 * like a job that ended with our status */
	if (hooklink_env(&j->link))
		return error_errno("environment");
	if (pipe2(told, O_CLOEXEC))
		return error_errno("pipe");
	j->terminal = !spec->stdin_null && isatty(STDIN_FILENO) &&
		tcgetpgrp(STDIN_FILENO) == getpgrp();
	j->pid = fork();
	if (j->pid < 0) {
		close(told[0]);
		close(told[1]);
		return error_errno("fork");
	}
	if (j->pid == 0)
		child(j, spec, told[1]);
	close(told[1]);
	running = (struct running){ j, getpid() };
	/* last, so that it runs first */
	(void)atexit(job_outlive);
	setpgid(j->pid, j->pid); /* whoever is first */
	if (child_ended(told[0], &end))
		r = not_started(j, &end, spec->argv[0]);
	close(told[0]);
	return r;
}

/* ^Z: the terminal comes back to whoever started us, and we stop too. */
static void job_stopped(struct job *j)
{
	if (j->terminal)
		terminal_to(getpgrp());
	raise(SIGSTOP);
	if (j->terminal)
		terminal_to(j->pid);
	kill(-j->pid, SIGCONT);
}

static void job_reap(struct job *j)
{
	int status;

	while (!j->ended && waitpid(j->pid, &status, WNOHANG | WUNTRACED) == j->pid) {
		if (WIFSTOPPED(status)) {
			job_stopped(j);
			continue;
		}
		j->status = status;
		j->ended = true;
		j->ended_ns = job_clock_ns();
		if (j->terminal)
			terminal_to(getpgrp());
	}
}

static void job_signals(struct job *j)
{
	struct signalfd_siginfo s;

	while (read(j->signal_fd, &s, sizeof s) == (ssize_t)sizeof s) {
		int sig = (int)s.ssi_signo;

		if (sig == SIGCHLD)
			continue;
		if (sig != SIGCONT && sig != SIGUSR1 && sig != SIGUSR2)
			j->relayed = sig;
		kill(-j->pid, sig);
	}
	job_reap(j);
}

bool job_attend(void *job)
{
	struct job *j = job;

	job_signals(j);
	return j->relayed != 0;
}

/* Milliseconds to wait at most: for ever while the job runs. */
static int job_patience(const struct job *j)
{
	int64_t left = j->ended_ns + LINGER_NS - job_clock_ns();

	if (!j->ended)
		return -1;
	return left > 0 ? (int)(left / 1000000) + 1 : 0;
}

/* After a signal that ends: nothing of the group stays. */
static void group_end(struct job *j)
{
	int64_t until = job_clock_ns() + JOB_GRACE_NS;
	struct timespec nap = { 0, 20000000 };

	if (kill(-j->pid, j->relayed))
		return;
	while (kill(-j->pid, 0) == 0 && job_clock_ns() < until)
		nanosleep(&nap, NULL);
	(void)kill(-j->pid, SIGKILL);
}

/* die() of ours, for want of memory say: the job must not end by that, which our own
 * end would have it do.  Nothing is recorded any more; its status is handed on, also
 * where it had ended before. */
static void job_outlive(void)
{
	struct job *j = running.job;
	struct pollfd wait = { .events = POLLIN };

	if (!j || running.starter != getpid())
		return;
	/* whoever speaks to us learns at once that nobody hears */
	for (int fd = STDERR_FILENO + 1; fd < FDS_MAX; fd++)
		if (fd != j->signal_fd)
			close(fd);
	wait.fd = j->signal_fd;
	while (!j->ended) {
		(void)poll(&wait, 1, -1);
		job_signals(j);
	}
	if (j->relayed)
		group_end(j);
}

static void job_status_last(void)
{
	struct job *j = running.job;

	if (j && running.starter == getpid())
		_exit(job_code(j) ? job_code(j) : ST_OWN);
}

static int wait_add(struct job *j, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(j->wait_fd, EPOLL_CTL_ADD, fd, &e);
}

/* The descriptor to wait for beside the hook's links. */
static int wait_fd(struct job *j, const struct job_ears *ears)
{
	if (!ears->other)
		return j->signal_fd;
	j->wait_fd = epoll_create1(EPOLL_CLOEXEC);
	if (j->wait_fd >= 0 && !wait_add(j, j->signal_fd) && !wait_add(j, ears->other->fd))
		return j->wait_fd;
	error_errno("epoll");
	return j->signal_fd; /* the job must not run unwatched */
}

static bool links_open(const struct job *j, const struct job_ears *ears)
{
	return j->link.n || (ears->other && ears->other->busy(ears->other->arg));
}

void job_run(struct job *j, const struct job_ears *ears)
{
	int fd = wait_fd(j, ears);

	while (!j->ended || (links_open(j, ears) && job_patience(j) > 0)) {
		if (ears->idle && ears->idle(ears->arg))
			break; /* cannot be: it keeps its own failures */
		if (ears->other)
			ears->other->idle(ears->other->arg);
		if (!hooklink_wait(&j->link, fd, job_patience(j), ears->line, ears->arg))
			continue;
		job_signals(j);
		if (ears->other)
			ears->other->ready(ears->other->arg);
	}
	/* links that came while it ended */
	(void)hooklink_wait(&j->link, fd, 0, ears->line, ears->arg);
	(void)hooklink_wait(&j->link, fd, 0, ears->line, ears->arg);
	if (j->relayed)
		group_end(j);
}

int job_code(const struct job *j)
{
	if (j->exec_errno)
		return j->exec_errno == ENOENT ? 127 : 126;
	return WIFSIGNALED(j->status) ? 128 + WTERMSIG(j->status) :
		WEXITSTATUS(j->status);
}

void job_say_end(const struct job *j)
{
	if (j->exec_errno)
		return; /* said */
	if (WIFSIGNALED(j->status))
		note("the job was ended by signal %d (%s)", WTERMSIG(j->status),
			strsignal(WTERMSIG(j->status)));
	else if (WEXITSTATUS(j->status))
		note("the job ended with status %d", WEXITSTATUS(j->status));
}

void job_close(struct job *j)
{
	if (j->signal_fd >= 0)
		close(j->signal_fd);
	if (j->wait_fd >= 0)
		close(j->wait_fd);
	j->signal_fd = j->wait_fd = -1;
	hooklink_close(&j->link);
	running.job = NULL;
}
