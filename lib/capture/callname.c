#include "base.h"
#include "callname.h"

/* A * stands at one end alone.  What a step calls thousands of times and cannot
 * wait or work (cudaGetDevice, cudaEventQuery, cudaStreamIsCapturing ...) is not
 * here. */
static const char *const patterns[] = {
	"cudaLaunch*", "cudaGraphLaunch*", "cudaGraphInstantiate*",
	"cudaGraphUpload*", "cudaMemcpy*", "cudaMemset*", "cudaMemPrefetch*",
	"*Synchronize", "cudaMalloc*", "cudaFree*", "cudaHostAlloc", "cudaHostRegister",
	"cudaHostUnregister", "cudaDeviceReset", "cudaStreamBeginCapture*", "cudaStreamEndCapture",
	"cudaModuleLoad*", "cudaLibraryLoad*", "cudaDeviceEnablePeerAccess",
	"cuLaunch*", "cuGraphLaunch*", "cuGraphInstantiate*", "cuGraphUpload*",
	"cuMemcpy*", "cuMemset*", "cuMemPrefetch*", "*Synchronize_v2",
	"cuMemAlloc*", "cuMemFree*", "cuMemHostAlloc*", "cuMemHostRegister*",
	"cuMemHostUnregister", "cuMemCreate", "cuMemMap*", "cuMemUnmap", "cuMemRelease",
	"cuMemSetAccess", "cuModuleLoad*", "cuLibraryLoad*", "cuLinkComplete",
	"cuStreamBeginCapture*", "cuStreamEndCapture*", "cuDevicePrimaryCtxRetain",
	"cuCtxCreate*",
	"cuCtxEnablePeerAccess", "cuCtxDestroy*", "cuStreamWaitValue*",
};

static bool pattern_fits(const char *p, const char *name, size_t n)
{
	size_t len = strlen(p);

	if (*p == '*')
		return n >= len - 1 && memcmp(name + n - (len - 1), p + 1, len - 1) == 0;
	if (p[len - 1] == '*')
		return n >= len - 1 && memcmp(name, p, len - 1) == 0;
	return n == len && memcmp(name, p, n) == 0;
}

bool call_wanted(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
		if (pattern_fits(patterns[i], name, n))
			return true;
	return false;
}

bool call_launches(const char *name, size_t n)
{
	static const char *const launches[] = { "cudaLaunch*", "cudaGraphLaunch",
		"cuLaunch*", "cuGraphLaunch" };

	for (size_t i = 0; i < ARRAY_LEN(launches); i++)
		if (pattern_fits(launches[i], name, n))
			return true;
	return false;
}

int call_captures(const char *name, size_t n)
{
	static const char *const begins[] = { "cudaStreamBeginCapture*",
		"cuStreamBeginCapture*" };
	static const char *const ends[] = { "cudaStreamEndCapture*", "cuStreamEndCapture*" };

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (pattern_fits(begins[i], name, n))
			return 1;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (pattern_fits(ends[i], name, n))
			return -1;
	return 0;
}

static size_t digits_before(const char *s, size_t n)
{
	size_t d = 0;

	while (d < n && s[n - 1 - d] >= '0' && s[n - 1 - d] <= '9')
		d++;
	return d;
}

struct text call_name(const char *name)
{
	struct text t = { name, strlen(name) };
	size_t d = digits_before(name, t.n);

	/* _v3020, _v13000: since when the runtime has it */
	if (d >= 4 && t.n > d + 2 && memcmp(name + t.n - d - 2, "_v", 2) == 0)
		t.n -= d + 2;
	if (t.n > 5 && (memcmp(name + t.n - 5, "_ptsz", 5) == 0 ||
	    memcmp(name + t.n - 5, "_ptds", 5) == 0))
		t.n -= 5;
	/* what nvcc's <<<>>> calls in CUDA 13, under the name it had in 12 */
	if (t.n > 2 && memcmp(t.s, "__", 2) == 0) {
		t.s += 2;
		t.n -= 2;
	}
	return t;
}
