/* Any bytes from the capture library: read in pieces of any size they are the same
 * records, and what comes of them is a stream that reads whole again, whose events
 * have lengths and times that can be. */
#include "base.h"
#include "capevent.h"
#include "evrec.h"
#include "stream.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

struct tally {
	uint64_t records, events;
	int status;
};

static int on_event(void *arg, const struct event *ev)
{
	if (ev->dur_ns < 0 || ev->name.n == 0 || (unsigned)ev->cat >= CAT_COUNT)
		__builtin_trap();
	return evrec_put(arg, ev, 0);
}

static int on_record(void *arg, const struct wire_record *r)
{
	if (r->text.n > CAPWIRE_TEXT_MAX || r->type >= CAP_TYPES)
		__builtin_trap();
	return capevent_take(arg, r);
}

/* The first byte says how large the pieces are, 0 all at once. */
static struct tally run(const uint8_t *p, size_t n, size_t piece, struct stream_writer *to)
{
	struct capevent *c = malloc(sizeof *c); /* too large for a small stack */
	struct tally t = { 0 };
	struct wire w;

	if (!c || stream_head(to, 0, (struct text){ NULL, 0 }, NULL))
		__builtin_trap();
	capevent_init(c, (struct event_sink){ on_event, to });
	c->operators = c->whole_memory = true;
	wire_init(&w);
	for (size_t at = 0; at < n && t.status == 0; at += MIN(piece, n - at))
		t.status = wire_feed(&w, p + at, MIN(piece, n - at), on_record, c);
	if (t.status && !w.fault)
		__builtin_trap();
	if (capevent_end(c) || evrec_put_info(to, &c->info, 0) || stream_end(to, true, -1))
		__builtin_trap();
	t.records = w.records;
	t.events = (uint64_t)c->info.count.events;
	wire_release(&w);
	capevent_release(c);
	free(c);
	return t;
}

/* How many records of the stream in fd are events; -1: something of it is wrong. */
static int64_t count(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *copy = malloc((size_t)size + 1);
	struct stream *s;
	struct event ev;
	struct rec r;
	int64_t events = 0;

	if (!copy || pread(fd, copy, (size_t)size, 0) != size)
		__builtin_trap();
	s = stream_adopt(in_memory("again", copy, (size_t)size), NULL, 0);
	while (stream_next(s, &r) > 0)
		events += evrec_get(&r, &ev) != 0;
	free(copy);
	return stream_close(s) ? -1 : events;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), none = memfd_create("fuzz", MFD_CLOEXEC);
	struct stream_writer w;
	struct tally whole, pieces;
	size_t piece;

	if (n == 0)
		return close(fd) || close(none);
	piece = p[0] ? p[0] : n;
	if (fd < 0 || stream_writer_init(&w, dup(fd), FACE_JSON))
		__builtin_trap();
	pieces = run(p + 1, n - 1, piece, &w);
	if (stream_writer_close(&w) || count(fd) != (int64_t)pieces.events)
		__builtin_trap();
	close(fd);
	if (stream_writer_init(&w, none, FACE_JSON))
		__builtin_trap();
	whole = run(p + 1, n - 1, n, &w);
	if (stream_writer_close(&w) || whole.records != pieces.records ||
	    whole.events != pieces.events || whole.status != pieces.status)
		__builtin_trap();
	return 0;
}
