/* Parts of the capture library that need no CUDA: names, texts, the ring. */
#include "base.h"
#include "unit.h"

#include "capture/callname.c"
#include "capture/pool.c"
#include "capture/ring.c"
#include "capture/texts.c"

static void name_is(const char *of, const char *want)
{
	struct text t = call_name(of);

	assert_int_equal(t.n, strlen(want));
	assert_memory_equal(t.s, want, t.n);
}

static void names(void **state)
{
	(void)state;
	name_is("cudaMemcpyAsync_ptsz_v7000", "cudaMemcpyAsync");
	name_is("cudaLaunchKernelExC_v11060", "cudaLaunchKernelExC");
	name_is("__cudaLaunchKernel_ptsz_v13000", "cudaLaunchKernel");
	name_is("cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync_v2");
	name_is("cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2");
	name_is("cuLaunchKernel", "cuLaunchKernel");
	name_is("_v7000", "_v7000");
	name_is("", "");
}

static void wanted(void **state)
{
	static const char *const yes[] = { "cudaLaunchKernel", "cudaLaunchKernelExC",
		"cudaLaunchCooperativeKernel", "cudaGraphLaunch", "cudaMemcpyAsync",
		"cudaMemcpy2DAsync", "cudaMemsetAsync", "cudaStreamSynchronize",
		"cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMalloc", "cudaFreeHost",
		"cuLaunchKernelEx", "cuMemcpyHtoDAsync_v2", "cuCtxSynchronize_v2",
		"cuModuleLoadDataEx", "cuLibraryLoadData", "cuMemAlloc_v2" };
	static const char *const no[] = { "cudaGetDevice", "cudaEventQuery",
		"cudaStreamQuery", "cudaStreamIsCapturing", "cudaGetLastError",
		"cudaPeekAtLastError", "cudaEventRecord", "cudaFuncGetAttributes",
		"cuCtxGetCurrent", "cuPointerGetAttribute", "cuMemGetInfo_v2", "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		if (!call_wanted(yes[i], strlen(yes[i])))
			fail_msg("%s is not wanted", yes[i]);
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		if (call_wanted(no[i], strlen(no[i])))
			fail_msg("%s is wanted", no[i]);
	assert_true(call_launches(yes[0], strlen(yes[0])));
	assert_true(call_launches("cuGraphLaunch", 13));
	assert_false(call_launches("cudaMalloc", 10));
}

/* More texts than there is room for: what is found has the id it was given. */
static void texts_known(void **state)
{
	enum { N = 3 * TEXTS_SETS * TEXTS_WAYS };
	struct texts *t = calloc(1, sizeof *t);
	uint32_t *id = calloc(N, sizeof *id);
	uint32_t found = 0, wrong = 0;

	(void)state;
	assert_non_null(t);
	assert_non_null(id);
	for (uint32_t i = 0; i < N; i++) {
		struct text_key k = text_key((const char *)&i, sizeof i);

		assert_int_equal(texts_find(t, &k), 0);
		id[i] = texts_add(t, &k);
		assert_int_equal(id[i], i + 1);
		assert_int_equal(texts_find(t, &k), id[i]);
	}
	for (uint32_t i = 0; i < N; i++) {
		struct text_key k = text_key((const char *)&i, sizeof i);
		uint32_t got = texts_find(t, &k);

		found += got != 0;
		wrong += got != 0 && got != id[i];
	}
	assert_int_equal(wrong, 0);
	assert_in_range(found, TEXTS_SETS * TEXTS_WAYS * 9 / 10, TEXTS_SETS * TEXTS_WAYS);
	free(id);
	free(t);
}

/* Keys differ in any byte and in the length. */
static void texts_differ(void **state)
{
	char s[70];

	(void)state;
	memset(s, 'a', sizeof s);
	for (size_t n = 1; n <= sizeof s; n++) {
		struct text_key whole = text_key(s, n), less = text_key(s, n - 1);

		assert_true(whole.hash != less.hash && whole.tag != less.tag);
		for (size_t i = 0; i < n; i++) {
			struct text_key k;

			s[i] ^= 1;
			k = text_key(s, n);
			s[i] ^= 1;
			assert_true(k.hash != whole.hash && k.tag != whole.tag);
		}
	}
}

static void *put(struct ring *r, uint16_t size, uint8_t mark)
{
	unsigned char *p = ring_begin(r, (struct capwire_head){ .size = size,
		.type = CAP_NOTE, .tid = mark });

	if (p)
		memset(p, mark, size - sizeof(struct capwire_head));
	return p;
}

/* Records of many sizes, twenty times around: each comes out whole and in order. */
static void ring_around(void **state)
{
	struct ring r = { 0 };
	uint64_t in = 0, out = 0, said = 0, bytes = 0;

	(void)state;
	assert_int_equal(ring_init(&r, 16 * CAPWIRE_MAX), 0);
	while (bytes < 20 * r.size) {
		uint16_t size = (uint16_t)(8 + in * 2654435761u % (CAPWIRE_MAX / 8) * 8);
		void *p = put(&r, size, (uint8_t)in);
		const unsigned char *q;
		size_t n;

		if (p) {
			ring_end(p);
			in++;
			bytes += size;
			continue;
		}
		n = ring_peek(&r, (const void **)&q, CAPWIRE_MAX, &said);
		assert_in_range(n, 8, CAPWIRE_MAX);
		for (size_t at = 0; at < n; out++) {
			struct capwire_head h;

			memcpy(&h, q + at, sizeof h);
			assert_int_equal(h.size, 8 + out * 2654435761u % (CAPWIRE_MAX / 8) * 8);
			assert_int_equal(h.tid, (uint8_t)out);
			for (size_t i = sizeof h; i < h.size; i++)
				assert_int_equal(q[at + i], (uint8_t)out);
			at += h.size;
		}
		assert_int_equal(said, out);
		ring_take(&r, n);
	}
	assert_true(atomic_load(&r.dropped) > 0);
	ring_release(&r);
}

/* What is claimed and not complete keeps back what stands behind it. */
static void ring_waits(void **state)
{
	struct ring r = { 0 };
	uint64_t said = 0;
	const void *q;
	void *a, *b;

	(void)state;
	assert_int_equal(ring_init(&r, 16 * CAPWIRE_MAX), 0);
	assert_int_equal(ring_peek(&r, &q, CAPWIRE_MAX, &said), 0);
	a = put(&r, 64, 1);
	b = put(&r, 32, 2);
	ring_end(b);
	assert_int_equal(ring_peek(&r, &q, CAPWIRE_MAX, &said), 0);
	ring_end(a);
	assert_int_equal(ring_peek(&r, &q, CAPWIRE_MAX, &said), 96);
	assert_int_equal(ring_peek(&r, &q, 64, &said), 64);
	ring_take(&r, 64);
	assert_int_equal(ring_peek(&r, &q, CAPWIRE_MAX, &said), 32);
	assert_int_equal(ring_used(&r), 32);
	ring_release(&r);
}

/* All parts, then none, then those that came back, zero as they were. */
static void pool_parts(void **state)
{
	struct pool p = { 0 };
	unsigned char *part[POOL_PARTS];

	(void)state;
	assert_int_equal(pool_init(&p), 0);
	for (size_t i = 0; i < POOL_PARTS; i++) {
		part[i] = pool_get(&p);
		assert_non_null(part[i]);
		for (size_t k = 0; k < i; k++)
			assert_true(part[k] != part[i]);
	}
	assert_null(pool_get(&p));
	part[100][0] = part[100][99] = 7;
	pool_put(&p, part[100], 100);
	assert_ptr_equal(pool_get(&p), part[100]);
	assert_int_equal(part[100][0] | part[100][99], 0);
	assert_null(pool_get(&p));
	munmap(p.base, (size_t)POOL_PARTS * POOL_PART_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(wanted),
		cmocka_unit_test(texts_known), cmocka_unit_test(texts_differ),
		cmocka_unit_test(ring_around), cmocka_unit_test(ring_waits),
		cmocka_unit_test(pool_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
