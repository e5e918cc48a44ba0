/* scratch.c - see scratch.h. */
#include "base.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "buf.h"
#include "say.h"

int scratch_open(const char *dir)
{
	struct buf name = BUF_INIT;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0) { /* not every file system can */
		buf_addf(&name, "%s/.tp-sort.XXXXXX", dir);
		fd = mkostemp(name.data, O_CLOEXEC);
		if (fd >= 0)
			(void)unlink(name.data);
		buf_release(&name);
	}
	return fd < 0 ? error_errno("%s: scratch file", dir) : fd;
}

static int all_write(int fd, const char *name, const char *what, const char *from, size_t n,
	int64_t at)
{
	while (n > 0) {
		ssize_t k = pwrite(fd, from, n, at);

		if (k < 0 && errno != EINTR)
			return error_errno("%s%s", name, what);
		if (k > 0) {
			from += k;
			at += k;
			n -= (size_t)k;
		}
	}
	return 0;
}

static int all_read(int fd, const char *name, const char *what, char *to, size_t n, int64_t at)
{
	while (n > 0) {
		ssize_t k = pread(fd, to, n, at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return error_errno("%s%s", name, what);
		if (k == 0)
			return error("%s%s ends early", name, what);
		to += k;
		at += k;
		n -= (size_t)k;
	}
	return 0;
}

void scratch_shorten(int fd, int64_t at)
{
	while (ftruncate(fd, at) < 0 && errno == EINTR)
		;
}

int file_write_at(int fd, const char *name, const void *p, size_t n, int64_t at)
{
	return all_write(fd, name, "", p, n, at);
}

int file_read_at(int fd, const char *name, void *p, size_t n, int64_t at)
{
	return all_read(fd, name, "", p, n, at);
}

int scratch_write(int fd, const char *dir, const void *p, size_t n, int64_t at)
{
	return all_write(fd, dir, ": scratch file", p, n, at);
}

int scratch_read(int fd, const char *dir, void *p, size_t n, int64_t at)
{
	return all_read(fd, dir, ": scratch file", p, n, at);
}
