/* Any bytes as a stream: read, relayed, and the relayed one read again.  What a
 * filter writes is whole, has no bad line, and holds the same records; what was cut stays
 * cut. */
#include "base.h"
#include "evrec.h"
#include "stream.h"
#include "utf8.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

struct tally {
	uint64_t records, bytes;
	uint64_t cut;   /* segments passed on that were not whole */
	int status;
};

static void look(const struct rec *r)
{
	struct event ev;
	struct trace_info info;
	int64_t add_ns = 0;

	if (evrec_get(r, &ev) > 0 && (ev.dur_ns < 0 || ev.ts_ns == NO_INT))
		__builtin_trap();
	trace_info_init(&info);
	if (evrec_get_info(r, &info, &add_ns) > 0 && info.ndevice > 1024)
		__builtin_trap();
	trace_info_release(&info);
}

/* to: where to relay, or NULL. */
static struct tally run(struct in *in, struct stream_writer *to)
{
	struct tally t = { 0, 0, 0, -1 };
	struct stream *s;
	struct rec r;
	int more;

	if (!in)
		return t;
	s = stream_adopt(in, NULL, 0);
	while ((more = stream_next(s, &r)) > 0) {
		if (!utf8_valid(r.line))
			__builtin_trap();
		look(&r);
		if (!text_is(r.kind, "head") && !text_is(r.kind, "end")) {
			t.records++;
			t.bytes += r.line.n;
		}
		if (to && stream_relay(s, to, &r, NULL) < 0)
			__builtin_trap();
		t.cut += text_is(r.kind, "end") && stream_cut(s);
	}
	t.cut += to && to->open;
	if (to && stream_relay(s, to, NULL, NULL) < 0)
		__builtin_trap();
	t.status = stream_close(s);
	if (more < 0)
		t.status = -1;
	return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct stream_writer w;
	struct tally first, again;
	char *copy;
	off_t size;

	if (fd < 0 || stream_writer_init(&w, dup(fd), FACE_LZ4) < 0)
		__builtin_trap();
	first = run(in_memory("fuzz", p, n), &w);
	if (stream_writer_close(&w) < 0)
		__builtin_trap();
	size = lseek(fd, 0, SEEK_END);
	copy = malloc((size_t)size + 1);
	if (!copy || pread(fd, copy, (size_t)size, 0) != size)
		__builtin_trap();
	again = run(in_memory("again", copy, (size_t)size), NULL);
	free(copy);
	close(fd);
	if (again.records != first.records || again.bytes != first.bytes ||
	    (first.status == 0 && again.status != 0) ||
	    (first.cut > 0 && again.status == 0))
		__builtin_trap();
	return 0;
}
