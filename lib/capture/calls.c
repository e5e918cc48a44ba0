#include "base.h"
#include "callname.h"
#include "calls.h"
#include "cuptilib.h"
#include "emit.h"
#include "ops.h"
#include "pyframes.h"
#include "state.h"

#include <dlfcn.h>
#include <errno.h>

#define DETACH_FROM 12060 /* CUDA 12.6, as the driver and as CUPTI count */
#define DETACH_FROM_CUPTI 24
#define CBIDS 2048        /* of a domain; CUPTI 13.0 has 806 and 522 */

enum { RUNTIME, DRIVER, DOMAINS };

static CUpti_SubscriberHandle subscriber;
static bool subscribed;
static _Atomic int inside;        /* recorded calls that have not returned */
static _Atomic bool watched;      /* does anybody call CUDA? */
static _Atomic bool seen;         /* somebody does */
enum { NOT, CALL, LAUNCH, CAPTURE_BEGIN, CAPTURE_END };
static unsigned char wanted[DOMAINS][CBIDS];
static _Atomic uint32_t name_of[DOMAINS][CBIDS]; /* texts, at first use */

void capture_mark_end(struct capture_thread *t, int64_t now_ns)
{
	struct cap_range *r;

	if (!t->mark.start_ns)
		return;
	r = emit_begin_flags(CAP_RANGE, CAP_RANGE_OPEN, sizeof *r, emit_tid());
	if (r) {
		*r = (struct cap_range){ .start_ns = t->mark.start_ns,
			.end_ns = MAX(now_ns, t->mark.start_ns), .kind = t->mark.kind,
			.name = t->mark.name, .line = t->mark.line, .file = t->mark.file,
			.seq = -1 };
		emit_end(r);
	}
	t->mark.start_ns = 0;
}

static int wanted_as(uint32_t call)
{
	return wanted[(call - 1) / CBIDS][(call - 1) % CBIDS];
}

static void call_enter(struct capture_thread *t, uint32_t call, uint32_t corr)
{
	uint32_t window = atomic_load_explicit(&capture_window, memory_order_relaxed);

	if (t->call && t->window == window)
		return; /* inside of another */
	/* one that a former window left open is counted */
	if (!t->call)
		atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
	t->window = window;
	t->call = call;
	t->corr = corr;
	t->stack = 0;
	t->call_ns = emit_now_ns();
	if (t->mark.start_ns)
		capture_mark_end(t, t->call_ns);
	if (capture_opts.lines)
		t->stack = pyframes_stack(wanted_as(call) == LAUNCH);
}

static uint32_t name_text(uint32_t domain, uint32_t cbid, const char *function)
{
	uint32_t id = atomic_load_explicit(&name_of[domain][cbid], memory_order_relaxed);
	struct text name;

	if ((id && emit_text_fresh(id)) || !function)
		return id;
	name = call_name(function);
	id = emit_text(name.s, name.n);
	atomic_store_explicit(&name_of[domain][cbid], id, memory_order_relaxed);
	return id;
}

/* After these results of an end (of the runtime and of the driver alike) the capture
 * goes on: an argument was wrong, the stream or the thread is not the capture's. */
static bool goes_on(int result)
{
	return result != 0 && (result < 900 || result == 903 || result > 907);
}

/* A begin that was refused has no end; a call without a result did what it says. */
static bool capture_over(unsigned char class, const int *result)
{
	if (!result)
		return class == CAPTURE_END;
	return class == CAPTURE_END ? !goes_on(*result) : *result != 0;
}

/* Captures are counted in and outside of the window: it may end within one. */
static void capture_count(struct capture_thread *t, unsigned char class, uint32_t call,
	const CUpti_CallbackData *d)
{
	if (d->callbackSite == CUPTI_API_ENTER) {
		if (t->capture_call)
			return; /* the driver's part of a runtime call */
		t->capture_call = call;
		if (class == CAPTURE_BEGIN)
			ops_graph(true);
	} else if (t->capture_call == call) {
		t->capture_call = 0;
		if (capture_over(class, d->functionReturnValue))
			ops_graph(false);
	}
}

static void call_exit(struct capture_thread *t, uint32_t domain, uint32_t cbid,
	const CUpti_CallbackData *d)
{
	int64_t end_ns = emit_now_ns();
	uint32_t name = name_text(domain, cbid, d->functionName);
	struct cap_call *c;

	t->call = 0;
	atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
	c = emit_since(t->call_ns) ? emit_begin(CAP_CALL, sizeof *c, emit_tid()) : NULL;
	if (!c)
		return;
	*c = (struct cap_call){ .start_ns = t->call_ns, .end_ns = end_ns, .name = name,
		.corr = t->corr, .stack = t->stack, .domain = domain };
	emit_end(c);
}

static void call_take(CUpti_CallbackDomain from, CUpti_CallbackId cbid,
	const CUpti_CallbackData *d)
{
	uint32_t domain = from == CUPTI_CB_DOMAIN_RUNTIME_API ? RUNTIME : DRIVER;
	struct capture_thread *t;
	uint32_t call;

	if (cbid >= CBIDS || (from != CUPTI_CB_DOMAIN_RUNTIME_API &&
	    from != CUPTI_CB_DOMAIN_DRIVER_API))
		return;
	t = &capture_self;
	call = domain * CBIDS + cbid + 1;
	if (wanted[domain][cbid] >= CAPTURE_BEGIN)
		capture_count(t, wanted[domain][cbid], call, d);
	if (!emit_on())
		return;
	if (d->callbackSite == CUPTI_API_ENTER)
		call_enter(t, call, d->correlationId);
	else if (t->call == call && t->corr == d->correlationId && t->window ==
	    atomic_load_explicit(&capture_window, memory_order_relaxed))
		call_exit(t, domain, cbid, d);
}

/* Where a call has returned is where CUPTI's manual would have it taken out. */
static void detach_at(CUpti_CallbackDomain from, CUpti_CallbackId cbid,
	const CUpti_CallbackData *d)
{
	if (from != CUPTI_CB_DOMAIN_DRIVER_API || d->callbackSite != CUPTI_API_EXIT ||
	    cbid != CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion)
		return;
	capture_self.detaching = false;
	if (atomic_load(&seen) || atomic_load(&capture_exiting))
		return;
	subscribed = false;
	(void)cuptilib.Unsubscribe(subscriber);
	capture_self.detached = cuptilib.Finalize() == CUPTI_SUCCESS;
}

static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain from,
	CUpti_CallbackId cbid, const void *data)
{
	int error = errno;

	(void)unused;
	if (capture_self.detaching) {
		detach_at(from, cbid, data);
	} else {
		/* before anything that waits, as a capture's begin may */
		if (atomic_load(&watched) && !atomic_load(&seen))
			atomic_store(&seen, true);
		call_take(from, cbid, data);
	}
	errno = error;
}

static unsigned char call_class(struct text name)
{
	int captures = call_captures(name.s, name.n);

	if (captures)
		return captures > 0 ? CAPTURE_BEGIN : CAPTURE_END;
	return call_launches(name.s, name.n) ? LAUNCH : CALL;
}

/* CUPTI has no count of a domain's calls: their names end before a gap of this. */
#define CBID_GAP 64

static uint32_t calls_choose(CUpti_CallbackDomain domain, unsigned char *want)
{
	uint32_t chosen = 0, last = 0;

	for (uint32_t id = 1; id < CBIDS && id - last < CBID_GAP; id++) {
		const char *s = NULL;
		struct text name;

		if (cuptilib.GetCallbackName(domain, id, &s) != CUPTI_SUCCESS || !s)
			continue;
		last = id;
		name = call_name(s);
		if (call_wanted(name.s, name.n))
			want[id] = call_class(name);
		chosen += want[id] != NOT;
	}
	return chosen;
}

static int calls_enable(bool on, bool captures)
{
	static const CUpti_CallbackDomain domains[] = {
		CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API };

	for (int d = RUNTIME; d < DOMAINS; d++)
		for (uint32_t id = 1; id < CBIDS; id++) {
			CUptiResult r = CUPTI_SUCCESS;

			if (wanted[d][id] && (wanted[d][id] >= CAPTURE_BEGIN) == captures)
				r = cuptilib.EnableCallback(on, subscriber, domains[d], id);
			if (r != CUPTI_SUCCESS) {
				emit_note("CUPTI: cuptiEnableCallback: %s", cuptilib_word(r));
				return -1;
			}
		}
	return 0;
}

int calls_open(void)
{
	CUptiResult r = cuptilib.Subscribe(&subscriber, on_call, NULL);

	if (r == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
		emit_note_flags(CAP_NOTE_TAKEN,
			"CUPTI: another tool uses it in this process: nothing is recorded");
		return -1;
	}
	if (r != CUPTI_SUCCESS) {
		emit_note("CUPTI: cuptiSubscribe: %s: nothing is recorded", cuptilib_word(r));
		return -1;
	}
	subscribed = true;
	if (!calls_choose(CUPTI_CB_DOMAIN_RUNTIME_API, wanted[RUNTIME]) ||
	    !calls_choose(CUPTI_CB_DOMAIN_DRIVER_API, wanted[DRIVER])) {
		emit_note("CUPTI: it names no calls that are known: nothing is recorded");
		return -1;
	}
	/* without them no capture is known, and none is spared */
	return calls_enable(true, true);
}

int calls_set(bool on)
{
	return calls_enable(on, false);
}

static int domains_set(bool on)
{
	return cuptilib.EnableDomain(on, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API) ||
		cuptilib.EnableDomain(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API) ? -1 : 0;
}

void calls_leave(void)
{
	if (!subscribed)
		return;
	if (atomic_load(&watched))
		(void)domains_set(false);
	subscribed = false;
	(void)calls_enable(false, true);
	(void)cuptilib.Unsubscribe(subscriber);
}

typedef int version_fn(int *version);

/* A call that can be made from any thread, without a context. */
static version_fn *driver_version(void *driver)
{
	version_fn *f = NULL;
	void *p = driver ? dlsym(driver, "cuDriverGetVersion") : NULL;

	memcpy(&f, &p, sizeof f);
	return f;
}

/* Calls it, with CUPTI to go at its end if that is wanted; 0 where it is not there. */
static int version_call(bool detach)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	version_fn *get = driver_version(driver);
	int version = 0;

	capture_self.detaching = detach;
	if (get && get(&version) != 0)
		version = 0;
	capture_self.detaching = false;
	if (driver)
		(void)dlclose(driver);
	return version;
}

static bool can_detach(void)
{
	return subscribed && atomic_load(&inside) == 0 && cuptilib.Finalize &&
		cuptilib.EnableDomain && cuptilib.version >= DETACH_FROM_CUPTI &&
		version_call(false) >= DETACH_FROM;
}

bool calls_watch(void)
{
	if (!atomic_load(&watched) && can_detach()) {
		atomic_store(&watched, true);
		if (domains_set(true)) {
			(void)domains_set(false);
			atomic_store(&watched, false);
		}
	}
	return atomic_load(&watched) && !atomic_load(&seen);
}

bool calls_watched(void)
{
	return atomic_load(&watched);
}

int calls_detach(void)
{
	if (subscribed && !atomic_load(&seen))
		(void)version_call(true);
	return capture_self.detached ? 1 : atomic_load(&seen) ? 0 : -1;
}
