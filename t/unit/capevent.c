/* Every word of every sort of record wrong in some way: the link is closed with a
 * reason, or what comes of it is an event that can be.  Nothing else happens (the
 * sanitizers look on). */
#include "unit.h"

#include "buf.h"
#include "capevent.h"

#define MONO INT64_C(1000000)

static void add(struct buf *b, enum cap_type type, const void *p, size_t n,
	const void *behind, size_t more)
{
	struct capwire_head h = { (uint16_t)((sizeof h + n + more + 7) & ~(size_t)7),
		(uint8_t)type, 0, 11 };

	buf_add(b, &h, sizeof h);
	buf_add(b, p, n);
	buf_add(b, behind, more);
	buf_add(b, "\0\0\0\0\0\0\0", h.size - sizeof h - n - more);
}
#define ADD(b, type, ...) do { \
	__VA_ARGS__; \
	add(b, type, &r, sizeof r, NULL, 0); \
} while (0)

static void add_text(struct buf *b, uint32_t id, const char *s)
{
	struct cap_text r = { id, (uint32_t)strlen(s) };

	add(b, CAP_TEXT, &r, sizeof r, s, r.n);
}

/* One record of each sort, with what it needs. */
static struct buf all_sorts(void)
{
	const struct cap_frame frame[] = { { 2, 42 }, { 1, 67 } };
	struct cap_stack stack = { 1, 2 };
	struct cap_note note = { 5, 0 };
	struct buf b = BUF_INIT;

	ADD(&b, CAP_HELLO, struct cap_hello r = { CAPWIRE_VERSION, 4711, MONO,
		1790857026000000000, 26, 13000 });
	add_text(&b, 1, "/home/u/train.py");
	add_text(&b, 2, "main");
	add_text(&b, 3, "cudaLaunchKernel_v7000");
	add_text(&b, 4, "_Z6kernelIfEvPT_i");
	add_text(&b, 5, "aten::add, seq = 12, op_id = 3");
	ADD(&b, CAP_CODE, struct cap_code r = { 1, 1, 2, 60 });
	ADD(&b, CAP_CODE, struct cap_code r = { 2, 1, 4, 38 });
	add(&b, CAP_STACK, &stack, sizeof stack, frame, sizeof frame);
	ADD(&b, CAP_DEVICE, struct cap_device r = { 0, 2, 132, 1 << 30 });
	ADD(&b, CAP_CALL, struct cap_call r = { MONO + 10, MONO + 20, 3, 1, 1, 0 });
	ADD(&b, CAP_CALL, struct cap_call r = { MONO + 30, MONO + 40, 3, 2, 1, 1 });
	for (uint32_t kind = CAP_KERNEL; kind <= CAP_SYNC; kind++)
		ADD(&b, CAP_OP, struct cap_op r = { MONO + 50, MONO + 60, kind, 4, 1, 0, 1, 7,
			4096, 264, 1, 1, 3, 3, 0 });
	for (uint32_t kind = CAP_RANGE_NVTX; kind <= CAP_RANGE_FRAME; kind++)
		ADD(&b, CAP_RANGE, struct cap_range r = { MONO + 5, MONO + 70, kind, 5, 1, 9, 1,
			0, -1 });
	ADD(&b, CAP_MEM, struct cap_mem r = { MONO + 8, 1 << 20, 4096, 0, 3 });
	ADD(&b, CAP_OVERHEAD, struct cap_overhead r = { MONO + 8, MONO + 9, 2, 0 });
	ADD(&b, CAP_STEP, struct cap_step r = { MONO, MONO + 80, 1 });
	ADD(&b, CAP_DROPPED, struct cap_dropped r = { 3, 4 });
	add(&b, CAP_NOTE, &note, sizeof note, "words", 5);
	ADD(&b, CAP_BYE, struct cap_bye r = { 25 });
	return b;
}

struct seen {
	struct capevent *c;
	int64_t events;
};

static int on_event(void *arg, const struct event *ev)
{
	struct seen *s = arg;

	s->events++;
	assert_true(ev->dur_ns >= 0 && ev->name.n > 0 && (unsigned)ev->cat < CAT_COUNT);
	assert_true(ev->ts_ns > -(INT64_C(1) << 62) && ev->ts_ns < INT64_C(1) << 62);
	assert_true(!cat_on_device(ev->cat) || (ev->device.n && ev->stream.n));
	return 0;
}

static int on_record(void *arg, const struct wire_record *r)
{
	return capevent_take(((struct seen *)arg)->c, r);
}

/* Events that come of the bytes; -1 the link was closed. */
static int64_t play(struct buf *b, struct capevent *c)
{
	struct seen s = { c, 0 };
	struct wire w;
	int r;

	capevent_init(c, (struct event_sink){ on_event, &s });
	c->operators = c->whole_memory = true;
	wire_init(&w);
	r = wire_feed(&w, b->data, b->len, on_record, &s);
	assert_int_equal(r != 0, w.fault != NULL);
	assert_int_equal(capevent_end(c), 0);
	assert_int_equal(s.events, c->info.count.events);
	wire_release(&w);
	return r ? -1 : s.events;
}

static void test_every_word(void **state)
{
	static const uint32_t wrong[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x01010101 };
	struct buf good = all_sorts(), b = BUF_INIT;
	struct capevent *c = malloc(sizeof *c);
	int64_t closed = 0, lived = 0;

	(void)state;
	/* 2 calls, 4 ops, 4 ranges, a sample, an overhead, a step; frames of main, of
	 * the kernel-named function, and its line */
	assert_int_equal(play(&good, c), 16);
	assert_true(c->bye);
	assert_int_equal(c->dropped, 7);
	assert_int_equal(c->missing, 0);
	assert_false(c->early);
	assert_int_equal(c->info.count.bad_events, 0);
	capevent_release(c);
	for (size_t at = 0; at < good.len; at += 4)
		for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
			buf_reset(&b);
			buf_add(&b, good.data, good.len);
			memcpy(b.data + at, &wrong[i], 4);
			if (play(&b, c) < 0)
				closed++;
			else
				lived++;
			capevent_release(c);
		}
	assert_true(closed > 100 && lived > 100);
	buf_release(&good);
	buf_release(&b);
	free(c);
}

static void test_every_cut(void **state)
{
	struct buf good = all_sorts(), b = BUF_INIT;
	struct capevent *c = malloc(sizeof *c);

	(void)state;
	for (size_t n = 0; n < good.len; n++) {
		buf_reset(&b);
		buf_add(&b, good.data, n);
		assert_true(play(&b, c) >= 0);
		assert_false(c->bye);
		capevent_release(c);
	}
	buf_release(&good);
	buf_release(&b);
	free(c);
}

/* Names for ever: what is kept stays within its limits. */
static void test_many_names(void **state)
{
	struct wiretab t;
	char name[32];

	(void)state;
	wiretab_init(&t);
	for (uint32_t id = 1; id < 3 * WIRETAB_IDS; id++) {
		struct cap_code code = { id, id, id, 1 };
		struct cap_frame frame[2] = { { id, 5 }, { 1, 6 } };

		snprintf(name, sizeof name, "name %u", id);
		wiretab_text(&t, id, text_of(name));
		wiretab_code(&t, &code);
		if (id % 16 == 0)
			wiretab_stack(&t, id, frame, 2);
	}
	assert_true(text_is(wiretab_text_of(&t, 3 * WIRETAB_IDS - 1), name));
	assert_int_equal(t.unknown > 0, 1); /* frames of a code that is forgotten */
	t.unknown = 0;
	assert_true(text_is(wiretab_text_of(&t, 7), WIRETAB_LOST));
	assert_true(text_is(wiretab_kernel_of(&t, 9), WIRETAB_LOST));
	assert_int_equal(wiretab_node_of(&t, 16), 0);
	assert_int_equal(wiretab_node_of(&t, 0), 0);
	assert_int_equal(t.unknown, 3);
	/* ... and is told again, under the old number or a new one */
	wiretab_text(&t, 7, text_of("seven"));
	assert_true(text_is(wiretab_text_of(&t, 7), "seven"));
	assert_int_equal(t.unknown, 3);
	assert_null(wiretab_code_of(&t, 7));
	assert_int_equal(t.ntext, WIRETAB_IDS);
	assert_true(t.bytes < 32u * WIRETAB_IDS * 2);
	assert_int_equal(t.lost, 0);
	wiretab_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_word),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
