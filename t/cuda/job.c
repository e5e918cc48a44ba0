/* job - plays a CUDA job on the simulated CUDA (sim.h), and says what it did.
 *
 *	job [OPTION]... ; numbers are per thread
 *	-t N  threads (1)          -n N  kernel launches      -l NS  a kernel's length
 *	-d N  driver launches      -c N  async copies         -p N   peer copies
 *	-s N  sets                 -g N  graphs of 7 kernels and a copy
 *	-q N  queries              -m N  allocations, each given back
 *	-k N  distinct kernel names (1)
 *	-v N  NVTX ranges, nested in twos; -o N operators as PyTorch names them
 *	-V    NVTX in all its ways: domains that cross, wide and registered names,
 *	      ranges that are started and ended, too many, ends of nothing
 *	-D FILE made when all was launched, before the wait for the device
 *	-K MS a capture of a stream behind each launch, this long
 *	-w MS sleep before the end -z N launches behind that
 *	-i MS sleep between launches (0)
 *	-S    no synchronization at the end
 *	-W A:B the hook's window: start before launch A, stop after launch B, and a
 *	      step and a range for each launch in between (of the first thread)
 *	-U N  with -W: a warm-up from N launches before
 *	-Y MS with -W: CUPTI is taken out behind it, if no call comes for so long; -Z in
 *	      a thread of its own, while the job goes on to its end
 *	-B MS another thread is in one call for so long, from the window's first launch
 *	-P A:B a profiler of the job's own from launch A to B; -L it is announced before
 *	      cuInit
 *	-A MS what is torn down last at its exit, CUPTI too, takes so long
 *	-R    with -W: it ends behind each of these launches, and begins again
 *	-F HOW fork after half the launches; the child launches too, then ends by
 *	      exit, _exit, or waits to be killed
 *	-e HOW exit, _exit, kill, abort, return: how it ends
 *	-C    close fds 3 to 255 first, as daemons do; -X all of them
 *	-N    call NVTX before cuInit
 * Prints one line of "key=count" when all was done, before it ends. */
#include "sim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
	int threads, launches, driver, copies, peers, sets, graphs, queries, mallocs, capture_ms;
	int names, ranges, operators, wait_ms, pause_ms, no_sync, close_fds;
	int late, teardown_ms, first, last, warm, again, block_ms, nvtx_first, nvtx_all;
	int detach_ms, detach_beside, detached, own_first, own_last, own_early, own;
	int64_t kernel_ns;
	const char *fork_how, *end_how, *done;
} opt = { .threads = 1, .names = 1, .kernel_ns = 2000, .end_how = "return" };

static struct {
	__typeof__(&cuInit) init;
	__typeof__(&sim_launch) launch, driver_launch;
	__typeof__(&sim_copy) copy;
	__typeof__(&sim_peer_copy) peer;
	__typeof__(&sim_set) set;
	__typeof__(&sim_graph) graph;
	__typeof__(&sim_sync) sync;
	__typeof__(&sim_capture) capture;
	__typeof__(&sim_query) query;
	__typeof__(&sim_malloc) get, put;
	__typeof__(&sim_profiler) profiler;
} cuda;

static struct {
	void (*start)(void), (*warm)(void), (*stop)(void), (*leave)(void);
	int (*watch)(void), (*detach)(void);
	void (*step)(int64_t, int64_t, int64_t);
	void (*range)(int, const char *, int64_t, int64_t, const char *, int);
	int (*ready)(void), (*hold)(void);
	void (*release)(void);
} hook;

/* NVTX as its header does it: tables of pointers, which a tool fills. */
typedef void nvtx_fn(void);
static nvtx_fn *core[16], *core2[16];
static nvtx_fn **core_at[16], **core2_at[16];

static int module(int id, nvtx_fn ****table, unsigned *n)
{
	nvtx_fn **fn = id == 1 ? core : core2, ***at = id == 1 ? core_at : core2_at;

	if (id != 1 && id != 5)
		return 0;
	for (int i = 1; i < 16; i++)
		at[i] = &fn[i];
	*table = (nvtx_fn ***)at;
	*n = 16;
	return 1;
}

static const struct {
	size_t size;
	int (*module)(int, nvtx_fn ****, unsigned *);
} callbacks = { sizeof callbacks, module };

static const void *export_table(uint32_t id)
{
	return id == 1 ? &callbacks : NULL;
}

static void nvtx_init(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *lib = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*start)(const void *(*)(uint32_t));

	*(void **)&start = lib ? dlsym(lib, "InitializeInjectionNvtx2") : NULL;
	if (start)
		start(export_table);
}

static void nvtx_push(const char *name)
{
	if (core[9])
		((int (*)(const char *))core[9])(name);
}

static void nvtx_pop(void)
{
	if (core[11])
		((int (*)(void))core[11])();
}

struct attributes { /* NVTX 3's nvtxEventAttributes_t */
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

static struct attributes named(int type, const void *message)
{
	return (struct attributes){ .version = 3, .size = sizeof(struct attributes),
		.message_type = type, .message = message };
}

/* Ranges, by their names: domain a, domain b, crossed, plain, wide, registered,
 * started, domain started, deep (64 of 70). */
static void nvtx_all(void)
{
	void *(*create)(const char *) = (void *(*)(const char *))core2[12];
	void *(*string)(void *, const char *) = (void *(*)(void *, const char *))core2[10];
	int (*push_in)(void *, const struct attributes *) =
		(int (*)(void *, const struct attributes *))core2[4];
	int (*pop_in)(void *) = (int (*)(void *))core2[5];
	uint64_t (*start)(const char *) = (uint64_t (*)(const char *))core[5];
	void (*end)(uint64_t) = (void (*)(uint64_t))core[7];
	uint64_t (*start_in)(void *, const struct attributes *) =
		(uint64_t (*)(void *, const struct attributes *))core2[2];
	void (*end_in)(void *, uint64_t) = (void (*)(void *, uint64_t))core2[3];
	struct attributes a = named(1, "domain a"), b = named(1, "domain b"),
		wide = named(2, L"wide \u00e9\u20ac\U0001f600"), registered, none = named(0, NULL),
		old = named(1, "short");
	void *one = create("one"), *two = create("two");
	uint64_t x, y;

	registered = named(3, string(one, "registered"));
	push_in(one, &a);
	push_in(two, &b);
	nvtx_push("plain");
	pop_in(one); /* the domains end in the order in which they began */
	pop_in(two);
	nvtx_pop();
	push_in(one, &wide);
	pop_in(one);
	push_in(one, &registered);
	pop_in(one);
	push_in(one, &none);
	pop_in(one);
	old.size = 8;
	push_in(one, &old);
	pop_in(one);
	push_in(one, NULL);
	pop_in(one);
	pop_in(two);
	nvtx_pop();
	x = start("started");
	y = start_in(one, &a);
	end(x);
	end(x);
	end(12345);
	end(0);
	end_in(one, y);
	for (int i = 0; i < 300; i++)
		start("never ended");
	for (int i = 0; i < 70; i++)
		nvtx_push("deep");
	for (int i = 0; i < 70; i++)
		nvtx_pop();
	nvtx_push(NULL);
	nvtx_pop();
}

static void cuda_open(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);

	if (!lib) {
		fprintf(stderr, "job: %s\n", dlerror());
		exit(2);
	}
	*(void **)&cuda.init = dlsym(lib, "cuInit");
	*(void **)&cuda.launch = dlsym(lib, "sim_launch");
	*(void **)&cuda.driver_launch = dlsym(lib, "sim_driver_launch");
	*(void **)&cuda.copy = dlsym(lib, "sim_copy");
	*(void **)&cuda.peer = dlsym(lib, "sim_peer_copy");
	*(void **)&cuda.set = dlsym(lib, "sim_set");
	*(void **)&cuda.graph = dlsym(lib, "sim_graph");
	*(void **)&cuda.capture = dlsym(lib, "sim_capture");
	*(void **)&cuda.sync = dlsym(lib, "sim_sync");
	*(void **)&cuda.query = dlsym(lib, "sim_query");
	*(void **)&cuda.get = dlsym(lib, "sim_malloc");
	*(void **)&cuda.put = dlsym(lib, "sim_free");
	cuda.init(0);
}

static void hook_open(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *lib = path ? dlopen(path, RTLD_NOW) : NULL;

	if (!lib)
		return;
	*(void **)&hook.start = dlsym(lib, "tp_capture_start");
	*(void **)&hook.warm = dlsym(lib, "tp_capture_warm");
	*(void **)&hook.stop = dlsym(lib, "tp_capture_stop");
	*(void **)&hook.step = dlsym(lib, "tp_capture_step");
	*(void **)&hook.range = dlsym(lib, "tp_capture_range");
	*(void **)&hook.ready = dlsym(lib, "tp_capture_ready");
	*(void **)&hook.watch = dlsym(lib, "tp_capture_watch");
	*(void **)&hook.detach = dlsym(lib, "tp_capture_detach");
	*(void **)&hook.leave = dlsym(lib, "tp_capture_leave");
	*(void **)&hook.hold = dlsym(lib, "tp_capture_hold");
	*(void **)&hook.release = dlsym(lib, "tp_capture_release");
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_ms(int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void end_by(const char *how)
{
	fflush(stdout);
	if (strcmp(how, "exit") == 0)
		exit(0);
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "abort") == 0)
		abort();
}

static void fork_here(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 10; i++)
			cuda.launch("child_kernel", 1, 1000);
		end_by(opt.fork_how);
		_exit(3);
	}
	if (strcmp(opt.fork_how, "stay") != 0) {
		int status;

		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status)
			printf("child ended with %d\n", status);
	}
}

/* As the hook does: not beside a capture, nor for ever. */
static void window_end(void)
{
	if (!opt.block_ms && hook.hold()) {
		cuda.sync();
		hook.release();
	}
	hook.stop();
}

static void own_profiler(int on)
{
	void *lib = dlopen("libcupti.so.13", RTLD_NOW);

	*(void **)&cuda.profiler = lib ? dlsym(lib, "sim_profiler") : NULL;
	if (on && hook.leave && !opt.own_early)
		hook.leave();
	if (!on)
		cuda.sync();
	opt.own = cuda.profiler ? cuda.profiler(on) : -2;
}

static void *detach_now(void *unused)
{
	int64_t end = now_ns() + opt.detach_ms * INT64_C(1000000);

	while (hook.watch() && now_ns() < end)
		sleep_ms(5);
	opt.detached = hook.detach();
	return unused;
}

static void detach(void)
{
	pthread_t thread;

	if (!opt.detach_beside)
		detach_now(NULL);
	else if (pthread_create(&thread, NULL, detach_now, NULL) == 0)
		pthread_detach(thread);
}

/* A kernel so long, and the wait for it. */
static void *block(void *unused)
{
	cuda.copy(2, 4096, 60, 0);
	return unused;
}

static void block_begin(void)
{
	pthread_t thread;

	cuda.launch("long_kernel", 60, opt.block_ms * INT64_C(1000000));
	if (pthread_create(&thread, NULL, block, NULL) == 0)
		pthread_detach(thread);
	sleep_ms(20);
}

static void one_launch(int i, uint32_t stream)
{
	char name[64];
	int64_t start;
	int in = hook.start && stream == 7 && i + 1 >= opt.first && i + 1 <= opt.last;

	if (hook.warm && stream == 7 && opt.warm && i + 1 == opt.first - opt.warm)
		hook.warm();
	if (in && (i + 1 == opt.first || opt.again))
		hook.start();
	if (in && i + 1 == opt.first && opt.block_ms)
		block_begin();
	start = now_ns();
	if (opt.own_first == i + 1)
		own_profiler(1);
	if (in)
		hook.range(3, "forward", start, 0, "model.py", 10 + i);
	/* the name stays: CUPTI's is the module's */
	snprintf(name, sizeof name, "kernel_%d", i % opt.names);
	cuda.launch(opt.names > 1 ? strdup(name) : "kernel_0", stream, opt.kernel_ns);
	if (in) {
		hook.range(1, "optimizer", start, now_ns(), NULL, 0);
		hook.step(i + 1, start, now_ns());
	}
	if (in && (i + 1 == opt.last || opt.again))
		window_end();
	if (opt.detach_ms && in && i + 1 == opt.last)
		detach();
	if (opt.own_last == i + 1)
		own_profiler(0);
	if (opt.pause_ms)
		sleep_ms(opt.pause_ms);
}

static void ranges(void)
{
	char name[64];

	if (opt.nvtx_all)
		nvtx_all();
	for (int i = 0; i < opt.ranges; i += 2) {
		nvtx_push("outer");
		nvtx_push("inner");
		nvtx_pop();
		nvtx_pop();
	}
	for (int i = 0; i < opt.operators; i++) {
		snprintf(name, sizeof name, "aten::add, seq = %d, op_id = %d", i, 2 * i + 1);
		nvtx_push(name);
		nvtx_pop();
	}
}

static void *work(void *arg)
{
	uint32_t stream = 7 + (uint32_t)(intptr_t)arg;

	for (int i = 0; i < opt.launches; i++) {
		if (opt.fork_how && i == opt.launches / 2 && stream == 7)
			fork_here();
		one_launch(i, stream);
		if (opt.capture_ms)
			cuda.capture(opt.capture_ms);
	}
	for (int i = 0; i < opt.driver; i++)
		cuda.driver_launch("triton_kernel", stream, opt.kernel_ns);
	for (int i = 0; i < opt.copies; i++)
		cuda.copy(1, 4096, stream, 1);
	for (int i = 0; i < opt.peers; i++)
		cuda.peer(4096, stream);
	for (int i = 0; i < opt.sets; i++)
		cuda.set(512, stream);
	for (int i = 0; i < opt.graphs; i++)
		cuda.graph(7, 1, stream, opt.kernel_ns);
	for (int i = 0; i < opt.queries; i++)
		cuda.query();
	for (int i = 0; i < opt.mallocs; i++) {
		cuda.get(1 << 20);
		cuda.put(1 << 20);
	}
	ranges();
	return NULL;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "t:n:l:d:c:p:s:g:q:m:k:v:o:w:i:K:SW:P:LA:z:U:RY:ZB:F:e:CXNVD:")) != -1) {
		int n = optarg ? (int)strtol(optarg, NULL, 10) : 1;

		switch (c) {
		case 't': opt.threads = n; break;
		case 'n': opt.launches = n; break;
		case 'l': opt.kernel_ns = n; break;
		case 'd': opt.driver = n; break;
		case 'c': opt.copies = n; break;
		case 'p': opt.peers = n; break;
		case 's': opt.sets = n; break;
		case 'g': opt.graphs = n; break;
		case 'q': opt.queries = n; break;
		case 'm': opt.mallocs = n; break;
		case 'k': opt.names = n; break;
		case 'v': opt.ranges = n; break;
		case 'o': opt.operators = n; break;
		case 'w': opt.wait_ms = n; break;
		case 'i': opt.pause_ms = n; break;
		case 'K': opt.capture_ms = n; break;
		case 'S': opt.no_sync = 1; break;
		case 'W':
			opt.first = n;
			opt.last = (int)strtol(strchr(optarg, ':') + 1, NULL, 10);
			break;
		case 'P':
			opt.own_first = n;
			opt.own_last = (int)strtol(strchr(optarg, ':') + 1, NULL, 10);
			break;
		case 'U': opt.warm = n; break;
		case 'z': opt.late = n; break;
		case 'A': opt.teardown_ms = n; break;
		case 'L': opt.own_early = 1; break;
		case 'R': opt.again = 1; break;
		case 'Y': opt.detach_ms = n; break;
		case 'Z': opt.detach_beside = 1; break;
		case 'B': opt.block_ms = n; break;
		case 'F': opt.fork_how = optarg; break;
		case 'e': opt.end_how = optarg; break;
		case 'C': opt.close_fds = 256; break;
		case 'X': opt.close_fds = 1024; break;
		case 'N': opt.nvtx_first = 1; break;
		case 'V': opt.nvtx_all = 1; break;
		case 'D': opt.done = optarg; break;
		default: exit(2);
		}
	}
}

static void teardown(void)
{
	void *lib = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	_Atomic int *torn = lib ? dlsym(lib, "sim_torn") : NULL;

	if (torn)
		*torn = 1;
	sleep_ms(opt.teardown_ms);
}

static void say(int64_t launch_ns)
{
	struct rusage use;
	int t = opt.threads, graphs = opt.graphs;
	void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	__typeof__(&sim_finalized) finalized = NULL;

	if (cupti)
		*(void **)&finalized = dlsym(cupti, "sim_finalized");
	getrusage(RUSAGE_SELF, &use);
	printf("kernels=%d copies=%d peers=%d sets=%d calls=%d ranges=%d mallocs=%d "
		"own=%d ready=%d finalized=%d detached=%d ns_a_launch=%lld max_rss_kib=%ld\n",
		t * (opt.launches + opt.driver + 7 * graphs) + opt.late, t * (opt.copies + graphs),
		t * opt.peers, t * opt.sets,
		t * (opt.launches + opt.driver + opt.copies + opt.peers + opt.sets + graphs +
			2 * opt.mallocs + (opt.capture_ms ? 2 * opt.launches : 0)) +
			!opt.no_sync + opt.late,
		t * (opt.ranges + opt.operators), t * 2 * opt.mallocs, opt.own,
		hook.ready ? hook.ready() : 0, finalized ? finalized() : 0, opt.detached,
		(long long)(opt.launches ? launch_ns / opt.launches : 0), use.ru_maxrss);
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	int64_t start;

	parse(argc, argv);
	if (opt.teardown_ms)
		atexit(teardown);
	if (opt.nvtx_first) {
		nvtx_init();
		nvtx_push("before cuInit");
		nvtx_pop();
	}
	if (opt.first || opt.own_first)
		hook_open();
	if (opt.own_early && hook.leave)
		hook.leave();
	cuda_open();
	if (!opt.nvtx_first && (opt.ranges || opt.operators || opt.nvtx_all))
		nvtx_init();
	for (int fd = 3; fd < opt.close_fds; fd++)
		close(fd);
	start = now_ns();
	for (int i = 1; i < opt.threads; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i))
			return 2;
	work(NULL);
	for (int i = 1; i < opt.threads; i++)
		pthread_join(thread[i], NULL);
	start = now_ns() - start;
	if (opt.done)
		close(open(opt.done, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	if (!opt.no_sync)
		cuda.sync();
	if (opt.wait_ms)
		sleep_ms(opt.wait_ms);
	for (int i = 0; i < opt.late; i++)
		cuda.launch("kernel_0", 1, 1000);
	hook_open();
	say(start);
	end_by(opt.end_how);
	return 0;
}
