/* kineto.c - any bytes as a Chrome trace.  The document is read twice, cut at
 * two places: the events must be the same, and keep what event.h promises. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buf.h"
#include "kineto.h"
#include "sniff.h"
#include "mem.h"
#include "say.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct seen {
	uint64_t events, sum;
};

static void see_bytes(struct seen *s, struct text t)
{
	for (size_t i = 0; i < t.n; i++)
		s->sum = (s->sum ^ (unsigned char)t.s[i]) * UINT64_C(1099511628211);
	s->sum += t.n;
}

static int see_event(void *arg, const struct event *ev)
{
	struct seen *s = arg;

	if ((unsigned)ev->cat >= CAT_COUNT || ev->dur_ns < 0 ||
	    ev->ts_ns > INT64_MAX / 2 || ev->ts_ns < INT64_MIN / 2 ||
	    ((cat_on_device(ev->cat) || ev->cat == CAT_MEM) && ev->device.n == 0))
		abort();
	see_bytes(s, ev->name);
	see_bytes(s, ev->pid);
	see_bytes(s, ev->tid);
	see_bytes(s, ev->raw_cat);
	see_bytes(s, ev->device);
	see_bytes(s, ev->stream);
	see_bytes(s, ev->args);
	s->sum = s->sum * 31 + (uint64_t)ev->ts_ns + (uint64_t)ev->dur_ns * 7 + ev->corr;
	s->events++;
	return 0;
}

static struct seen read_cut(int fd, const uint8_t *data, size_t n, size_t cut)
{
	struct seen s = { 0, 0 };
	const struct event_sink sink = { see_event, &s };
	struct trace_info info;
	struct in *in;
	char path[64], skip[4096];
	struct buf b = BUF_INIT;

	buf_addf(&b, "/proc/self/fd/%d", fd);
	memcpy(path, b.data, b.len + 1);
	buf_release(&b);
	in = in_open(path);
	if (!in)
		return s;
	for (size_t at = 0; at < cut;) {
		ssize_t got = in_read(in, skip, MIN(sizeof skip, cut - at));

		if (got <= 0)
			abort();
		at += (size_t)got;
	}
	trace_info_init(&info);
	if (kineto_read(in, data, cut, &sink, &info) == 0 &&
	    (info.count.events != (int64_t)s.events || !info.dialect ||
	     info.partial != (info.why_partial != NULL)))
		abort();
	(void)n;
	trace_info_release(&info);
	in_close(in);
	return s;
}

/* The first two bytes say where it is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *what;
	struct seen a, b;
	size_t cut;
	int fd;

	if (n < 8)
		return 0;
	cut = data[0] | (size_t)data[1] << 8;
	data += 2;
	n -= 2;
	/* compressed input is another target's ('[*M' can begin an LZ4 frame) */
	if ((data[0] != '{' && data[0] != '[') || memcmp(data + 1, "*M\x18", 3) == 0)
		return 0;
	say_verbosity = -2;
	(void)input_sniff(data, n, &what);
	fd = memfd_create("kineto", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	a = read_cut(fd, data, n, 0);
	b = read_cut(fd, data, n, cut % (n + 1));
	if (a.events != b.events || a.sum != b.sum)
		abort();
	close(fd);
	return 0;
}
