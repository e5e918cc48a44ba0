/* texts.h - which texts were sent under which id: a table of fixed size (512 KiB),
 * read and changed by many threads that never wait.
 *
 * A text is known by 96 bits of its hash, not by its bytes: two of a million texts
 * share them once in 10^17 jobs.  A set of four entries forgets one for each text
 * over; a text that comes again is then new.  So is one whose id is TEXTS_OLD ids
 * old: the receiver knows twice as many (WIRETAB_IDS), and what refers to an id may
 * come some time after it was looked up. */
#ifndef TP_TEXTS_H
#define TP_TEXTS_H

#include "base.h"

#include <stdatomic.h>

#define TEXTS_SETS 8192
#define TEXTS_WAYS 4
#define TEXTS_OLD (1u << 17)

struct text_entry {
	_Atomic uint64_t hash;
	_Atomic uint64_t tag_id;  /* 32 bits of another hash, and the id; 0: empty */
};

struct texts {
	_Atomic uint32_t ids;     /* given so far */
	struct text_entry set[TEXTS_SETS][TEXTS_WAYS];
};

struct text_key {
	uint64_t hash;
	uint32_t tag;
};

struct text_key text_key(const char *s, size_t n);
/* Is an id given long ago, or so lately that it may still be used? */
bool texts_fresh(struct texts *t, uint32_t id);
/* 0: not known. */
uint32_t texts_find(struct texts *t, const struct text_key *k);
/* A new id, which others find from now on (unless another thread changes the same
 * entry: then the text gets a second id when it comes again, which does no harm). */
uint32_t texts_add(struct texts *t, const struct text_key *k);

#endif
