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

int scratch_write(int fd, const char *dir, const void *p, size_t n, int64_t at)
{
	const char *from = p;

	while (n > 0) {
		ssize_t k = pwrite(fd, from, n, at);

		if (k < 0 && errno != EINTR)
			return error_errno("%s: scratch file", dir);
		if (k > 0) {
			from += k;
			at += k;
			n -= (size_t)k;
		}
	}
	return 0;
}

int scratch_read(int fd, const char *dir, void *p, size_t n, int64_t at)
{
	char *to = p;

	while (n > 0) {
		ssize_t k = pread(fd, to, n, at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return error_errno("%s: scratch file", dir);
		if (k == 0)
			return error("%s: scratch file ends early", dir);
		to += k;
		at += k;
		n -= (size_t)k;
	}
	return 0;
}
