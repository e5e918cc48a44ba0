/* pylayout.c - the offsets, as the compiler gives them for CPython's own headers
 * (3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1, 3.13.0; x86-64 and arm64 agree). */
#include "base.h"
#include "pylayout.h"

static const struct pylayout of_3_8 = {
	.frame = 24, .is_object = true, .back = 24, .code = 32, .at = 104, .at_unit = 1,
	.first_line = 40, .file = 104, .name = 112, .table = 120,
	.lines = PYLINE_NOTAB, .ascii = 48, .compact = 72,
};
/* instructions are counted in units of two bytes, and the table is another */
static const struct pylayout of_3_10 = {
	.frame = 24, .is_object = true, .back = 24, .code = 32, .at = 96, .at_unit = 2,
	.first_line = 40, .file = 104, .name = 112, .table = 120,
	.lines = PYLINE_PAIRS, .ascii = 48, .compact = 72,
};
static const struct pylayout of_3_11 = {
	.frame = 56, .by_cframe = true, .current_frame = 8,
	.back = 48, .code = 32, .at = 56, .owner = 69,
	.first_line = 72, .file = 112, .name = 128, .table = 136,
	.bytecode = 184, .first_traceable = 168,
	.lines = PYLINE_LOCATIONS, .ascii = 48, .compact = 72,
};
static const struct pylayout of_3_12 = {
	.frame = 56, .by_cframe = true, .current_frame = 0,
	.back = 8, .code = 0, .at = 56, .owner = 70,
	.first_line = 68, .file = 112, .name = 128, .table = 136,
	.bytecode = 192, .first_traceable = 176, .serial = 92,
	.lines = PYLINE_LOCATIONS, .ascii = 40, .compact = 56,
};
static const struct pylayout of_3_13 = {
	.frame = 72, .back = 8, .code = 0, .at = 56, .owner = 70,
	.first_line = 68, .file = 112, .name = 128, .table = 136,
	.bytecode = 200, .first_traceable = 184, .serial = 92,
	.lines = PYLINE_LOCATIONS, .ascii = 40, .compact = 56,
};

const struct pylayout *pylayout_of(int hexversion)
{
	static const struct pylayout *const minor[] = {
		[8] = &of_3_8, [9] = &of_3_8, [10] = &of_3_10, [11] = &of_3_11,
		[12] = &of_3_12, [13] = &of_3_13,
	};
	const unsigned v = (unsigned)hexversion >> 16 & 0xff;

	if (sizeof(void *) != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	    || (unsigned)hexversion >> 24 != 3 || v >= ARRAY_LEN(minor))
		return NULL;
	return minor[v];
}
