/* in_face.h - inside in.c: what its decoders share.  For in*.c alone.
 *
 * A decoder's step turns raw bytes at hand into up to n decoded ones and never
 * reads: >0 how many, 0 it wants more raw bytes (in->at == in->have), IN_DONE
 * after the last byte, with in->cut set where that came too early.  At the end
 * of the raw bytes, with in->raw_end set, it is asked once more. */
#ifndef TP_IN_FACE_H
#define TP_IN_FACE_H

#include "in.h"

#define IN_DONE (-1)

struct in {
	char *name;
	int fd;                /* -1: memory */
	enum in_face face;
	unsigned char *raw;    /* raw bytes at hand: at..have */
	size_t at, have;
	uint64_t raw_total;    /* bytes of the file read so far */
	int64_t raw_size;
	bool raw_end;          /* no more raw bytes will come */
	bool done;
	unsigned char *ahead;  /* decoded to answer in_would_block */
	size_t ahead_at, ahead_have;
	uint64_t offset;
	char *cut;
	void *state;           /* the decoder's own */
	ssize_t (*step)(struct in *in, unsigned char *p, size_t n);
	void (*state_free)(void *state);
};

void in_gzip_init(struct in *in);
void in_lz4_init(struct in *in);
/* The one reason why the stream is not whole; returns IN_DONE. */
ssize_t in_cut_at(struct in *in, const char *what, const char *why);

#endif
