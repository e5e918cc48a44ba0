/* Any words as the options of a program, and as the values that they take.  Words
 * end in NUL; exit() is ours, so that a usage error comes back here. */
#include "base.h"
#include "mem.h"
#include "num.h"
#include "opt.h"
#include "say.h"
#include "window.h"
#include "windowin.h"

#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <unistd.h>

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static jmp_buf back;
static bool inside;

void exit(int status)
{
	if (inside)
		longjmp(back, 1 + status);
	_exit(status);
}

static struct {
	bool flag;
	int count;
	const char *str;
	int64_t num, first, last;
	struct windowin window;
	struct every every[4];
	size_t nevery;
} got;

static int take_window(void *to, const char *value)
{
	windowin_release(to);
	return windowin_parse(to, value);
}

static int take_range(void *to, const char *value)
{
	(void)to;
	return num_range((struct text){ value, strlen(value) }, &got.first, &got.last);
}

static int take_every(void *to, const char *value)
{
	return every_parse(value, to, ARRAY_LEN(got.every), &got.nevery);
}

static const struct opt options[] = {
	{ 'f', "flag", NULL, "f", OPT_FLAG, &got.flag, NULL },
	{ 'v', "verbose", NULL, "v", OPT_COUNT, &got.count, NULL },
	{ 'o', "output", "FILE", "o", OPT_STR, &got.str, NULL },
	{ 0, "top", "N", "n", OPT_INT, &got.num, NULL },
	{ 0, "window", "A:B", "w", OPT_FN, &got.window, take_window },
	{ 0, "step", "A:B", "s", OPT_FN, NULL, take_range },
	{ 'e', "every", "LIST", "e", OPT_FN, got.every, take_every },
	OPT_END
};
static const struct opt_page page = { "tp-x [options] [FILE...]", "x", "x", options, false };

/* argv of its own: getopt moves its words, and keeps what they point to. */
static int words_of(char *text, size_t n, char **argv)
{
	int argc = 1;

	for (size_t at = 0; at < n && argc < WORDS_MAX; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	argv[argc] = NULL;
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static char name[] = "tp-x", *argv[WORDS_MAX + 1] = { name };
	char *text = (char *)xmemdup0(p, n);
	int argc = words_of(text, n, argv), status;
	volatile int first = -1;

	/* -h closes what it wrote to */
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0 && open("/dev/null", O_WRONLY) != STDOUT_FILENO)
		__builtin_trap();
	memset(&got, 0, sizeof got);
	/* half of a word that the run before left */
	optind = 0;
	(void)getopt_long(1, argv, "", (struct option[]){ { 0 } }, NULL);
	say_fail_status = 77;
	inside = true;
	status = setjmp(back);
	if (status == 0)
		first = opt_parse(&page, argc, argv);
	inside = false;
	/* -h and -V end with 0, all else with the page's status */
	if (status != 0 && status != 1 && status != 78)
		__builtin_trap();
	if (status == 0 && (first < 1 || first > argc || got.num < 0 || got.first < 0 ||
	    got.first > got.last || got.window.first_step < 0 || got.nevery > 4))
		__builtin_trap();
	windowin_release(&got.window);
	free(text);
	return 0;
}
