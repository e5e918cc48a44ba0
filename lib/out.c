/* out.c - see out.h. */
#include "base.h"
#include "out.h"
#include "mem.h"
#include "say.h"

#include <errno.h>
#include <limits.h>
#include <lz4frame.h>
#include <poll.h>
#include <unistd.h>

/* What is gathered before a write(2): a pipe holds that much. */
#define WRITE_BYTES (64u << 10)
/* Text given to liblz4 at once, one block: bounds the buffer behind it.  A call
 * for each record cost 400 instructions a record, 4 % of a trace into a stream. */
#define CHUNK_BYTES (256u << 10)
#define FRAME_BYTES (2u << 20)
#define SILENCE_NS INT64_C(1000000000)

struct out {
	int fd;
	enum out_face face;
	struct buf text;       /* LZ4: gathered for the next block */
	struct buf wait;       /* bytes on their way to the fd */
	LZ4F_cctx *c;
	bool in_frame;
	size_t frame_bytes;    /* text in the open frame */
	size_t unflushed;      /* text that liblz4 may still hold */
	int64_t flushed_ns;    /* when the last flush was; 0: written since */
	bool failed;           /* said */
	struct out_meanwhile meanwhile;
};

static const LZ4F_preferences_t prefs = {
	.frameInfo = {
		.blockSizeID = LZ4F_max256KB,
		.blockMode = LZ4F_blockLinked,
		.contentChecksumFlag = LZ4F_contentChecksumEnabled,
	},
};

static const char *out_name(const struct out *o)
{
	return o->fd == STDOUT_FILENO ? "stdout" : "output";
}

static int out_fail(struct out *o)
{
	o->failed = true;
	return error_errno("%s", out_name(o));
}

/* Until the fd takes PIPE_BUF bytes without blocking, which is what POLLOUT says of
 * a pipe; others take as much.  -1: it does not, and was to be given up. */
static int fd_await(struct out *o)
{
	const struct out_meanwhile *m = &o->meanwhile;
	struct pollfd p[2] = { { o->fd, POLLOUT, 0 }, { m->fd, POLLIN, 0 } };
	int patience_ms = -1, n;

	for (;;) {
		n = poll(p, 2, patience_ms);
		if (n < 0 && errno != EINTR)
			return out_fail(o);
		if (n > 0 && p[0].revents)
			return 0;
		if (n > 0 && m->fn(m->arg))
			patience_ms = OUT_PATIENCE_MS;
		if (n == 0) {
			o->failed = true;
			return error("%s: nobody reads it, given up", out_name(o));
		}
	}
}

static int fd_write(struct out *o)
{
	size_t at = 0;

	while (at < o->wait.len) {
		size_t some = o->wait.len - at;
		ssize_t n;

		if (o->meanwhile.fn) {
			some = MIN(some, (size_t)PIPE_BUF);
			if (fd_await(o))
				return -1;
		}
		n = write(o->fd, o->wait.data + at, some);

		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return out_fail(o);
	}
	buf_reset(&o->wait);
	return 0;
}

struct out *out_open(int fd, enum out_face face)
{
	struct out *o = xcalloc(1, sizeof *o);

	o->fd = fd;
	o->face = face;
	if (face == OUT_LZ4 &&
	    LZ4F_isError(LZ4F_createCompressionContext(&o->c, LZ4F_VERSION)))
		die("out of memory (LZ4)");
	return o;
}

void out_on_wait(struct out *o, const struct out_meanwhile *m)
{
	o->meanwhile = *m;
}

/* What a call of liblz4 put behind o->wait. */
static int lz4_took(struct out *o, size_t n)
{
	if (LZ4F_isError(n)) {
		o->failed = true;
		return error("%s: LZ4: %s", out_name(o), LZ4F_getErrorName(n));
	}
	o->wait.len += n;
	return 0;
}

static int frame_begin(struct out *o)
{
	buf_room(&o->wait, LZ4F_HEADER_SIZE_MAX);
	o->in_frame = true;
	o->frame_bytes = o->unflushed = 0;
	return lz4_took(o, LZ4F_compressBegin(o->c, o->wait.data + o->wait.len,
		LZ4F_HEADER_SIZE_MAX, &prefs));
}

/* What was gathered goes to liblz4. */
static int text_compress(struct out *o)
{
	size_t room = LZ4F_compressBound(o->text.len, &prefs), n = o->text.len;

	if (n == 0)
		return 0;
	buf_room(&o->wait, room);
	n = LZ4F_compressUpdate(o->c, o->wait.data + o->wait.len, room,
		o->text.data, n, NULL);
	buf_reset(&o->text);
	return lz4_took(o, n) < 0 || (o->wait.len >= WRITE_BYTES && fd_write(o) < 0)
		? -1 : 0;
}

static int frame_end(struct out *o)
{
	size_t room = LZ4F_compressBound(0, &prefs);

	if (!o->in_frame)
		return 0;
	if (text_compress(o) < 0)
		return -1;
	o->in_frame = false;
	buf_room(&o->wait, room);
	return lz4_took(o, LZ4F_compressEnd(o->c, o->wait.data + o->wait.len,
		room, NULL));
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int lz4_write(struct out *o, const char *p, size_t n)
{
	if (o->flushed_ns && now_ns() - o->flushed_ns >= SILENCE_NS &&
	    frame_end(o) < 0)
		return -1;
	o->flushed_ns = 0;
	if (!o->in_frame && frame_begin(o) < 0)
		return -1;
	o->frame_bytes += n;
	o->unflushed += n;
	while (n > 0) {
		size_t k = MIN(n, CHUNK_BYTES - o->text.len);

		buf_add(&o->text, p, k);
		if (o->text.len == CHUNK_BYTES && text_compress(o) < 0)
			return -1;
		p += k;
		n -= k;
	}
	return o->frame_bytes >= FRAME_BYTES ? frame_end(o) : 0;
}

int out_write(struct out *o, const void *p, size_t n)
{
	if (o->failed)
		return -1;
	if (n == 0)
		return 0;
	if (o->face == OUT_LZ4)
		return lz4_write(o, p, n);
	buf_add(&o->wait, p, n);
	return o->wait.len >= WRITE_BYTES ? fd_write(o) : 0;
}

int out_flush(struct out *o)
{
	size_t room;

	if (o->failed)
		return -1;
	if (o->in_frame && o->unflushed) {
		if (text_compress(o) < 0)
			return -1;
		room = LZ4F_compressBound(0, &prefs);
		buf_room(&o->wait, room);
		if (lz4_took(o, LZ4F_flush(o->c, o->wait.data + o->wait.len,
				room, NULL)) < 0)
			return -1;
		o->unflushed = 0;
	}
	if (o->face == OUT_LZ4 && !o->flushed_ns)
		o->flushed_ns = now_ns();
	return fd_write(o);
}

static void out_free(struct out *o)
{
	LZ4F_freeCompressionContext(o->c);
	buf_release(&o->text);
	buf_release(&o->wait);
	free(o);
}

int out_close(struct out *o)
{
	int rc = o->failed || frame_end(o) < 0 || fd_write(o) < 0 ? -1 : 0;

	if (close(o->fd) < 0 && errno != EINTR && rc == 0)
		rc = out_fail(o);
	out_free(o);
	return rc;
}

void out_abort(struct out *o)
{
	if (!o)
		return;
	close(o->fd); /* a failure was said already */
	out_free(o);
}

bool out_unread(const struct out *o)
{
	struct pollfd p = { .fd = o->fd };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP));
}
