/* hooklib.c - stands in for libtpcapture.so where the hook is tried without a
 * GPU: what it is told is written down, a line a call, in the file that TP_TOLD
 * names.  TP_PYTHON is the answer of tp_capture_python, TP_DETACH of _detach (1),
 * TP_READY of _ready (1), TP_WATCH of _watch (1), each one digit. */
#include "base.h"

#include <fcntl.h>
#include <unistd.h>

#include "capture/capture.h"

static void tell(const char *fmt, ...)
{
	const char *path = getenv("TP_TOLD");
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	va_list ap;

	if (fd < 0)
		return;
	va_start(ap, fmt);
	vdprintf(fd, fmt, ap);
	va_end(ap);
	close(fd);
}

static int answer(const char *name)
{
	const char *s = getenv(name);

	return s ? *s - '0' : 1;
}

static int watches;

int tp_capture_ready(void)
{
	return answer("TP_READY");
}

void tp_capture_warm(void)
{
	tell("warm\n");
}

void tp_capture_start(void)
{
	tell("start\n");
}

void tp_capture_stop(void)
{
	tell("stop\n");
}

int tp_capture_watch(void)
{
	watches++;
	return answer("TP_WATCH");
}

int tp_capture_detach(void)
{
	tell(watches >= 40 ? "detach\n" : watches == 1 ? "detach at once\n" :
		"detach too early\n");
	return answer("TP_DETACH");
}

void tp_capture_leave(void)
{
	tell("leave\n");
}

int tp_capture_hold(void)
{
	return 1;
}

void tp_capture_release(void)
{
}

void tp_capture_step(int64_t number, int64_t start_ns, int64_t end_ns)
{
	static int64_t last;

	tell("step %" PRId64 "%s%s\n", number, end_ns > start_ns ? "" : " empty",
		last && start_ns != last ? " apart" : "");
	last = end_ns;
}

void tp_capture_range(int kind, const char *name, int64_t start_ns, int64_t end_ns,
	const char *file, int line)
{
	const char *base = file ? strrchr(file, '/') : NULL;

	tell("range %d %s%s", kind, name, end_ns > start_ns ? "" : " empty");
	if (file)
		tell(" %s:%d", base ? base + 1 : file, line);
	tell("\n");
}

int tp_capture_python(int py_hexversion)
{
	const char *answer = getenv("TP_PYTHON");

	tell("python %s\n", py_hexversion ? "on" : "off");
	return answer ? answer[0] - '1' : 0;
}
