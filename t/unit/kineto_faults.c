/* kineto_faults.c - the reader of Chrome traces: what is faulty, cut or hostile. */
#include "kineto_small.h"

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
	for (int i = 0; i < 5 << 20; i++)
		buf_addc(&doc, ' ');
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repairs),
		cmocka_unit_test(unreadable_events),
		cmocka_unit_test(unreadable_last),
		cmocka_unit_test(ends),
		cmocka_unit_test(no_trace),
		cmocka_unit_test(giants),
		cmocka_unit_test(the_sink_stops),
	};

	say_init("unit");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
