/* path.c - see path.h. */
#include "base.h"
#include "path.h"
#include "buf.h"
#include "mem.h"
#include "say.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* The first of exe/../DIR/tp/NAME (installed) and exe/../DIR/NAME (the tree
 * and .build/MODE) that is there, without "..". */
static char *path_beside(const char *dir, const char *name)
{
	char exe[PATH_MAX], *slash, *found = NULL;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n < 0) {
		error_errno("/proc/self/exe");
		return NULL;
	}
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (int installed = 1; installed >= 0 && !found; installed--) {
		struct buf b = BUF_INIT;

		buf_addf(&b, "%s/../%s/%s%s", exe, dir, installed ? "tp/" : "",
			name);
		found = realpath(b.data, NULL);
		buf_release(&b);
	}
	if (!found)
		error("%s/%s: not found beside %s", dir, name, exe);
	return found;
}

char *path_share(const char *name)
{
	return path_beside("share", name);
}

char *path_lib(const char *name)
{
	return path_beside("lib", name);
}
