/* LZ4 framing: a text in frames of any kind, then cut at a place or damaged in
 * one byte.  Whole ones give the text; cut ones a beginning of it, and word that
 * they are cut; damage that goes unseen has changed nothing.
 *
 *	byte 0   kind of the frames      1    bytes a read, and the first frame's share
 *	byte 2   0 whole 1 cut 2 damaged 3-4  where
 *	byte 5   what to damage it with  6-   the text */
#include "base.h"
#include "buf.h"
#include "in.h"

#include <lz4frame.h>

#define HEADER 6

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void frame_add(struct buf *b, const uint8_t *p, size_t n, unsigned kind)
{
	static const LZ4F_blockSizeID_t size[] = { LZ4F_max64KB, LZ4F_max256KB,
		LZ4F_max1MB, LZ4F_max4MB };
	LZ4F_preferences_t how = { 0 };
	size_t room, got;
	char *to;

	how.frameInfo.blockMode = kind & 1 ? LZ4F_blockIndependent : LZ4F_blockLinked;
	how.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
	how.frameInfo.blockChecksumFlag = kind & 2 ? LZ4F_blockChecksumEnabled :
		LZ4F_noBlockChecksum;
	how.frameInfo.blockSizeID = size[kind >> 2 & 3];
	how.frameInfo.contentSize = kind & 16 ? n : 0;
	how.compressionLevel = kind & 32 ? 9 : 0;
	room = LZ4F_compressFrameBound(n, &how);
	to = malloc(room);
	got = to ? LZ4F_compressFrame(to, room, p, n, &how) : 0;
	if (!to || LZ4F_isError(got))
		__builtin_trap();
	buf_add(b, to, got);
	free(to);
}

static const char skippable[] = "\x53\x2a\x4d\x18\x05\0\0\0abcde";

/* Where frames end: a cut there cannot be told. */
struct ends {
	size_t at[4], n;
};

static void build(struct buf *b, struct ends *ends, const uint8_t *head,
	const uint8_t *p, size_t n)
{
	size_t first = n * head[1] / 256;

	ends->at[ends->n++] = 0;
	frame_add(b, p, first, head[0]);
	ends->at[ends->n++] = b->len;
	if (head[0] & 64) {
		buf_add(b, skippable, sizeof skippable - 1);
		ends->at[ends->n++] = b->len;
	}
	frame_add(b, p + first, n - first, head[0] >> 1);
	ends->at[ends->n++] = b->len;
}

/* What came out, and whether it was said to be cut. */
static bool decode(const struct buf *b, size_t step, struct buf *out)
{
	static char room[70000];
	struct in *in = in_memory("x", b->data, b->len);
	ssize_t got;
	bool cut;

	if (!in)
		__builtin_trap();
	while ((got = in_read(in, room, MIN(step, sizeof room))) > 0)
		buf_add(out, room, (size_t)got);
	cut = in_cut(in) != NULL;
	in_close(in);
	return cut;
}

static bool begins(struct text all, struct buf *with)
{
	return with->len <= all.n && (with->len == 0 ||
		memcmp(all.s, with->data, with->len) == 0);
}

static bool at_an_end(const struct ends *ends, size_t at)
{
	for (size_t i = 0; i < ends->n; i++)
		if (ends->at[i] == at)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct buf raw = BUF_INIT, out = BUF_INIT;
	struct ends ends = { .n = 0 };
	struct text all;
	size_t at;
	bool cut;

	if (n < HEADER)
		return 0;
	all = (struct text){ (const char *)p + HEADER, n - HEADER };
	build(&raw, &ends, p, p + HEADER, n - HEADER);
	at = (p[3] | (size_t)p[4] << 8) % raw.len;
	if (p[2] % 3 == 1)
		raw.len = at;
	else if (p[2] % 3 == 2)
		raw.data[at] = (char)(raw.data[at] ^ p[5]);
	/* half a magic may be the beginning of any text */
	if (raw.len >= 4 || p[2] % 3 != 1) {
		cut = decode(&raw, 1 + (size_t)p[1] * 270, &out);
		if (p[2] % 3 == 1 && (!begins(all, &out) || cut == at_an_end(&ends, at)))
			__builtin_trap();
		if (p[2] % 3 == 0 && (cut || !text_eq(all, buf_text(&out))))
			__builtin_trap();
		/* byte 0..3: another magic, which is another format */
		if (p[2] % 3 == 2 && at >= 4 && !cut && !(p[0] & 64) &&
		    !text_eq(all, buf_text(&out)))
			__builtin_trap();
	}
	buf_release(&raw);
	buf_release(&out);
	return 0;
}
