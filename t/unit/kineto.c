/* kineto.c - the reader of Chrome traces, on small documents.
 *
 * Every document is read many times, cut in two at every byte (what the caller
 * has read already, and the rest): wherever the cut falls, the events are the
 * same. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "jw.h"
#include "kineto.h"
#include "mem.h"
#include "say.h"

static char dir[] = "/tmp/tp-unit-XXXXXX";
static const char *file_name = "trace.json";

static void say_int(struct buf *b, const char *key, int64_t v)
{
	if (v != NO_INT)
		buf_addf(b, " %s=%" PRId64, key, v);
}

static void say_text(struct buf *b, const char *key, struct text t)
{
	if (t.s) {
		buf_addf(b, " %s=", key);
		jw_escape(b, t);
	}
}

/* One line an event: what is not unknown. */
static int write_event(void *arg, const struct event *ev)
{
	struct buf *b = arg;

	buf_adds(b, cat_name(ev->cat));
	say_text(b, "name", ev->name);
	say_text(b, "pid", ev->pid);
	say_text(b, "tid", ev->tid);
	buf_addf(b, " ts=%" PRId64 " dur=%" PRId64, ev->ts_ns, ev->dur_ns);
	if (ev->untimed)
		buf_adds(b, " untimed");
	if (ev->corr != NO_ID)
		buf_addf(b, " corr=%" PRIu64, ev->corr);
	if (ev->ext != NO_ID)
		buf_addf(b, " ext=%" PRIu64, ev->ext);
	say_int(b, "seq", ev->seq);
	say_int(b, "fwd", ev->fwd_tid);
	say_text(b, "dev", ev->device);
	say_text(b, "stream", ev->stream);
	say_int(b, "bytes", ev->bytes);
	say_int(b, "blocks", ev->blocks);
	say_int(b, "alloc", ev->allocated);
	say_int(b, "res", ev->reserved);
	say_int(b, "delta", ev->delta);
	if (ev->args.s) {
		buf_addc(b, ' ');
		buf_add(b, ev->args.s, ev->args.n);
	}
	buf_addc(b, '\n');
	return 0;
}

static void write_file(const char *name, const char *doc, size_t n)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(doc, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Read the file of which the first `cut` bytes count as read. */
static int read_file(size_t cut, struct buf *events, struct trace_info *info)
{
	const struct event_sink sink = { write_event, events };
	struct in *in = in_open(file_name);
	char *first = xmalloc(cut + 1);
	size_t n = 0;
	int rc;

	assert_non_null(in);
	while (n < cut) {
		ssize_t got = in_read(in, first + n, cut - n);

		assert_true(got > 0);
		n += (size_t)got;
	}
	trace_info_init(info);
	rc = kineto_read(in, first, cut, &sink, info);
	free(first);
	in_close(in);
	return rc;
}

static void info_same(const struct trace_info *a, const struct trace_info *b)
{
	assert_int_equal(a->hash, b->hash);
	assert_int_equal(a->base_ns, b->base_ns);
	assert_int_equal(a->rank, b->rank);
	assert_int_equal(a->partial, b->partial);
	assert_string_equal(a->dialect, b->dialect);
	assert_memory_equal(&a->count, &b->count, sizeof a->count);
}

/* The document in all its cuts gives these events; info as the whole gives it. */
static void expect(const char *doc, const char *events, struct trace_info *info)
{
	struct buf got = BUF_INIT;
	size_t n = strlen(doc);

	write_file(file_name, doc, n);
	if (read_file(0, &got, info) < 0)
		fail_msg("refused: %s", doc);
	assert_string_equal(got.len ? got.data : "", events);
	for (size_t cut = 1; cut <= n; cut++) {
		struct trace_info again;

		buf_reset(&got);
		assert_int_equal(read_file(cut, &got, &again), 0);
		if (strcmp(got.len ? got.data : "", events) != 0)
			fail_msg("cut at %zu: %s", cut, got.data);
		info_same(info, &again);
		trace_info_release(&again);
	}
	buf_release(&got);
}

/* As expect, for one event and nothing of interest in info but one count. */
#define ONE(event, line, counter, count_is) do { \
	struct trace_info one_info; \
	expect("{\"traceEvents\":[" event "]}", line, &one_info); \
	assert_int_equal(one_info.count.counter, count_is); \
	assert_false(one_info.partial); \
	trace_info_release(&one_info); \
} while (0)

static void device_ops(void **state)
{
	(void)state;
	ONE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":5.250,\"dur\":1.5,"
	    "\"args\":{\"External id\":3,\"device\":2,\"stream\":9,\"correlation\":44,\"grid\":[4,5,6],\"block\":[9,9,9]}}",
	    "kernel name=k pid=0 tid=7 ts=250 dur=1500 corr=44 ext=3 dev=2 stream=9 blocks=120\n", device_ops, 1);
	/* no args: the pid is the device, the tid the stream */
	ONE("{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"ncclX\",\"pid\":1,\"tid\":\"stream 7\",\"ts\":5,\"dur\":1}",
	    "comm name=ncclX pid=1 tid=stream 7 ts=0 dur=1000 dev=1 stream=7\n", events, 1);
	ONE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":1007,\"ts\":1,\"dur\":1,\"args\":{\"stream\":8,\"original_stream\":7}}",
	    "kernel name=k pid=0 tid=1007 ts=0 dur=1000 dev=0 stream=7\n", events, 1);
	ONE("{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"MEMORY\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":1,\"args\":{\"bytes\":4096,\"correlation\":-1}}",
	    "memcpy name=MEMORY pid=0 tid=0 ts=0 dur=1000 dev=0 stream=0 bytes=4096\n", events, 1);
	/* a transfer is one by its category only */
	ONE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"MEMORY_COPY_x\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":1}",
	    "kernel name=MEMORY_COPY_x pid=0 tid=0 ts=0 dur=1000 dev=0 stream=0\n", events, 1);
	/* no time: kept, with none */
	ONE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":0,\"dur\":0}",
	    "kernel name=k pid=0 tid=7 ts=0 dur=0 untimed dev=0 stream=7\n", untimed_ops, 1);
}

static void host_events(void **state)
{
	(void)state;
	ONE("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,\"args\":{\"External id\":5,\"Sequence number\":7,\"Fwd thread id\":1}}",
	    "cpu_op name=a pid=1 tid=2 ts=0 dur=1000 ext=5 seq=7 fwd=1\n", events, 1);
	ONE("{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":\"2\",\"ts\":1,\"dur\":1,\"args\":{\"external id\":5}}",
	    "annotation name=ProfilerStep#3 pid=1 tid=2 ts=0 dur=1000 ext=5\n", events, 1);
	ONE("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemcpy\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,\"args\":{\"correlation\":9007199254740993,\"size\":\"2560\"}}",
	    "runtime name=hipMemcpy pid=1 tid=2 ts=0 dur=1000 corr=9007199254740993 bytes=2560\n", events, 1);
	ONE("{\"ph\":\"X\",\"cat\":\"made up\",\"name\":\"a\",\"pid\":-1,\"tid\":\"\",\"ts\":1,\"dur\":1}",
	    "other name=a pid=-1 tid= ts=0 dur=1000\n", unknown_cats, 1);
	ONE("{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"Spans\",\"pid\":\"Spans\",\"ts\":1,\"dur\":1}", "", meta_events, 1);
	ONE("{\"ph\":\"i\",\"name\":\"Record Window End\",\"pid\":\"\",\"ts\":999999}", "", meta_events, 1);
	ONE("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"python\"}}", "", meta_events, 1);
	ONE("{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}", "", flow_ends, 1);
	ONE("{}", "", meta_events, 1);
}

static void memory_events(void **state)
{
	(void)state;
	ONE("{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":1,\"s\":\"t\","
	    "\"args\":{\"Device Type\":1,\"Device Id\":3,\"Bytes\":-512,\"Total Allocated\":18446744073709551104,\"Total Reserved\":9}}",
	    "mem name=[memory] pid=1 tid=2 ts=0 dur=0 dev=3 alloc=-512 res=9 delta=-512\n", events, 1);
	/* 2021: no category, no totals */
	ONE("{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":1,\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Bytes\":8}}",
	    "mem name=[memory] pid=1 tid=2 ts=0 dur=0 dev=-1 delta=8\n", events, 1);
}

static void times(void **state)
{
	struct trace_info info;

	(void)state;
	expect("{\"traceEvents\":["
	       "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1704067200000074.375,\"dur\":10.25},"
	       "{\"ph\":\"X\",\"name\":\"b\",\"ts\":\"1704067200000074.376\",\"dur\":\"2\"},"
	       "{\"ph\":\"X\",\"name\":\"c\",\"ts\":1.704067200000075e15,\"dur\":1E1},"
	       "{\"ph\":\"X\",\"name\":\"d\",\"ts\":1704067200000074.3745,\"dur\":242.07499999999993},"
	       "{\"ph\":\"X\",\"name\":\"e\",\"ts\":1704067200000070,\"dur\":-1},"
	       "{\"ph\":\"X\",\"name\":\"f\",\"ts\":1704067200000074}"
	       "],\"baseTimeNanoseconds\":1000000007}",
	       "other name=a ts=375 dur=10250\n"
	       "other name=b ts=376 dur=2000\n"
	       "other name=c ts=1000 dur=10000\n"
	       "other name=d ts=374 dur=242075\n"
	       "other name=e ts=-4000 dur=0\n"
	       "other name=f ts=0 dur=0\n", &info);
	assert_int_equal(info.base_ns, INT64_C(1704067200000074000) + 1000000007);
	assert_int_equal(info.count.negative_dur, 1);
	assert_int_equal(info.count.missing_dur, 1);
	trace_info_release(&info);
	/* beyond int64, and no time at all: dropped, said */
	expect("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1e300,\"dur\":1},{\"ph\":\"X\",\"name\":\"b\"},"
	       "{\"ph\":\"X\",\"name\":\"c\",\"ts\":1,\"dur\":1e99}]",
	       "other name=c ts=0 dur=0\n", &info);
	assert_int_equal(info.count.bad_events, 2);
	assert_true(info.partial);
	trace_info_release(&info);
}

static void collectives(void **state)
{
	(void)state;
	ONE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"nccl\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,\"args\":{"
	    "\"Collective name\":\"all\\\"reduce\",\"In msg nelems\":8,\"other\":[1,{\"Seq\":2}],"
	    "\"In split size\":[1,\"a\",{\"b\":null}],\"Comms Id\":18446744073709551557,\"dtype\":\"Float\"}}",
	    "comm name=nccl pid=0 tid=7 ts=0 dur=1000 dev=0 stream=7 "
	    "{\"Collective name\":\"all\\\"reduce\",\"In msg nelems\":8,\"dtype\":\"Float\","
	    "\"In split size\":[1,\"a\",{\"b\":null}],\"Comms Id\":\"18446744073709551557\"}\n", events, 1);
	/* only where they belong */
	ONE("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::x\",\"ts\":1,\"dur\":1,\"args\":{\"Seq\":1}}",
	    "cpu_op name=aten::x ts=0 dur=1000\n", events, 1);
}

static void duplicates(void **state)
{
	(void)state;
	ONE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":10,\"dur\":31,"
	    "\"args\":{\"correlation\":9,\"correlation\":101}}",
	    "kernel name=k pid=0 tid=7 ts=0 dur=31000 corr=101 dev=0 stream=7\n", dup_keys, 2);
	/* the last args, whole */
	ONE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,"
	    "\"args\":{\"correlation\":9,\"bytes\":3},\"args\":{\"correlation\":10}}",
	    "kernel name=k pid=0 tid=7 ts=0 dur=1000 corr=10 dev=0 stream=7\n", dup_keys, 1);
}

static void begin_and_end(void **state)
{
	struct trace_info info;

	(void)state;
	expect("[{\"ph\":\"B\",\"name\":\"out\",\"pid\":1,\"tid\":2,\"ts\":1,\"args\":{\"External id\":4}},"
	       "{\"ph\":\"B\",\"name\":\"in\",\"pid\":1,\"tid\":2,\"ts\":2},"
	       "{\"ph\":\"B\",\"name\":\"in\",\"pid\":1,\"tid\":3,\"ts\":3},"
	       "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":4},"
	       "{\"ph\":\"E\",\"name\":\"out\",\"pid\":1,\"tid\":2,\"ts\":6},"
	       "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":7}]",
	       "other name=in pid=1 tid=2 ts=1000 dur=2000\n"
	       "other name=out pid=1 tid=2 ts=0 dur=5000 ext=4\n", &info);
	/* one E without a B, one B without an E */
	assert_int_equal(info.count.unmatched_ends, 2);
	assert_string_equal(info.dialect, "chrome");
	trace_info_release(&info);
}

#define EV(name, ts) "{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":" ts ",\"dur\":1}"

static void repairs(void **state)
{
	struct trace_info info;

	(void)state;
	expect("{\"deviceProperties\":[{\"id\":0,\"x\":nan,}],\"traceEvents\":["
	       EV("C:\\users\\t", "1") "," EV("b", "2") ",\n" EV("say \"x\"", "3")
	       EV("d", "4") "," EV("e\n\t", "5") "," EV("f", "6") ",],"
	       "\"distributedInfo\":{\"rank\":5,\"world_size\":\"8\"},\"a\":-inf,}",
	       "other name=C:\\\\users\\\\t ts=0 dur=1000\n"
	       "other name=b ts=1000 dur=1000\n"
	       "other name=say \\\"x\\\" ts=2000 dur=1000\n"
	       "other name=d ts=3000 dur=1000\n"
	       "other name=e\\n\\t ts=4000 dur=1000\n"
	       "other name=f ts=5000 dur=1000\n", &info);
	assert_false(info.partial);
	assert_int_equal(info.count.bad_escapes, 1);
	assert_int_equal(info.count.bare_quotes, 1);
	assert_int_equal(info.count.control_names, 1);
	assert_int_equal(info.count.missing_commas, 1);
	assert_int_equal(info.count.trailing_commas, 3);
	assert_int_equal(info.count.nonnumeric, 2);
	assert_int_equal(info.rank, 5);
	assert_int_equal(info.world_size, 8);
	assert_int_equal(info.ndevice, 1);
	trace_info_release(&info);
}

static void unreadable_events(void **state)
{
	struct trace_info info;

	(void)state;
	expect("[" EV("a", "1") ",{\"ph\":\"X\",garbage},{\"ph\":]]," EV("b", "2") ",7,[1]," EV("c", "3") "]",
	       "other name=a ts=0 dur=1000\n"
	       "other name=b ts=1000 dur=1000\n"
	       "other name=c ts=2000 dur=1000\n", &info);
	assert_true(info.partial);
	assert_int_equal(info.count.bad_events, 4);
	trace_info_release(&info);
}

/* The last event is lost, what stands behind the events is not. */
static void unreadable_last(void **state)
{
	struct trace_info info;

	(void)state;
	expect("{\"traceEvents\":[" EV("a", "1") ",{\"ph\":\"X\" oops}\n],"
	       "\"baseTimeNanoseconds\":5000,\"distributedInfo\":{\"rank\":3}}",
	       "other name=a ts=0 dur=1000\n", &info);
	assert_int_equal(info.base_ns, 6000);
	assert_int_equal(info.rank, 3);
	assert_int_equal(info.count.bad_events, 1);
	trace_info_release(&info);
}

static void ends(void **state)
{
	struct trace_info info;

	(void)state;
	/* an array without its bracket is whole */
	expect("[" EV("a", "1") ",\n", "other name=a ts=0 dur=1000\n", &info);
	assert_false(info.partial);
	trace_info_release(&info);
	expect("{\"traceEvents\":[" EV("a", "1") ",{\"ph\":\"X\",\"na", "other name=a ts=0 dur=1000\n", &info);
	assert_true(info.partial);
	assert_string_equal(info.why_partial, "truncated at byte 66");
	trace_info_release(&info);
	expect("[" EV("a", "1") "]\n\n{\"x\":1}\n", "other name=a ts=0 dur=1000\n", &info);
	assert_true(info.partial);
	assert_int_equal(info.count.trailing_bytes, 8);
	trace_info_release(&info);
	expect("\xef\xbb\xbf [] \n", "", &info);
	assert_false(info.partial);
	trace_info_release(&info);
}

static void no_trace(void **state)
{
	static const char *const doc[] = {
		"{\"a\":1}", "{", "{\"traceEvents\":1}", "{\"a\":\"", "{\"a\" 1}"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(doc); i++) {
		struct buf got = BUF_INIT;
		struct trace_info info;

		write_file(file_name, doc[i], strlen(doc[i]));
		assert_int_equal(read_file(0, &got, &info), -1);
		assert_int_equal(got.len, 0);
		trace_info_release(&info);
		buf_release(&got);
	}
}

static void about_the_trace(void **state)
{
	struct trace_info info;

	(void)state;
	file_name = "rank7.json";
	expect("{\"schemaVersion\":1,\"with_stack\":1,\"record_shapes\":0,\"profile_memory\":true,"
	       "\"deviceProperties\":[{\"id\":0,\"name\":\"Fast\",\"totalGlobalMem\":85899345920,\"numSms\":132}],"
	       "\"cuda_runtime_version\":13000,\"cuda_driver_version\":13010,\"traceEvents\":[],"
	       "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":2,\"world_size\":4,\"pg_config\":[{\"ranks\":[0,1]}]},"
	       "\"host_name\":\"node-a\"}", "", &info);
	assert_int_equal(info.rank, 2);
	assert_string_equal(info.rank_from, "content");
	assert_int_equal(info.world_size, 4);
	assert_string_equal(info.host, "node-a");
	assert_string_equal(info.torch, "cuda_runtime 13000, cuda_driver 13010");
	assert_string_equal(info.dialect, "kineto");
	assert_true(info.with_stack && info.profile_memory && !info.record_shapes);
	assert_int_equal(info.ndevice, 1);
	assert_string_equal(info.device[0].name, "Fast");
	assert_int_equal(info.device[0].capacity_bytes, INT64_C(85899345920));
	assert_int_equal(info.device[0].sms, 132);
	assert_string_equal(info.dist, "{\"backend\":\"nccl\",\"rank\":2,\"world_size\":4,\"pg_config\":[{\"ranks\":[0,1]}]}");
	trace_info_release(&info);
	expect("{\"traceEvents\":[]}", "", &info);
	assert_int_equal(info.rank, 7);
	assert_string_equal(info.rank_from, "name");
	trace_info_release(&info);
	assert_int_equal(unlink(file_name), 0);
	file_name = "trace.json";
}

static void legacy_array(void **state)
{
	struct trace_info info;

	(void)state;
	expect("[{\"name\": \"aten::mm\", \"ph\": \"X\", \"ts\": 101.524, \"dur\": 134.49, \"tid\": 1, \"pid\": \"CPU functions\", \"args\": {}}, "
	       "{\"name\": \"aten::mm\", \"ph\": \"X\", \"ts\": 150.25, \"dur\": 90.0, \"tid\": 3, \"pid\": \"CUDA functions\", \"args\": {}}]",
	       "cpu_op name=aten::mm pid=CPU functions tid=1 ts=524 dur=134490\n"
	       "kernel name=aten::mm pid=CUDA functions tid=3 ts=49250 dur=90000 dev=3 stream=0\n", &info);
	assert_string_equal(info.dialect, "legacy autograd");
	trace_info_release(&info);
}

/* Far beyond what is kept: memory stays, the good ones come through. */
static void giants(void **state)
{
	struct buf doc = BUF_INIT, got = BUF_INIT;
	struct trace_info info;

	(void)state;
	/* a log of 9 MiB before the events, in one string */
	buf_adds(&doc, "{\"INFO\":[\"");
	for (int i = 0; i < 9 << 20; i += 16)
		buf_adds(&doc, "0123456789abcde ");
	buf_adds(&doc, "\"],\"traceEvents\":[" EV("a", "1") ",");
	/* an event of 6 MiB; shapes that fit */
	buf_adds(&doc, "{\"ph\":\"X\",\"name\":\"big\",\"ts\":1,\"dur\":1,\"args\":{\"x\":[0");
	for (int i = 0; i < 6 << 20; i += 8)
		buf_adds(&doc, ",1234567");
	buf_adds(&doc, "]}}," EV("b", "2") ",{\"ph\":\"X\",\"name\":\"wide\",\"ts\":1,\"dur\":1,\"args\":{\"x\":[0");
	for (int i = 0; i < 2 << 20; i += 8)
		buf_adds(&doc, ",1234567");
	buf_adds(&doc, "]}}");
	/* nested beyond the limit */
	buf_adds(&doc, ",{\"ph\":\"X\",\"name\":\"deep\",\"ts\":1,\"dur\":1,\"args\":{\"x\":");
	for (int i = 0; i < 100; i++)
		buf_adds(&doc, "[");
	for (int i = 0; i < 100; i++)
		buf_adds(&doc, "]");
	buf_adds(&doc, "}}," EV("c", "3") "]}");
	write_file(file_name, doc.data, doc.len);
	assert_int_equal(read_file(0, &got, &info), 0);
	assert_string_equal(got.data, "other name=a ts=0 dur=1000\nother name=b ts=1000 dur=1000\n"
		"other name=wide ts=0 dur=1000\nother name=c ts=2000 dur=1000\n");
	assert_int_equal(info.count.bad_events, 2);
	assert_true(info.partial);
	trace_info_release(&info);
	buf_release(&doc);
	buf_release(&got);
}

static int refuse(void *arg, const struct event *ev)
{
	(void)ev;
	++*(int *)arg;
	return -1;
}

static void the_sink_stops(void **state)
{
	static const char doc[] = "[" EV("a", "1") "," EV("b", "2") "]";
	int calls = 0;
	const struct event_sink sink = { refuse, &calls };
	struct trace_info info;
	struct in *in;

	(void)state;
	write_file(file_name, doc, sizeof doc - 1);
	in = in_open(file_name);
	assert_non_null(in);
	trace_info_init(&info);
	assert_int_equal(kineto_read(in, "", 0, &sink, &info), -1);
	assert_int_equal(calls, 1);
	trace_info_release(&info);
	in_close(in);
}

static int set_up(void **state)
{
	(void)state;
	say_verbosity = -1;
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(file_name) | chdir("/") | rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_ops),
		cmocka_unit_test(host_events),
		cmocka_unit_test(memory_events),
		cmocka_unit_test(times),
		cmocka_unit_test(collectives),
		cmocka_unit_test(duplicates),
		cmocka_unit_test(begin_and_end),
		cmocka_unit_test(repairs),
		cmocka_unit_test(unreadable_events),
		cmocka_unit_test(unreadable_last),
		cmocka_unit_test(ends),
		cmocka_unit_test(no_trace),
		cmocka_unit_test(about_the_trace),
		cmocka_unit_test(legacy_array),
		cmocka_unit_test(giants),
		cmocka_unit_test(the_sink_stops),
	};

	say_init("unit");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
