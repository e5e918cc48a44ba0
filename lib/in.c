/* in.c - see in.h. */
#include "base.h"
#include "in.h"
#include "in_face.h"
#include "buf.h"
#include "mem.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* One read(2) of a compressed file: above 256 KiB the time no longer falls,
 * and a pipe never gives more than its 64 KiB. */
#define RAW_SIZE (1u << 20)
/* Only what a poll finds is decoded ahead: a block of LZ4 is enough. */
#define AHEAD_SIZE (64u << 10)

/* Files by their first bytes; mask 0xf0 takes the sixteen skippable frames. */
struct magic {
	unsigned char first[6], n, mask;
	enum in_face face;
	const char *foreign, *unpack; /* only recognised */
};
static const struct magic magics[] = {
	{ { 0x1f, 0x8b }, 2, 0xff, IN_GZIP, NULL, NULL },
	{ { 0x04, 0x22, 0x4d, 0x18 }, 4, 0xff, IN_LZ4, NULL, NULL },
	{ { 0x50, 0x2a, 0x4d, 0x18 }, 4, 0xf0, IN_LZ4, NULL, NULL },
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, 0xff, IN_PLAIN, "zstd", "zstd -dc" },
	{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, 0xff, IN_PLAIN, "xz", "xz -dc" },
	{ { 'B', 'Z', 'h' }, 3, 0xff, IN_PLAIN, "bzip2", "bzip2 -dc" },
	{ { 'P', 'K', 3, 4 }, 4, 0xff, IN_PLAIN, "zip", "unzip -p" },
	{ { 0x02, 0x21, 0x4c, 0x18 }, 4, 0xff, IN_PLAIN, "old LZ4", "lz4 -dc" },
	{ { 0x1f, 0x9d }, 2, 0xff, IN_PLAIN, "compress", "gzip -dc" },
};

ssize_t in_cut_at(struct in *in, const char *what, const char *why)
{
	struct buf b = BUF_INIT;

	if (!in->cut) {
		buf_addf(&b, "%s at byte %" PRIu64, what, in_raw_offset(in));
		if (why)
			buf_addf(&b, ": %s", why);
		in->cut = b.data;
	}
	in->done = true;
	return IN_DONE;
}

static ssize_t read_some(struct in *in, void *p, size_t n)
{
	ssize_t got = 0;

	if (in->raw_end)
		return 0;
	do
		got = read(in->fd, p, n);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		in->done = true;
		return error_errno("%s: byte %" PRIu64, in->name, in->raw_total);
	}
	if (got == 0)
		in->raw_end = true;
	in->raw_total += (uint64_t)got;
	return got;
}

/* More raw bytes behind those at hand: >0, 0 end, -1 said. */
static ssize_t raw_fill(struct in *in)
{
	ssize_t got;

	if (in->at == in->have)
		in->at = in->have = 0;
	got = read_some(in, in->raw + in->have, RAW_SIZE - in->have);
	if (got > 0)
		in->have += (size_t)got;
	return got;
}

static ssize_t plain_step(struct in *in, unsigned char *p, size_t n)
{
	size_t k = MIN(n, in->have - in->at);

	if (k == 0)
		return in->raw_end ? IN_DONE : 0;
	memcpy(p, in->raw + in->at, k);
	in->at += k;
	return (ssize_t)k;
}

/* The magic that the first bytes are; *maybe is one that more bytes could
 * still make. */
static const struct magic *magic_find(const struct in *in,
	const struct magic **maybe)
{
	*maybe = NULL;
	for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
		const struct magic *m = &magics[i];
		size_t n = MIN((size_t)m->n, in->have);

		if (n && ((in->raw[0] & m->mask) != m->first[0] ||
			  memcmp(in->raw + 1, m->first + 1, n - 1) != 0))
			continue;
		if (in->have >= m->n)
			return m;
		if (!*maybe)
			*maybe = m;
	}
	return NULL;
}

/* Reads no further than needed: a live stream of text is told by a byte. */
static int sniff(struct in *in)
{
	const struct magic *m, *maybe;
	ssize_t got = 1;

	while (!(m = magic_find(in, &maybe)) && maybe && got > 0)
		if ((got = raw_fill(in)) < 0)
			return -1;
	if (!m && maybe && in->have && maybe->first[0] < ' ')
		m = maybe; /* no text begins so: it was cut in its magic */
	if (m && m->foreign)
		return error("%s: compressed with %s, which is not read here "
			"(unpack it: %s)", in->name, m->foreign, m->unpack);
	in->face = m ? m->face : IN_PLAIN;
	in->step = plain_step;
	if (in->face == IN_GZIP)
		in_gzip_init(in);
	else if (in->face == IN_LZ4)
		in_lz4_init(in);
	return 0;
}

static struct in *in_new(const char *name, int fd)
{
	struct in *in = xcalloc(1, sizeof *in);

	in->name = xstrdup(name);
	in->fd = fd;
	in->raw_size = -1;
	return in;
}

static int look_at(struct in *in)
{
	struct stat st;

	if (fstat(in->fd, &st) < 0)
		return error_errno("%s", in->name);
	if (S_ISDIR(st.st_mode))
		return error("%s: is a directory", in->name);
	if (S_ISREG(st.st_mode))
		in->raw_size = st.st_size;
	in->raw = xmalloc(RAW_SIZE);
	return sniff(in);
}

struct in *in_open(const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct in *in;
	int fd = STDIN_FILENO;

	if (!is_stdin) {
		do
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		while (fd < 0 && errno == EINTR);
		if (fd < 0) {
			error_errno("%s", path);
			return NULL;
		}
	}
	in = in_new(is_stdin ? "stdin" : path, fd);
	if (look_at(in) < 0) {
		in_close(in);
		return NULL;
	}
	return in;
}

struct in *in_memory(const char *name, const void *p, size_t n)
{
	struct in *in = in_new(name, -1);

	in->raw = (unsigned char *)xmemdup0(p, n);
	in->raw_total = in->have = n;
	in->raw_size = (int64_t)n;
	in->raw_end = true;
	if (sniff(in) < 0) {
		in_close(in);
		return NULL;
	}
	return in;
}

void in_close(struct in *in)
{
	if (!in)
		return;
	if (in->state_free)
		in->state_free(in->state);
	if (in->fd > STDIN_FILENO)
		close(in->fd); /* nothing was written: nothing can be lost */
	free(in->name);
	free(in->raw);
	free(in->ahead);
	free(in->cut);
	free(in);
}

/* One step, the end turned into 0 with in->done set. */
static ssize_t decode(struct in *in, unsigned char *p, size_t n)
{
	ssize_t got = in->step(in, p, n);

	if (got == IN_DONE) {
		in->done = true;
		got = 0;
	}
	return got;
}

static ssize_t ahead_take(struct in *in, void *p, size_t n)
{
	size_t k = MIN(n, in->ahead_have - in->ahead_at);

	memcpy(p, in->ahead + in->ahead_at, k);
	in->ahead_at += k;
	return (ssize_t)k;
}

ssize_t in_read(struct in *in, void *p, size_t n)
{
	ssize_t got = 0;

	n = MIN(n, (size_t)1 << 30);
	if (n == 0)
		return 0;
	if (in->ahead_at < in->ahead_have) {
		got = ahead_take(in, p, n);
	} else if (in->face == IN_PLAIN && in->at == in->have) {
		got = in->done ? 0 : read_some(in, p, n); /* no copy */
	} else {
		while (!in->done && (got = decode(in, p, n)) == 0 && !in->done)
			if (raw_fill(in) < 0)
				return -1;
	}
	if (got > 0)
		in->offset += (uint64_t)got;
	return got;
}

bool in_would_block(struct in *in)
{
	struct pollfd pfd = { .fd = in->fd, .events = POLLIN };
	ssize_t got;

	if (in->done || in->raw_end || in->ahead_at < in->ahead_have)
		return false;
	if (in->face == IN_PLAIN) {
		if (in->at < in->have)
			return false;
	} else {
		if (!in->ahead)
			in->ahead = xmalloc(AHEAD_SIZE);
		got = decode(in, in->ahead, AHEAD_SIZE);
		in->ahead_at = 0;
		in->ahead_have = (size_t)got;
		if (got > 0 || in->done)
			return false;
	}
	return poll(&pfd, 1, 0) == 0;
}

const char *in_cut(const struct in *in)
{
	/* not before everything that came was handed out */
	return in->ahead_at < in->ahead_have ? NULL : in->cut;
}

enum in_face in_face(const struct in *in)
{
	return in->face;
}

const char *in_name(const struct in *in)
{
	return in->name;
}

uint64_t in_offset(const struct in *in)
{
	return in->offset;
}

uint64_t in_raw_offset(const struct in *in)
{
	return in->raw_total - (in->have - in->at);
}

int64_t in_raw_size(const struct in *in)
{
	return in->raw_size;
}
