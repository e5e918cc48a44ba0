#include "base.h"
#include "emit.h"
#include "ring.h"
#include "state.h"
#include "texts.h"

#include <stdio.h>
#include <unistd.h>

struct ring capture_ring;
static struct texts texts;

bool emit_on(void)
{
	return atomic_load_explicit(&capture_open, memory_order_relaxed);
}

bool emit_since(int64_t ns)
{
	return ns >= atomic_load_explicit(&capture_from_ns, memory_order_relaxed);
}

bool emit_warming(void)
{
	return !emit_since(CAPTURE_WARMING - 1);
}

int64_t emit_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint32_t emit_tid(void)
{
	struct capture_thread *t = &capture_self;

	if (!t->tid)
		t->tid = (uint32_t)gettid();
	return t->tid;
}

void *emit_begin_flags(enum cap_type type, uint8_t flags, size_t size, uint32_t tid)
{
	size_t whole = (sizeof(struct capwire_head) + size + 7) & ~(size_t)7;
	unsigned char *p;

	if (!capture_ring.base || whole > CAPWIRE_MAX ||
	    atomic_load_explicit(&capture_phase, memory_order_relaxed) == PHASE_OFF)
		return NULL;
	p = ring_begin(&capture_ring, (struct capwire_head){ .size = (uint16_t)whole,
		.type = (uint8_t)type, .flags = flags, .tid = tid });
	if (p)
		memset(p + size, 0, whole - sizeof(struct capwire_head) - size);
	return p;
}

void *emit_begin(enum cap_type type, size_t size, uint32_t tid)
{
	return emit_begin_flags(type, 0, size, tid);
}

void emit_end(void *record)
{
	ring_end(record);
}

/* The longest beginning of s, at most CAPWIRE_TEXT_MAX, that ends at a character. */
static size_t text_cut(const char *s, size_t n)
{
	if (n <= CAPWIRE_TEXT_MAX)
		return n;
	n = CAPWIRE_TEXT_MAX;
	while (n > CAPWIRE_TEXT_MAX - 4 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

bool emit_text_fresh(uint32_t id)
{
	return texts_fresh(&texts, id);
}

uint32_t emit_text(const char *s, size_t n)
{
	struct text_key key;
	struct cap_text *t;
	uint32_t id;

	n = text_cut(s, n);
	if (n == 0)
		return 0;
	key = text_key(s, n);
	id = texts_find(&texts, &key);
	if (id)
		return id;
	t = emit_begin(CAP_TEXT, sizeof *t + n, 0);
	if (!t)
		return 0;
	/* known to others only now: what they begin stands behind this one */
	id = texts_add(&texts, &key);
	*t = (struct cap_text){ .id = id, .n = (uint32_t)n };
	memcpy(t + 1, s, n);
	emit_end(t);
	return id;
}

void emit_note(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	emit_note_flags(0, line);
}

void emit_note_flags(uint8_t flags, const char *line)
{
	size_t n = strlen(line);
	struct cap_note *t = emit_begin_flags(CAP_NOTE, flags, sizeof *t + n, 0);

	if (!t)
		return;
	*t = (struct cap_note){ .n = (uint32_t)n };
	memcpy(t + 1, line, n);
	emit_end(t);
}
