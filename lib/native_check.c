/* native_check.c - see native.h. */
#include "base.h"
#include "native.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"
#include "say.h"

#define CUDA_NO_DEVICE 100 /* CUDA_ERROR_NO_DEVICE, of cuInit */

/* What a driver leaves where a job of its own surroundings may find its libcuda,
 * though we do not: on servers, under WSL, on boards. */
static bool is_device_near(void)
{
	static const char *const trace[] = { "/proc/driver/nvidia", "/dev/nvidiactl",
		"/dev/dxg", "/dev/nvhost-gpu", "/dev/nvmap" };

	for (size_t i = 0; i < ARRAY_LEN(trace); i++)
		if (access(trace[i], F_OK) == 0)
			return true;
	return false;
}

/* By cuInit alone: it makes no context. */
static bool has_no_device(void *cuda)
{
	int (*init)(unsigned) = NULL, (*count)(int *) = NULL;
	int r, n = -1;

	*(void **)&init = dlsym(cuda, "cuInit");
	*(void **)&count = dlsym(cuda, "cuDeviceGetCount");
	if (!init || !count || unsetenv("CUDA_VISIBLE_DEVICES"))
		return false; /* unset, since a job may choose for itself */
	r = init(0);
	if (r == 0 && count(&n) != 0)
		return false;
	return r == CUDA_NO_DEVICE || n == 0;
}

/* In a child: a driver that is loaded into a static program ends it by a signal.
 * 0 where it cannot be told. */
static int driver_check(void)
{
	enum { FINE, NO_DRIVER, NO_DEVICE };
	pid_t child = fork();
	void *cuda;
	int status;

	if (child == 0) {
		cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
		_exit(!cuda ? NO_DRIVER : has_no_device(cuda) ? NO_DEVICE : FINE);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 0;
	if (WEXITSTATUS(status) == NO_DEVICE)
		return error("engine cupti: CUDA's driver has no device here");
	return WEXITSTATUS(status) == FINE || is_device_near() ? 0 :
		error("engine cupti: no driver of CUDA here: no libcuda.so.1, and no device");
}

int native_check(void)
{
	const char *theirs = getenv("CUDA_INJECTION64_PATH");
	char *library;

	if (theirs && *theirs)
		return error("CUDA_INJECTION64_PATH is set to %s: another tool is at work",
			theirs);
	library = path_lib("libtpcapture.so");
	if (!library)
		return -1; /* said */
	free(library);
	return driver_check();
}
