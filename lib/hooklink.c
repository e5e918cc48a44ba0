/* hooklink.c - see hooklink.h. */
#include "base.h"
#include "hooklink.h"
#include "folder.h"
#include "mem.h"
#include "path.h"
#include "say.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char *name_in(const char *dir, const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s/%s", dir, name);
	return b.data;
}

/* $TMPDIR unless it would spoil PYTHONPATH (a colon) or the socket's name (108
 * bytes in all). */
static char *private_make(void)
{
	const char *tmp = getenv("TMPDIR");
	char *pattern, *dir;

	if (!tmp || tmp[0] != '/' || strchr(tmp, ':') || strlen(tmp) > 80)
		tmp = "/tmp";
	pattern = name_in(tmp, "tp-XXXXXX");
	dir = folder_make(pattern);
	free(pattern);
	return dir;
}

static int hook_link(const char *dir)
{
	char *hook = path_share("hook/sitecustomize.py");
	char *name = name_in(dir, "sitecustomize.py");
	int r = -1;

	if (hook)
		r = symlink(hook, name) ? error_errno("%s", name) : 0;
	free(name);
	free(hook);
	return r;
}

static int socket_listen(struct hooklink *l)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char *name = name_in(l->dir, "s");
	int r = 0;

	memcpy(at.sun_path, name, MIN(strlen(name) + 1, sizeof at.sun_path - 1));
	l->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->listen_fd < 0 ||
	    bind(l->listen_fd, (struct sockaddr *)&at, sizeof at) ||
	    listen(l->listen_fd, 1024))
		r = error_errno("%s", name);
	free(name);
	return r;
}

int hooklink_open(struct hooklink *l)
{
	*l = (struct hooklink){ .listen_fd = -1 };
	l->dir = private_make();
	if (!l->dir)
		return -1;
	if (hook_link(l->dir) || socket_listen(l)) {
		hooklink_close(l);
		return -1;
	}
	return 0;
}

int hooklink_conf(struct hooklink *l, void (*fill)(struct jw *w, void *arg),
	void *arg)
{
	char *name = name_in(l->dir, "conf.json"), *sock = name_in(l->dir, "s");
	struct buf b = BUF_INIT;
	struct jw w;
	int fd, r = 0;

	jw_init(&w, &b);
	jw_open(&w, '{');
	jw_kstr(&w, "socket", sock);
	fill(&w, arg);
	jw_close(&w, '}');
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		r = error_errno("%s", name);
	else
		r = file_write_at(fd, name, b.data, b.len, 0);
	if (fd >= 0 && close(fd) && r == 0)
		r = error_errno("%s", name);
	buf_release(&b);
	free(sock);
	free(name);
	return r;
}

int hooklink_env(const struct hooklink *l)
{
	const char *old = getenv("PYTHONPATH");
	struct buf b = BUF_INIT;
	int r;

	buf_adds(&b, l->dir);
	/* an empty entry would mean the current folder: none is added */
	if (old && *old)
		buf_addf(&b, ":%s", old);
	r = setenv("PYTHONPATH", b.data, 1) || setenv("TP_HOOK", l->dir, 1) ? -1 : 0;
	buf_release(&b);
	return r;
}

bool hooklink_entered(const struct hooklink *l)
{
	char *name = name_in(l->dir, "python");
	bool there = access(name, F_OK) == 0;

	free(name);
	return there;
}

static void client_close(struct hooklink *l, size_t i)
{
	struct hook_client *c = &l->client[i];

	close(c->fd);
	buf_release(&c->buf);
	if (c->data_free)
		c->data_free(c->data);
	*c = l->client[--l->n];
}

/* Out of descriptors or memory: who calls would ring for ever, and we would
 * spin; the hook that finds nobody switches itself off. */
static void listen_end(struct hooklink *l)
{
	error_errno("link from the job");
	l->failed = true;
	close(l->listen_fd);
	l->listen_fd = -1;
}

static void client_accept(struct hooklink *l)
{
	int fd;

	while ((fd = accept4(l->listen_fd, NULL, NULL,
	    SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (l->n >= HOOK_CLIENTS_MAX) {
			close(fd);
			continue;
		}
		GROW(l->client, l->n, l->cap);
		l->client[l->n++] = (struct hook_client){ .fd = fd, .id = ++l->ids };
	}
	if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		listen_end(l);
}

/* Hand out the whole lines of the buffer.  -1: the link is to be closed. */
static int client_lines(struct hook_client *c, hook_line_fn *fn, void *arg)
{
	size_t at = 0;
	int r = 0;

	while (r == 0 && at < c->buf.len) {
		char *s = c->buf.data + at;
		char *nl = memchr(s, '\n', c->buf.len - at);

		if (!nl)
			break;
		r = fn(arg, c, (struct text){ s, (size_t)(nl - s) });
		at = (size_t)(nl + 1 - c->buf.data);
	}
	memmove(c->buf.data, c->buf.data + at, c->buf.len - at);
	c->buf.len -= at;
	return r || c->buf.len > HOOK_LINE_MAX ? -1 : 0;
}

/* One read: fair among many ranks.  -1: it has ended. */
static int client_read(struct hooklink *l, struct hook_client *c, hook_line_fn *fn, void *arg)
{
	ssize_t n;

	buf_room(&c->buf, 65536);
	n = read(c->fd, c->buf.data + c->buf.len, 65536);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && errno != ECONNRESET) { /* not the job's doing */
		error_errno("link to the job");
		l->failed = true;
	}
	if (n <= 0)
		return -1;
	c->buf.len += (size_t)n;
	return client_lines(c, fn, arg);
}

int hooklink_wait(struct hooklink *l, int other_fd, int timeout_ms,
	hook_line_fn *fn, void *arg)
{
	struct pollfd *p;
	size_t n = l->n;
	int other;

	l->poll = p = xreallocarray(l->poll, n + 2, sizeof *p);
	p[0] = (struct pollfd){ .fd = other_fd, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = l->listen_fd, .events = POLLIN };
	for (size_t i = 0; i < n; i++)
		p[i + 2] = (struct pollfd){ .fd = l->client[i].fd, .events = POLLIN };
	if (poll(p, n + 2, timeout_ms) < 0)
		return 0; /* EINTR: the caller waits again */
	other = p[0].revents != 0;
	/* from the end: closing one moves the last into its place */
	for (size_t i = n; i-- > 0;)
		if (p[i + 2].revents && client_read(l, &l->client[i], fn, arg))
			client_close(l, i);
	if (p[1].revents & POLLIN)
		client_accept(l);
	return other;
}

void hooklink_close(struct hooklink *l)
{
	while (l->n)
		client_close(l, l->n - 1);
	free(l->client);
	free(l->poll);
	if (l->listen_fd >= 0)
		close(l->listen_fd);
	if (l->dir)
		folder_remove(l->dir);
	free(l->dir);
	*l = (struct hooklink){ .listen_fd = -1 };
}
