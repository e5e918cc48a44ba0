/* pack.c - see pack.h. */
#include "base.h"
#include "pack.h"

#include <stdlib.h>

#include "mem.h"
#include "say.h"
#include "scratch.h"

/* Small both ways from zero becomes small: the sign is the lowest bit. */
static uint64_t fold(uint64_t d)
{
	return d << 1 ^ (0 - (d >> 63));
}

static uint64_t unfold(uint64_t z)
{
	return z >> 1 ^ (0 - (z & 1));
}

/* A word of the item behind the others, at `to`: how long it is.  All of it is
 * written, and the next over its zeros: no branch a length. */
static inline unsigned put_word(unsigned char *to, char *before, const char *item)
{
	uint64_t old, new, z;

	memcpy(&old, before, 8);
	memcpy(&new, item, 8);
	memcpy(before, item, 8);
	z = fold(new - old);
	old = htole64(z);
	memcpy(to, &old, 8);
	return z ? (71 - (unsigned)__builtin_clzll(z)) / 8 : 0;
}

size_t pack_put(unsigned char *to, char *before, const void *item, size_t size)
{
	unsigned char *length = to, *p = to + (size / 8 + 1) / 2;
	const char *from = item;
	size_t i;
	unsigned a, b;

	for (i = 0; i + 16 <= size; i += 16) {
		a = put_word(p, before + i, from + i);
		b = put_word(p + a, before + i + 8, from + i + 8);
		*length++ = (unsigned char)(a | b << 4);
		p += a + b;
	}
	if (i < size) {
		a = put_word(p, before + i, from + i);
		*length = (unsigned char)a;
		p += a;
	}
	return (size_t)(p - to);
}

static inline void get_word(const unsigned char *from, unsigned length, char *item)
{
	static const uint64_t low[9] = { 0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff,
		0xffffffffffff, 0xffffffffffffff, UINT64_MAX };
	uint64_t word, z;

	memcpy(&z, from, 8);
	memcpy(&word, item, 8);
	word += unfold(le64toh(z) & low[length]);
	memcpy(item, &word, 8);
}

/* A disk that lies must not lead behind the window. */
static unsigned length_of(unsigned nibble)
{
	return MIN(nibble, 8);
}

static size_t get(const unsigned char *from, char *item, size_t size)
{
	const unsigned char *length = from, *p = from + (size / 8 + 1) / 2;
	size_t i;
	unsigned a, b;

	for (i = 0; i + 16 <= size; i += 16, length++) {
		a = length_of(*length & 15);
		b = length_of(*length >> 4);
		get_word(p, a, item + i);
		get_word(p + a, b, item + i + 8);
		p += a + b;
	}
	if (i < size) {
		a = length_of(*length & 15);
		get_word(p, a, item + i);
		p += a;
	}
	return (size_t)(p - from);
}

void unpack_begin(struct unpack *u, int fd, const char *dir, int64_t from, int64_t end,
	size_t size, size_t window_bytes)
{
	size_t cap = MAX((size_t)MIN((int64_t)window_bytes, end - from), PACK_ROOM(size));

	*u = (struct unpack){ .fd = fd, .dir = dir, .at = from, .end = end, .size = size,
		.cap = cap };
	u->item = xcalloc(1, size);
	u->window = xcalloc(1, cap + PACK_ROOM(size)); /* whole words are looked at */
}

void unpack_release(struct unpack *u)
{
	free(u->item);
	free(u->window);
	u->item = NULL;
	u->window = NULL;
}

/* What is left in the window, and as much of the file as fits behind it. */
static int fill(struct unpack *u)
{
	size_t left = u->have - u->next;
	size_t n = (size_t)MIN((int64_t)(u->cap - left), u->end - u->at);

	memmove(u->window, u->window + u->next, left);
	if (scratch_read(u->fd, u->dir, u->window + left, n, u->at) < 0)
		return -1;
	u->at += (int64_t)n;
	u->next = 0;
	u->have = left + n;
	return 0;
}

int unpack_next(struct unpack *u)
{
	if (u->have - u->next < PACK_ROOM(u->size) && u->at < u->end && fill(u) < 0)
		return -1;
	if (u->next >= u->have)
		return error("%s: scratch file: no record behind the last", u->dir);
	u->next += get(u->window + u->next, u->item, u->size);
	if (u->next > u->have)
		return error("%s: scratch file: a record is cut off", u->dir);
	return 0;
}
