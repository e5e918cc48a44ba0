#include "base.h"
#include "emit.h"
#include "link.h"
#include "ring.h"
#include "state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SEND_MAX (64u << 10)   /* bytes a send: a third of a socket's usual buffer */
#define IDLE_MS 10             /* 100 looks a second cost 0.1 % of a core */
#define TICK_NS 250000000
#define STUCK_NS 1000000000    /* at exit: so long without progress, and no more */
#define FINISH_NS 10000000000
#define DIAL_NS 30000000000
#define REST_TURNS 50          /* of 1 ms: a thread's turn of the processor, ten times */
#define STACK_BYTES (256u << 10)

extern struct ring capture_ring;

static struct {
	int fd;
	ino_t ino;                 /* of our socket */
	struct sockaddr_un to;
	bool dialing;              /* not connected yet */
	struct link_calls calls;
	uint64_t records;          /* sent, complete */
	uint64_t said_queue, said_cupti; /* dropped, in all */
	int64_t tick_ns;
	_Atomic uint64_t bytes;    /* sent */
	_Atomic bool finish, done, early;
} lk = { .fd = -1 };

/* A number that programs which close "all" fds up to 256 or so do not reach; where
 * the job may have few, one of the last: its own have the numbers that they have
 * without us. */
static int fd_high(int fd)
{
	const int at[] = { 900, 400, 100, (int)sysconf(_SC_OPEN_MAX) - 4 };

	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		int high = fcntl(fd, F_DUPFD_CLOEXEC, at[i]);

		if (high >= 0) {
			close(fd);
			return high;
		}
	}
	return fd;
}

/* 0 connected, 1 not yet: too many call at once, -1 nobody is there. */
static int dial(void)
{
	if (connect(lk.fd, (const struct sockaddr *)&lk.to, sizeof lk.to) == 0)
		return 0;
	return errno == EAGAIN || errno == EINTR ? 1 : -1;
}

int link_open(const char *dir)
{
	struct stat st;
	int n = snprintf(lk.to.sun_path, sizeof lk.to.sun_path, "%s/" CAPWIRE_SOCKET, dir);
	int fd, got;

	if (n < 0 || (size_t)n >= sizeof lk.to.sun_path)
		return -1;
	lk.to.sun_family = AF_UNIX;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	fd = fd_high(fd);
	got = fstat(fd, &st);
	lk.ino = st.st_ino;
	lk.fd = fd; /* a child knows it from here on */
	if (got == 0 && (got = dial()) >= 0) {
		lk.dialing = got > 0;
		return 0;
	}
	close(fd);
	lk.fd = -1;
	return -1;
}

static bool fd_ours(void)
{
	struct stat st;

	return fstat(lk.fd, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == lk.ino;
}

/* -1: the reader has gone, or all is off: link_finish has given up, and what the
 * process is made of goes away.  Else waits for a reader that does not read. */
static int send_all(const void *p, size_t n)
{
	const char *s = p;

	while (n > 0) {
		ssize_t r;

		if (atomic_load(&capture_phase) == PHASE_OFF || !fd_ours())
			return -1;
		r = send(lk.fd, s, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (r > 0) {
			s += r;
			n -= (size_t)r;
			atomic_fetch_add_explicit(&lk.bytes, (uint64_t)r, memory_order_relaxed);
		} else if (r < 0 && errno == EAGAIN) {
			struct pollfd wait = { .fd = lk.fd, .events = POLLOUT };

			poll(&wait, 1, 100);
		} else if (r == 0 || errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

static int send_record(enum cap_type type, uint8_t flags, const void *body, size_t n)
{
	struct {
		struct capwire_head head;
		unsigned char body[64];
	} r = { .head = { .size = (uint16_t)(sizeof r.head + n), .type = (uint8_t)type,
		.flags = flags } };

	memcpy(r.body, body, n);
	if (send_all(&r, r.head.size))
		return -1;
	lk.records++;
	return 0;
}

static uint32_t driver_version(void)
{
	int (*get)(int *);
	void *f = dlsym(RTLD_DEFAULT, "cuDriverGetVersion"), *cuda;
	int version = 0;

	if (!f) {
		cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
		f = cuda ? dlsym(cuda, "cuDriverGetVersion") : NULL;
	}
	memcpy(&get, &f, sizeof get);
	return f && get(&version) == 0 ? (uint32_t)version : 0;
}

static int hello_send(uint32_t driver)
{
	struct cap_hello h = { .version = CAPWIRE_VERSION, .pid = (uint32_t)getpid(),
		.cupti = lk.calls.cupti(), .driver = driver };
	struct timespec unix_time;

	clock_gettime(CLOCK_REALTIME, &unix_time);
	h.mono_ns = emit_now_ns();
	h.unix_ns = (int64_t)unix_time.tv_sec * 1000000000 + unix_time.tv_nsec;
	return send_record(CAP_HELLO, dlsym(RTLD_DEFAULT, "Py_IsInitialized") ?
		CAP_HELLO_PYTHON : 0, &h, sizeof h);
}

/* Many ranks begin in one moment, and the listener's queue is short. */
static int dial_on(void)
{
	static const struct timespec moment = { .tv_nsec = 10000000 };
	int64_t start = emit_now_ns();
	int r = 1;

	while (lk.dialing && r > 0) {
		nanosleep(&moment, NULL);
		if (atomic_load(&capture_phase) == PHASE_OFF || !fd_ours() ||
		    emit_now_ns() - start > DIAL_NS)
			return -1;
		r = dial();
		lk.dialing = r > 0;
	}
	return r < 0 ? -1 : 0;
}

/* 1 something was sent, 0 the ring is empty, -1 */
static int ring_send(void)
{
	const void *p;
	size_t n = ring_peek(&capture_ring, &p, SEND_MAX, &lk.records);

	if (n == 0)
		return 0;
	if (send_all(p, n))
		return -1;
	ring_take(&capture_ring, n);
	return 1;
}

static int dropped_send(void)
{
	uint64_t queue = atomic_load_explicit(&capture_ring.dropped,
		memory_order_relaxed), cupti = lk.calls.dropped();
	struct cap_dropped d = { .queue = queue - lk.said_queue,
		.cupti = cupti - lk.said_cupti };

	if (!d.queue && !d.cupti)
		return 0;
	lk.said_queue = queue;
	lk.said_cupti = cupti;
	return send_record(CAP_DROPPED, 0, &d, sizeof d);
}

static int idle(void)
{
	struct pollfd wait = { .fd = lk.fd };

	if (!fd_ours())
		return -1;
	/* no events: it wakes for a reader that hangs up, and else for the time */
	return poll(&wait, 1, IDLE_MS) > 0 ? -1 : 0;
}

static int tick(void)
{
	int64_t now = emit_now_ns();

	if (now - lk.tick_ns < TICK_NS)
		return 0;
	lk.tick_ns = now;
	lk.calls.tick();
	return dropped_send();
}

/* What is in the queue at the end.  A thread may have been put aside within a
 * record, and what lies behind it waits: not for ever. */
static int rest_send(void)
{
	const struct timespec turn = { .tv_nsec = 1000000 };

	for (int i = 0; i < REST_TURNS; i++) {
		int r;

		while ((r = ring_send()) > 0)
			;
		if (r < 0)
			return -1;
		if (ring_used(&capture_ring) == 0)
			return 0;
		(void)nanosleep(&turn, NULL);
	}
	link_early();
	return 0;
}

static int all_send(void)
{
	int r;

	if (dial_on() || hello_send(driver_version()))
		return -1;
	while (!atomic_load(&lk.finish)) {
		r = ring_send();
		if (r < 0 || tick() || (r == 0 && idle()))
			return -1;
	}
	lk.calls.last();
	return rest_send() || dropped_send() ? -1 : 0;
}

static void *link_run(void *unused)
{
	struct cap_bye bye;

	(void)unused;
	if (all_send()) {
		lk.calls.gone();
	} else {
		bye.records = lk.records;
		(void)send_record(CAP_BYE, atomic_load(&lk.early) ? CAP_BYE_EARLY : 0,
			&bye, sizeof bye);
	}
	capture_off();
	if (fd_ours())
		close(lk.fd);
	atomic_store(&lk.done, true);
	return NULL;
}

/* Without the thread this much still goes out: it fits a socket's buffer.  Here the
 * driver is still in cuInit, and is asked nothing. */
static void said_alone(void)
{
	struct {
		struct cap_note note;
		char words[48];
	} r = { .words = "no thread to be had: nothing is recorded" };

	r.note.n = (uint32_t)strlen(r.words);
	if (!lk.dialing && hello_send(0) == 0)
		(void)send_record(CAP_NOTE, 0, &r,
			sizeof r.note + ((r.note.n + 7) & ~(size_t)7));
}

int link_start(const struct link_calls *calls)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int r;

	lk.calls = *calls;
	if (pthread_attr_init(&attr))
		return -1;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* the thread inherits the mask: it must never run a handler of the job's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&thread, &attr, link_run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (r) {
		said_alone();
		close(lk.fd);
		lk.fd = -1;
		return -1;
	}
	pthread_setname_np(thread, "tp-capture");
	return 0;
}

void link_early(void)
{
	atomic_store(&lk.early, true);
}

void link_finish_later(void)
{
	atomic_store(&lk.finish, true);
}

void link_finish(void)
{
	int64_t start = emit_now_ns(), moved_ns = start, now = start;
	uint64_t was = 0;

	link_finish_later();
	while (!atomic_load(&lk.done) && now - moved_ns < STUCK_NS &&
	       now - start < FINISH_NS) {
		uint64_t at = atomic_load_explicit(&lk.bytes, memory_order_relaxed) +
			lk.calls.moved();
		struct timespec ms = { .tv_nsec = 1000000 };

		nanosleep(&ms, NULL);
		now = emit_now_ns();
		if (at != was)
			moved_ns = now;
		was = at;
	}
}

void link_forget(void)
{
	if (lk.fd >= 0 && fd_ours())
		close(lk.fd);
	lk.fd = -1;
}
