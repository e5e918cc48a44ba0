/* wireplay - plays the capture library: one description of what a process did,
 * sent as the library would send it, or written as torch.profiler would.
 *
 *	wireplay send FILE [cut BYTES]     to the socket in $TP_CAPTURE
 *	wireplay send FILE [by BYTES]      the same, in so small pieces
 *	wireplay raw FILE                  the file's bytes to the socket
 *	wireplay wire FILE                 the bytes to stdout
 *	wireplay json FILE                 a Chrome trace to stdout
 *	wireplay steps N                   N steps of 100 calls and ops, sent
 *
 * A description has a line for each thing; times are ns from the hello.
 *	hello PID UNIX_NS [python]
 *	code ID FIRST_LINE FILE NAME
 *	stack ID CODE:LINE ...     (the innermost frame first)
 *	device ID SMS BYTES NAME
 *	call TID runtime|driver START END CORR STACK NAME
 *	kernel START END CORR DEVICE STREAM BLOCKS NAME [| DEMANGLED]
 *	memcpy START END CORR DEVICE STREAM BYTES KIND FROM TO | WORDS
 *	memset START END CORR DEVICE STREAM BYTES MEMORY | WORDS
 *	sync START END CORR DEVICE STREAM TYPE | WORDS
 *	range TID KIND START END SEQ NAME [| WORDS]
 *	line TID START END LINE FILE NAME | WORDS
 *	step TID NUMBER START END  overhead START END NAME
 *	mem TID AT DELTA ADDR DEVICE KIND TOTAL    dropped QUEUE CUPTI
 *	note WORDS                 bye [MORE], or early: it sent MORE than it did
 *	unknown TID START END      a call whose name nobody told
 *	python TID START END NAME  json START END CAT PID TID NAME   (the trace alone)
 *	mark FILE  wait FILE       die                               (sending alone):
 *		make a file; wait until there is one, 20 s at most; SIGKILL */
#include "base.h"
#include "capwire.h"
#include "jw.h"

#include <err.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MONO INT64_C(5000000000000)

static enum { SEND, WIRE, JSON } mode;
static int fd = 1;
static long cut = -1;      /* bytes to send in all */
static size_t piece = 1 << 20;
static struct buf out;
static uint64_t records;
static uint32_t texts;
static int64_t unix_ns;
static uint32_t pid;
static char known[4096][256];

static void flush(void)
{
	size_t at = 0, n = cut >= 0 && (size_t)cut < out.len ? (size_t)cut : out.len;
	ssize_t k;

	while (at < n && (k = write(fd, out.data + at, MIN(n - at, piece))) > 0)
		at += (size_t)k;
	if (at < n && mode != SEND)
		err(1, "write");
	if (cut >= 0 && (size_t)cut <= out.len)
		exit(0);
	if (cut >= 0)
		cut -= (long)out.len;
	buf_reset(&out);
}

static void record(enum cap_type type, unsigned flags, uint32_t tid, const void *p,
	size_t n, const void *behind, size_t more)
{
	size_t size = (sizeof(struct capwire_head) + n + more + 7) & ~(size_t)7;
	struct capwire_head h = { (uint16_t)size, (uint8_t)type, (uint8_t)flags, tid };

	buf_add(&out, &h, sizeof h);
	buf_add(&out, p, n);
	buf_add(&out, behind, more);
	buf_add(&out, "\0\0\0\0\0\0\0", size - sizeof h - n - more);
	records++;
	if (out.len > 60000)
		flush();
}
#define RECORD(type, flags, tid, ...) do { \
	__VA_ARGS__; \
	record(type, flags, tid, &r, sizeof r, NULL, 0); \
} while (0)

static uint32_t text(const char *s)
{
	struct cap_text t = { 0, (uint32_t)strlen(s) };

	for (uint32_t i = 0; i < texts; i++)
		if (strcmp(known[i], s) == 0)
			return i + 1;
	if (texts == ARRAY_LEN(known) || t.n >= sizeof known[0])
		errx(1, "too many texts");
	memcpy(known[texts], s, t.n + 1);
	t.id = ++texts;
	record(CAP_TEXT, 0, 0, &t, sizeof t, s, t.n);
	return t.id;
}

/* --- words of a line -------------------------------------------------------- */

static char *rest;

static char *word(void)
{
	char *w;

	rest += strspn(rest, " ");
	w = rest;
	rest += strcspn(rest, " ");
	if (*rest)
		*rest++ = '\0';
	return w;
}

static int64_t number(void)
{
	return strtoll(word(), NULL, 0);
}

/* What is before and behind a bar. */
static char *name(char **shown)
{
	char *bar = strstr(rest, "| ");

	*shown = rest;
	if (bar) {
		*shown = bar + 2;
		*bar = '\0';
		if (bar > rest && bar[-1] == ' ')
			bar[-1] = '\0';
	}
	return rest;
}

/* --- a Chrome trace --------------------------------------------------------- */

static bool comma;

static void micro(const char *key, int64_t ns)
{
	const char *sign = ns < 0 ? "-" : "";

	ns = ns < 0 ? -ns : ns;
	buf_addf(&out, ",\"%s\":%s%" PRId64 ".%03d", key, sign, ns / 1000, (int)(ns % 1000));
}

static void begin(const char *cat, const char *shown, int64_t p, int64_t tid,
	int64_t start, int64_t end)
{
	buf_addf(&out, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"", comma ? ",\n" : "", cat);
	comma = true;
	jw_escape(&out, (struct text){ shown, strlen(shown) });
	buf_addf(&out, "\",\"pid\":%" PRId64 ",\"tid\":%" PRId64, p, tid);
	micro("ts", start);
	micro("dur", end - start);
	buf_adds(&out, ",\"args\":{");
}

static void json_op(const char *cat, const char *shown, const struct cap_op *r)
{
	int stream = (int)r->stream;

	begin(cat, shown, r->device, stream, r->start_ns - MONO, r->end_ns - MONO);
	buf_addf(&out, "\"device\":%u,\"stream\":%d,\"correlation\":%u", r->device, stream,
		r->corr);
	if (r->kind == CAP_KERNEL)
		buf_addf(&out, ",\"grid\":[%" PRId64 ",1,1],\"block\":[64,1,1]", r->blocks);
	else if (r->kind != CAP_SYNC)
		buf_addf(&out, ",\"bytes\":%" PRId64, r->bytes);
	buf_adds(&out, "}}");
}

/* --- lines -------------------------------------------------------------------- */

static void do_call(void)
{
	uint32_t tid = (uint32_t)number();
	struct cap_call r = { .domain = strcmp(word(), "driver") == 0 };
	char *shown, *n;

	r.start_ns = MONO + number();
	r.end_ns = MONO + number();
	r.corr = (uint32_t)number();
	r.stack = (uint32_t)number();
	n = name(&shown);
	if (mode != JSON) {
		r.name = text(n);
		record(CAP_CALL, 0, tid, &r, sizeof r, NULL, 0);
		return;
	}
	begin(r.domain ? "cuda_driver" : "cuda_runtime", shown, pid, tid, r.start_ns - MONO,
		r.end_ns - MONO);
	buf_addf(&out, "\"correlation\":%u}}", r.corr);
}

static void do_op(const char *what)
{
	static const char *const cats[] = { "kernel", "gpu_memcpy", "gpu_memset",
		"cuda_sync" };
	struct cap_op r = { .bytes = -1, .blocks = -1, .context = 1 };
	char *shown, *n;
	unsigned flags;

	r.start_ns = MONO + number();
	r.end_ns = MONO + number();
	flags = r.start_ns == MONO && r.end_ns == MONO ? CAP_OP_UNTIMED : 0;
	r.corr = (uint32_t)number();
	r.device = (uint32_t)number();
	r.stream = (uint32_t)number();
	r.kind = !strcmp(what, "kernel") ? CAP_KERNEL : !strcmp(what, "memcpy") ? CAP_MEMCPY :
		!strcmp(what, "memset") ? CAP_MEMSET : CAP_SYNC;
	if (r.kind == CAP_KERNEL)
		r.blocks = number();
	else if (r.kind != CAP_SYNC)
		r.bytes = number();
	if (r.kind == CAP_MEMCPY) {
		r.copy_kind = (uint8_t)number();
		r.src_kind = (uint8_t)number();
	}
	if (r.kind == CAP_SYNC)
		r.sync_type = (uint8_t)number();
	else if (r.kind != CAP_KERNEL)
		r.dst_kind = (uint8_t)number();
	n = name(&shown);
	if (mode == JSON) {
		json_op(cats[r.kind], shown, &r);
		return;
	}
	if (r.kind == CAP_KERNEL)
		r.name = text(n);
	record(CAP_OP, flags, 0, &r, sizeof r, NULL, 0);
}

static void do_range(bool line)
{
	uint32_t tid = (uint32_t)number();
	struct cap_range r = { .seq = -1, .kind = CAP_RANGE_FRAME };
	char *shown, *n;

	if (!line)
		r.kind = (uint32_t)number();
	r.start_ns = MONO + number();
	r.end_ns = MONO + number();
	if (line) {
		r.line = (int32_t)number();
		n = word();
		r.file = mode == JSON ? 0 : text(n);
	} else {
		r.seq = number();
	}
	n = name(&shown);
	if (mode != JSON) {
		r.name = text(n);
		record(CAP_RANGE, 0, tid, &r, sizeof r, NULL, 0);
		return;
	}
	begin(line ? "python_function" : r.kind == CAP_RANGE_OPERATOR ? "cpu_op" :
		"user_annotation", shown, pid, tid, r.start_ns - MONO, r.end_ns - MONO);
	if (r.seq >= 0)
		buf_addf(&out, "\"Sequence number\":%" PRId64, r.seq);
	buf_adds(&out, "}}");
}

static void do_step(void)
{
	uint32_t tid = (uint32_t)number();
	struct cap_step r = { .number = number() };
	char shown[40];

	r.start_ns = MONO + number();
	r.end_ns = MONO + number();
	snprintf(shown, sizeof shown, "ProfilerStep#%" PRId64, r.number);
	if (mode != JSON) {
		record(CAP_STEP, 0, tid, &r, sizeof r, NULL, 0);
		return;
	}
	begin("user_annotation", shown, pid, tid, r.start_ns - MONO, r.end_ns - MONO);
	buf_adds(&out, "}}");
}

static void do_overhead(void)
{
	struct cap_overhead r = { .start_ns = MONO + number() };

	r.end_ns = MONO + number();
	if (mode != JSON) {
		r.name = text(rest);
		record(CAP_OVERHEAD, 0, 0, &r, sizeof r, NULL, 0);
		return;
	}
	begin("overhead", rest, -1, 0, r.start_ns - MONO, r.end_ns - MONO);
	buf_adds(&out, "}}");
}

static void do_mem(void)
{
	uint32_t tid = (uint32_t)number();
	struct cap_mem r = { .at_ns = MONO + number() };
	int64_t total;

	r.delta_bytes = number();
	r.addr = (uint64_t)number();
	r.device = (uint32_t)number();
	r.kind = (uint32_t)number();
	total = number();
	if (mode != JSON) {
		record(CAP_MEM, 0, tid, &r, sizeof r, NULL, 0);
		return;
	}
	if (total < 0)
		return;
	buf_addf(&out, "%s{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":"
		"\"[memory]\",\"pid\":%u,\"tid\":%u", comma ? ",\n" : "", pid, tid);
	micro("ts", r.at_ns - MONO);
	buf_addf(&out, ",\"args\":{\"Bytes\":%" PRId64 ",\"Addr\":%" PRIu64 ",\"Device Id\":%u,"
		"\"Device Type\":1,\"Total Allocated\":%" PRId64 ",\"Total Reserved\":%" PRId64
		"}}", r.delta_bytes, r.addr, r.device, total, total);
}

static void do_hello(void)
{
	struct cap_hello r = { .version = CAPWIRE_VERSION, .mono_ns = MONO, .cupti = 26,
		.driver = 13000 };

	r.pid = pid = (uint32_t)number();
	if (!pid)
		r.pid = pid = (uint32_t)getpid();
	r.unix_ns = unix_ns = number();
	if (mode != JSON)
		record(CAP_HELLO, strcmp(word(), "python") == 0 ? CAP_HELLO_PYTHON : 0, 0, &r, sizeof r, NULL, 0);
}

static void do_code(void)
{
	struct cap_code r = { .id = (uint32_t)number() };
	char *file;

	r.first_line = (int32_t)number();
	file = word();
	if (mode == JSON)
		return;
	r.file = text(file);
	r.name = text(rest);
	record(CAP_CODE, 0, 0, &r, sizeof r, NULL, 0);
}

static void do_stack(void)
{
	struct cap_stack r = { .id = (uint32_t)number() };
	struct cap_frame f[CAPWIRE_DEPTH_MAX];
	char *w, *colon;

	while (r.n < CAPWIRE_DEPTH_MAX && *(w = word())) {
		f[r.n].code = (uint32_t)strtoul(w, &colon, 10);
		f[r.n++].line = (int32_t)strtol(colon + 1, NULL, 10);
	}
	if (mode != JSON)
		record(CAP_STACK, 0, 0, &r, sizeof r, f, r.n * sizeof f[0]);
}

/* Into the head of the trace, so it must come before any event. */
static void do_device(void)
{
	struct cap_device r = { .id = (uint32_t)number() };

	r.sms = number();
	r.capacity_bytes = number();
	if (mode == JSON) {
		buf_addf(&out, "\"deviceProperties\":[{\"id\":%u,\"name\":\"%s\",\"numSms\":%d,"
			"\"totalGlobalMem\":%" PRId64 "}],", r.id, rest, (int)r.sms,
			r.capacity_bytes);
		return;
	}
	r.name = text(rest);
	record(CAP_DEVICE, 0, 0, &r, sizeof r, NULL, 0);
}

static void do_note(void)
{
	struct cap_note r = { .n = (uint32_t)strlen(rest) };

	if (mode != JSON)
		record(CAP_NOTE, 0, 0, &r, sizeof r, rest, r.n);
}

static void do_json(const char *what)
{
	int64_t tid, start, end;

	if (mode != JSON)
		return;
	tid = number();
	start = number();
	end = number();
	begin(what, rest, pid, tid, start, end);
	buf_adds(&out, "}}");
}

static void do_dropped(void)
{
	struct cap_dropped r = { .queue = (uint64_t)number() };

	r.cupti = (uint64_t)number();
	if (mode != JSON)
		record(CAP_DROPPED, 0, 0, &r, sizeof r, NULL, 0);
}

static void do_unknown(void)
{
	uint32_t tid = (uint32_t)number();
	struct cap_call r = { .name = 1u << 20, .start_ns = MONO + number() };

	r.end_ns = MONO + number();
	record(CAP_CALL, 0, tid, &r, sizeof r, NULL, 0);
}

static void do_bye(unsigned flags, int64_t more)
{
	struct cap_bye r = { records + (uint64_t)more };

	if (mode != JSON)
		record(CAP_BYE, flags, 0, &r, sizeof r, NULL, 0);
}

static void do_mark(void)
{
	FILE *f;

	if (mode != SEND)
		return;
	flush();
	f = fopen(rest, "w");
	if (!f || fclose(f))
		err(1, "%s", rest);
}

static void do_wait(void)
{
	if (mode != SEND)
		return;
	flush();
	for (int i = 0; access(rest, F_OK) && i < 2000; i++)
		usleep(10000);
}

static void do_die(void)
{
	if (mode != SEND)
		return;
	flush();
	raise(SIGKILL);
}

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static void do_line(void)
{
	const char *what = word();
	static bool events;

	if (mode == JSON && !events && !is(what, "hello") && !is(what, "device")) {
		buf_addf(&out, "\"baseTimeNanoseconds\":%" PRId64 ",\"traceEvents\":[\n",
			unix_ns);
		events = true;
	}
	if (is(what, "hello")) do_hello();
	else if (is(what, "device")) do_device();
	else if (is(what, "code")) do_code();
	else if (is(what, "stack")) do_stack();
	else if (is(what, "call")) do_call();
	else if (is(what, "range")) do_range(false);
	else if (is(what, "line")) do_range(true);
	else if (is(what, "step")) do_step();
	else if (is(what, "overhead")) do_overhead();
	else if (is(what, "mem")) do_mem();
	else if (is(what, "dropped")) do_dropped();
	else if (is(what, "note")) do_note();
	else if (is(what, "bye")) do_bye(0, number());
	else if (is(what, "unknown")) do_unknown();
	else if (is(what, "early")) do_bye(CAP_BYE_EARLY, 0);
	else if (is(what, "python")) do_json("python_function");
	else if (is(what, "annotation")) do_json("user_annotation");
	else if (is(what, "mark")) do_mark();
	else if (is(what, "wait")) do_wait();
	else if (is(what, "die")) do_die();
	else do_op(what);
}

static void play(const char *path)
{
	FILE *f = fopen(path, "r");
	static char line[8192];

	if (!f)
		err(1, "%s", path);
	if (mode == JSON)
		buf_adds(&out, "{");
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		rest = line;
		if (*line && *line != '#')
			do_line();
	}
	if (mode == JSON)
		buf_adds(&out, "\n]}\n");
	flush();
	fclose(f);
}

/* A step has 100 launches from four lines, one of them a copy; every tenth waits. */
static void play_steps(long n)
{
	char words[128];
	int64_t t = 0;

	snprintf(words, sizeof words, "hello 0 1790857026000000000");
	rest = words;
	do_line();
	for (int i = 1; i <= 4; i++) {
		snprintf(words, sizeof words, "code %d %d /home/u/train.py part%d", i, 10 * i, i);
		rest = words;
		do_line();
		snprintf(words, sizeof words, "stack %d %d:%d 1:12", i, i, 10 * i + 3);
		rest = words;
		do_line();
	}
	for (long s = 1; s <= n; s++) {
		int64_t from = t;

		for (uint32_t i = 0; i < 100; i++, t += 10000) {
			uint32_t corr = (uint32_t)(s * 100 + i);

			RECORD(CAP_CALL, 0, 7, struct cap_call r = { MONO + t, MONO + t + 4000,
				text("cudaLaunchKernel"), corr, i / 25 + 1, 0 });
			RECORD(CAP_OP, 0, 0, struct cap_op r = { MONO + t + 6000, MONO + t + 9000,
				CAP_KERNEL, text("some_kernel"), corr, 0, 1, 7, -1, 64,
				0, 0, 0, 0, 0 });
		}
		RECORD(CAP_STEP, 0, 7, struct cap_step r = { MONO + from, MONO + t, s });
	}
	do_bye(0, 0);
	flush();
}

static void send_raw(const char *path)
{
	FILE *f = fopen(path, "r");
	char some[4096];
	size_t n;

	if (!f)
		err(1, "%s", path);
	while ((n = fread(some, 1, sizeof some, f)) > 0)
		buf_add(&out, some, n);
	fclose(f);
	flush();
}

static void dial(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const char *dir = getenv("TP_CAPTURE");

	if (!dir)
		errx(1, "no TP_CAPTURE");
	snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", dir, CAPWIRE_SOCKET);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at))
		err(1, "%s", at.sun_path);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: wireplay send|wire|json FILE, wireplay steps N");
	signal(SIGPIPE, SIG_IGN);
	if (argc == 5 && is(argv[3], "cut"))
		cut = strtol(argv[4], NULL, 10);
	else if (argc == 5)
		piece = strtoul(argv[4], NULL, 10);
	mode = is(argv[1], "json") ? JSON : is(argv[1], "wire") ? WIRE : SEND;
	if (mode == SEND)
		dial();
	if (is(argv[1], "raw"))
		send_raw(argv[2]);
	else if (is(argv[1], "steps"))
		play_steps(strtol(argv[2], NULL, 10));
	else
		play(argv[2]);
	return 0;
}
