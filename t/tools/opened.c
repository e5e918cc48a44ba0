/* opened - run a command, and tell which files of these directories were opened
 * meanwhile, a name a line on fd 3.
 *
 *	opened DIR... -- CMD ARG... 3>names
 *
 * Status: the command's.  inotify sees every open by anyone, under sanitizers too,
 * where a preloaded library or a tracer would be in the way. */
#include "base.h"
#include "say.h"

#include <stdio.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

static void told(int watch)
{
	_Alignas(struct inotify_event) char room[65536];
	const struct inotify_event *e;
	ssize_t n;

	while ((n = read(watch, room, sizeof room)) > 0)
		for (char *p = room; p < room + n; p += sizeof *e + e->len) {
			e = (const struct inotify_event *)(const void *)p;
			dprintf(3, "%s\n", e->mask & IN_Q_OVERFLOW ? "(too many)" :
				e->len ? e->name : ".");
		}
}

int main(int argc, char **argv)
{
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), at = 1, status;
	pid_t pid;

	say_init(argv[0]);
	for (; at < argc && strcmp(argv[at], "--") != 0; at++)
		if (inotify_add_watch(watch, argv[at], IN_OPEN) < 0)
			die_errno("%s", argv[at]);
	if (++at >= argc)
		die("usage: opened DIR... -- CMD ARG... 3>names");
	pid = fork();
	if (pid < 0)
		die_errno("fork");
	if (pid == 0) {
		close(3);
		execvp(argv[at], argv + at);
		die_errno("%s", argv[at]);
	}
	if (waitpid(pid, &status, 0) != pid)
		die_errno("wait");
	told(watch);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
