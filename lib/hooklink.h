/* hooklink.h - the starter's end of the hook: a private folder with a UNIX
 * socket in it, and lines of JSON that come from the job's processes.
 *
 * The folder (mode 0700, under $TMPDIR or /tmp) holds
 *	s                 the socket
 *	sitecustomize.py  a link to share/hook's: PYTHONPATH begins with the folder
 *	conf.json         what the hook is to do (hooklink_conf)
 *	python            made by the first Python process that was entered
 * and goes with hooklink_close. */
#ifndef TP_HOOKLINK_H
#define TP_HOOKLINK_H

#include "base.h"
#include "buf.h"
#include "jw.h"

#include <poll.h>

#define HOOK_LINE_MAX (1u << 20)  /* a longer line closes its link */
#define HOOK_CLIENTS_MAX 4096

struct hook_client {
	int fd;
	struct buf buf;
	int64_t id;          /* 1, 2, ... as they came */
	void *data;          /* the caller's */
	void (*data_free)(void *);
};

struct hooklink {
	char *dir;           /* NULL: not open */
	int listen_fd;
	struct hook_client *client;
	size_t n, cap;
	int64_t ids;
	bool failed;         /* we could not read what was sent (said) */
	struct pollfd *poll; /* scratch */
};

typedef int hook_line_fn(void *arg, struct hook_client *c, struct text line);

int hooklink_open(struct hooklink *l) RESULT_USED; /* -1 said */
/* conf.json: {"socket":..., then what fill() adds to the open object}. */
int hooklink_conf(struct hooklink *l, void (*fill)(struct jw *w, void *arg),
	void *arg) RESULT_USED;
/* Sets TP_HOOK and PYTHONPATH for the job; -1 with errno. */
int hooklink_env(const struct hooklink *l) RESULT_USED;
/* Was any Python process entered? */
bool hooklink_entered(const struct hooklink *l);
/* Wait for one of ours, or for other_fd to be readable, timeout_ms at most (-1
 * for ever): accepts, reads, hands out whole lines.  1 other_fd is readable, 0. */
int hooklink_wait(struct hooklink *l, int other_fd, int timeout_ms,
	hook_line_fn *fn, void *arg);
void hooklink_close(struct hooklink *l);

#endif
