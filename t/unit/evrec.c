#include "unit.h"

#include <unistd.h>

#include "evrec.h"
#include "mem.h"
#include "utf8.h"

static uint64_t seed = 88172645463325252u;

/* Bytes of all kinds: plain, control, bad UTF-8. */
static struct text random_text(struct buf *b, size_t max)
{
	size_t n = dice(&seed) % (max + 1);

	buf_reset(b);
	buf_room(b, 1); /* empty is not absent */
	while (n-- > 0)
		buf_addc(b, (char)(dice(&seed) % 4 ? 32 + dice(&seed) % 95 : dice(&seed)));
	return buf_text(b);
}

static struct text maybe_text(struct buf *b, size_t max)
{
	return dice(&seed) % 3 ? random_text(b, max) : (struct text){ NULL, 0 };
}

/* Small ones, and all the way to the ends of int64. */
static int64_t random_int(void)
{
	return (int64_t)dice(&seed) >> dice(&seed) % 64;
}

static int64_t maybe_int(void)
{
	return dice(&seed) % 3 ? random_int() : NO_INT;
}

static uint64_t maybe_id(void)
{
	return dice(&seed) % 3 ? dice(&seed) >> dice(&seed) % 64 : NO_ID;
}

#define NBUF 7
static struct event random_event(struct buf *b, int64_t origin_ns)
{
	static const char *const args[] = { NULL, "{}",
		"{\"Collective name\":\"allreduce\",\"Group size\":2,\"x\":[1.5,null,\"\\u0001\"]}" };
	const char *a = args[dice(&seed) % 3];
	struct event ev = {
		.cat = (enum event_cat)(dice(&seed) % CAT_COUNT),
		.name = random_text(&b[0], 60),
		.pid = maybe_text(&b[1], 8), .tid = maybe_text(&b[2], 8),
		.ts_ns = origin_ns + random_int() / 4, .dur_ns = random_int() / 8,
		.untimed = dice(&seed) % 2, .corr = maybe_id(), .ext = maybe_id(),
		.seq = maybe_int(), .fwd_tid = maybe_int(),
		.device = maybe_text(&b[3], 3), .stream = maybe_text(&b[4], 3),
		.bytes = maybe_int(), .blocks = maybe_int(),
		.allocated = maybe_int(), .reserved = maybe_int(), .delta = maybe_int(),
		.addr = maybe_id(), .device_type = maybe_int(),
	};

	if (ev.dur_ns < 0)
		ev.dur_ns = -ev.dur_ns;
	if (a)
		ev.args = text_of(a);
	if (ev.cat == CAT_OTHER)
		ev.raw_cat = maybe_text(&b[5], 12);
	if (ev.cat == CAT_MEM && dice(&seed) % 2)
		ev.name = TEXT("[memory]");
	return ev;
}

static void same_text(struct text got, struct text want)
{
	struct buf fixed = BUF_INIT;

	assert_int_equal(!got.s, !want.s);
	text_fix_utf8(&fixed, want);
	assert_true(text_eq(got, buf_text(&fixed)));
	buf_release(&fixed);
}

static void same_event(const struct event *got, const struct event *want, int64_t origin_ns)
{
	assert_int_equal(got->cat, want->cat);
	same_text(got->name, want->name);
	same_text(got->pid, want->pid);
	same_text(got->tid, want->tid);
	same_text(got->raw_cat, want->raw_cat);
	same_text(got->device, want->device);
	same_text(got->stream, want->stream);
	same_text(got->args, want->args);
	assert_true(got->ts_ns == want->ts_ns - origin_ns);
	assert_true(got->dur_ns == want->dur_ns);
	assert_true(got->untimed == want->untimed);
	assert_true(got->corr == want->corr);
	assert_true(got->ext == want->ext);
	assert_true(got->seq == want->seq);
	assert_true(got->fwd_tid == want->fwd_tid);
	assert_true(got->bytes == want->bytes);
	assert_true(got->blocks == want->blocks);
	assert_true(got->allocated == want->allocated);
	assert_true(got->reserved == want->reserved);
	assert_true(got->delta == want->delta);
	assert_true(got->addr == want->addr);
	assert_true(got->device_type == want->device_type);
}

/* A writer into a file that is read back line by line. */
struct loop {
	FILE *f;
	struct stream_writer w;
	struct stream *s;
};

static void loop_begin(struct loop *l)
{
	l->f = tmpfile();
	assert_int_equal(stream_writer_init(&l->w, dup(fileno(l->f)), FACE_JSON), 0);
	assert_int_equal(stream_head(&l->w, 0, (struct text){ NULL, 0 }, NULL), 0);
}

static void loop_turn(struct loop *l)
{
	struct buf b = BUF_INIT;
	struct rec r;
	long n;

	assert_int_equal(stream_end(&l->w, true, -1), 0);
	assert_int_equal(stream_writer_close(&l->w), 0);
	assert_int_equal(fseek(l->f, 0, SEEK_END), 0);
	n = ftell(l->f);
	buf_room(&b, (size_t)n);
	assert_int_equal(pread(fileno(l->f), b.data, (size_t)n, 0), n);
	l->s = stream_adopt(in_memory("loop", b.data, (size_t)n), NULL, 0);
	buf_release(&b);
	assert_int_equal(stream_next(l->s, &r), 1);
}

static void loop_end(struct loop *l)
{
	struct rec r;

	assert_int_equal(stream_next(l->s, &r), 1);
	assert_true(text_is(r.kind, "end"));
	assert_int_equal(stream_next(l->s, &r), 0);
	assert_int_equal(stream_close(l->s), 0);
	fclose(l->f);
}

static void test_events(void **state)
{
	const int rounds = 5000;
	struct buf b[NBUF] = { BUF_INIT };
	struct event want, got;
	struct loop l;
	uint64_t first = seed;
	int64_t origin_ns;
	struct rec r;
	int i;

	(void)state;
	loop_begin(&l);
	for (i = 0; i < rounds; i++) {
		origin_ns = random_int() / 4;
		want = random_event(b, origin_ns);
		assert_int_equal(evrec_put(&l.w, &want, origin_ns), 0);
	}
	loop_turn(&l);
	seed = first;
	for (i = 0; i < rounds; i++) {
		origin_ns = random_int() / 4;
		want = random_event(b, origin_ns);
		assert_int_equal(stream_next(l.s, &r), 1);
		assert_int_equal(evrec_get(&r, &got), 1);
		same_event(&got, &want, origin_ns);
	}
	loop_end(&l);
	for (i = 0; i < NBUF; i++)
		buf_release(&b[i]);
}

static int get(const char *line, struct event *ev)
{
	static struct rec_parser *p;
	const char *why;
	struct rec r;

	if (!p)
		p = rec_parser_new();
	if (!line) {
		rec_parser_free(p);
		return 0;
	}
	assert_int_equal(rec_parse(p, text_of(line), &r, &why), 0);
	return evrec_get(&r, ev);
}

/* Records that others write: by hand, by a capture. */
static void test_foreign(void **state)
{
	struct event ev;

	(void)state;
	assert_int_equal(get("{\"kind\":\"step\",\"start_ns\":1}", &ev), 0);
	assert_int_equal(get("{\"kind\":\"event\",\"rank\":3,\"cat\":\"kernel\",\"device\":0,"
		"\"stream\":7,\"tid\":12,\"start_ns\":\"-5\",\"dur_ns\":4,\"corr\":-1,"
		"\"seq\":1.5,\"new\":[1]}", &ev), 1);
	assert_int_equal(ev.cat, CAT_KERNEL);
	assert_null(ev.name.s);
	assert_true(text_is(ev.device, "0"));
	assert_true(text_is(ev.stream, "7"));
	assert_true(text_is(ev.tid, "12"));
	assert_true(ev.ts_ns == -5 && ev.dur_ns == 4);
	assert_true(ev.corr == NO_ID && ev.seq == NO_INT && ev.bytes == NO_INT);
	assert_int_equal(get("{\"start_ns\":1,\"cat\":\"gnu\",\"dur_ns\":-3,\"kind\":\"event\"}", &ev), 1);
	assert_int_equal(ev.cat, CAT_OTHER);
	assert_true(text_is(ev.raw_cat, "gnu"));
	assert_int_equal(ev.dur_ns, 0);
	assert_int_equal(get("{\"kind\":\"event\",\"start_ns\":1}", &ev), 1);
	assert_int_equal(ev.cat, CAT_OTHER);
	assert_int_equal(get("{\"kind\":\"mem\",\"start_ns\":1,\"device\":\"0\","
		"\"allocated_bytes\":12}", &ev), 1);
	assert_true(ev.cat == CAT_MEM && ev.allocated == 12 && ev.reserved == NO_INT);
	assert_true(text_is(ev.name, "[memory]"));
	ev.ts_ns = 77;
	assert_int_equal(get("{\"kind\":\"event\",\"cat\":\"kernel\"}", &ev), -1);
	assert_int_equal(get("{\"kind\":\"mem\",\"start_ns\":1.5}", &ev), -1);
	assert_int_equal(get("{\"kind\":\"event\",\"start_ns\":\"4611686018427387904\"}", &ev), -1);
	assert_int_equal(get("{\"kind\":\"event\",\"start_ns\":1,"
		"\"dur_ns\":9223372036854775807}", &ev), -1);
	assert_int_equal(ev.ts_ns, 77);
	get(NULL, NULL);
}

static struct trace_info full_info(void)
{
	struct trace_info t;
	size_t i;
	int64_t *count;

	trace_info_init(&t);
	t.hash = UINT64_C(0x00f00d0123456789);
	t.path = xstrdup("dir/\xd0\xbc \n.json");
	t.host = xstrdup("far");
	t.rank = 3;
	t.rank_from = "name";
	t.world_size = 8;
	t.torch = xstrdup("2.11.0 \"x\"");
	t.dialect = xstrdup("kineto");
	t.with_stack = t.profile_memory = t.partial = true;
	t.ndevice = 2;
	t.device = xcalloc(2, sizeof(*t.device));
	t.device[0] = (struct device_info){ xstrdup("0"), xstrdup("GPU"), 132,
		INT64_C(1) << 60 };
	t.device[1] = (struct device_info){ xstrdup("7"), NULL, NO_INT, NO_INT };
	t.dist = xstrdup("{\"rank\":3,\"pg_config\":[{\"ranks\":[0,1]}]}");
	t.why_partial = xstrdup("cut");
	for (i = 0, count = (int64_t *)(void *)&t.count;
	     i < sizeof(t.count) / sizeof(*count); i++)
		count[i] = (int64_t)(i * i) - 3;
	return t;
}

static void same_str(const char *got, const char *want)
{
	assert_int_equal(!got, !want);
	if (got)
		assert_string_equal(got, want);
}

static void same_info(const struct trace_info *got, const struct trace_info *want)
{
	size_t i;

	assert_true(got->hash == want->hash);
	assert_true(got->rank == want->rank);
	assert_true(got->world_size == want->world_size);
	same_str(got->rank_from, want->rank_from);
	same_str(got->path, want->path);
	same_str(got->host, want->host);
	same_str(got->torch, want->torch);
	same_str(got->dialect, want->dialect);
	same_str(got->dist, want->dist);
	same_str(got->why_partial, want->why_partial);
	assert_int_equal(got->with_stack, want->with_stack);
	assert_int_equal(got->record_shapes, want->record_shapes);
	assert_int_equal(got->profile_memory, want->profile_memory);
	assert_int_equal(got->with_modules, want->with_modules);
	assert_int_equal(got->partial, want->partial);
	assert_memory_equal(&got->count, &want->count, sizeof(got->count));
	assert_int_equal(got->ndevice, want->ndevice);
	for (i = 0; i < got->ndevice; i++) {
		same_str(got->device[i].id, want->device[i].id);
		same_str(got->device[i].name, want->device[i].name);
		assert_true(got->device[i].sms == want->device[i].sms);
		assert_true(got->device[i].capacity_bytes == want->device[i].capacity_bytes);
	}
}

static void test_info(void **state)
{
	struct trace_info want = full_info(), bare, got;
	int64_t add_ns = 5;
	struct loop l;
	struct rec r;

	(void)state;
	trace_info_init(&bare);
	loop_begin(&l);
	assert_int_equal(evrec_put_info(&l.w, &want, INT64_C(1790857026000000001)), 0);
	want.ndevice = 1;
	assert_int_equal(evrec_put_info(&l.w, &want, 0), 0);
	want.ndevice = 2;
	assert_int_equal(evrec_put_info(&l.w, &bare, 0), 0);
	loop_turn(&l);

	trace_info_init(&got);
	assert_int_equal(stream_next(l.s, &r), 1);
	assert_int_equal(evrec_get_info(&r, &got, &add_ns), 1);
	assert_true(add_ns == INT64_C(1790857026000000001));
	same_info(&got, &want);
	/* a later record takes the place of what it tells */
	assert_int_equal(stream_next(l.s, &r), 1);
	assert_int_equal(evrec_get_info(&r, &got, &add_ns), 1);
	assert_true(add_ns == INT64_C(1790857026000000001));
	assert_int_equal(got.ndevice, 1);
	trace_info_release(&got);

	assert_int_equal(stream_next(l.s, &r), 1);
	assert_int_equal(evrec_get_info(&r, &got, &add_ns), 1);
	same_info(&got, &bare);
	loop_end(&l);
	trace_info_release(&got);
	trace_info_release(&want);
}

static void test_foreign_info(void **state)
{
	static const struct { const char *line; int r; } v[] = {
		{ "{\"kind\":\"run\",\"rank\":2,\"device\":{\"name\":\"G\",\"sms\":1.5}}", 1 },
		{ "{\"kind\":\"run\",\"device\":\"0\",\"devices\":3,\"import\":[1]}", 1 },
		{ "{\"kind\":\"step\",\"rank\":9}", 0 },
		{ "{\"kind\":\"run\",\"epoch_add_ns\":\"x\"}", -1 },
		{ "{\"kind\":\"run\",\"content_hash\":\"12\"}", -1 },
		{ "{\"kind\":\"run\",\"content_hash\":\"00f00d012345678G\"}", -1 },
	};
	struct rec_parser *p = rec_parser_new();
	struct trace_info t;
	int64_t add_ns = 5;
	const char *why;
	struct rec r;
	size_t i;

	(void)state;
	trace_info_init(&t);
	for (i = 0; i < ARRAY_LEN(v); i++) {
		assert_int_equal(rec_parse(p, text_of(v[i].line), &r, &why), 0);
		assert_int_equal(evrec_get_info(&r, &t, &add_ns), v[i].r);
	}
	assert_int_equal(add_ns, 5);
	assert_int_equal(t.rank, 2);
	assert_string_equal(t.rank_from, "content");
	trace_info_release(&t);
	t.rank = 1;
	t.rank_from = "option";
	assert_int_equal(rec_parse(p, text_of(v[0].line), &r, &why), 0);
	assert_int_equal(evrec_get_info(&r, &t, &add_ns), 1);
	assert_int_equal(t.rank, 1);
	assert_int_equal(t.ndevice, 1);
	assert_string_equal(t.device[0].id, "0");
	assert_true(t.device[0].sms == NO_INT);
	trace_info_release(&t);
	rec_parser_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_foreign_info),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
