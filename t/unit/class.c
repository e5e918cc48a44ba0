#include "unit.h"

#include <stdlib.h>

#include "class.h"
#include "kname.h"

static struct class_rules *rules;

static int open_rules(void **state)
{
	(void)state;
	rules = class_rules_open();
	return rules ? 0 : -1;
}

static int close_rules(void **state)
{
	(void)state;
	class_rules_close(rules);
	return 0;
}

static const struct { const char *op, *kernel, *class; } known[] = {
	{ "", "ampere_sgemm_128x64_nn", "gemm" },
	{ "", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", "gemm" },
	{ "", "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_1LDSB0", "gemm" },
	{ "", "triton_tem_fused_mm_0", "gemm" },
	{ "", "triton_tem_fused_convolution_0", "convolution" },
	{ "", "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32", "convolution" },
	{ "", "void cudnn::cnn::wgrad_alg0_engine<float, 128>", "convolution" },
	{ "", "triton_poi_fused_add_relu_1", "elementwise" },
	{ "", "triton_red_fused_sum_2", "reduction" },
	{ "", "triton_red_fused_native_layer_norm_3", "normalization" },
	{ "", "triton__0d1d2d3d4d5d67d", "triton" },
	{ "", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >", "reduction" },
	{ "", "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128> >", "attention" },
	{ "", "cudnn_generated_fort_native_sdpa_sm90_knob_26", "attention" },
	{ "", "fmha_cutlassF_bf16_aligned_64x128_rf_sm80", "attention" },
	{ "", "void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16>", "index" },
	{ "", "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8>", "softmax" },
	{ "", "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >", "optimizer" },
	{ "", "MEMORY_COPY_DEVICE_TO_DEVICE", "copy" },
	{ "", "__amd_rocclr_fillBufferAligned", "memset" },
	{ "", "pe_exe", "other" },
	/* the operator knows better */
	{ "aten::native_layer_norm", "void reduce_kernel<512>", "normalization" },
	{ "aten::cudnn_convolution", "nchwToNhwcKernel", "convolution" },
	{ "aten::_scaled_dot_product_flash_attention", "gemm_like", "attention" },
	{ "Optimizer.step#AdamW.step", "void vectorized_elementwise_kernel<4>", "optimizer" },
	{ "an operator of the user's", "ampere_sgemm_128x64_nn", "gemm" },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		assert_string_equal(class_name(class_find(rules, CAT_KERNEL, known[i].op,
			known[i].kernel)), known[i].class);
}

/* What the trace calls a transfer is one, whatever its name. */
static void test_category_first(void **state)
{
	(void)state;
	assert_int_equal(class_find(rules, CAT_MEMCPY, "aten::mm", "gemm"), CLASS_COPY);
	assert_int_equal(class_find(rules, CAT_MEMSET, "aten::mm", "gemm"), CLASS_MEMSET);
	assert_int_equal(class_find(rules, CAT_COMM, "aten::mm", "gemm"), CLASS_COMMUNICATION);
	assert_int_equal(class_find(rules, CAT_CPU_OP, "", "aten::mm"), CLASS_OPERATOR);
}

static void test_copies(void **state)
{
	(void)state;
	assert_string_equal(copy_direction("Memcpy HtoD (Pageable -> Device)"), "HtoD");
	assert_string_equal(copy_direction("CopyDeviceToDevice"), "DtoD");
	assert_null(copy_direction("a copy"));
	assert_true(copy_is_pageable("Memcpy DtoH (Device -> Pageable)"));
	assert_false(copy_is_pageable("Memcpy DtoH (Device -> Pinned)"));
}

static void test_short_names(void **state)
{
	struct kernel a = { .cat = CAT_KERNEL, .name = (char *)(uintptr_t)
		"void at::native::reduce_kernel<1, at::native::Sum<float> >(int, float)" };
	struct kernel b = { .cat = CAT_KERNEL, .name = (char *)(uintptr_t)
		"void at::native::reduce_kernel<1, at::native::Sum<float> >(int, double)" };
	struct kernel c = { .cat = CAT_MEMCPY, .name = (char *)(uintptr_t)
		"Memcpy HtoD (Pageable -> Device)" };
	struct kernel *const all[] = { &a, &b, &c };
	char **name;

	(void)state;
	name = kname_all(all, 1, false);
	assert_string_equal(name[0], "reduce_kernel<1, Sum<float> >");
	free(name[0]);
	free(name);
	/* two kernels never look like one */
	name = kname_all(all, 3, false);
	assert_string_not_equal(name[0], name[1]);
	assert_string_equal(name[2], c.name);
	for (int i = 0; i < 3; i++)
		free(name[i]);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_category_first),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_short_names),
	};
	return cmocka_run_group_tests(tests, open_rules, close_rules);
}
