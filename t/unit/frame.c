#include "unit.h"
#include "frame.h"
#include "names.h"

struct want {
	const char *name, *file, *func; /* file NULL: no frame */
	int64_t line;
	bool own;
};

static const struct want wants[] = {
	{ "/home/u/proj/train.py(41): train_step", "/home/u/proj/train.py", "train_step", 41, true },
	{ "train.py(7): <module>", "train.py", "<module>", 7, true },
	{ "C:\\users\\pat\\new_step.py(41): forward", "C:\\users\\pat\\new_step.py", "forward", 41, true },
	{ "/a (b)/x.py(1): y(2): z", "/a (b)/x.py(1): y", "z", 2, true },
	{ "<ipython-input-3-abc>(2): step", "<ipython-input-3-abc>", "step", 2, true },
	{ "<stdin>(1): <module>", "<stdin>", "<module>", 1, true },
	{ "torch/nn/modules/module.py(1553): _call_impl", "torch/nn/modules/module.py", "_call_impl", 1553, false },
	{ "/opt/src/torch/nn/functional.py(5): linear", "/opt/src/torch/nn/functional.py", "linear", 5, false },
	{ "/home/u/torch/train.py(5): main", "/home/u/torch/train.py", "main", 5, true },
	{ "torch_ext.py(5): main", "torch_ext.py", "main", 5, true },
	{ "/usr/lib/python3.12/threading.py(9): run", "/usr/lib/python3.12/threading.py", "run", 9, false },
	{ "C:\\Python311\\Lib\\threading.py(9): run", "C:\\Python311\\Lib\\threading.py", "run", 9, false },
	{ "threading.py(9): run", "threading.py", "run", 9, false },
	{ "multiprocessing/queues.py(9): get", "multiprocessing/queues.py", "get", 9, false },
	{ "/v/lib/python3.12/site-packages/foo/x.py(9): f", "/v/lib/python3.12/site-packages/foo/x.py", "f", 9, false },
	{ "/usr/lib/dist-packages/foo.py(9): f", "/usr/lib/dist-packages/foo.py", "f", 9, false },
	{ "/home/u/lib/threading.py(9): f", "/home/u/lib/threading.py", "f", 9, false },
	{ "/home/u/lib/mine.py(9): f", "/home/u/lib/mine.py", "f", 9, true },
	{ "numpy/core/x.py(9): f", "numpy/core/x.py", "f", 9, false },
	{ "/tmp/torchinductor_u/ab/cabxyz.py(120): call", "/tmp/torchinductor_u/ab/cabxyz.py", "call", 120, false },
	{ "<frozen runpy>(88): _run_code", "<frozen runpy>", "_run_code", 88, false },
	{ "<built-in method mm of type object at 0x7f0000000000>", NULL, NULL, 0, false },
	{ "nn.Module: Linear_0", NULL, NULL, 0, false },
	{ "<eval_with_key>.12(5): forward", NULL, NULL, 0, false },
	{ "<string>(2): __init__", NULL, NULL, 0, false },
	{ "x.py(): f", NULL, NULL, 0, false },
	{ "x.py(99999999999): f", NULL, NULL, 0, false },
	{ "(5): f", NULL, NULL, 0, false },
	{ "x.py(5):f", NULL, NULL, 0, false },
	{ "", NULL, NULL, 0, false },
};

static void test_parse(void **state)
{
	struct frame f;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(wants); i++) {
		const struct want *w = &wants[i];

		if (frame_parse(text_of(w->name), NULL, &f) != (w->file != NULL))
			fail_msg("%s: frame or not", w->name);
		if (w->file == NULL)
			continue;
		if (!text_is(f.file, w->file) || !text_is(f.func, w->func)
		    || f.line != w->line || f.own != w->own)
			fail_msg("%s: %.*s line %d %.*s own %d", w->name, (int)f.file.n,
				f.file.s, (int)f.line, (int)f.func.n, f.func.s, f.own);
	}
}

static void test_scope(void **state)
{
	struct frame f;

	(void)state;
	assert_true(frame_parse(TEXT("/src/vllm/x.py(1): f"), "/src/vllm/", &f) && f.own);
	assert_true(frame_parse(TEXT("/src/vllm/x.py(1): f"), "/src/vllm", &f) && f.own);
	assert_true(frame_parse(TEXT("/src/vllm2/x.py(1): f"), "/src/vllm", &f) && !f.own);
	assert_true(frame_parse(TEXT("torch/nn/x.py(1): f"), "torch", &f) && f.own);
	assert_true(frame_parse(TEXT("/home/u/train.py(1): f"), "/", &f) && f.own);
	assert_true(frame_parse(TEXT("train.py(1): f"), "/home/u", &f) && !f.own);
}

static void test_flags(void **state)
{
	(void)state;
	assert_int_equal(frame_flags(TEXT("torch/_tensor.py(576): backward")), NAME_BACKWARD);
	assert_int_equal(frame_flags(TEXT("<built-in method run_backward of X>")), NAME_BACKWARD);
	assert_int_equal(frame_flags(TEXT("my_function.py(5): backward")), 0);
	assert_int_equal(call_flags(TEXT("cudaLaunchKernelExC_v11060")), NAME_LAUNCH);
	assert_int_equal(call_flags(TEXT("hipExtModuleLaunchKernel")), NAME_LAUNCH);
	assert_int_equal(call_flags(TEXT("cudaGraphLaunch")), NAME_LAUNCH);
	assert_int_equal(call_flags(TEXT("cudaMemcpyAsync")), NAME_LAUNCH);
	assert_int_equal(call_flags(TEXT("cuMemset")), NAME_LAUNCH);
	assert_int_equal(call_flags(TEXT("cudaMemGetInfo")), 0);
	assert_int_equal(call_flags(TEXT("cudaMem")), 0);
	assert_int_equal(call_flags(TEXT("cudaStreamSynchronize")), 0);
	assert_int_equal(call_flags(TEXT("cudaLaunchHostFunc")), 0);
	assert_int_equal(call_flags(TEXT("cudaStreamBeginCapture")), NAME_BEGIN_CAPTURE);
	assert_int_equal(call_flags(TEXT("cudaStreamEndCapture")), NAME_END_CAPTURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_scope),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
