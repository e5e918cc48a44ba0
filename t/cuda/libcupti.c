/* libcupti.so.13 (or .12) of the tests, as far as the capture library uses it: sim.h. */
#include <cupti.h>

#include "sim.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CBIDS 1024
#define KINDS 64
#define THREADS 64
#define OPEN 4096            /* buffers that are out */

struct slot { /* of a buffer: where its record is, and when it is complete */
	CUpti_Activity *record;
	int64_t start_ns, end_ns;
};

struct buffer {
	uint8_t *data;
	size_t size, used;
	struct slot *slot;
	size_t slots, slots_cap;
	pthread_t thread;
	bool full;
};

static _Atomic(CUpti_CallbackFunc) subscriber;
static void *subscriber_data;
static _Atomic bool enabled[3][CBIDS];
static _Atomic bool kind_on[KINDS];
static CUpti_BuffersCallbackRequestFunc on_request;
static CUpti_BuffersCallbackCompleteFunc on_complete;
static CUpti_TimestampCallbackFunc timestamp;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *out[OPEN];
static size_t n_out;
static size_t lost;
static int64_t stream_end_ns[64];
static pid_t first_pid;
static _Atomic int capturing, in_flush;
static _Thread_local bool is_worker;
static uint8_t zeroed;       /* the buffers come so */

static void lock_all(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_all(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child that launches must not find the lock of a thread that it has not. */
__attribute__((constructor)) static void outlive_forks(void)
{
	(void)pthread_atfork(lock_all, unlock_all, unlock_all);
}

/* What SIM_FAIL says of a function, else 0. */
static CUptiResult failure(const char *function)
{
	const char *list = getenv("SIM_FAIL");
	size_t n = strlen(function);

	while (list && *list) {
		if (strncmp(list, function, n) == 0 && list[n] == '=')
			return (CUptiResult)strtol(list + n + 1, NULL, 10);
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return CUPTI_SUCCESS;
}

_Atomic int sim_torn;        /* the job's last handler of exit() sets it */

static void teardown_tell(const char *function)
{
	if (atomic_load(&sim_torn))
		fprintf(stderr, "sim: %s in CUPTI's teardown\n", function);
}

static _Atomic int finalized;
static _Atomic bool gone;    /* and nobody has begun anew */
static _Thread_local bool in_exit; /* in a subscriber's callback at a call's end */

static void gone_tell(const char *function)
{
	if (atomic_load(&gone) && strcmp(function, "cuptiSubscribe") != 0 &&
	    strcmp(function, "cuptiGetVersion") != 0)
		fprintf(stderr, "sim: %s after cuptiFinalize\n", function);
}

#define MAY_FAIL() do { \
		CUptiResult failed = failure(__func__); \
		teardown_tell(__func__); \
		gone_tell(__func__); \
		if (failed) \
			return failed; \
	} while (0)

static int64_t number(const char *name, int64_t otherwise)
{
	const char *s = getenv(name);

	return s ? strtoll(s, NULL, 10) : otherwise;
}

static int64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What an op's time is on the clock that was asked for.  Of some readings the
 * nearest: another thread may run between two. */
static uint64_t stamp(int64_t at_mono_ns)
{
	int64_t best = INT64_MAX, off = 0;

	for (int i = 0; i < 8 && best > 2000; i++) {
		int64_t before = mono_ns();
		int64_t at_ns = timestamp ? (int64_t)timestamp() : real_ns();
		int64_t took = mono_ns() - before;

		if (took < best) {
			best = took;
			off = at_ns - before;
		}
	}
	return (uint64_t)(at_mono_ns + off);
}

static size_t record_size(CUpti_ActivityKind kind)
{
	switch ((int)kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
#if CUPTI_API_VERSION >= 130000
		return sizeof(CUpti_ActivityKernel10);
#else
		return sizeof(CUpti_ActivityKernel9);
#endif
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy6);
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		return sizeof(CUpti_ActivityMemcpyPtoP4);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
		return sizeof(CUpti_ActivitySynchronization2);
	case CUPTI_ACTIVITY_KIND_MEMORY2:
		return sizeof(CUpti_ActivityMemory4);
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		return sizeof(CUpti_ActivityOverhead3);
	case CUPTI_ACTIVITY_KIND_DEVICE:
		return sizeof(CUpti_ActivityDevice5);
	default:
		return 0;
	}
}

/* By the lock, but for the request, which is the job's: as with the real one. */
static struct buffer *buffer_new(void)
{
	uint8_t *data = NULL;
	size_t size = 0, max = 0;
	struct buffer *b;

	pthread_mutex_unlock(&lock);
	on_request(&data, &size, &max);
	pthread_mutex_lock(&lock);
	if (!data || n_out == OPEN)
		return NULL;
	b = calloc(1, sizeof *b);
	b->data = data;
	b->size = size;
	if (!zeroed)
		memset(data, 0, size);
	b->thread = pthread_self();
	out[n_out++] = b;
	return b;
}

/* Room for a record in this thread's buffer, or NULL: dropped. */
static void *record_new(CUpti_ActivityKind kind, int64_t start_ns, int64_t end_ns)
{
	size_t size = record_size(kind);
	struct buffer *b = NULL;
	CUpti_Activity *r;

	for (size_t i = 0; i < n_out; i++)
		if (!out[i]->full && pthread_equal(out[i]->thread, pthread_self()))
			b = out[i];
	if (b && b->used + size > b->size) {
		b->full = true;
		b = NULL;
	}
	if (!b && on_request)
		b = buffer_new();
	if (!b) {
		lost++;
		return NULL;
	}
	r = (CUpti_Activity *)(void *)(b->data + b->used);
	r->kind = kind;
	b->used += size;
	if (b->slots == b->slots_cap) {
		b->slots_cap = b->slots_cap ? 2 * b->slots_cap : 64;
		b->slot = realloc(b->slot, b->slots_cap * sizeof *b->slot);
	}
	b->slot[b->slots++] = (struct slot){ r, start_ns, end_ns };
	return r;
}

static void record_time(const struct slot *s)
{
	uint64_t start = stamp(s->start_ns), end = start + (uint64_t)(s->end_ns - s->start_ns);

	switch ((int)s->record->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		((CUpti_ActivityKernel9 *)s->record)->start = start;
		((CUpti_ActivityKernel9 *)s->record)->end = end;
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		((CUpti_ActivityMemcpy6 *)s->record)->start = start;
		((CUpti_ActivityMemcpy6 *)s->record)->end = end;
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		((CUpti_ActivityMemcpyPtoP4 *)s->record)->start = start;
		((CUpti_ActivityMemcpyPtoP4 *)s->record)->end = end;
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		((CUpti_ActivityMemset4 *)s->record)->start = start;
		((CUpti_ActivityMemset4 *)s->record)->end = end;
		break;
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
		((CUpti_ActivitySynchronization *)s->record)->start = start;
		((CUpti_ActivitySynchronization *)s->record)->end = end;
		break;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		((CUpti_ActivityOverhead3 *)s->record)->start = start;
		((CUpti_ActivityOverhead3 *)s->record)->end = end;
		break;
	case CUPTI_ACTIVITY_KIND_MEMORY2:
		((CUpti_ActivityMemory4 *)s->record)->timestamp = end;
		break;
	}
}

/* Is all of it over on the device?  Times are filled in of what is. */
static bool buffer_complete(struct buffer *b)
{
	int64_t now = mono_ns();
	bool all = true;

	for (size_t i = 0; i < b->slots; i++) {
		if (b->slot[i].end_ns > now)
			all = false;
		else
			record_time(&b->slot[i]);
	}
	return all;
}

enum give { GIVE_FULL, GIVE_COMPLETE, GIVE_ALL };

static void give(enum give what)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_out; ) {
		struct buffer *b = out[i];
		bool complete = buffer_complete(b);

		if (!(what == GIVE_ALL || (complete && (b->full || what == GIVE_COMPLETE)))) {
			i++;
			continue;
		}
		out[i] = out[--n_out];
		pthread_mutex_unlock(&lock);
		on_complete(NULL, 0, b->data, b->size, b->used);
		free(b->slot);
		free(b);
		pthread_mutex_lock(&lock);
		i = 0;
	}
	pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
	struct timespec ms = { .tv_nsec = 5000000 };

	(void)unused;
	is_worker = true;
	for (;;) {
		nanosleep(&ms, NULL);
		give(GIVE_FULL);
	}
	return NULL;
}

static void sim_call(int domain, uint32_t cbid, int site, uint32_t corr,
	const char *kernel)
{
	static _Thread_local uint64_t data;
	CUpti_CallbackFunc to = subscriber;
	CUpti_CallbackDomain d = domain ? CUPTI_CB_DOMAIN_DRIVER_API :
		CUPTI_CB_DOMAIN_RUNTIME_API;
	CUpti_CallbackData c = { .callbackSite = site ? CUPTI_API_EXIT : CUPTI_API_ENTER,
		.symbolName = kernel, .correlationData = &data, .correlationId = corr,
		.contextUid = 1 };

	if (d == CUPTI_CB_DOMAIN_RUNTIME_API && cbid == 319 && !site)
		atomic_fetch_sub(&capturing, 1);
	if (to && atomic_load(&enabled[d][cbid])) {
		cuptiGetCallbackName(d, cbid, &c.functionName);
		in_exit = site != 0;
		errno = 4711;
		to(subscriber_data, d, cbid, &c);
		if (errno != 4711)
			fputs("sim: errno is another after a callback\n", stderr);
		in_exit = false;
	}
	if (d == CUPTI_CB_DOMAIN_RUNTIME_API && cbid == 315 && !site) {
		atomic_fetch_add(&capturing, 1);
		if (atomic_load(&in_flush))
			fputs("sim: a capture begins within a flush\n", stderr);
	}
}

static void kernel_fill(CUpti_ActivityKernel9 *k, const struct sim_op *op)
{
	k->contextId = 1;
	k->streamId = op->stream;
	k->gridX = 4;
	k->gridY = 2;
	k->gridZ = 1;
	k->correlationId = op->corr;
	k->name = op->name;
	k->graphNodeId = op->graph_node;
}

static void copy_fill(CUpti_ActivityMemcpy6 *c, const struct sim_op *op)
{
	c->copyKind = (uint8_t)op->copy_kind;
	c->srcKind = op->copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD ?
		CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	c->dstKind = op->copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ?
		CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	c->bytes = (uint64_t)op->bytes;
	c->contextId = 1;
	c->streamId = op->stream;
	c->correlationId = op->corr;
	c->graphNodeId = op->graph_node;
}

static void peer_fill(CUpti_ActivityMemcpyPtoP4 *c, const struct sim_op *op)
{
	c->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
	c->srcKind = c->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	c->bytes = (uint64_t)op->bytes;
	c->contextId = 1;
	c->streamId = op->stream;
	c->correlationId = op->corr;
}

static void set_fill(CUpti_ActivityMemset4 *m, const struct sim_op *op)
{
	m->bytes = (uint64_t)op->bytes;
	m->contextId = 1;
	m->streamId = op->stream;
	m->correlationId = op->corr;
	m->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
}

static void sync_fill(CUpti_ActivitySynchronization2 *s, const struct sim_op *op)
{
	s->type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
	s->contextId = 1;
	s->streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
	s->correlationId = op->corr;
}

static void memory_fill(CUpti_ActivityMemory4 *m, const struct sim_op *op)
{
	m->memoryOperationType = op->bytes > 0 ?
		CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION :
		CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
	m->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	m->address = 0x7f0000000000;
	m->bytes = (uint64_t)(op->bytes > 0 ? op->bytes : -op->bytes);
	m->correlationId = op->corr;
}

static const CUpti_ActivityKind kind_of[] = {
	[SIM_KERNEL] = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	[SIM_COPY] = CUPTI_ACTIVITY_KIND_MEMCPY, [SIM_PEER] = CUPTI_ACTIVITY_KIND_MEMCPY2,
	[SIM_SET] = CUPTI_ACTIVITY_KIND_MEMSET,
	[SIM_SYNC] = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
	[SIM_MEMORY] = CUPTI_ACTIVITY_KIND_MEMORY2,
};

static int64_t sim_op(const struct sim_op *op)
{
	int64_t now = mono_ns(), start = now, end;
	void *r;

	pthread_mutex_lock(&lock);
	if (op->kind <= SIM_SET) {
		int64_t *at = &stream_end_ns[op->stream % 64];

		start = *at > now ? *at : now;
		*at = start + op->device_ns;
	} else if (op->kind == SIM_SYNC) {
		start = op->bytes;
	}
	end = op->kind == SIM_SYNC ? now : start + op->device_ns;
	if (atomic_load(&kind_on[kind_of[op->kind]]) &&
	    (r = record_new(kind_of[op->kind], start, end)) != NULL) {
		switch (op->kind) {
		case SIM_KERNEL: kernel_fill(r, op); break;
		case SIM_COPY: copy_fill(r, op); break;
		case SIM_PEER: peer_fill(r, op); break;
		case SIM_SET: set_fill(r, op); break;
		case SIM_SYNC: sync_fill(r, op); break;
		case SIM_MEMORY: memory_fill(r, op); break;
		}
	}
	pthread_mutex_unlock(&lock);
	return end;
}

static const struct sim_tool tool = { sim_call, sim_op };

CUptiResult cuptiGetVersion(uint32_t *version)
{
	MAY_FAIL();
	*version = (uint32_t)number("SIM_CUPTI", CUPTI_API_VERSION);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **str)
{
	static _Thread_local char s[64];

	snprintf(s, sizeof s, "CUPTI_ERROR_%d", (int)result);
	*str = s;
	return CUPTI_SUCCESS;
}

/* Of the calls that libcuda.c makes, their real names; the rest are made up. */
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid,
	const char **name)
{
	static const struct {
		CUpti_CallbackDomain domain;
		uint32_t cbid;
		const char *name;
	} known[] = {
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 20, "cudaMalloc_v3020" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 22, "cudaFree_v3020" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 31, "cudaMemcpy_v3020" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 41, "cudaMemcpyAsync_v3020" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 51, "cudaMemsetAsync_v3020" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 136, "cudaEventQuery_v3020" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 161, "cudaMemcpyPeerAsync_v4000" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 165, "cudaDeviceSynchronize_v3020" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 211, "cudaLaunchKernel_v7000" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 311, "cudaGraphLaunch_v10000" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 315, "cudaStreamBeginCapture_v10000" },
		{ CUPTI_CB_DOMAIN_RUNTIME_API, 319, "cudaStreamEndCapture_v10000" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 2, "cuDriverGetVersion" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 243, "cuMemAlloc_v2" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 245, "cuMemFree_v2" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 277, "cuMemcpyHtoDAsync_v2" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 307, "cuLaunchKernel" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 497, "cuStreamEndCapture" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 539, "cuStreamBeginCapture_v2" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 514, "cuGraphLaunch" },
		{ CUPTI_CB_DOMAIN_DRIVER_API, 652, "cuLaunchKernelEx" },
	};

	MAY_FAIL();
	*name = NULL;
	if (cbid == 0 || cbid > 806)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "cudaOther_v3020" : "cuOther";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].domain == domain && known[i].cbid == cbid)
			*name = known[i].name;
	return CUPTI_SUCCESS;
}

/* Another thread of the job forks while ours is in cuInit; the child uses what a
 * hook would, and stays for a while. */
static void *fork_now(void *unused)
{
	void *lib = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD);
	void (*start)(void), (*stop)(void);

	*(void **)&start = dlsym(lib, "tp_capture_start");
	*(void **)&stop = dlsym(lib, "tp_capture_stop");
	if (fork() == 0) {
		alarm(5); /* else one that hangs is there for ever */
		start();
		stop();
		usleep((useconds_t)number("SIM_FORK_MS", 0) * 1000);
		_exit(0);
	}
	return unused;
}

static void fork_beside(void)
{
	pthread_t thread;

	if (number("SIM_FORK_MS", 0) && pthread_create(&thread, NULL, fork_now, NULL) == 0)
		pthread_join(thread, NULL);
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback,
	void *data)
{
	void (*set)(const struct sim_tool *);
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	MAY_FAIL();
	if (subscriber || number("SIM_TAKEN", 0))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	if (!cuda)
		return CUPTI_ERROR_NOT_INITIALIZED;
	*(void **)&set = dlsym(cuda, "sim_tool_set");
	gone = false;
	subscriber_data = data;
	subscriber = callback;
	*handle = (CUpti_SubscriberHandle)(void *)&subscriber;
	first_pid = getpid();
	set(&tool);
	fork_beside();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle)
{
	(void)handle;
	MAY_FAIL();
	subscriber = NULL;
	for (int i = 0; i < 3 * CBIDS; i++)
		atomic_store(&enabled[i / CBIDS][i % CBIDS], false);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize(void)
{
	MAY_FAIL();
	if (!in_exit)
		fputs("sim: cuptiFinalize, but not at the end of a call\n", stderr);
	if (subscriber)
		fputs("sim: cuptiFinalize with a subscriber\n", stderr);
	if (atomic_load(&capturing))
		fputs("sim: cuptiFinalize within a capture\n", stderr);
	for (int i = 0; i < KINDS; i++)
		if (atomic_exchange(&kind_on[i], false))
			fputs("sim: cuptiFinalize while it records\n", stderr);
	pthread_mutex_lock(&lock);
	timestamp = NULL;
	on_request = NULL;
	pthread_mutex_unlock(&lock);
	atomic_store(&gone, true);
	atomic_fetch_add(&finalized, 1);
	return CUPTI_SUCCESS;
}

int sim_finalized(void)
{
	return atomic_load(&finalized);
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	(void)handle;
	MAY_FAIL();
	if (domain > 2 || cbid >= CBIDS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	atomic_store(&enabled[domain][cbid], enable != 0);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain)
{
	(void)handle;
	MAY_FAIL();
	for (int i = 0; i < CBIDS; i++)
		atomic_store(&enabled[domain][i], enable != 0);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc f)
{
	MAY_FAIL();
	timestamp = f;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
	CUpti_BuffersCallbackCompleteFunc complete)
{
	static bool works;
	pthread_t thread;

	MAY_FAIL();
	pthread_mutex_lock(&lock);
	on_request = request;
	on_complete = complete;
	pthread_mutex_unlock(&lock);
	if (!works && pthread_create(&thread, NULL, worker, NULL))
		return CUPTI_ERROR_UNKNOWN;
	works = true;
	return CUPTI_SUCCESS;
}

static void devices_tell(void)
{
	int64_t n = number("SIM_DEVICES", 1);

	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n; i++) {
		CUpti_ActivityDevice5 *d = record_new(CUPTI_ACTIVITY_KIND_DEVICE, 0, 0);

		if (!d)
			break;
		d->id = i;
		d->name = "NVIDIA Sim";
		d->numMultiprocessors = 132;
		d->globalMemorySize = UINT64_C(80) << 30;
	}
	pthread_mutex_unlock(&lock);
}

static void overhead_tell(void)
{
	CUpti_ActivityOverhead3 *o;

	pthread_mutex_lock(&lock);
	o = record_new(CUPTI_ACTIVITY_KIND_OVERHEAD, mono_ns() - 1000, mono_ns());
	if (o)
		o->overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE;
	pthread_mutex_unlock(&lock);
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	MAY_FAIL();
	if ((int)kind >= KINDS || !record_size(kind))
		return CUPTI_ERROR_INVALID_KIND;
	if (!atomic_exchange(&kind_on[kind], true)) {
		if (kind == CUPTI_ACTIVITY_KIND_DEVICE)
			devices_tell();
		if (kind == CUPTI_ACTIVITY_KIND_OVERHEAD)
			overhead_tell();
	}
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	MAY_FAIL();
	if ((int)kind >= KINDS)
		return CUPTI_ERROR_INVALID_KIND;
	atomic_store(&kind_on[kind], false);
	usleep((useconds_t)number("SIM_DISABLE_MS", 0) * 1000);
	teardown_tell(__func__);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	MAY_FAIL();
	while (first_pid != getpid() && number("SIM_FORK_HANGS", 0))
		pause();
	atomic_fetch_add(&in_flush, 1);
	if (atomic_load(&capturing))
		fputs("sim: a flush within a capture\n", stderr);
	usleep((useconds_t)number("SIM_FLUSH_MS", 0) * 1000);
	give(flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED ? GIVE_ALL : GIVE_COMPLETE);
	atomic_fetch_sub(&in_flush, 1);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
	CUpti_Activity **record)
{
	uint8_t *next = buffer;

	MAY_FAIL();
	if (!*record && is_worker)
		usleep((useconds_t)number("SIM_READ_MS", 0) * 1000);
	if (*record)
		next = (uint8_t *)*record + record_size((*record)->kind);
	if (next >= buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)(void *)next;
	return record_size((*record)->kind) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
	size_t *dropped)
{
	(void)context;
	(void)stream;
	MAY_FAIL();
	pthread_mutex_lock(&lock);
	*dropped = lost;
	lost = 0;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *size,
	void *value)
{
	(void)size;
	MAY_FAIL();
	if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER)
		zeroed = *(uint8_t *)value;
	return CUPTI_SUCCESS;
}

/* --- a profiler of the job's own ----------------------------------------------- */

#define OWN_BYTES (64u << 10)
#define OWN_BUFFERS 64

static uint8_t *own_buffer[OWN_BUFFERS];
static _Atomic int own_kernels;

static void CUPTIAPI own_request(uint8_t **buffer, size_t *size, size_t *max)
{
	*max = *size = 0;
	for (int i = 0; i < OWN_BUFFERS; i++)
		if (!own_buffer[i]) {
			*buffer = own_buffer[i] = malloc(*size = OWN_BYTES);
			memset(*buffer, 0xa5, OWN_BYTES);
			return;
		}
}

static void CUPTIAPI own_complete(CUcontext context, uint32_t stream, uint8_t *buffer,
	size_t size, size_t valid)
{
	CUpti_Activity *r = NULL;
	int i = 0;

	(void)context;
	(void)stream;
	(void)size;
	while (i < OWN_BUFFERS && own_buffer[i] != buffer)
		i++;
	if (i == OWN_BUFFERS) {
		fputs("sim: a buffer that another gave comes to the job's profiler\n", stderr);
		return;
	}
	while (cuptiActivityGetNextRecord(buffer, valid, &r) == CUPTI_SUCCESS) {
		CUpti_ActivityKernel9 *k = (CUpti_ActivityKernel9 *)r;
		int64_t ago = real_ns() - (int64_t)k->end;

		if (k->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || k->deviceId ||
		    k->graphId || ago < 0 || ago > INT64_C(60000000000))
			fputs("sim: the job's profiler gets a record that is spoilt\n", stderr);
		else
			own_kernels++;
	}
	free(buffer);
	own_buffer[i] = NULL;
}

static void CUPTIAPI own_call(void *unused, CUpti_CallbackDomain domain,
	CUpti_CallbackId cbid, const void *data)
{
	(void)unused;
	(void)domain;
	(void)cbid;
	(void)data;
}

int sim_profiler(int on)
{
	CUpti_SubscriberHandle handle;

	if (on) {
		if (cuptiSubscribe(&handle, own_call, NULL))
			return -1;
		cuptiActivityRegisterCallbacks(own_request, own_complete);
		cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
		return 0;
	}
	cuptiActivityFlushAll(0);
	cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	return own_kernels;
}
