/* From bytes to report: any bytes through tp-ingest, the five views and tp-rank, as
 * a person would run them.  Each ends with a status of its page; what tp-ingest
 * takes the others take too; and no text for a person carries a byte that a
 * terminal would obey.  Byte 0 says what is asked for as text.
 *
 * The programs are those of bin/, main() renamed (Makefile), one after the other
 * in one child an input; what it covered goes to the fuzzer through shared memory. */
#include "base.h"
#include "buf.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerInitialize(int *argc, char ***argv);

typedef int program(int argc, char **argv);
program tp_ingest_main, tp_view1_main, tp_view2_main, tp_view3_main, tp_view4_main,
	tp_view5_main, tp_rank_main, tp_trace_main;

static uint8_t *counter;           /* of what was covered; NULL where no fuzzer is */
static uint8_t *shared;
static size_t ncounter;
static char home[64];
static int away;                   /* where the fuzzer stands */
static int words_fd;               /* its stderr */
static const char *now;            /* the program that runs */

/* By the linker's names for the section, which C must not see: a reference of its
 * own takes the instrumentation's away. */
static void counters_find(void)
{
#if defined(TP_FUZZ) && defined(__x86_64__)
	uint8_t *end;

	__asm__("lea __start___sancov_cntrs(%%rip), %0" : "=r"(counter));
	__asm__("lea __stop___sancov_cntrs(%%rip), %0" : "=r"(end));
	ncounter = (size_t)(end - counter);
#endif
}

static void home_remove(void)
{
	static const char *const left[] = { "in", "s.db", "rows", "text", "said" };

	if (chdir(home) == 0)
		for (size_t i = 0; i < ARRAY_LEN(left); i++)
			unlink(left[i]);
	(void)!chdir("/");
	rmdir(home);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	(void)argc;
	(void)argv;
	snprintf(home, sizeof home, "%s/tp-fuzz.XXXXXX", dir);
	away = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (away < 0 || !mkdtemp(home))
		abort();
	atexit(home_remove);
	setenv("TMPDIR", home, 1);
	counters_find();
	shared = mmap(NULL, ncounter + 1, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? 1 : 0;
}

static void open_as(int fd, const char *path, int flags)
{
	int got = open(path, flags, 0600);

	if (got < 0 || dup2(got, fd) < 0)
		abort();
	if (got != fd)
		close(got);
}

static void bytes_of(const char *path, struct buf *b)
{
	char part[4096];
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	buf_reset(b);
	while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0)
		buf_add(b, part, (size_t)n);
	if (fd < 0 || n < 0)
		abort();
	close(fd);
}

/* To the fuzzer's own stderr, then the end. */
static void NORETURN bad(const char *why, int status)
{
	struct buf b = BUF_INIT;

	bytes_of("said", &b);
	dprintf(words_fd, "report: %s: %s (%d)\n%.*s", now, why, status, (int)b.len, b.data);
	_exit(70);
}

/* Plain text: nothing but newlines and tabs that a terminal would obey. */
static void check_text(const char *path)
{
	struct buf b = BUF_INIT;
	uint32_t rune;

	bytes_of(path, &b);
	for (size_t at = 0; at < b.len;) {
		at += utf8_next(buf_text(&b), at, &rune);
		if (rune == RUNE_BAD || (rune != '\n' && rune != '\t' && rune_is_control(rune)))
			bad(path, (int)rune);
	}
	buf_release(&b);
}

/* 2: what is wrong was said. */
static void check_status(int status)
{
	struct stat st;

	if (status != 0 && status != 2 && status != 3)
		bad("no status of its page", status);
	if (status == 2 && (stat("said", &st) < 0 || st.st_size == 0))
		bad("fails without a word", status);
	if (status == 2 && strcmp(now, "tp-ingest") != 0)
		bad("cannot take what tp-ingest made", status);
	check_text("said");
}

/* A program ended by itself, or by exit(). */
static void child_ends(int status, void *arg)
{
	(void)arg;
	check_status(status);
	for (size_t i = 0; i < ncounter; i++)
		shared[i] |= counter[i];
	_exit(0);
}

static int run(program *fn, const char *in, const char *out, const char *const *words)
{
	char *argv[8];
	int argc = 0, status;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	now = words[0];
	open_as(0, in, O_RDONLY);
	open_as(1, out, O_WRONLY | O_CREAT | O_APPEND);
	open_as(2, "said", O_WRONLY | O_CREAT | O_TRUNC);
	status = fn(argc, argv);
	check_status(status);
	return status;
}
#define RUN(fn, in, out, ...) run(fn, in, out, (const char *const[]){ __VA_ARGS__, NULL })

static program *const view[] = { tp_view1_main, tp_view2_main, tp_view3_main,
	tp_view4_main, tp_view5_main };
static const char *const view_name[] = { "tp-view1", "tp-view2", "tp-view3",
	"tp-view4", "tp-view5" };

/* A store that was made can be read by all; rows that were written, ranked. */
static void all(unsigned what)
{
	unsigned text = what % 8;

	if (RUN(tp_ingest_main, "/dev/null", "text", "tp-ingest", "-o", "s.db", "in") == 2)
		return;
	for (size_t i = 0; i < ARRAY_LEN(view); i++)
		RUN(view[i], "/dev/null", text == i ? "text" : "rows", view_name[i],
			text == i ? "-t" : "-j", "--all", "s.db");
	if (text == 5)
		RUN(tp_trace_main, "/dev/null", "text", "tp-trace", "s.db");
	/* a view that wrote text is looked at no more: 3 */
	if (text >= 5)
		RUN(tp_rank_main, "rows", "text", "tp-rank", what & 8 ? "-t" : "-j");
	check_text("text");
}

static void child(unsigned what)
{
	/* the fuzzer's watch is not the child's */
	signal(SIGALRM, SIG_DFL);
	alarm(60);
	words_fd = fcntl(2, F_DUPFD_CLOEXEC, 10);
	on_exit(child_ends, NULL);
	all(what);
	child_ends(0, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const char *const made[] = { "s.db", "rows", "text" };
	int fd, status, wstatus = 0;
	pid_t pid;

	if (n == 0)
		return 0;
	if (chdir(home) < 0)
		abort();
	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		unlink(made[i]);
	fd = open("in", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, p + 1, n - 1) != (ssize_t)(n - 1) || close(fd) < 0)
		abort();
	memset(shared, 0, ncounter);
	pid = fork();
	if (pid == 0)
		child(p[0]);
	do /* the fuzzer's own alarm may end a wait */
		status = pid < 0 ? -1 : waitpid(pid, &wstatus, 0);
	while (status < 0 && errno == EINTR);
	if (status < 0 || fchdir(away) < 0)
		abort();
	if (wstatus != 0) {
		dprintf(2, "report: wait status 0x%x\n", (unsigned)wstatus);
		abort();
	}
	for (size_t i = 0; i < ncounter; i++)
		counter[i] |= shared[i];
	return 0;
}
