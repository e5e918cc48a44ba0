/* scan.c - the scanner of events against yajl. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "jw.h"
#include "kineto_read.h"
#include "say.h"

static void say_text(struct buf *b, struct text t)
{
	buf_addc(b, ' ');
	if (t.s)
		jw_escape(b, t);
}

static int write_event(void *arg, const struct event *ev)
{
	struct buf *b = arg;

	say_text(b, ev->name);
	say_text(b, ev->pid);
	say_text(b, ev->tid);
	say_text(b, ev->device);
	say_text(b, ev->stream);
	say_text(b, ev->args);
	buf_addf(b, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n",
		ev->ts_ns, ev->dur_ns, ev->bytes, ev->blocks, ev->corr);
	return 0;
}

static int read_doc(const struct buf *doc, size_t cut, bool careful, struct buf *events,
	struct trace_info *info)
{
	const struct event_sink sink = { write_event, events };
	struct in *in = in_memory("doc", doc->data + cut, doc->len - cut);
	int rc;

	assert_non_null(in);
	trace_info_init(info);
	rc = kineto_read_carefully(in, doc->data, cut, &sink, info, careful);
	in_close(in);
	return rc;
}

#define EV(name, ts) "{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":" ts ",\"dur\":1}"

/* What the scanner must leave to yajl, and what it must not: with it or without,
 * wherever the buffer ends, the events and the counts are the same. */
#define TEN(x) x x x x x x x x x x
static void scanner(void **state)
{
	static const char *const inside[] = {
		"", "\"x\":[]", "\"x\":{}", "\"x\":[[],{},[1,{\"y\":[-0.5e+3]}]]",
		"\"x\":[1,]", "\"x\":[,1]", "\"x\":{\"y\"}", "\"x\":{\"y\":1,}",
		"\"x\":[1 2]", "\"x\":[}", "\"x\":01", "\"x\":-", "\"x\":1.",
		"\"x\":.5", "\"x\":1e", "\"x\":+1", "\"x\":nan", "\"x\":tru",
		"\"x\":true,\"y\":false,\"z\":null", "\"x\":nul",
		"\"x\":\"\\n\\/\\\\\\\"\"", "\"x\":\"\\u00e9\"", "\"x\":\"\\q\"",
		"\"x\":\"\n\"", "\"\\u0078\":1", "\"x\" \n:\t[\r1 , 2 ]",
		"\"x\":\v1", "\"bytes\":5,\"bytes\":6", "\"bytes\":\"7\"",
		"\"bytes\":null", "\"bytes\":[1,2]", "\"bytes\":{\"bytes\":9}",
		"\"grid\":[2,3,4]", "\"grid\":[2,[3],4]", "\"grid\":[2,\"x\"]",
		"\"grid\":{\"a\":1}", "\"grid\":5,\"correlation\":9",
		"\"Collective name\":\"a\\tb\",\"Seq\":12345678901234567",
		"\"In msg nelems\":[1,{\"a\":[true,null,\"\\\"\"]}],\"Seq\":1",
		"\"Seq\":[1,2],\"Seq\":3",
		"\"x\":" TEN("[") TEN("[") TEN("[") TEN("[") TEN("[") "1" TEN("]")
			TEN("]") TEN("]") TEN("]") TEN("]"),
		"\"bytes\":1},\"args\":{\"device\":2", "\"x\":1},\"args\":[{}],\"y\":{",
		"\"bytes\":\"1\\\"\"", "\"x\":\"\xff\xc3\"", "\"x\":1}]}", "\"a\":1}}, {\"b\":{\"c\":2",
	};
	struct buf doc = BUF_INIT, fast = BUF_INIT, slow = BUF_INIT;
	struct trace_info a, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(inside); i++) {
		buf_reset(&doc);
		buf_addf(&doc, "{\"traceEvents\":[{\"ph\":\"M\"},{\"ph\":\"X\","
			"\"cat\":\"kernel\",\"name\":\"ab\",\"pid\":1,\"tid\":2,"
			"\"ts\":7.5,\"dur\":2,\"args\":{%s}},%s,{}]}", inside[i],
			EV("last", "9"));
		buf_reset(&slow);
		assert_int_equal(read_doc(&doc, 0, true, &slow, &b), 0);
		for (size_t cut = 0; cut <= doc.len; cut++) {
			buf_reset(&fast);
			assert_int_equal(read_doc(&doc, cut, false, &fast, &a), 0);
			if (!text_eq(buf_text(&fast), buf_text(&slow)))
				fail_msg("%s\ncut at %zu: %s", doc.data, cut, fast.data);
			if (memcmp(&a.count, &b.count, sizeof a.count) != 0 || a.partial != b.partial)
				fail_msg("%s\ncut at %zu: other counts", doc.data, cut);
			trace_info_release(&a);
		}
		trace_info_release(&b);
	}
	buf_release(&doc);
	buf_release(&fast);
	buf_release(&slow);
}

/* The same, where an event's keys are nearly those of the one before it: what the
 * scanner expects then, is not to be taken for what is there. */
static void guesses(void **state)
{
	static const char *const args[] = {
		"\"bytes\":1,\"stream\":2", "\"bytes\":1,\"stream2\":3", "\"bytes\":1,\"strea\":3",
		"\"bytes\" :1,\"stream\" :3", "\"bytes\":1,\"strean\":3", "\"Bytes\":1,\"stream\":3",
		"\"byteq\":1,\"stream\":3", "\"bytes\":1,\"Stream\":3", "\"bytes\":1},\"stream\":3,\"y\":{\"x\":3",
		"\"Seq\":1,\"Process Group Description\":\"a\"",
		"\"Seq\":2,\"Process Group Descriptioo\":\"b\"",
		"\"" TEN("k") TEN("k") "kkkkkkkkk\":1,\"bytes\":4", "\"" TEN("k") TEN("k") "kkkkkkkkl\":1,\"bytes\":5",
		"\"" TEN("k") TEN("k") TEN("k") "\":1,\"stream\":6", "\"" TEN("k") TEN("k") TEN("k") "k\":1,\"stream\":7",
		"\"\":1,\"bytes\":8", "\"b\":1,\"bytes\":9", "\"bytes\":1,\"\\u0073tream\":2",
	};
	static const char *const begin[] = { "\"ph\":\"X\",\"cat\":\"kernel\"",
		"\"cat\":\"kernel\",\"ph\":\"X\"", "\"ph\":\"X\",\"cat\":\"cpu_op\"", "\"ph\":\"X\"" };
	const size_t n = ARRAY_LEN(args);
	struct buf doc = BUF_INIT, fast = BUF_INIT, slow = BUF_INIT;
	struct trace_info a, b;

	(void)state;
	buf_addf(&doc, "{\"traceEvents\":[{\"ph\":\"M\"}");
	for (size_t i = 0; i < n * n * 3; i++)
		buf_addf(&doc, ",{%s,\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":%zu,\"dur\":2,"
			"\"args\":{%s}}", begin[i % ARRAY_LEN(begin)], i,
			args[i % 3 < 2 ? i / 3 / n : i / 3 % n]);
	buf_adds(&doc, "]}");
	assert_int_equal(read_doc(&doc, 0, true, &slow, &b), 0);
	for (size_t cut = 0; cut < doc.len; cut += doc.len / 50) {
		buf_reset(&fast);
		assert_int_equal(read_doc(&doc, cut, false, &fast, &a), 0);
		assert_string_equal(fast.data, slow.data);
		assert_memory_equal(&a.count, &b.count, sizeof a.count);
		trace_info_release(&a);
	}
	trace_info_release(&b);
	buf_release(&doc);
	buf_release(&fast);
	buf_release(&slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scanner),
		cmocka_unit_test(guesses),
	};

	say_init("unit");
	say_verbosity = -1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
