/* measure - run a command once: wall ns, user+system ns and peak RSS (KiB) of it
 * and its children, on fd 3.
 *
 *	measure CMD ARG... 3>result
 *
 * Status: the command's. */
#include "base.h"
#include "num.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t tv_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	say_init(argv[0]);
	if (argc < 2)
		die("usage: measure CMD ARG... 3>result");
	int64_t begin = now_ns();
	pid_t pid = fork();
	if (pid < 0)
		die_errno("fork");
	if (pid == 0) {
		close(3);
		execvp(argv[1], argv + 1);
		die_errno("%s", argv[1]);
	}
	int status;
	struct rusage u;
	while (wait4(pid, &status, 0, &u) < 0)
		if (errno != EINTR)
			die_errno("wait");
	if (dprintf(3, "%" PRId64 " %" PRId64 " %ld\n", now_ns() - begin,
	    tv_ns(u.ru_utime) + tv_ns(u.ru_stime), u.ru_maxrss) < 0)
		die_errno("fd 3");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
