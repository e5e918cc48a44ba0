/* Layer 0 and the hash: messages, buffers, paths, drafts. */
#include "unit.h"
#include "buf.h"
#include "in.h"
#include "mem.h"
#include "out.h"
#include "path.h"
#include "say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* fn in a child: its stderr to `said`, its wait status returned. */
static int in_child(void (*fn)(const char *), const char *arg, struct buf *said)
{
	int p[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(p[1], STDERR_FILENO);
		close(p[0]);
		close(p[1]);
		fn(arg);
		_exit(0);
	}
	close(p[1]);
	do {
		buf_room(said, 4096);
		n = read(p[0], said->data + said->len, 4096);
		said->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	close(p[0]);
	said->data[said->len] = '\0';
	waitpid(pid, &status, 0);
	return status;
}

static void say_things(const char *arg)
{
	say_init("/usr/bin/tp-test");
	warn("%s", arg);
	info("not unless -v");
	say_verbosity = -1;
	note("not with -q");
	errno = 2;
	die_errno("a\tb");
}

static void messages(void **state)
{
	struct buf said = BUF_INIT;
	int status = in_child(say_things, "\033[2J\x7f \xc3\xa9 \xc2\x9b \xff "
		"\xed\xa0\x80 \xe2\x82\xac \xf0\x9f\x98\x80", &said);

	(void)state;
	assert_string_equal(said.data, "tp-test: \\x1b[2J\\x7f \xc3\xa9 "
		"\\xc2\\x9b \\xff \\xed\\xa0\\x80 \xe2\x82\xac \xf0\x9f\x98\x80\n"
		"tp-test: a\\x09b: No such file or directory\n");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == ST_FAIL);
	buf_release(&said);
}

static void say_long(const char *arg)
{
	say_init(NULL);
	warn("%s%s%s", arg, arg, arg);
}

static void long_message_is_one_line(void **state)
{
	struct buf said = BUF_INIT;
	char *text = xmalloc(3000);

	(void)state;
	memset(text, '\1', 2999);
	text[2999] = '\0';
	assert_int_equal(in_child(say_long, text, &said), 0);
	assert_true(said.len > 3000 && said.len < 4200);
	assert_ptr_equal(strchr(said.data, '\n'), said.data + said.len - 1);
	free(text);
	buf_release(&said);
}

static void start_closed(const char *arg)
{
	int fd;

	close(STDIN_FILENO);
	if (*arg)
		close(STDOUT_FILENO);
	else
		close(STDERR_FILENO);
	signal(SIGPIPE, SIG_IGN);
	say_init("x");
	fd = open("/dev/null", O_RDONLY);
	_exit(fd > 2 && fcntl(2, F_GETFD) >= 0 && fcntl(0, F_GETFD) >= 0 &&
		signal(SIGPIPE, SIG_IGN) == SIG_DFL ? 7 : 8);
}

static void closed_fds_at_start(void **state)
{
	struct buf said = BUF_INIT;

	(void)state;
	assert_int_equal(WEXITSTATUS(in_child(start_closed, "", &said)), 7);
	assert_int_equal(said.len, 0);
	assert_int_equal(WEXITSTATUS(in_child(start_closed, "1", &said)), 2);
	assert_string_equal(said.data, "x: standard output is closed\n");
	buf_release(&said);
}

static void too_much(const char *arg)
{
	(void)arg;
	say_init("x");
	free(xreallocarray(NULL, SIZE_MAX / 2, 3));
}

static void overflow_dies(void **state)
{
	struct buf said = BUF_INIT;

	(void)state;
	assert_int_equal(WEXITSTATUS(in_child(too_much, "", &said)), ST_FAIL);
	assert_non_null(strstr(said.data, "out of memory"));
	buf_release(&said);
}

static void buffers(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	assert_string_equal(buf_text(&b).s, "");
	buf_add(&b, "", 0);
	assert_string_equal(b.data, "");
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_string_equal(b.data + b.len - 8, "998,999,");
	buf_reset(&b);
	assert_string_equal(b.data, "");
	buf_addf(&b, "%01000d", 7);
	assert_int_equal(b.len, 1000);
	buf_addc(&b, 'x');
	buf_adds(&b, "yz");
	assert_string_equal(b.data + 999, "7xyz");
	buf_release(&b);
	assert_null(b.data);
}

static uint64_t hash_of(const char *s, size_t step)
{
	size_t n = strlen(s);
	struct hash h;

	hash_init(&h);
	for (size_t at = 0; at < n; at += step)
		hash_add(&h, s + at, MIN(step, n - at));
	return hash_value(&h);
}

/* The published vectors of XXH64, seed 0, in every chop. */
static void hashes(void **state)
{
	static const struct { const char *s; uint64_t want; } v[] = {
		{ "", UINT64_C(0xef46db3751d8e999) },
		{ "a", UINT64_C(0xd24ec4f1a98c6e5b) },
		{ "abc", UINT64_C(0x44bc2cf5ad770999) },
		{ "Nobody inspects the spammish repetition",
			UINT64_C(0xfbcea83c8a378bf1) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		for (size_t step = 1; step < 41; step++)
			assert_true(hash_of(v[i].s, step) == v[i].want);
}

/* --- drafts --- */

static char dir[] = "/tmp/tp-unit.XXXXXX", target[64];

static int dir_make(void **state)
{
	(void)state;
	memcpy(dir, "/tmp/tp-unit.XXXXXX", sizeof dir);
	if (!mkdtemp(dir))
		return -1;
	snprintf(target, sizeof target, "%s/out file?a=b", dir);
	return 0;
}

static int dir_remove(void **state)
{
	(void)state;
	unlink(target);
	return rmdir(dir); /* fails when a temporary file was left */
}

static int dir_count(void)
{
	DIR *d = opendir(dir);
	int n = -2; /* . and .. */

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void draft_whole_or_not(void **state)
{
	struct draft d;
	struct stat st;
	struct out *o;
	mode_t mask = umask(027);

	(void)state;
	assert_int_equal(draft_open(&d, target), 0);
	assert_int_equal(write(d.fd, "one", 3), 3);
	assert_int_equal(stat(target, &st), -1);
	draft_abort(&d);
	draft_abort(&d);
	assert_int_equal(dir_count(), 0);
	assert_int_equal(draft_open(&d, target), 0);
	o = out_open(d.fd, OUT_PLAIN); /* closes the fd */
	assert_int_equal(out_write(o, "two\n", 4), 0);
	assert_int_equal(out_close(o), 0);
	assert_int_equal(draft_commit(&d), 0);
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(dir_count(), 1);
	umask(mask);
}

/* The number of a closed fd is soon another file's: that must stay open. */
static void draft_spares_a_reused_fd(void **state)
{
	struct draft d;
	int other;

	(void)state;
	assert_int_equal(draft_open(&d, target), 0);
	close(d.fd);
	other = open(dir, O_RDONLY); /* on the same device */
	assert_int_equal(other, d.fd);
	assert_int_equal(draft_commit(&d), 0);
	assert_true(fcntl(other, F_GETFD) >= 0);
	close(other);
}

static void draft_special(void **state)
{
	struct draft d;

	(void)state;
	assert_int_equal(draft_open(&d, "/dev/null"), 0);
	assert_null(d.temp);
	close(d.fd);
	assert_int_equal(draft_commit(&d), 0);
	assert_int_equal(draft_open(&d, "/dev/stdout"), 0);
	assert_null(d.temp);
	close(d.fd);
	draft_abort(&d);
	assert_int_equal(draft_open(&d, dir), -1);
	assert_int_equal(draft_open(&d, ""), -1);
	assert_int_equal(draft_open(&d, "/nonexistent/dir/x"), -1);
}

static void draft_then(const char *how)
{
	struct draft d;

	if (draft_open(&d, target) < 0)
		_exit(9);
	if (*how == 'e')
		die("enough");
	if (*how == 'f') { /* a child's exit leaves the parent's file alone */
		pid_t pid = fork();

		if (pid == 0)
			exit(0);
		waitpid(pid, NULL, 0);
		_exit(access(d.temp, F_OK) == 0 ? 7 : 8);
	}
	raise(*how == 't' ? SIGTERM : SIGINT);
}

static void draft_goes_with_the_program(void **state)
{
	struct buf said = BUF_INIT;
	int status;

	(void)state;
	assert_int_equal(WEXITSTATUS(in_child(draft_then, "exit", &said)), 2);
	assert_int_equal(dir_count(), 0);
	status = in_child(draft_then, "term", &said);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	status = in_child(draft_then, "int", &said);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	assert_int_equal(dir_count(), 0);
	buf_release(&said);
}

static void draft_outlives_a_fork(void **state)
{
	struct buf said = BUF_INIT;
	char cmd[128];

	(void)state;
	assert_int_equal(WEXITSTATUS(in_child(draft_then, "fork", &said)), 7);
	/* that child was ended by _exit, which cleans nothing */
	snprintf(cmd, sizeof cmd, "rm -f %s/.out*", dir);
	assert_int_equal(system(cmd), 0);
	buf_release(&said);
}

static void doom_table_is_bounded(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i < 32; i++) {
		snprintf(name, sizeof name, "/nonexistent/%d", i);
		assert_int_equal(path_doom(name), 0);
	}
	assert_int_equal(path_doom("/nonexistent/more"), -1);
	path_spare("/nonexistent/7");
	assert_int_equal(path_doom("/nonexistent/more"), 0);
	path_spare("/nonexistent/more");
	for (int i = 0; i < 32; i++) {
		snprintf(name, sizeof name, "/nonexistent/%d", i);
		path_spare(name);
	}
}

static void share_is_found(void **state)
{
	char *p = path_share("store.sql");

	(void)state;
	assert_non_null(p);
	assert_int_equal(access(p, R_OK), 0);
	assert_null(strstr(p, ".."));
	free(p);
	assert_null(path_share("no such file"));
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, dir_make, dir_remove)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		cmocka_unit_test(long_message_is_one_line),
		cmocka_unit_test(closed_fds_at_start),
		cmocka_unit_test(overflow_dies),
		cmocka_unit_test(buffers),
		cmocka_unit_test(hashes),
		IN_DIR(draft_whole_or_not),
		IN_DIR(draft_spares_a_reused_fd),
		IN_DIR(draft_special),
		IN_DIR(draft_goes_with_the_program),
		IN_DIR(draft_outlives_a_fork),
		cmocka_unit_test(doom_table_is_bounded),
		cmocka_unit_test(share_is_found),
	};

	/* what a shell starts in the background ignores it */
	signal(SIGINT, SIG_DFL);
	say_init(argc ? argv[0] : NULL);
	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
