/* unit.h - what every unit test begins with. */
#ifndef TP_UNIT_H
#define TP_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base.h"

static inline struct text text_of(const char *s)
{
	return (struct text){ s, strlen(s) };
}

/* The same numbers on every run and machine (xorshift64). */
static inline uint64_t dice(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

#endif
