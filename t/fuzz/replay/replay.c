/* replay FILE|DIR... - a fuzz target over inputs at hand, without a fuzzer: so gcc
 * and every `make check` see again what a fuzzer once found.  Prints a line an
 * input before it is tried; the last one is the one that ended it. */
#include "base.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static uint8_t *read_all(int fd, size_t n)
{
	uint8_t *p = malloc(n + 1);
	size_t at = 0;
	ssize_t got;

	while (p && at < n && (got = read(fd, p + at, n - at)) > 0)
		at += (size_t)got;
	if (p && at == n)
		return p;
	free(p);
	return NULL;
}

static int replay_file(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *p, *exact;

	if (fd < 0 || fstat(fd, &st) < 0 || !(p = read_all(fd, (size_t)st.st_size))) {
		perror(path);
		return 1;
	}
	close(fd);
	printf("%s\n", path);
	fflush(stdout);
	/* no byte to spare behind it, for the sanitizers */
	exact = realloc(p, st.st_size ? (size_t)st.st_size : 1);
	LLVMFuzzerTestOneInput(exact ? exact : p, (size_t)st.st_size);
	free(exact ? exact : p);
	return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int replay_dir(const char *path)
{
	struct dirent **entry;
	int n = scandir(path, &entry, NULL, by_name), bad = 0;
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (n < 0 || dir < 0) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.')
			bad |= replay_file(dir, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	close(dir);
	return bad;
}

int main(int argc, char **argv)
{
	struct stat st;
	int bad = 0;
	char *path[64];

	/* the target may change directory */
	for (int i = 1; i < argc && i < 64; i++)
		path[i] = realpath(argv[i], NULL);
	if (LLVMFuzzerInitialize && LLVMFuzzerInitialize(&argc, &argv) != 0)
		return 1;
	for (int i = 1; i < argc && i < 64; i++) {
		if (!path[i] || stat(path[i], &st) < 0)
			bad = 1;
		else if (S_ISDIR(st.st_mode))
			bad |= replay_dir(path[i]);
		else
			bad |= replay_file(AT_FDCWD, path[i]);
		free(path[i]);
	}
	return bad;
}
