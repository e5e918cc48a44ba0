/* The entry points: the driver's, NVTX's, the hook's; fork and exit. */
#include "base.h"
#include "calls.h"
#include "capture.h"
#include "cuptilib.h"
#include "emit.h"
#include "link.h"
#include "nvtx.h"
#include "ops.h"
#include "pyframes.h"
#include "ring.h"
#include "state.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

/* At 100 bytes a record and 250,000 records a second the reader may be away for
 * two thirds of a second.  A test makes it smaller. */
#ifndef RING_BYTES
#define RING_BYTES (16u << 20)
#endif

/* A window that ended within the capture of a stream: the device has so many ticks
 * of 250 ms for what it has not done yet, counted when the capture is over. */
#define LATE_TICKS 20
#define DETACH_WAIT 1000 /* of 1 ms, at exit: it ends in some of them then */

extern struct ring capture_ring;

_Thread_local struct capture_thread capture_self;
_Atomic int capture_phase;
_Atomic bool capture_open;
_Atomic uint32_t capture_window;
_Atomic int64_t capture_from_ns;
_Atomic bool capture_exiting;
struct capture_opts capture_opts;

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* around what CUPTI wants done by one caller at a time; never in a callback */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool started;  /* CUPTI is ours and ready */
static bool recording;        /* by the lock */
static bool asked;            /* tp_capture_start came, by the lock */
static bool warm;             /* tp_capture_warm came, by the lock */
static bool left;             /* CUPTI is another's: for good, by the lock */
static _Atomic int late_ticks; /* until what a capture kept from us is asked for */
static _Atomic pid_t owner;   /* the process that is linked */
static _Atomic bool detaching; /* one who exits waits */

static bool live(void)
{
	return atomic_load(&capture_phase) == PHASE_LIVE;
}

/* By the lock. */
static void record_set(bool on)
{
	if (on == recording || (on && !live()))
		return;
	if (on) {
		recording = true;
		atomic_store(&late_ticks, 0);
		atomic_fetch_add(&capture_window, 1);
		atomic_store(&capture_open, true);
		/* else: it has been said, and what does come is recorded */
		if (ops_set(true) == 0)
			calls_set(true);
		return;
	}
	recording = false;
	calls_set(false);
	/* what is complete first: a flush by force also gives what is not */
	ops_flush(false);
	ops_set(false);
	atomic_store(&late_ticks, ops_flush(true) ? 0 : LATE_TICKS);
	atomic_store(&capture_open, false);
}

void capture_off(void)
{
	atomic_store(&capture_open, false);
	atomic_store(&capture_phase, PHASE_OFF);
}

/* What CUPTI was told for us would spoil the records of who takes it after us. */
static void cupti_leave(void)
{
	atomic_store(&started, false);
	ops_leave();
	calls_leave();
}

/* The reader has gone: give the job its speed back, and CUPTI; which is not taken out,
 * since the job may be in the middle of a call. */
static void on_gone(void)
{
	capture_off();
	pthread_mutex_lock(&lock);
	if (atomic_load(&started) && !atomic_load(&capture_exiting)) {
		record_set(false);
		cupti_leave();
	}
	pthread_mutex_unlock(&lock);
}

/* By the lock. */
static void tick(void)
{
	int late = atomic_load(&late_ticks);

	if ((late || recording) && atomic_load(&started) && !atomic_load(&capture_exiting) &&
	    ops_asked() && ops_flush(late == 1) && late)
		atomic_store(&late_ticks, late - 1);
}

/* Not while the driver is still in cuInit, where nothing has come yet, nor beside the
 * end of a window, which flushes by itself and may take CUPTI out. */
static void on_tick(void)
{
	if (pthread_mutex_trylock(&lock))
		return;
	tick();
	pthread_mutex_unlock(&lock);
}

/* At exit, while at_exit waits: not once it has given up. */
static void on_last(void)
{
	if (!live() || !atomic_load(&started) || !ops_asked())
		return;
	if (!ops_flush(true) && !emit_warming())
		link_early();
	ops_settle();
}

static uint32_t on_cupti(void)
{
	return cuptilib.version;
}

static void fork_child(void)
{
	/* held perhaps by a thread that is not here */
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	if (!atomic_load(&owner))
		return; /* not linked: the child may be */
	capture_off();
	pyframes_off();
	link_forget();
	ops_forget();
}

static void at_exit(void)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };

	if (atomic_load(&owner) != getpid())
		return;
	atomic_store(&capture_exiting, true);
	for (int i = 0; i < DETACH_WAIT && atomic_load(&detaching); i++)
		nanosleep(&moment, NULL);
	pyframes_off();
	capture_mark_end(&capture_self, emit_now_ns());
	/* also when the reader has gone: the link may be switching CUPTI off */
	link_finish();
	capture_off();
}

/* Is this word in the comma list? */
static bool opt_has(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (list && *list) {
		size_t len = strcspn(list, ",");

		if (len == n && memcmp(list, word, n) == 0)
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

static void ring_make(void)
{
	const char *opts = getenv("TP_CAPTURE_OPTS");

	if (!getenv("TP_CAPTURE") || ring_init(&capture_ring, RING_BYTES)) {
		capture_off();
		return;
	}
	capture_opts.lines = opt_has(opts, "lines");
	capture_opts.memory = opt_has(opts, "memory");
	capture_opts.window = opt_has(opts, "window");
	if (pthread_atfork(NULL, NULL, fork_child))
		capture_off();
}

static int cupti_open(void)
{
	return cuptilib_open() || calls_open() || ops_open() ? -1 : 0;
}

/* The link first: it is how a failure is said. */
static void start(void)
{
	static const struct link_calls calls = { .cupti = on_cupti, .dropped = ops_dropped,
		.tick = on_tick, .last = on_last, .moved = ops_moved, .gone = on_gone };
	bool failed;

	/* before all else: a fork from here on must know that this is not the child's */
	atomic_store(&owner, getpid());
	if (link_open(getenv("TP_CAPTURE"))) {
		capture_off();
		return;
	}
	ring_populate(&capture_ring);
	atomic_store(&capture_phase, PHASE_LIVE);
	failed = left || cupti_open() != 0;
	atomic_store(&started, !failed);
	if (failed)
		cupti_leave();
	if (left)
		link_early();
	if (link_start(&calls)) {
		capture_off();
		cupti_leave();
		return;
	}
	(void)atexit(at_exit);
	if (failed) {
		link_finish_later();
		return;
	}
	if (!capture_opts.window || asked || warm)
		record_set(true);
}

CAPTURE_API int InitializeInjection(void);
CAPTURE_API int InitializeInjection(void)
{
	int error = errno;

	pthread_once(&once, ring_make);
	pthread_mutex_lock(&lock);
	if (atomic_load(&capture_phase) == PHASE_NEW)
		start();
	pthread_mutex_unlock(&lock);
	errno = error;
	return 1;
}

CAPTURE_API int InitializeInjectionNvtx2(nvtx_export_fn *get);
CAPTURE_API int InitializeInjectionNvtx2(nvtx_export_fn *get)
{
	int error = errno, taken;

	pthread_once(&once, ring_make);
	taken = atomic_load(&capture_phase) != PHASE_OFF && nvtx_take(get) == 0;
	errno = error;
	return taken;
}

int tp_capture_ready(void)
{
	int phase = atomic_load(&capture_phase);

	if (phase == PHASE_LIVE)
		return atomic_load(&started) ? 1 : -1;
	return phase == PHASE_NEW ? 0 : -1;
}

void tp_capture_warm(void)
{
	if (atomic_load(&capture_phase) == PHASE_OFF)
		return;
	pthread_mutex_lock(&lock);
	if (!recording && !asked) {
		warm = true;
		atomic_store(&capture_from_ns, CAPTURE_WARMING);
		if (atomic_load(&started))
			record_set(true);
	}
	pthread_mutex_unlock(&lock);
}

void tp_capture_start(void)
{
	if (atomic_load(&capture_phase) == PHASE_OFF)
		return;
	pthread_mutex_lock(&lock);
	asked = true;
	if (emit_warming()) {
		if (atomic_load(&started))
			ops_forgive();
		atomic_store(&capture_from_ns, emit_now_ns());
	}
	if (atomic_load(&started))
		record_set(true);
	pthread_mutex_unlock(&lock);
}

void tp_capture_stop(void)
{
	if (atomic_load(&capture_phase) == PHASE_OFF)
		return;
	pthread_mutex_lock(&lock);
	asked = warm = false;
	if (atomic_load(&started)) {
		capture_mark_end(&capture_self, emit_now_ns());
		record_set(false);
	}
	pthread_mutex_unlock(&lock);
}

int tp_capture_watch(void)
{
	bool quiet;

	if (atomic_load(&capture_phase) == PHASE_OFF)
		return 0;
	pthread_mutex_lock(&lock);
	quiet = atomic_load(&started) && !recording && !atomic_load(&late_ticks) &&
		!atomic_load(&capture_exiting) && calls_watch();
	pthread_mutex_unlock(&lock);
	return quiet;
}

/* By the lock. */
static int detach(void)
{
	int gone = calls_watched() && !calls_watch() ? 0 : -1;

	if (gone < 0 && calls_watched() && ops_hold_alone()) {
		atomic_store(&started, false);
		if (ops_settle()) {
			ops_leave();
			gone = calls_detach();
		}
		ops_release();
	}
	if (gone <= 0)
		cupti_leave();
	return gone;
}

int tp_capture_detach(void)
{
	int gone = -1;

	if (atomic_load(&capture_phase) == PHASE_OFF)
		return -1;
	pthread_mutex_lock(&lock);
	atomic_store(&detaching, true);
	/* a capture's end still brings what is late; at an exit CUPTI may be gone */
	if (atomic_load(&started) && !recording && !atomic_load(&late_ticks) &&
	    !atomic_load(&capture_exiting))
		gone = detach();
	atomic_store(&detaching, false);
	pthread_mutex_unlock(&lock);
	return gone;
}

void tp_capture_leave(void)
{
	if (atomic_load(&capture_phase) == PHASE_OFF)
		return;
	pthread_mutex_lock(&lock);
	if (!left && atomic_load(&started)) {
		if (recording && !emit_warming())
			link_early();
		capture_mark_end(&capture_self, emit_now_ns());
		record_set(false);
		if (atomic_load(&late_ticks) && !emit_warming())
			link_early();
		cupti_leave();
		link_finish_later();
	}
	left = true;
	pthread_mutex_unlock(&lock);
}

int tp_capture_hold(void)
{
	return ops_hold();
}

void tp_capture_release(void)
{
	ops_release();
}
