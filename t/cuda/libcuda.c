/* libcuda.so.1 of the tests: sim.h.  It also plays the runtime. */
#include "sim.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STREAMS 64
enum { RUNTIME, DRIVER };
/* real ids of real calls: CUPTI 12 and 13 have the same */
enum {
	RT_MALLOC = 20, RT_FREE = 22, RT_MEMCPY = 31, RT_MEMCPY_ASYNC = 41,
	RT_MEMSET_ASYNC = 51, RT_EVENT_QUERY = 136, RT_DEVICE_SYNC = 165,
	RT_PEER_ASYNC = 161, RT_LAUNCH = 211, RT_GRAPH_LAUNCH = 311,
	RT_CAPTURE_BEGIN = 315, RT_CAPTURE_END = 319, DR_CAPTURE_END = 497,
	DR_CAPTURE_BEGIN = 539, DR_VERSION = 2,
	DR_MALLOC = 243, DR_FREE = 245, DR_MEMCPY_HTOD_ASYNC = 277, DR_LAUNCH = 307,
	DR_GRAPH_LAUNCH = 514, DR_LAUNCH_EX = 652
};

static const struct sim_tool *_Atomic tool;
static _Atomic uint32_t corrs;
static _Atomic int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t stream_end_ns[STREAMS];
static _Atomic int capturing;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void sim_tool_set(const struct sim_tool *t)
{
	atomic_store(&tool, t);
}

static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *lib = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*start)(void);

	if (!lib)
		return;
	*(void **)&start = dlsym(lib, "InitializeInjection");
	errno = 4711;
	if (start)
		start();
	if (errno != 4711)
		fputs("sim: errno is another after cuInit's injection\n", stderr);
}

static void init(void)
{
	inject();
	atomic_store(&ready, 1);
}

int cuInit(unsigned flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	const char *fails = getenv("SIM_INIT");

	(void)flags;
	if (fails)
		return atoi(fails);
	return pthread_once(&once, init) ? -1 : 0;
}

int cuDeviceGetCount(int *n)
{
	const char *devices = getenv("SIM_DEVICES");

	*n = devices ? atoi(devices) : 1;
	return 0;
}

static void call(int domain, uint32_t cbid, int site, uint32_t corr, const char *kernel)
{
	const struct sim_tool *t = atomic_load(&tool);

	if (t)
		t->call(domain, cbid, site, corr, kernel);
}

int cuDriverGetVersion(int *version)
{
	const char *says = getenv("SIM_DRIVER");
	uint32_t corr = atomic_fetch_add(&corrs, 1) + 1;

	call(DRIVER, DR_VERSION, 0, corr, NULL);
	*version = says ? atoi(says) : 13000;
	call(DRIVER, DR_VERSION, 1, corr, NULL);
	return 0;
}

/* When it will be over: on its stream, behind what is there. */
static int64_t op(const struct sim_op *o)
{
	const struct sim_tool *t = atomic_load(&tool);
	int64_t now = now_ns(), end;

	pthread_mutex_lock(&lock);
	end = stream_end_ns[o->stream % STREAMS];
	end = (end > now ? end : now) + o->device_ns;
	stream_end_ns[o->stream % STREAMS] = end;
	pthread_mutex_unlock(&lock);
	if (t)
		t->op(o);
	return end;
}

static void wait_until(int64_t end_ns)
{
	struct timespec t = { .tv_sec = end_ns / 1000000000,
		.tv_nsec = end_ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

/* A runtime call with a driver call in it that does the work; driver 0: none. */
static int64_t both(uint32_t runtime, uint32_t driver, struct sim_op o, int wait)
{
	uint32_t corr = atomic_fetch_add(&corrs, 1) + 1;
	int64_t end;

	o.corr = corr;
	call(RUNTIME, runtime, 0, corr, o.name);
	if (driver)
		call(DRIVER, driver, 0, corr, o.name);
	end = op(&o);
	if (driver)
		call(DRIVER, driver, 1, corr, o.name);
	if (wait)
		wait_until(end);
	call(RUNTIME, runtime, 1, corr, o.name);
	return end;
}

int sim_launch(const char *kernel, uint32_t stream, int64_t device_ns)
{
	if (!atomic_load(&ready))
		return -1;
	both(RT_LAUNCH, DR_LAUNCH, (struct sim_op){ .kind = SIM_KERNEL, .name = kernel,
		.stream = stream, .device_ns = device_ns }, 0);
	return 0;
}

int sim_driver_launch(const char *kernel, uint32_t stream, int64_t device_ns)
{
	uint32_t corr = atomic_fetch_add(&corrs, 1) + 1;

	if (!atomic_load(&ready))
		return -1;
	call(DRIVER, DR_LAUNCH_EX, 0, corr, kernel);
	op(&(struct sim_op){ .kind = SIM_KERNEL, .name = kernel, .stream = stream,
		.device_ns = device_ns, .corr = corr });
	call(DRIVER, DR_LAUNCH_EX, 1, corr, kernel);
	return 0;
}

int sim_copy(int kind, int64_t bytes, uint32_t stream, int async)
{
	if (!atomic_load(&ready))
		return -1;
	both(async ? RT_MEMCPY_ASYNC : RT_MEMCPY, DR_MEMCPY_HTOD_ASYNC,
		(struct sim_op){ .kind = SIM_COPY, .bytes = bytes, .stream = stream,
		.device_ns = 1000 + bytes / 50, .copy_kind = (uint32_t)kind }, !async);
	return 0;
}

int sim_peer_copy(int64_t bytes, uint32_t stream)
{
	if (!atomic_load(&ready))
		return -1;
	both(RT_PEER_ASYNC, 0, (struct sim_op){ .kind = SIM_PEER, .bytes = bytes,
		.stream = stream, .device_ns = 1000 + bytes / 100, .copy_kind = 10 }, 0);
	return 0;
}

int sim_set(int64_t bytes, uint32_t stream)
{
	if (!atomic_load(&ready))
		return -1;
	both(RT_MEMSET_ASYNC, 0, (struct sim_op){ .kind = SIM_SET, .bytes = bytes,
		.stream = stream, .device_ns = 1000 }, 0);
	return 0;
}

int sim_graph(int kernels, int copies, uint32_t stream, int64_t device_ns)
{
	uint32_t corr = atomic_fetch_add(&corrs, 1) + 1;

	if (!atomic_load(&ready))
		return -1;
	call(RUNTIME, RT_GRAPH_LAUNCH, 0, corr, NULL);
	call(DRIVER, DR_GRAPH_LAUNCH, 0, corr, NULL);
	for (int i = 0; i < kernels + copies; i++)
		op(&(struct sim_op){ .kind = i < kernels ? SIM_KERNEL : SIM_COPY,
			.name = "graph_kernel", .bytes = 4096, .copy_kind = 8,
			.stream = stream, .device_ns = device_ns, .corr = corr,
			.graph_node = (uint32_t)i + 1 });
	call(DRIVER, DR_GRAPH_LAUNCH, 1, corr, NULL);
	call(RUNTIME, RT_GRAPH_LAUNCH, 1, corr, NULL);
	return 0;
}

static void nested(uint32_t runtime, uint32_t driver)
{
	uint32_t corr = atomic_fetch_add(&corrs, 1) + 1;

	call(RUNTIME, runtime, 0, corr, NULL);
	call(DRIVER, driver, 0, corr, NULL);
	call(DRIVER, driver, 1, corr, NULL);
	call(RUNTIME, runtime, 1, corr, NULL);
}

int sim_capture(int ms)
{
	if (!atomic_load(&ready))
		return -1;
	nested(RT_CAPTURE_BEGIN, DR_CAPTURE_BEGIN);
	atomic_fetch_add(&capturing, 1);
	wait_until(now_ns() + ms * INT64_C(1000000));
	atomic_fetch_sub(&capturing, 1);
	nested(RT_CAPTURE_END, DR_CAPTURE_END);
	return 0;
}

int sim_sync(void)
{
	uint32_t corr = atomic_fetch_add(&corrs, 1) + 1;
	int64_t end = 0, start = now_ns();

	if (!atomic_load(&ready))
		return -1;
	call(RUNTIME, RT_DEVICE_SYNC, 0, corr, NULL);
	if (atomic_load(&capturing))
		fputs("sim: a wait within a capture\n", stderr);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < STREAMS; i++)
		if (stream_end_ns[i] > end)
			end = stream_end_ns[i];
	pthread_mutex_unlock(&lock);
	wait_until(end);
	op(&(struct sim_op){ .kind = SIM_SYNC, .corr = corr, .stream = UINT32_MAX,
		.bytes = start });
	call(RUNTIME, RT_DEVICE_SYNC, 1, corr, NULL);
	return 0;
}

int sim_query(void)
{
	uint32_t corr = atomic_fetch_add(&corrs, 1) + 1;

	call(RUNTIME, RT_EVENT_QUERY, 0, corr, NULL);
	call(RUNTIME, RT_EVENT_QUERY, 1, corr, NULL);
	return 0;
}

int sim_malloc(int64_t bytes)
{
	if (!atomic_load(&ready))
		return -1;
	both(RT_MALLOC, DR_MALLOC, (struct sim_op){ .kind = SIM_MEMORY, .bytes = bytes }, 0);
	return 0;
}

int sim_free(int64_t bytes)
{
	if (!atomic_load(&ready))
		return -1;
	both(RT_FREE, DR_FREE, (struct sim_op){ .kind = SIM_MEMORY, .bytes = -bytes }, 0);
	return 0;
}
