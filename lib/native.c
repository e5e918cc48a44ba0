/* native.c - see native.h. */
#include "base.h"
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "buf.h"
#include "capevent.h"
#include "capwire.h"
#include "mem.h"
#include "native_rank.h"
#include "path.h"
#include "say.h"

/* When the job has ended, what its processes have sent lies in sockets: some
 * 200 KB each.  Only a daemon that goes on sending takes longer. */
#define DRAIN_NS INT64_C(2000000000)

struct native_link {
	struct native *n;
	int fd;
	struct wire wire;
	struct capevent ev;
	struct capout_segment *segment; /* NULL: nothing happened yet */
	struct native_process who;
	bool lost;             /* we closed it, and that was told */
};

static int socket_listen(struct native *n)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int len = snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", n->dir, CAPWIRE_SOCKET);

	if (len < 0 || (size_t)len >= sizeof at.sun_path)
		return error("%s: too long a name for a socket", n->dir);
	n->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (n->listen_fd < 0 ||
	    bind(n->listen_fd, (struct sockaddr *)&at, sizeof at) ||
	    listen(n->listen_fd, 1024))
		return error_errno("%s", at.sun_path);
	return 0;
}

static int poll_add(struct native *n, int fd, void *link)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = link };

	return epoll_ctl(n->poll_fd, EPOLL_CTL_ADD, fd, &e) ? error_errno("epoll") : 0;
}

int native_open(struct native *n, const char *private)
{
	n->dir = private;
	n->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (n->poll_fd < 0)
		return error_errno("epoll");
	n->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (socket_listen(n) || poll_add(n, n->listen_fd, NULL))
		return -1;
	return capout_open(&n->out, private);
}

void native_conf(const struct native *n, struct jw *w)
{
	jw_kstr(w, "engine", "cupti");
	jw_kbool(w, "lines", n->opt.lines);
	jw_kbool(w, "operators", n->opt.operators);
}

/* --- the job's environment --------------------------------------------------- */

static int env_set(const struct native *n, const char *library)
{
	struct buf opts = BUF_INIT;
	int r;

	buf_adds(&opts, n->opt.lines ? "lines," : "");
	buf_adds(&opts, n->opt.memory ? "memory," : "");
	buf_adds(&opts, n->opt.window ? "window," : "");
	if (opts.len)
		opts.data[--opts.len] = '\0';
	r = setenv("TP_CAPTURE", n->dir, 1) ||
		setenv("TP_CAPTURE_OPTS", buf_text(&opts).s, 1) ||
		setenv("CUDA_INJECTION64_PATH", library, 1) ||
		setenv("NVTX_INJECTION64_PATH", library, 0);
	buf_release(&opts);
	return r ? error_errno("environment") : 0;
}

static void env_make(struct native *n)
{
	const char *theirs = getenv("CUDA_INJECTION64_PATH");
	char *library;

	if (theirs && *theirs) {
		warn("CUDA_INJECTION64_PATH is set to %s: another tool is at work, "
			"ours gives way", theirs);
		n->gave_way = true;
		return;
	}
	if (n->opt.step && getenv("NVTX_INJECTION64_PATH"))
		note("NVTX_INJECTION64_PATH is set already: no NVTX ranges are recorded");
	library = path_lib("libtpcapture.so");
	if (!library)
		return; /* said */
	n->able = env_set(n, library) == 0;
	free(library);
}

/* --- what a process sends ------------------------------------------------------ */

static int on_event(void *arg, const struct event *ev)
{
	struct native_link *l = arg;

	if (!l->segment)
		l->segment = capout_begin(&l->n->out, l->ev.info.base_ns);
	l->n->events++;
	if (l->segment && capout_event(&l->n->out, l->segment, ev) == 0)
		return 0;
	if (l->segment)
		capout_drop(&l->n->out, l->segment);
	l->segment = NULL;
	l->lost = true;
	return -1;
}

/* Ranks say the same: once is enough.  Where the job's status will not tell that
 * nothing was recorded, the line is not for -q to keep. */
static void note_once(struct native *n, struct text words, bool gave_way)
{
	n->gave_way |= gave_way;
	for (size_t i = 0; i < n->nnote; i++)
		if (text_is(words, n->note[i]))
			return;
	if (n->nnote == NATIVE_NOTES_MAX)
		return;
	n->note[n->nnote] = xmemdup0(words.s, words.n);
	(gave_way ? warn : note)("%s", n->note[n->nnote++]);
}

static int on_record(void *arg, const struct wire_record *r)
{
	struct native_link *l = arg;

	if (r->type == CAP_NOTE)
		note_once(l->n, r->text, r->flags & CAP_NOTE_TAKEN);
	if (r->type == CAP_HELLO) {
		l->n->hellos++;
		native_rank_of_process(&l->who, l->fd);
		l->who.pid = r->as.hello.pid;
	}
	return capevent_take(&l->ev, r);
}

static void versions(struct native_link *l, const struct native_process *told)
{
	const struct cap_hello *h = &l->ev.hello;
	struct buf b = BUF_INIT;

	if (told && told->words)
		buf_addf(&b, "%s, ", told->words);
	buf_addf(&b, "cuda_driver %" PRIu32 ", cupti %" PRIu32, h->driver, h->cupti);
	l->ev.info.torch = b.data;
}

static uint64_t sum_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void info_fill(struct native_link *l)
{
	const struct native_process *told = native_rank_told(l->n, l->who.pid);
	const struct native_process *who = told ? told : &l->who;
	struct trace_info *t = &l->ev.info;
	uint64_t lost = sum_capped(l->ev.missing,
		sum_capped(l->ev.tab.lost, l->ev.tab.unknown));
	uint64_t dropped = MIN(sum_capped(l->ev.dropped, lost), INT64_MAX);

	t->rank = who->rank;
	t->rank_from = who->rank == NO_INT ? NULL : "content";
	t->world_size = who->world;
	t->dialect = xstrdup("cupti");
	t->with_stack = l->ev.python;
	t->count.dropped = (int64_t)dropped;
	versions(l, told);
	if (!l->ev.bye || dropped || l->ev.early)
		t->why_partial = xstrdup(l->ev.dropped ? "records were dropped" :
			dropped ? "records or their names are missing" :
			l->ev.early ? "recording ended before the process did" :
			"the process ended before its records were out");
	t->partial = t->why_partial != NULL;
}

/* The link ends, and with it the segment. */
static void link_close(struct native *n, struct native_link *l)
{
	struct capout_name name;

	n->torn += l->wire.hello && !l->ev.bye && !l->lost;
	if (l->segment && capevent_end(&l->ev) == 0) {
		info_fill(l);
		name = (struct capout_name){ l->ev.info.rank, l->who.pid };
		n->dropped = sum_capped(n->dropped, l->ev.dropped);
		n->missing = sum_capped(n->missing, l->ev.missing);
		n->unknown = sum_capped(n->unknown,
			sum_capped(l->ev.tab.lost, l->ev.tab.unknown));
		capout_end(&n->out, l->segment, &l->ev.info, &name, !l->ev.info.partial);
	}
	close(l->fd);
	wire_release(&l->wire);
	capevent_release(&l->ev);
	for (size_t i = 0; i < n->n; i++)
		if (n->link[i] == l)
			n->link[i--] = n->link[--n->n];
	free(l);
}

/* A process has called: 0; -1 there is no room for it. */
static int link_begin(struct native *n, int fd)
{
	struct native_link *l;

	if (n->n >= NATIVE_LINKS_MAX)
		return -1;
	l = xcalloc(1, sizeof *l);
	if (poll_add(n, fd, l)) {
		free(l);
		return -1;
	}
	l->n = n;
	l->fd = fd;
	l->who = (struct native_process){ .rank = NO_INT, .world = NO_INT };
	wire_init(&l->wire);
	capevent_init(&l->ev, (struct event_sink){ on_event, l });
	l->ev.step = n->opt.step;
	l->ev.operators = n->opt.operators;
	l->ev.whole_memory = !n->opt.window;
	GROW(n->link, n->n, n->cap);
	n->link[n->n++] = l;
	return 0;
}

/* Out of descriptors: who calls is turned away, lest the socket stay readable for
 * ever.  -1: that cannot be either, or it was not this. */
static int link_turn_away(struct native *n)
{
	int fd, error;

	if ((errno != EMFILE && errno != ENFILE) || n->spare_fd < 0)
		return -1;
	close(n->spare_fd);
	fd = accept4(n->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	error = errno;
	if (fd >= 0) {
		n->refused++;
		close(fd);
	}
	n->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = error; /* nobody called: without a descriptor accept does not look */
	return fd >= 0 ? 0 : -1;
}

static void link_accept(struct native *n)
{
	int fd;

	do {
		fd = accept4(n->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0 && link_begin(n, fd)) {
			n->refused++;
			close(fd);
		}
	} while (fd >= 0 || link_turn_away(n) == 0);
	if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
		return;
	/* it would stay readable for ever: who comes now is not recorded */
	error_errno("the link to the job");
	n->out.failed = true;
	close(n->listen_fd);
	n->listen_fd = -1;
}

/* One read: fair among many ranks. */
static void link_read(struct native *n, struct native_link *l)
{
	int r = wire_read(&l->wire, l->fd, on_record, l);

	if (r > 0)
		return;
	if (l->wire.failed)
		n->out.failed = l->lost = true;
	if (l->wire.fault) {
		warn("process %" PRId64 " is heard no more: %s", l->who.pid, l->wire.fault);
		l->lost = true;
	}
	link_close(n, l);
}

/* Whether anything was there. */
static bool take_ready(struct native *n)
{
	struct epoll_event e[64];
	int got = epoll_wait(n->poll_fd, e, ARRAY_LEN(e), 0);

	for (int i = 0; i < got; i++) {
		if (e[i].data.ptr)
			link_read(n, e[i].data.ptr);
		else
			link_accept(n);
	}
	return got > 0;
}

static void on_ready(void *native)
{
	(void)take_ready(native);
}

static bool is_busy(void *native)
{
	return ((struct native *)native)->n > 0;
}

static void on_idle(void *native)
{
	capout_flush(&((struct native *)native)->out);
}

void native_listen(struct native *n, struct job *j, struct job_ears *ears)
{
	const struct out_meanwhile m = { j->signal_fd, job_attend, j };

	/* signals reach the job also while our own reader is slow */
	if (n->out.out)
		out_on_wait(n->out.out->out, &m);
	n->other = (struct job_other){ n->poll_fd, on_ready, is_busy, on_idle, n };
	ears->other = &n->other;
	env_make(n);
}

/* --- the end ---------------------------------------------------------------------- */

static void say_losses(const struct native *n)
{
	if (n->dropped)
		warn("%" PRIu64 " record%s dropped: made faster than taken", n->dropped,
			n->dropped == 1 ? "" : "s");
	if (n->missing)
		warn("%" PRIu64 " record%s missing: sent by the count of the job, and not "
			"here", n->missing, n->missing == 1 ? " is" : "s are");
	if (n->unknown)
		warn("%" PRIu64 " name%s of calls, kernels or frames lost", n->unknown,
			n->unknown == 1 ? "" : "s");
	if (n->refused)
		warn("%" PRId64 " process%s not recorded: too many at once", n->refused,
			n->refused == 1 ? "" : "es");
	if (n->torn)
		warn("%" PRId64 " process%s ended without a word: what came last is missing",
			n->torn, n->torn == 1 ? "" : "es");
	if (n->events || !n->able || n->torn || n->refused || n->nnote)
		return; /* or the library said why */
	if (!n->hellos)
		note("the capture library was not started: no process of the job used CUDA, "
			"or its driver could not load it");
	else if (!n->opt.window)
		note("the job used CUDA, but no call or kernel was recorded");
}

int native_close(struct native *n, int job_status)
{
	int64_t until = job_clock_ns() + DRAIN_NS;
	int r;

	while (take_ready(n) && job_clock_ns() < until)
		;
	while (n->n)
		link_close(n, n->link[n->n - 1]);
	say_losses(n);
	r = capout_close(&n->out, job_status);
	native_rank_release(n);
	for (size_t i = 0; i < n->nnote; i++)
		free(n->note[i]);
	free(n->link);
	if (n->listen_fd >= 0)
		close(n->listen_fd);
	if (n->poll_fd >= 0)
		close(n->poll_fd);
	if (n->spare_fd >= 0)
		close(n->spare_fd);
	return r;
}
