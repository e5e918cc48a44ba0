/* token.h - JSON text token by token, where it is of the usual kind: the fast
 * half of two readers (kineto_scan.c, rec.c) whose careful half is yajl.
 *
 * TOKEN_PAD zero bytes follow the text, so that no loop looks for its end: a NUL
 * stops every one of them.  Each function takes *p to a token's first byte and
 * leaves it behind the token, or, returning false, at the byte that it does not
 * know: an error, a thing left to yajl, or the end. */
#ifndef TP_TOKEN_H
#define TP_TOKEN_H

#include <endian.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <yajl/yajl_parse.h>

#include "base.h"

#define TOKEN_PAD 32
/* Deeper values are left to yajl. */
#define TOKEN_DEPTH_MAX 40

/* Mostly none or one; else a new line and its indentation, which was a twentieth
 * of loading a trace when taken byte by byte. */
static inline const char *blanks_end(const char *p)
{
	if ((unsigned char)*p > ' ')
		return p;
	if (*p == ' ' && (unsigned char)p[1] > ' ')
		return p + 1;
#ifdef __SSE2__
	for (;; p += 16) {
		__m128i w = _mm_loadu_si128((const void *)p);
		__m128i is = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(w, _mm_set1_epi8(' ')),
				_mm_cmpeq_epi8(w, _mm_set1_epi8('\n'))),
			_mm_or_si128(_mm_cmpeq_epi8(w, _mm_set1_epi8('\r')),
				_mm_cmpeq_epi8(w, _mm_set1_epi8('\t'))));
		unsigned other = (unsigned)_mm_movemask_epi8(is) ^ 0xffff;

		if (other)
			return p + __builtin_ctz(other);
	}
#else
	while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
		p++;
	return p;
#endif
}

/* The first quote, backslash or control byte at or behind p.  Sixteen bytes a
 * round where the processor has SSE2 (a twentieth off the loading of a trace);
 * else eight: in each term the lowest marked byte is right, those above it need
 * not be. */
#ifdef __SSE2__
static inline const char *plain_end(const char *p)
{
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'),
		control = _mm_set1_epi8(0x1f);

	for (;; p += 16) {
		__m128i w = _mm_loadu_si128((const void *)p);
		__m128i stop = _mm_or_si128(_mm_cmpeq_epi8(w, quote), _mm_or_si128(
			_mm_cmpeq_epi8(w, back),
			_mm_cmpeq_epi8(_mm_min_epu8(w, control), w)));
		unsigned mask = (unsigned)_mm_movemask_epi8(stop);

		if (mask)
			return p + __builtin_ctz(mask);
	}
}
#else
static inline const char *plain_end(const char *p)
{
	const uint64_t one = UINT64_C(0x0101010101010101);
	uint64_t w, quote, back, stop;

	for (;; p += 8) {
		memcpy(&w, p, 8);
		w = le64toh(w);
		quote = w ^ one * '"';
		back = w ^ one * '\\';
		stop = ((quote - one) & ~quote) | ((back - one) & ~back) |
			((w - one * ' ') & ~w);
		stop &= one * 0x80;
		if (stop)
			return p + (__builtin_ctzll(stop) >> 3);
	}
}
#endif

/* A string without escapes, from behind its opening quote. */
static inline bool token_string(const char **p, struct text *t)
{
	const char *end = plain_end(*p);

	*t = (struct text){ *p, (size_t)(end - *p) };
	*p = end + (*end == '"');
	return *end == '"';
}

/* A key, its colon and the blanks around them. */
static inline bool token_key(const char **p, struct text *t)
{
	*p = blanks_end(*p);
	if (**p != '"')
		return false;
	++*p;
	if (!token_string(p, t))
		return false;
	*p = blanks_end(*p);
	if (**p != ':')
		return false;
	*p = blanks_end(*p + 1);
	return true;
}

bool token_number(const char **p);
/* true, false, null. */
bool token_literal(const char **p);
/* A value; tell (may be NULL) and arg: as yajl's.  What nobody is told of may
 * have escapes.  A container's own opening bracket was told already. */
bool token_scalar(const char **p, const yajl_callbacks *tell, void *arg);
bool token_container(const char **p, const yajl_callbacks *tell, void *arg);

#endif
