/* folder.c - see folder.h. */
#include "base.h"
#include "folder.h"
#include "mem.h"
#include "say.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

/* A job has one private folder and one beside its traces. */
#define FOLDERS_MAX 4
static char made[FOLDERS_MAX][PATH_MAX]; /* "" is free */
static pid_t made_by;

/* Whether the name fits into out, PATH_MAX bytes; longer ones cannot be there. */
static bool name_join(char *out, const char *dir, const char *name)
{
	int n = snprintf(out, PATH_MAX, "%s/%s", dir, name);

	return n > 0 && n < PATH_MAX;
}

/* No allocation: it may have run out.
 * NOLINTNEXTLINE(misc-no-recursion): depth bounds it, three folders deep */
static void tree_remove(const char *dir, int depth)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char name[PATH_MAX];

	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    !name_join(name, dir, e->d_name))
			continue;
		if (unlink(name) && depth > 1)
			tree_remove(name, depth - 1);
	}
	if (d)
		closedir(d);
	(void)rmdir(dir);
}

static void at_exit(void)
{
	if (getpid() != made_by)
		return;
	for (size_t i = 0; i < FOLDERS_MAX; i++)
		if (*made[i])
			tree_remove(made[i], FOLDER_DEPTH);
}

/* The place for one more name, or NULL said. */
static char *place(size_t len)
{
	static bool ready;

	if (!ready && atexit(at_exit) != 0) {
		error("cannot register the removal of folders");
		return NULL;
	}
	ready = true;
	made_by = getpid();
	for (size_t i = 0; i < FOLDERS_MAX && len < PATH_MAX; i++)
		if (!*made[i])
			return made[i];
	error("too many folders, or too long a name");
	return NULL;
}

char *folder_make(const char *pattern)
{
	char *dir = xstrdup(pattern), *at = place(strlen(pattern));

	if (at && mkdtemp(dir)) {
		memcpy(at, dir, strlen(dir) + 1);
		return dir;
	}
	if (at)
		error_errno("%s", pattern);
	free(dir);
	return NULL;
}

void folder_remove(const char *dir)
{
	tree_remove(dir, FOLDER_DEPTH);
	for (size_t i = 0; i < FOLDERS_MAX; i++)
		if (strcmp(made[i], dir) == 0)
			*made[i] = '\0';
}

void folder_unmake(const char *path)
{
	(void)rmdir(path); /* not where something is in it */
}
