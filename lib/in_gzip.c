/* in_gzip.c - see in_face.h.  Gzip: any number of members (RFC 1952 2.2), zero padding
 * behind the last. */
#include "base.h"
#include "in_face.h"
#include "mem.h"
#include "say.h"

#define ZLIB_CONST
#include <zlib.h>

struct gzip {
	z_stream z;
	enum { MEMBER, BETWEEN, PADDING } at;
	unsigned magic_seen; /* bytes of the next member's magic, between members */
};

static ssize_t inflate_step(struct in *in, struct gzip *g, unsigned char *p,
	size_t n)
{
	size_t given = MIN(in->have - in->at, (size_t)1 << 30), got;
	int rc;

	g->z.next_in = in->raw + in->at;
	g->z.avail_in = (uInt)given;
	g->z.next_out = p;
	g->z.avail_out = (uInt)n;
	rc = inflate(&g->z, Z_NO_FLUSH);
	in->at += given - g->z.avail_in;
	got = n - g->z.avail_out;
	if (rc == Z_STREAM_END)
		g->at = BETWEEN;
	else if (rc == Z_MEM_ERROR)
		die("out of memory (gzip)");
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		in_cut_at(in, "gzip is damaged", g->z.msg);
	else if (got == 0 && in->at == in->have && in->raw_end)
		in_cut_at(in, "gzip ends early", NULL);
	if (got > 0)
		return (ssize_t)got;
	return in->done ? IN_DONE : 0;
}

/* Behind a member: the next one's magic, padding, the end, or garbage.  Returns
 * true when the next member begins (its magic given to zlib). */
static bool member_begins(struct in *in, struct gzip *g)
{
	static const unsigned char magic[] = { 0x1f, 0x8b };

	while (in->at < in->have) {
		unsigned char c = in->raw[in->at];

		if (c == 0 && g->magic_seen == 0) {
			g->at = PADDING;
		} else if (g->at == BETWEEN && c == magic[g->magic_seen]) {
			g->magic_seen++;
		} else {
			in_cut_at(in, "what follows the gzip data is not gzip", NULL);
			return false;
		}
		in->at++;
		if (g->magic_seen == sizeof magic) {
			g->magic_seen = 0;
			(void)inflateReset(&g->z);
			g->z.next_in = magic;
			g->z.avail_in = sizeof magic;
			g->z.avail_out = 0;
			(void)inflate(&g->z, Z_NO_FLUSH); /* only the magic */
			g->at = MEMBER;
			return true;
		}
	}
	if (in->raw_end && g->magic_seen)
		in_cut_at(in, "gzip ends early", NULL);
	else if (in->raw_end)
		in->done = true;
	return false;
}

static ssize_t gzip_step(struct in *in, unsigned char *p, size_t n)
{
	struct gzip *g = in->state;
	ssize_t got = 0;

	while (got == 0 && !in->done) {
		if (g->at != MEMBER && !member_begins(in, g))
			break;
		got = inflate_step(in, g, p, n);
		if (got == 0 && in->at == in->have && !in->raw_end)
			return 0;
	}
	return got > 0 ? got : in->done ? IN_DONE : 0;
}

static void gzip_free(void *state)
{
	struct gzip *g = state;

	inflateEnd(&g->z);
	free(g);
}

void in_gzip_init(struct in *in)
{
	struct gzip *g = xcalloc(1, sizeof *g);

	/* 16: gzip alone, not zlib; 15: the largest window */
	if (inflateInit2(&g->z, 16 + 15) != Z_OK)
		die("out of memory (gzip)");
	in->state = g;
	in->state_free = gzip_free;
	in->step = gzip_step;
}
