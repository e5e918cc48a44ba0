/* kineto.c - the reader of Chrome traces: what an event becomes. */
#include "kineto_small.h"

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
		cmocka_unit_test(about_the_trace),
		cmocka_unit_test(legacy_array),
	};

	say_init("unit");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
