/* job.h - start a command, relay signals to it and its status from it, and
 * listen meanwhile to the hook inside it (hooklink.h).
 *
 *	job_remember();  say_init(argv[0]);      in this order, first of all
 *	job_open(&job)                           the private folder, the socket
 *	... write the hook's configuration (job.link.dir) ...
 *	job_start(&job, &spec)                   fork and exec
 *	job_run(&job, &ears)                     until it and its links have ended
 *	job_code(&job)  job_close(&job)
 *
 * The job is a process group of its own; a terminal that was ours becomes its
 * own until it ends or stops.  SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and
 * SIGUSR2 that reach us go on to the group.  After a relayed SIGINT, SIGTERM,
 * SIGHUP or SIGQUIT nothing of the group is left: what does not go in
 * JOB_GRACE_NS is killed.  A job that ends by itself keeps what it left running
 * in the background, as it would in a shell.  Where we die() the job is waited for
 * all the same, and its status is handed on; killed outright (by the kernel, for want
 * of memory) we leave it to run on; if it is stopped then, the kernel sends SIGHUP. */
#ifndef TP_JOB_H
#define TP_JOB_H

#include "base.h"
#include "hooklink.h"

#include <sys/types.h>

#define JOB_GRACE_NS (5 * INT64_C(1000000000))

struct job_spec {
	char **argv;
	bool stdout_to_stderr;  /* our stdout is data */
	bool stdin_null;        /* our stdin is data */
};

struct job {
	struct hooklink link;
	pid_t pid;
	int exec_errno;         /* 0: it ran */
	int status;             /* of waitpid, once ended */
	bool ended;
	int relayed;            /* the last signal that ends, 0 none */
	int64_t ended_ns;
	int signal_fd;
	int wait_fd;            /* epoll over signal_fd and the caller's; -1 none */
	bool terminal;          /* the terminal on stdin is the job's meanwhile */
};

/* What the caller is told; each may be NULL. */
struct job_other;
struct job_ears {
	int (*line)(void *arg, struct hook_client *c, struct text line); /* -1: close it */
	int (*idle)(void *arg); /* before each wait: flush what was written */
	void *arg;
	const struct job_other *other;
};

/* A further descriptor to listen to. */
struct job_other {
	int fd;
	void (*ready)(void *arg); /* it is readable */
	bool (*busy)(void *arg);  /* links of it are open still */
	void (*idle)(void *arg);  /* before each wait */
	void *arg;
};

void job_remember(void);
int job_open(struct job *j) RESULT_USED;         /* -1 said */
/* 0 started or exec failed (exec_errno is set, said), -1 said. */
int job_start(struct job *j, const struct job_spec *spec) RESULT_USED;
void job_run(struct job *j, const struct job_ears *ears);
/* Who must wait elsewhere than in job_run calls this when signal_fd is readable:
 * true once a signal came that ends. */
bool job_attend(void *job);
/* The job's own status, 128+N when a signal ended it (said), 126 or 127 when
 * it could not run. */
int job_code(const struct job *j);
void job_say_end(const struct job *j);           /* a line unless it ended with 0 */
void job_close(struct job *j);                   /* the folder goes */

/* CLOCK_MONOTONIC, as the hook's clock. */
int64_t job_clock_ns(void);
int64_t job_unix_ns(void);

#endif
