/* in.h - bytes in: a file, stdin or memory; plain, gzip (any number of
 * members) or LZ4 frames (any number), told by the first bytes and never by
 * the name.  EINTR and short reads are handled. */
#ifndef TP_IN_H
#define TP_IN_H

#include "base.h"

enum in_face { IN_PLAIN, IN_GZIP, IN_LZ4 };

struct in; /* private */

/* path "-" is stdin.  NULL with error() said: cannot open, a directory,
 * or a compression that we only recognise (zstd, xz, bzip2, zip: the line names
 * it and the command to unpack it). */
struct in *in_open(const char *path) RESULT_USED;
/* The same over a copy of n bytes. */
struct in *in_memory(const char *name, const void *p, size_t n) RESULT_USED;
void in_close(struct in *in);

/* Up to n decoded bytes: >0 count, 0 end, -1 error said.  A compressed
 * stream that ends early or is damaged gives what came before as data, then
 * ends with in_cut() telling why; no message is printed for that. */
ssize_t in_read(struct in *in, void *p, size_t n) RESULT_USED;
const char *in_cut(const struct in *in);         /* NULL: whole; else "gzip ends early at byte N" */

enum in_face in_face(const struct in *in);
const char *in_name(const struct in *in);        /* path, or "stdin" */
uint64_t in_offset(const struct in *in);         /* decoded bytes so far */
uint64_t in_raw_offset(const struct in *in);     /* bytes of the file so far */
int64_t in_raw_size(const struct in *in);        /* -1 when not a regular file */
/* True when no decoded byte is at hand and read(2) would block: the moment to
 * flush one's own output. */
bool in_would_block(struct in *in);

/* XXH64 of bytes, seed 0, streaming; the identity of a trace. */
struct hash { uint64_t acc[4], total; unsigned char tail[32]; size_t ntail; };
void hash_init(struct hash *h);
void hash_add(struct hash *h, const void *data, size_t n);
uint64_t hash_value(const struct hash *h);

#endif
