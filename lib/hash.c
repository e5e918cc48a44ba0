/* hash.c - see in.h.  XXH64 as published (seed 0): four lanes of 8 bytes, then the
 * tail. */
#include "base.h"
#include "in.h"

#include <endian.h>

#define P1 UINT64_C(11400714785074694791)
#define P2 UINT64_C(14029467366897019727)
#define P3 UINT64_C(1609587929392839161)
#define P4 UINT64_C(9650029242287828579)
#define P5 UINT64_C(2870177450012600261)

static uint64_t rotate(uint64_t v, int bits)
{
	return v << bits | v >> (64 - bits);
}

static uint64_t load64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return le64toh(v);
}

static uint64_t load32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return le32toh(v);
}

static uint64_t lane(uint64_t acc, uint64_t word)
{
	return rotate(acc + word * P2, 31) * P1;
}

static void stripe(uint64_t acc[4], const unsigned char *p)
{
	for (int i = 0; i < 4; i++)
		acc[i] = lane(acc[i], load64(p + 8 * i));
}

void hash_init(struct hash *h)
{
	*h = (struct hash){ .acc = { P1 + P2, P2, 0, 0 - P1 } };
}

void hash_add(struct hash *h, const void *data, size_t n)
{
	const unsigned char *p = data;
	size_t k;

	h->total += n;
	if (h->ntail) {
		k = MIN(n, sizeof h->tail - h->ntail);
		memcpy(h->tail + h->ntail, p, k);
		h->ntail += k;
		p += k;
		n -= k;
		if (h->ntail < sizeof h->tail)
			return;
		stripe(h->acc, h->tail);
		h->ntail = 0;
	}
	for (; n >= sizeof h->tail; n -= sizeof h->tail, p += sizeof h->tail)
		stripe(h->acc, p);
	if (n)
		memcpy(h->tail, p, n);
	h->ntail = n;
}

uint64_t hash_value(const struct hash *h)
{
	const unsigned char *p = h->tail, *end = p + h->ntail;
	uint64_t v = P5;

	if (h->total >= sizeof h->tail) {
		v = rotate(h->acc[0], 1) + rotate(h->acc[1], 7) +
			rotate(h->acc[2], 12) + rotate(h->acc[3], 18);
		for (int i = 0; i < 4; i++)
			v = (v ^ lane(0, h->acc[i])) * P1 + P4;
	}
	v += h->total;
	for (; end - p >= 8; p += 8)
		v = rotate(v ^ lane(0, load64(p)), 27) * P1 + P4;
	if (end - p >= 4) {
		v = rotate(v ^ load32(p) * P1, 23) * P2 + P3;
		p += 4;
	}
	for (; p < end; p++)
		v = rotate(v ^ *p * P5, 11) * P1;
	v = (v ^ v >> 33) * P2;
	v = (v ^ v >> 29) * P3;
	return v ^ v >> 32;
}
