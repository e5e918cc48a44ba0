/* in_lz4.c - see in_face.h.  LZ4 frames: any number, skippable ones between them
 * (liblz4 passes over those by itself). */
#include "base.h"
#include "in_face.h"
#include "mem.h"
#include "say.h"

#include <lz4frame.h>

/* The shortest frame header; liblz4 then says how much it wants next. */
#define HEADER_MIN 7

struct lz4 {
	LZ4F_dctx *d;
	size_t want;     /* what liblz4 asked for, 0 between frames */
	uint64_t frames; /* whole ones so far */
};

/* What is not the input's fault must not look like it. */
static void out_of_memory(size_t rc)
{
	if (strcmp(LZ4F_getErrorName(rc), "ERROR_allocation_failed") == 0)
		die("out of memory (LZ4)");
}

/* No more than asked for is given, so that a call decodes one block: after an
 * error liblz4 does not say what it had decoded before in the same call. */
static ssize_t lz4_step(struct in *in, unsigned char *p, size_t n)
{
	struct lz4 *l = in->state;
	size_t given, got, want, rc;
	bool between = l->want == 0;

	for (;;) {
		between = l->want == 0;
		given = in->have - in->at;
		if (between && given == 0) {
			in->done = in->raw_end;
			return in->done ? IN_DONE : 0;
		}
		want = between ? HEADER_MIN : l->want;
		given = MIN(given, want);
		got = n;
		rc = LZ4F_decompress(l->d, p, &got, in->raw + in->at, &given, NULL);
		if (LZ4F_isError(rc)) {
			out_of_memory(rc);
			break;
		}
		in->at += given;
		if (given || got)
			l->want = rc;
		l->frames += rc == 0;
		if (got > 0)
			return (ssize_t)got;
		if (given == 0 && in->at < in->have) /* cannot be: no progress */
			return in_cut_at(in, "LZ4 is damaged", NULL);
		if (given == 0 && in->raw_end)
			return in_cut_at(in, "LZ4 ends early", NULL);
		if (given == 0)
			return 0;
	}
	if (between && l->frames)
		return in_cut_at(in, "what follows the LZ4 data is not LZ4", NULL);
	return in_cut_at(in, "LZ4 is damaged", LZ4F_getErrorName(rc));
}

static void lz4_free(void *state)
{
	struct lz4 *l = state;

	LZ4F_freeDecompressionContext(l->d);
	free(l);
}

void in_lz4_init(struct in *in)
{
	struct lz4 *l = xcalloc(1, sizeof *l);

	if (LZ4F_isError(LZ4F_createDecompressionContext(&l->d, LZ4F_VERSION)))
		die("out of memory (LZ4)");
	in->state = l;
	in->state_free = lz4_free;
	in->step = lz4_step;
}
