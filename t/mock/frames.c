/* frames.c - lib/capture/py*.c as a library that a Python can load and try: the
 * ring is replaced by a memory of all that was sent.
 *
 * frames_take(out, size) is what a CUDA call does: called through ctypes.CDLL,
 * with the GIL released, it takes the stack of the calling thread, and then
 * writes it as text, a line a frame, innermost first: file, line, name, first
 * line, between tabs. */
#include "base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "capture/capture.h"
#include "capture/emit.h"
#include "capture/pycode.h"
#include "capture/pyframes.h"

#define SENT_MAX (64u << 20)
#define IDS_MAX (1u << 17)

static char sent[SENT_MAX];
static size_t nsent;
static void *by_id[CAP_TYPES][IDS_MAX];
static uint32_t ntext;
static _Atomic int refuse;  /* as many records find no room */
static uint64_t nrecord;
static char last_note[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool emit_on(void)
{
	return true;
}

void *emit_begin(enum cap_type type, size_t size, uint32_t tid)
{
	struct capwire_head *h;

	if (atomic_load(&refuse) > 0 && atomic_fetch_sub(&refuse, 1) > 0)
		return NULL;
	if (size + sizeof *h > CAPWIRE_MAX)
		return NULL;
	size = (size + sizeof *h + 7) & ~(size_t)7;
	pthread_mutex_lock(&lock);
	h = nsent + size > SENT_MAX ? NULL : (void *)(sent + nsent);
	if (h) {
		nsent += size;
		nrecord++;
		*h = (struct capwire_head){ (uint16_t)size, (uint8_t)type, 0, tid };
	}
	pthread_mutex_unlock(&lock);
	return h ? h + 1 : NULL;
}

void emit_end(void *record)
{
	struct capwire_head *h = (struct capwire_head *)record - 1;
	uint32_t id = *(uint32_t *)record;

	if (id < IDS_MAX)
		by_id[h->type][id] = record;
}

uint32_t emit_text(const char *s, size_t n)
{
	struct cap_text *t;
	uint32_t i, id = 0;

	if (n == 0)
		return 0;
	n = MIN(n, (size_t)CAPWIRE_TEXT_MAX);
	pthread_mutex_lock(&lock);
	for (i = 1; i <= ntext && !id; i++) {
		t = by_id[CAP_TEXT][i];
		if (t && t->n == n && memcmp(t + 1, s, n) == 0)
			id = i;
	}
	if (!id && ntext + 1 < IDS_MAX)
		i = ++ntext;
	pthread_mutex_unlock(&lock);
	if (id)
		return id;
	t = emit_begin(CAP_TEXT, sizeof *t + n, 0);
	if (!t)
		return 0;
	*t = (struct cap_text){ i, (uint32_t)n };
	memcpy(t + 1, s, n);
	emit_end(t);
	return i;
}

void emit_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(last_note, sizeof last_note, fmt, ap);
	va_end(ap);
}

static struct text text_of(uint32_t id)
{
	const struct cap_text *t = id < IDS_MAX ? by_id[CAP_TEXT][id] : NULL;

	return t ? (struct text){ (const char *)(t + 1), t->n } : TEXT("");
}

static int64_t write_stack(uint32_t id, char *out, size_t size)
{
	const struct cap_stack *s = id < IDS_MAX ? by_id[CAP_STACK][id] : NULL;
	const struct cap_frame *f = s ? (const void *)(s + 1) : NULL;
	const struct cap_code *c;
	struct text file, name;
	size_t n = 0;
	uint32_t i;

	for (i = 0; s && i < s->n && n < size; i++) {
		c = f[i].code < IDS_MAX ? by_id[CAP_CODE][f[i].code] : NULL;
		if (!c)
			return -1;
		file = text_of(c->file);
		name = text_of(c->name);
		n += (size_t)snprintf(out + n, size - n, "%.*s\t%d\t%.*s\t%d\n",
			(int)file.n, file.s, f[i].line, (int)name.n, name.s, c->first_line);
	}
	return n < size ? (int64_t)n : -1;
}

/* The length of the text; 0 no stack, -1 one that was not sent whole. */
CAPTURE_API int64_t frames_take(char *out, size_t size);
int64_t frames_take(char *out, size_t size)
{
	return write_stack(pyframes_stack(true), out, size);
}

/* As at a call that is no launch: the stack's id. */
CAPTURE_API uint32_t frames_no_launch(void);
uint32_t frames_no_launch(void)
{
	return pyframes_stack(false);
}

/* As a callback into Python from C: what lies below is seen through it. */
CAPTURE_API int frames_through(int (*fn)(int), int n);
int frames_through(int (*fn)(int), int n)
{
	return fn(n);
}

CAPTURE_API void frames_refuse(int n);
void frames_refuse(int n)
{
	atomic_store(&refuse, n);
}

CAPTURE_API uint64_t frames_sent(void);
uint64_t frames_sent(void)
{
	return nrecord;
}

CAPTURE_API const char *frames_note(void);
const char *frames_note(void)
{
	return last_note;
}

/* Nanoseconds of this thread's processor for n stacks. */
CAPTURE_API int64_t frames_time(int n);
int64_t frames_time(int n)
{
	struct timespec a, b;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	while (n-- > 0)
		pyframes_stack(true);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	return (b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec - a.tv_nsec;
}

/* The line of a code object's instruction, by its table. */
CAPTURE_API int frames_line(int hexversion, const char *code, int at);
int frames_line(int hexversion, const char *code, int at)
{
	return pycode_line(pylayout_of(hexversion), code, at);
}
