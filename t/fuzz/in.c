/* Any bytes as input: the first says how much is read at a time. */
#include "base.h"
#include "in.h"

/* A bomb only takes time: what is read is bounded by the reader. */
#define ENOUGH (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static char room[70000];
	size_t step = n ? 1 + (size_t)p[0] * 270 : 1;
	struct in *in = n ? in_memory("x", p + 1, n - 1) : NULL;
	ssize_t got = 1;

	if (!in)
		return 0;
	while (got > 0 && in_offset(in) < ENOUGH) {
		if (in_would_block(in)) /* memory never does */
			__builtin_trap();
		got = in_read(in, room, MIN(step, sizeof room));
	}
	if (got == 0 && !in_cut(in) && in_raw_offset(in) != n - 1)
		__builtin_trap(); /* whole, yet not all of it read */
	in_close(in);
	return 0;
}
