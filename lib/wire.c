/* wire.c - what comes from the job, checked for its layout. */
#include "base.h"
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "mem.h"
#include "say.h"

/* A read takes what a socket holds (212,992 bytes with Linux's defaults) in one
 * or two calls. */
#define WIRE_BYTES (256u << 10)

#define HEAD sizeof(struct capwire_head)

static const size_t fixed_size[CAP_TYPES] = {
	[CAP_HELLO] = sizeof(struct cap_hello),
	[CAP_TEXT] = sizeof(struct cap_text),
	[CAP_CODE] = sizeof(struct cap_code),
	[CAP_STACK] = sizeof(struct cap_stack),
	[CAP_CALL] = sizeof(struct cap_call),
	[CAP_OP] = sizeof(struct cap_op),
	[CAP_RANGE] = sizeof(struct cap_range),
	[CAP_MEM] = sizeof(struct cap_mem),
	[CAP_OVERHEAD] = sizeof(struct cap_overhead),
	[CAP_DEVICE] = sizeof(struct cap_device),
	[CAP_STEP] = sizeof(struct cap_step),
	[CAP_DROPPED] = sizeof(struct cap_dropped),
	[CAP_NOTE] = sizeof(struct cap_note),
	[CAP_BYE] = sizeof(struct cap_bye),
};

void wire_init(struct wire *w)
{
	*w = (struct wire){ .bytes = xmalloc(WIRE_BYTES) };
}

void wire_release(struct wire *w)
{
	free(w->bytes);
	w->bytes = NULL;
}

static int fault(struct wire *w, const char *why)
{
	w->fault = why;
	return -1;
}

static size_t round_up(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* The bytes behind a text's struct, or a note's. */
static int take_text(struct wire *w, const char *behind, size_t n, size_t room)
{
	if (n > CAPWIRE_TEXT_MAX || round_up(n) != room)
		return fault(w, "a text that does not fill its record");
	w->rec.text = (struct text){ behind, n };
	return 0;
}

static int take_stack(struct wire *w, const char *behind, size_t room)
{
	size_t n = w->rec.as.stack.n;

	if (n > CAPWIRE_DEPTH_MAX || n * sizeof(struct cap_frame) != room)
		return fault(w, "a stack that does not fill its record");
	memcpy(w->rec.frame, behind, room);
	return w->rec.as.stack.id ? 0 : fault(w, "a stack without an id");
}

static int take_hello(struct wire *w)
{
	if (w->rec.as.hello.version != CAPWIRE_VERSION)
		return fault(w, "the capture library is of another version");
	if (w->hello)
		return fault(w, "a second hello");
	w->hello = true;
	return 0;
}

/* One whole record at p, of `size` bytes. */
static int take_record(struct wire *w, const char *p, const struct capwire_head *h)
{
	size_t fixed = fixed_size[h->type], room = h->size - HEAD - fixed;
	const char *behind = p + HEAD + fixed;

	w->rec.type = h->type;
	w->rec.flags = h->flags;
	w->rec.tid = h->tid;
	memcpy(&w->rec.as, p + HEAD, fixed);
	if (!w->hello && h->type != CAP_HELLO)
		return fault(w, "no hello before the first record");
	switch (h->type) {
	case CAP_TEXT:
		if (!w->rec.as.text.id)
			return fault(w, "a text without an id");
		return take_text(w, behind, w->rec.as.text.n, room);
	case CAP_NOTE:
		return take_text(w, behind, w->rec.as.note.n, room);
	case CAP_STACK:
		return take_stack(w, behind, room);
	case CAP_CODE:
		if (!w->rec.as.code.id)
			return fault(w, "a code object without an id");
		break;
	case CAP_HELLO:
		if (take_hello(w))
			return -1;
		break;
	default:
		break;
	}
	return room ? fault(w, "a record of the wrong size") : 0;
}

static int head_check(struct wire *w, const struct capwire_head *h)
{
	if (h->type < CAP_HELLO || h->type >= CAP_TYPES)
		return fault(w, "a record of no known type");
	if (h->size % 8 || h->size > CAPWIRE_MAX || h->size < HEAD + fixed_size[h->type])
		return fault(w, "a record of no possible size");
	return 0;
}

/* The whole records in n bytes at p; *used says how far they went. */
static int take_all(struct wire *w, const char *p, size_t n, size_t *used,
	wire_fn *fn, void *arg)
{
	struct capwire_head h;
	size_t at = 0;
	int r = 0;

	while (r == 0 && n - at >= HEAD) {
		memcpy(&h, p + at, HEAD);
		if (head_check(w, &h))
			return -1;
		if (h.size > n - at)
			break;
		if (take_record(w, p + at, &h))
			return -1;
		at += h.size;
		w->records++;
		r = fn(arg, &w->rec);
	}
	*used = at;
	return r ? -1 : 0;
}

static int take_held(struct wire *w, wire_fn *fn, void *arg)
{
	size_t used = 0;

	if (take_all(w, w->bytes, w->n, &used, fn, arg))
		return -1;
	w->n -= used;
	memmove(w->bytes, w->bytes + used, w->n);
	return 0;
}

int wire_feed(struct wire *w, const void *bytes, size_t n, wire_fn *fn, void *arg)
{
	const char *p = bytes;

	while (n > 0) {
		size_t some = MIN(n, WIRE_BYTES - w->n);

		memcpy(w->bytes + w->n, p, some);
		w->n += some;
		p += some;
		n -= some;
		if (take_held(w, fn, arg))
			return -1;
	}
	return 0;
}

int wire_read(struct wire *w, int fd, wire_fn *fn, void *arg)
{
	ssize_t n = read(fd, w->bytes + w->n, WIRE_BYTES - w->n);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	/* a process that was killed can leave its end so */
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return 0;
	if (n < 0) {
		w->failed = true;
		return error_errno("the link to the job");
	}
	w->n += (size_t)n;
	return take_held(w, fn, arg) ? -1 : 1;
}
