/* scratch.h - a file that has no name, so that nothing can leave it behind; in
 * dir, whose name messages carry. */
#ifndef TP_SCRATCH_H
#define TP_SCRATCH_H

#include "base.h"

int scratch_open(const char *dir) RESULT_USED;   /* fd, or -1 said */
/* All of it, at the place given; -1 said. */
int scratch_write(int fd, const char *dir, const void *p, size_t n, int64_t at) RESULT_USED;
int scratch_read(int fd, const char *dir, void *p, size_t n, int64_t at) RESULT_USED;
/* What lies from `at` on is not needed any more.  It may stay all the same. */
void scratch_shorten(int fd, int64_t at);
/* Writing and reading for a file that has a name. */
int file_write_at(int fd, const char *name, const void *p, size_t n, int64_t at) RESULT_USED;
int file_read_at(int fd, const char *name, void *p, size_t n, int64_t at) RESULT_USED;

#endif
