/* counts - a CUDA program of known counts: threads with a stream each, kernels,
 * copies, sets, a graph, a launch through the driver, NVTX ranges; it says what it
 * did as "key=count" words, for the proof that all of it was captured.
 *
 *	nvcc -O2 -o counts counts.cu && ./counts
 *	counts [-s STEPS] [-t THREADS] [-n KERNELS] [-g GRAPHS] [-F] [-e HOW] [-w MS]
 *	counts -b N      N empty kernels and the ns of the host that each took
 * Steps are NVTX ranges "step K" of the main thread, numbers are per step.  -F: fork
 * after the first step; the child only sleeps and exits.  -e: exit, _exit, kill,
 * return; -w: sleep before that. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define BYTES (1 << 20)

static int steps = 5, threads = 3, kernels = 200, graphs = 4, wait_ms, bench, do_fork;
static const char *end_how = "return";

#define CHECK(call) check((call), #call)
static void check(cudaError_t r, const char *what)
{
	if (r == cudaSuccess)
		return;
	fprintf(stderr, "counts: %s: %s\n", what, cudaGetErrorString(r));
	exit(2);
}

__global__ void add_one(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		p[i] += 1;
}

template <typename T> __global__ void spin(T *p, long long cycles)
{
	long long from = clock64();

	while (clock64() - from < cycles)
		;
	if (threadIdx.x == 0)
		*p += 1;
}

__global__ void empty()
{
}

struct worker {
	cudaStream_t stream;
	float *a, *b, *pinned;
	std::vector<float> pageable;

	worker() : pageable(BYTES / sizeof(float))
	{
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
		CHECK(cudaMalloc(&a, BYTES));
		CHECK(cudaMalloc(&b, BYTES));
		CHECK(cudaMallocHost(&pinned, BYTES));
	}

	/* kernels, 1 set, 2 async copies and one that waits */
	void step()
	{
		nvtxRangePushA("work");
		CHECK(cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemsetAsync(b, 0, BYTES, stream));
		for (int i = 0; i < kernels; i++) {
			if (i % 2)
				add_one<<<64, 128, 0, stream>>>(a, 64 * 128);
			else
				spin<float><<<1, 32, 0, stream>>>(b, 2000);
		}
		CHECK(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemcpy(pageable.data(), b, BYTES, cudaMemcpyDeviceToHost));
		nvtxRangePop();
	}
};

/* 10 kernels, a copy, a set.  As PyTorch captures: what another thread does with the
 * device meanwhile voids it; long enough that the library's thread has its turn. */
static cudaGraphExec_t graph_make(worker &w)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(w.stream, cudaStreamCaptureModeGlobal));
	usleep(600000);
	for (int i = 0; i < 10; i++)
		add_one<<<8, 128, 0, w.stream>>>(w.a, 8 * 128);
	CHECK(cudaMemcpyAsync(w.b, w.a, BYTES, cudaMemcpyDeviceToDevice, w.stream));
	CHECK(cudaMemsetAsync(w.a, 0, BYTES, w.stream));
	CHECK(cudaStreamEndCapture(w.stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

/* As Triton launches: by the driver, with no call of the runtime around it. */
static void driver_launch(worker &w)
{
	static CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned,
		unsigned, unsigned, unsigned, CUstream, void **, void **);
	static CUfunction f;
	int n = 128;
	void *args[] = { &w.a, &n };

	if (!launch) {
		*(void **)&launch = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuLaunchKernel");
		CHECK(cudaGetFuncBySymbol(&f, (const void *)add_one));
	}
	if (!launch || launch(f, 1, 1, 1, 128, 1, 1, 0, w.stream, args, NULL))
		exit(2);
}

static long long now_ns()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int bench_run()
{
	long long best = 1LL << 60;

	empty<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize());
	/* in hundreds, which the queue takes without waiting */
	for (int i = 0; i < bench; i += 100) {
		long long t = now_ns();

		for (int k = 0; k < 100; k++)
			empty<<<1, 1>>>();
		t = now_ns() - t;
		if (t < best)
			best = t;
		CHECK(cudaDeviceSynchronize());
	}
	printf("launch_ns=%lld\n", best / 100);
	return 0;
}

static void fork_here()
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		usleep(100000);
		exit(0); /* with the exit handlers of the parent's libraries */
	}
	waitpid(pid, &status, 0);
	if (status)
		printf("child_status=%d ", status);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:t:n:g:w:e:b:F")) != -1)
		switch (c) {
		case 's': steps = atoi(optarg); break;
		case 't': threads = atoi(optarg); break;
		case 'n': kernels = atoi(optarg); break;
		case 'g': graphs = atoi(optarg); break;
		case 'w': wait_ms = atoi(optarg); break;
		case 'e': end_how = optarg; break;
		case 'b': bench = atoi(optarg); break;
		case 'F': do_fork = 1; break;
		default: exit(2);
		}
}

static void say()
{
	int per_thread = steps * threads;

	/* each thread's step 3 copies; the graph's one; the driver's launch one a step;
	 * the 10 launches that were captured are calls without a kernel */
	printf("kernels=%d memcpys=%d memsets=%d graph_launches=%d driver_launches=%d "
		"launch_calls=%d steps=%d ranges=%d threads=%d streams=%d\n",
		per_thread * kernels + steps * (10 * graphs + 1), 3 * per_thread + steps * graphs,
		per_thread + steps * graphs, steps * graphs, steps, per_thread * kernels + 10,
		steps, steps + per_thread, threads, threads);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (bench)
		return bench_run();
	std::vector<worker> w(threads);
	cudaGraphExec_t graph = graph_make(w[0]);
	for (int s = 1; s <= steps; s++) {
		std::vector<std::thread> t;
		char name[32];

		snprintf(name, sizeof name, "step %d", s);
		nvtxRangePushA(name);
		for (int i = 0; i < threads; i++)
			t.emplace_back([&w, i] { w[i].step(); });
		for (auto &one : t)
			one.join();
		for (int i = 0; i < graphs; i++)
			CHECK(cudaGraphLaunch(graph, w[0].stream));
		driver_launch(w[0]);
		CHECK(cudaDeviceSynchronize());
		nvtxRangePop();
		if (s == 1 && do_fork)
			fork_here();
	}
	say();
	if (wait_ms)
		usleep(wait_ms * 1000);
	if (!strcmp(end_how, "exit"))
		exit(0);
	if (!strcmp(end_how, "_exit"))
		_exit(0);
	if (!strcmp(end_how, "kill"))
		raise(SIGKILL);
	return 0;
}
