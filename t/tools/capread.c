/* capread [OPTION]... DIR CMD... - tp-capture's end of the capture library's socket,
 * for tests: runs CMD, prints each record that comes as a line, checks what the
 * wire promises (capwire.h), and ends when CMD has ended and all links are closed.
 *	-s MS    do not read for so long after a link came
 *	-f FILE  do not read, after a link came, until FILE is there (a minute at most)
 *	-d N     close the links after N records
 *	-q       no lines but for hello, device, dropped, note, bye, and bad
 *	-x       no socket at all
 *	-b MS    a listener that has its hands full: the queue is, for so long
 * At the end, by type: "sum TYPE COUNT", and "status N": CMD's (128+ its signal). */
#include "base.h"
#include "capwire.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINKS 16
#define IDS (1u << 20)
#define KNOWN (1u << 18)        /* the newest: tp-capture forgets others (wiretab.h) */

static const char *const type_name[CAP_TYPES] = { "none", "hello", "text", "code",
	"stack", "call", "op", "range", "mem", "overhead", "device", "step", "dropped",
	"note", "bye" };

struct link {
	size_t n;
	uint64_t records;
	char **text;            /* by id */
	bool *stack;            /* known ids */
	int fd;
	uint32_t pid;
	uint32_t newest;        /* text */
	bool bye;
	unsigned char buf[4 * CAPWIRE_MAX];
};

static struct link link_of[LINKS];
static int links;
static uint64_t sums[CAP_TYPES], kind_sums[8], dropped_queue, dropped_cupti, total;
static bool quiet, bad;
static int64_t stall_ms, full_ms;
static const char *stall_file;
static uint64_t die_after = UINT64_MAX;

static void wrong(const struct link *l, const char *what)
{
	printf("bad %u %s after %" PRIu64 " records\n", l->pid, what, l->records);
	bad = true;
}

static const char *text_of(struct link *l, uint32_t id)
{
	if (id == 0)
		return "-";
	if (id + KNOWN <= l->newest)
		wrong(l, "text that is forgotten");
	if (id >= IDS || !l->text[id]) {
		wrong(l, "text not sent before");
		return "?";
	}
	return l->text[id];
}

static void show_op(struct link *l, const struct capwire_head *h, const struct cap_op *o)
{
	static const char *const kind[] = { "kernel", "memcpy", "memset", "sync" };

	if (o->kind > CAP_SYNC) {
		wrong(l, "op of no kind");
		return;
	}
	kind_sums[o->kind]++;
	if (o->kind == CAP_KERNEL)
		(void)text_of(l, o->name);
	if (!quiet)
		printf("op %s %s corr=%u dev=%u ctx=%u stream=%u start=%" PRId64 " end=%"
			PRId64 " bytes=%" PRId64 " blocks=%" PRId64 " copy=%u/%u/%u sync=%u%s%s\n",
			kind[o->kind], o->kind == CAP_KERNEL ? text_of(l, o->name) : "-",
			o->corr, o->device, o->context, o->stream, o->start_ns, o->end_ns,
			o->bytes, o->blocks, o->copy_kind, o->src_kind, o->dst_kind, o->sync_type,
			h->flags & CAP_OP_UNTIMED ? " untimed" : "",
			h->flags & CAP_OP_GRAPH ? " graph" : "");
}

static void show_call(struct link *l, const struct capwire_head *h,
	const struct cap_call *c)
{
	const char *name = text_of(l, c->name);

	if (c->end_ns < c->start_ns || c->domain > 1 || !h->tid)
		wrong(l, "call");
	if (c->stack && (c->stack >= IDS || !l->stack[c->stack]))
		wrong(l, "stack not sent before");
	if (!quiet)
		printf("call %s tid=%u corr=%u stack=%u domain=%u start=%" PRId64 " end=%"
			PRId64 "\n", name, h->tid, c->corr, c->stack, c->domain, c->start_ns,
			c->end_ns);
}

static void keep_text(struct link *l, const struct cap_text *t, size_t room)
{
	if (t->id == 0 || t->id >= IDS || t->n > room || l->text[t->id]) {
		wrong(l, "text");
		return;
	}
	l->text[t->id] = strndup((const char *)(t + 1), t->n);
	l->newest = t->id > l->newest ? t->id : l->newest;
	if (!quiet)
		printf("text %u %s\n", t->id, l->text[t->id]);
}

static void show_stack(struct link *l, const struct cap_stack *s, size_t room)
{
	if (s->id == 0 || s->id >= IDS || s->n > CAPWIRE_DEPTH_MAX ||
	    s->n * sizeof(struct cap_frame) > room) {
		wrong(l, "stack");
		return;
	}
	l->stack[s->id] = true;
	if (!quiet)
		printf("stack %u of %u\n", s->id, s->n);
}

static void show_range(struct link *l, const struct capwire_head *h,
	const struct cap_range *r)
{
	const char *name = text_of(l, r->name), *file = text_of(l, r->file);

	if (r->end_ns < r->start_ns || !h->tid)
		wrong(l, "range");
	if (!quiet)
		printf("range %u %s tid=%u start=%" PRId64 " end=%" PRId64 " file=%s:%d seq=%"
			PRId64 "%s\n", r->kind, name, h->tid, r->start_ns, r->end_ns, file,
			r->line, r->seq, h->flags & CAP_RANGE_OPEN ? " open" : "");
}

static void show_hello(struct link *l, const struct cap_hello *h)
{
	l->pid = h->pid;
	if (l->records != 1 || h->version != CAPWIRE_VERSION)
		wrong(l, "hello");
	printf("hello pid=%u cupti=%u driver=%u\n", h->pid, h->cupti, h->driver);
}

static void show_bye(struct link *l, const struct capwire_head *h,
	const struct cap_bye *b)
{
	l->bye = true;
	if (b->records != l->records - 1)
		wrong(l, "bye's count");
	printf("bye %" PRIu64 "%s\n", b->records, h->flags & CAP_BYE_EARLY ? " early" : "");
}

static void show_note(struct link *l, const struct cap_note *n, size_t room)
{
	if (n->n > room)
		wrong(l, "note");
	else
		printf("note %.*s\n", (int)n->n, (const char *)(n + 1));
}

static const size_t least[CAP_TYPES] = {
	[CAP_HELLO] = sizeof(struct cap_hello), [CAP_TEXT] = sizeof(struct cap_text),
	[CAP_CODE] = sizeof(struct cap_code), [CAP_STACK] = sizeof(struct cap_stack),
	[CAP_CALL] = sizeof(struct cap_call), [CAP_OP] = sizeof(struct cap_op),
	[CAP_RANGE] = sizeof(struct cap_range), [CAP_MEM] = sizeof(struct cap_mem),
	[CAP_OVERHEAD] = sizeof(struct cap_overhead),
	[CAP_DEVICE] = sizeof(struct cap_device), [CAP_STEP] = sizeof(struct cap_step),
	[CAP_DROPPED] = sizeof(struct cap_dropped), [CAP_NOTE] = sizeof(struct cap_note),
	[CAP_BYE] = sizeof(struct cap_bye),
};

static void show_rest(struct link *l, const struct capwire_head *h, const void *body)
{
	const struct cap_device *v = body;
	const struct cap_dropped *d = body;
	const struct cap_mem *m = body;
	const struct cap_overhead *o = body;
	const struct cap_step *s = body;

	switch (h->type) {
	case CAP_DEVICE:
		printf("device %u %s sms=%" PRId64 " bytes=%" PRId64 "\n", v->id,
			text_of(l, v->name), v->sms, v->capacity_bytes);
		break;
	case CAP_DROPPED:
		dropped_queue += d->queue;
		dropped_cupti += d->cupti;
		printf("dropped queue=%" PRIu64 " cupti=%" PRIu64 "\n", d->queue, d->cupti);
		break;
	case CAP_MEM:
		if (!quiet)
			printf("mem %" PRId64 " dev=%u kind=%u\n", m->delta_bytes, m->device,
				m->kind);
		break;
	case CAP_OVERHEAD:
		if (!quiet)
			printf("overhead %s\n", text_of(l, o->name));
		break;
	case CAP_STEP:
		if (!quiet)
			printf("step %" PRId64 " %" PRId64 " %" PRId64 "\n", s->number,
				s->start_ns, s->end_ns);
		break;
	}
}

static void show(struct link *l, const struct capwire_head *h, const void *body)
{
	size_t room = h->size - sizeof *h;

	l->records++;
	total++;
	if (l->bye || h->type == 0 || h->type >= CAP_TYPES || room < least[h->type] ||
	    (l->records == 1) != (h->type == CAP_HELLO)) {
		wrong(l, "record");
		return;
	}
	sums[h->type]++;
	room -= least[h->type];
	switch (h->type) {
	case CAP_HELLO: show_hello(l, body); break;
	case CAP_TEXT: keep_text(l, body, room); break;
	case CAP_STACK: show_stack(l, body, room); break;
	case CAP_CALL: show_call(l, h, body); break;
	case CAP_OP: show_op(l, h, body); break;
	case CAP_RANGE: show_range(l, h, body); break;
	case CAP_NOTE: show_note(l, body, room); break;
	case CAP_BYE: show_bye(l, h, body); break;
	default: show_rest(l, h, body);
	}
}

static void link_end(struct link *l, const char *how)
{
	if (l->n)
		wrong(l, "half a record at the end");
	if (!l->bye)
		printf("cut %u %s\n", l->pid, how);
	close(l->fd);
	l->fd = -1;
	for (uint32_t i = 0; i < IDS; i++)
		free(l->text[i]);
	free(l->text);
	free(l->stack);
}

static void link_read(struct link *l)
{
	ssize_t r = read(l->fd, l->buf + l->n, sizeof l->buf - l->n);
	size_t at = 0;

	if (r <= 0) {
		link_end(l, r ? strerror(errno) : "end");
		return;
	}
	l->n += (size_t)r;
	while (l->n - at >= sizeof(struct capwire_head) && total < die_after) {
		struct capwire_head h;
		_Alignas(8) unsigned char body[CAPWIRE_MAX];

		memcpy(&h, l->buf + at, sizeof h);
		if (h.size < sizeof h || h.size > CAPWIRE_MAX || h.size % 8) {
			wrong(l, "size");
			l->n = 0;
			link_end(l, "closed");
			return;
		}
		if (l->n - at < h.size)
			break;
		memcpy(body, l->buf + at + sizeof h, h.size - sizeof h);
		show(l, &h, body);
		at += h.size;
	}
	memmove(l->buf, l->buf + at, l->n - at);
	l->n -= at;
	if (total >= die_after) {
		l->n = 0;
		link_end(l, "closed");
	}
}

static void link_new(int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	struct link *l = &link_of[links];

	if (fd < 0)
		return;
	if (links == LINKS) {
		close(fd);
		return;
	}
	links++;
	*l = (struct link){ .fd = fd };
	l->text = calloc(IDS, sizeof *l->text);
	l->stack = calloc(IDS, sizeof *l->stack);
	if (!l->text || !l->stack)
		die("no memory");
	for (int i = 0; stall_file && access(stall_file, F_OK) && i < 6000; i++) {
		struct timespec t = { .tv_nsec = 10000000 };

		nanosleep(&t, NULL);
	}
	if (stall_ms) {
		struct timespec t = { .tv_sec = stall_ms / 1000,
			.tv_nsec = stall_ms % 1000 * 1000000 };

		while (nanosleep(&t, &t))
			;
	}
}

static int socket_make(const char *dir)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s/" CAPWIRE_SOCKET, dir);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) ||
	    listen(fd, full_ms ? 0 : 64))
		die_errno("%s", at.sun_path);
	/* the queue of 0 has room for one */
	if (full_ms && connect(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
	    (struct sockaddr *)&at, sizeof at))
		die_errno("%s", at.sun_path);
	return fd;
}

static void queue_free(int listen_fd)
{
	struct timespec t = { .tv_sec = full_ms / 1000, .tv_nsec = full_ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
	close(accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC));
}

static pid_t run(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die_errno("fork");
	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

/* Any link open?  Waits up to 20 ms for something to read. */
static bool serve(int listen_fd)
{
	struct pollfd p[LINKS + 1] = { { .fd = listen_fd, .events = POLLIN } };
	int at[LINKS + 1], n = 1;

	for (int i = 0; i < links; i++)
		if (link_of[i].fd >= 0) {
			at[n] = i;
			p[n++] = (struct pollfd){ .fd = link_of[i].fd, .events = POLLIN };
		}
	if (poll(p, (nfds_t)n, 20) <= 0)
		return n > 1;
	for (int i = 1; i < n; i++)
		if (p[i].revents)
			link_read(&link_of[at[i]]);
	if (p[0].revents)
		link_new(listen_fd);
	return true;
}

static void sum_print(int status)
{
	static const char *const kind[] = { "kernel", "memcpy", "memset", "sync" };

	for (int i = 1; i < CAP_TYPES; i++)
		printf("sum %s %" PRIu64 "\n", type_name[i], sums[i]);
	for (int i = 0; i < 4; i++)
		printf("sum %s %" PRIu64 "\n", kind[i], kind_sums[i]);
	printf("sum lost_queue %" PRIu64 "\nsum lost_cupti %" PRIu64 "\n", dropped_queue,
		dropped_cupti);
	printf("status %d\n", WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
		WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	bool no_socket = false, ended = false;
	int fd = -1, c, status = 0;
	pid_t pid;

	say_init(argv[0]);
	while ((c = getopt(argc, argv, "+s:f:d:b:qx")) != -1) {
		switch (c) {
		case 's': stall_ms = strtoll(optarg, NULL, 10); break;
		case 'f': stall_file = optarg; break;
		case 'd': die_after = strtoull(optarg, NULL, 10); break;
		case 'b': full_ms = strtoll(optarg, NULL, 10); break;
		case 'q': quiet = true; break;
		case 'x': no_socket = true; break;
		default: return 2;
		}
	}
	if (optind + 2 > argc)
		die("usage: capread [-s MS] [-f FILE] [-d N] [-b MS] [-qx] DIR CMD...");
	if (!no_socket)
		fd = socket_make(argv[optind]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	pid = run(argv + optind + 1);
	if (full_ms)
		queue_free(fd);
	while (serve(fd) || !ended)
		if (!ended && waitpid(pid, &status, WNOHANG) == pid)
			ended = true;
	sum_print(status);
	return bad;
}
