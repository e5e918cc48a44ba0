/* kineto_corpus.c - what the fuzzer of kineto.c keeps, once more on each check. */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>

#include "../fuzz/kineto.c"

static void replay(void **state)
{
	const char *top = getenv("TOP");
	struct buf path = BUF_INIT;
	struct dirent *e;
	DIR *dir;
	int files = 0;

	(void)state;
	if (top && chdir(top) < 0)
		fail_msg("cannot go to %s", top);
	dir = opendir("t/fuzz/corpus/kineto");
	if (!dir)
		skip();
	while ((e = readdir(dir))) {
		static uint8_t data[1 << 16];
		FILE *f;
		size_t n;

		if (e->d_name[0] == '.')
			continue;
		buf_reset(&path);
		buf_addf(&path, "t/fuzz/corpus/kineto/%s", e->d_name);
		f = fopen(path.data, "r");
		assert_non_null(f);
		n = fread(data, 1, sizeof data, f);
		fclose(f);
		assert_int_equal(LLVMFuzzerTestOneInput(data, n), 0);
		files++;
	}
	closedir(dir);
	buf_release(&path);
	assert_true(files > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(replay) };

	say_init("unit");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
