#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opt.h"
#include "say.h"

static bool flag, all;
static int count;
static const char *name;
static int64_t top;

static int take_range(void *to, const char *value)
{
	*(int *)to = (int)strlen(value);
	return strcmp(value, "bad") == 0 ? error("range 'bad': no") : 0;
}

static int range;
static const struct opt table[] = {
	{ 'a', "all", NULL, "all of them", OPT_FLAG, &all, NULL },
	{ 'f', "flag", NULL, "a flag", OPT_FLAG, &flag, NULL },
	{ 'v', "verbose", NULL, "say more, twice: more yet", OPT_COUNT, &count, NULL },
	{ 'o', "output", "FILE", "write there", OPT_STR, &name, NULL },
	{ 0, "top", "N", "the first N only", OPT_INT, &top, NULL },
	{ 0, "range", "A:B", "a range", OPT_FN, &range, take_range },
	OPT_END
};
static const struct opt_page page = { "tp-unit [options] STORE",
	"try the options", "tp-unit -a x.db", table, false };
static const struct opt_page own = { "tp-unit [options] -- COMMAND",
	"try the options", NULL, table, true };

static int reset(void **state)
{
	(void)state;
	flag = all = false;
	count = 0;
	name = NULL;
	top = -1;
	range = 0;
	return 0;
}

static int parse(const struct opt_page *p, const char *words)
{
	static char copy[256];
	char *argv[20] = { copy };
	int argc = 1;
	char *s;

	snprintf(copy, sizeof(copy), "tp-unit %s", words);
	for (s = copy; (s = strchr(s, ' ')); argv[argc++] = s)
		*s++ = '\0';
	return opt_parse(p, *words ? argc : 1, argv);
}

static void test_taken(void **state)
{
	(void)state;
	assert_int_equal(parse(&own, "-avv --output=x --top 12 --range 3:4 s -f"), 7);
	assert_true(all);
	assert_int_equal(count, 2);
	assert_string_equal(name, "x");
	assert_int_equal(top, 12);
	assert_int_equal(range, 3);
	assert_false(flag); /* it is the command's own */
	assert_int_equal(parse(&page, "s --top 13 -f t --output=y"), 5);
	assert_true(flag);
	assert_int_equal(top, 13);
	assert_string_equal(name, "y");
	flag = false;
	assert_int_equal(parse(&page, "s -- -f"), 2);
	assert_false(flag);
	assert_int_equal(parse(&page, "-o --all -- -f"), 4);
	assert_string_equal(name, "--all");
	assert_false(flag);
	assert_int_equal(parse(&page, "-ofile -"), 2);
	assert_string_equal(name, "file");
	assert_int_equal(parse(&page, ""), 1);
}

/* In a child, since a usage error and -h exit: status, and what stood on fd. */
static int outcome(const struct opt_page *p, const char *words, int fd, char *got,
	size_t size)
{
	int pair[2], status;
	size_t n = 0;
	ssize_t r;
	pid_t pid;

	assert_int_equal(pipe(pair), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(pair[1], fd);
		parse(p, words);
		_exit(99);
	}
	close(pair[1]);
	while ((r = read(pair[0], got + n, size - 1 - n)) > 0)
		n += (size_t)r;
	got[n] = '\0';
	close(pair[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void test_errors(void **state)
{
	static const struct { const char *words, *want; } v[] = {
		{ "-x", "unknown option -x" },
		{ "--verb", "unknown option --verb" },      /* no abbreviation */
		{ "--out=x", "unknown option --out" },
		{ "-a --al", "unknown option --al" },
		{ "--output", "--output needs FILE" },
		{ "-o", "--output needs FILE" },
		{ "--all=1", "--all takes no argument" },
		{ "--top=-1", "--top '-1': not a number from 0" },
		{ "--top 1x", "--top '1x': not a number from 0" },
		{ "--range bad", "range 'bad': no" },
	};
	char got[1024], want[1024];
	size_t i;

	(void)state;
	say_init("tp-unit");
	for (i = 0; i < ARRAY_LEN(v); i++) {
		snprintf(want, sizeof(want), "tp-unit: %s\n"
			"tp-unit: usage: tp-unit [options] STORE\n", v[i].want);
		assert_int_equal(outcome(&page, v[i].words, 2, got, sizeof(got)), ST_FAIL);
		assert_string_equal(got, want);
		say_fail_status = ST_OWN;
		assert_int_equal(outcome(&page, v[i].words, 2, got, sizeof(got)), ST_OWN);
		say_fail_status = ST_FAIL;
	}
}

static void test_help(void **state)
{
	static const char want[] =
		"usage: tp-unit [options] STORE\n"
		"try the options\n"
		"\n"
		"  -a, --all          all of them\n"
		"  -f, --flag         a flag\n"
		"  -v, --verbose      say more, twice: more yet\n"
		"  -o, --output FILE  write there\n"
		"      --top N        the first N only\n"
		"      --range A:B    a range\n"
		"  -h, --help         show this and exit\n"
		"  -V, --version      show versions and exit\n"
		"\n"
		"example: tp-unit -a x.db\n"
		"See tp-unit(1).\n";
	char got[4096];
	int major;

	(void)state;
	say_init("tp-unit");
	assert_int_equal(outcome(&page, "-h", 1, got, sizeof(got)), 0);
	assert_string_equal(got, want);
	assert_int_equal(outcome(&page, "-a --help", 1, got, sizeof(got)), 0);
	assert_string_equal(got, want);
	assert_int_equal(outcome(&page, "-V", 1, got, sizeof(got)), 0);
	assert_memory_equal(got, "tp-unit " TP_VERSION " (stream 1, store 1) sqlite 3.",
		strlen("tp-unit " TP_VERSION " (stream 1, store 1) sqlite 3."));
	assert_int_equal(sscanf(strstr(got, " yajl "), " yajl %d.", &major), 1);
	assert_int_equal(major, 2);
}

static void test_full_disk(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (!freopen("/dev/full", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(98);
		parse(&page, "-h");
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), ST_FAIL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_taken, reset),
		cmocka_unit_test_setup(test_errors, reset),
		cmocka_unit_test_setup(test_help, reset),
		cmocka_unit_test_setup(test_full_disk, reset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
