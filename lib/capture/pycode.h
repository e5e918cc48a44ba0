/* pycode.h - reading a code object and a string of CPython where they lie: memory
 * only, no call of Python, no GIL.  The caller knows that they are alive. */
#ifndef TP_PYCODE_H
#define TP_PYCODE_H

#include "base.h"
#include "pylayout.h"

/* The line of the instruction `at` bytes into a code object that begins at line
 * `first` (-1: not begun).  Where the table says that an instruction has none, the
 * line before it.  A table that ends too early gives what it has. */
int32_t pyline_find(enum pyline_table kind, struct text table, int32_t first, int at);
int32_t pycode_line(const struct pylayout *l, const char *code, int at);

/* A string as UTF-8, what is no character (lone surrogates) as U+FFFD, cut at a
 * character where out (size bytes) is full: its length.  0 also for a string of
 * a kind that only old C code makes. */
size_t pystring_copy(const struct pylayout *l, const char *string, char *out, size_t size);

/* Two 64-bit numbers to one. */
static inline uint64_t pykey_mix(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	const wide m = (wide)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* What tells a code object from all others, also from one that lay in the same
 * place before and is gone (generated code: same size, same file, same line).
 * From 3.12 on each has a number of its own; before, its texts are looked at.
 * That two differ and have one key has a chance of 2^-64 a pair. */
uint64_t pycode_key(const struct pylayout *l, const char *code);

#endif
