/* dialect.c - words: categories, communication kernels, file names. */
#include "unit.h"

#include <stdlib.h>

#include "dialect.h"
#include "kineto_key.h"

static void comm(void **state)
{
	static const char *const yes[] = {
		"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)",
		"ncclKernel_SendRecv", "void ncclKernel_Generic", "NCCLKERNEL",
		"rcclGenericKernel", "oneccl::x", "msccl_kernel", "nvshmem_put",
		"void deep_ep::internode::dispatch<1>", "DeepEP_combine",
		"multimem_all_reduce_kernel", "one_shot_allreduce",
		"my_all_gather_v2", "fsdp::reduce_scatter", "AllToAllSingle",
		"void vllm::cross_device_reduce_1stage<float>", "p2pSendRecv"
	};
	static const char *const no[] = {
		"void pack_before_nccl_kernel", "mynccl", "triton_all_reduce",
		"triton_poi_fused_nccl", "TRITON_all_gather", "gemm", "", "n", "all_",
		"all__reduce", "prenvshmem", "nccK", "reduce", "a9nccl"
	};
	struct comm_cache *cache = calloc(1, sizeof *cache);

	(void)state;
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < ARRAY_LEN(yes); i++)
			if (!comm_cached(cache, text_of(yes[i])))
				fail_msg("%s does not communicate", yes[i]);
		for (size_t i = 0; i < ARRAY_LEN(no); i++)
			if (comm_cached(cache, text_of(no[i])))
				fail_msg("%s communicates", no[i]);
	}
	free(cache);
}

static void categories(void **state)
{
	(void)state;
	assert_int_equal(cat_rule(text_of("kernel"))->cat, CAT_KERNEL);
	assert_int_equal(cat_rule(text_of("Kernel"))->cat, CAT_KERNEL);
	assert_int_equal(cat_rule(text_of("Operator"))->cat, CAT_CPU_OP);
	assert_true(cat_rule(text_of("Operator"))->flags & CF_OLD);
	assert_int_equal(cat_rule(text_of("mtia_ccp_events"))->cat, CAT_KERNEL);
	assert_int_equal(cat_rule(text_of("xpu_runtime"))->cat, CAT_RUNTIME);
	assert_true(cat_rule(text_of("Trace"))->flags & CF_SKIP);
	/* neither a beginning nor a longer word */
	assert_int_equal(cat_rule(text_of("kerne"))->flags, 0);
	assert_int_equal(cat_rule(text_of("kernels"))->flags, 0);
	assert_int_equal(cat_rule(text_of(""))->cat, CAT_OTHER);
	for (int c = 0; c < CAT_COUNT; c++)
		assert_int_equal(cat_parse(text_of(cat_name(c))), c);
	assert_int_equal(cat_parse(text_of("no such")), -1);
}

static void ranks_in_names(void **state)
{
	static const struct { const char *path; int64_t rank; } row[] = {
		{ "rank3_trace.json", 3 }, { "a/rank-12.Apr_03.json", 12 },
		{ "sampled_rank_7.json.gz", 7 }, { "worker0.1717.pt.trace.json", 0 },
		{ "TP_rank5.json", 5 }, { "Rank2.json", 2 },
		{ "node_5151.1704067205000000000.pt.trace.json", NO_INT },
		{ "rank1/trace.json", NO_INT }, { "frank3.json", NO_INT },
		{ "rank.json", NO_INT }, { "rank12345678.json", NO_INT },
		{ "stdin", NO_INT }, { "", NO_INT }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(row); i++)
		if (name_rank(row[i].path) != row[i].rank)
			fail_msg("%s: rank %d", row[i].path, (int)name_rank(row[i].path));
}

static void hosts_in_names(void **state)
{
	static const struct { const char *path, *host; } row[] = {
		{ "d/gpu-7.lab_4242.1704067205.pt.trace.json.gz", "gpu-7.lab" },
		{ "a_b_1.2.pt.trace.json", "a_b" },
		{ "rank-3.Jul_15_10_52_41.1074.pt.trace.json", NULL },
		{ "worker0.pt.trace.json", NULL }, { "_1.2.pt.trace.json", NULL },
		{ "host_1.pt.trace.json", NULL }, { "trace.json", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(row); i++) {
		char *host = name_host(row[i].path);

		if (!row[i].host)
			assert_null(host);
		else
			assert_string_equal(host, row[i].host);
		free(host);
	}
}

static void keys_found(void **state)
{
	struct key_table t;

	(void)state;
	key_table_init(&t);
	for (enum kineto_key k = 0; k < K_COUNT; k++) {
		const char *s = key_name(k);

		assert_int_equal(key_find(&t, k >= K_ARG_FIRST, (const void *)s, strlen(s)), k);
		assert_int_equal(key_find(&t, k < K_ARG_FIRST, (const void *)s, strlen(s)), K_NONE);
		assert_int_equal(key_find(&t, k >= K_ARG_FIRST, (const void *)s, strlen(s) - 1), K_NONE);
	}
	assert_int_equal(key_find(&t, true, (const void *)"", 0), K_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comm),
		cmocka_unit_test(categories),
		cmocka_unit_test(ranks_in_names),
		cmocka_unit_test(hosts_in_names),
		cmocka_unit_test(keys_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
