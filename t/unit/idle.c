#include "unit.h"
#include "buf.h"
#include "gap.h"
#include "idle.h"
#include "trait.h"

/* A job by hand, in us: what the host recorded and what the device ran. */
struct rec { int from, to; uint32_t track; enum event_cat cat; const char *name;
	uint32_t frame; bool pageable; };
struct op { int from, to; uint32_t track; int issue, issue_end; };
#define UNLINKED 0, 0, 0
#define N_END { -1, 0, 0, 0, NULL, 0, false }
#define O_END { -1, 0, 0, 0, 0 }

struct job {
	struct gap gap[16];
	size_t ngap, at;
	struct buf out;
	struct idle_piece last; /* shown without what the host was doing */
};

static int gap_keep(void *arg, const struct gap *g)
{
	struct job *j = arg;
	assert_true(j->ngap < ARRAY_LEN(j->gap));
	j->gap[j->ngap++] = *g;
	return 0;
}

static int gap_next(void *arg, struct gap *g)
{
	struct job *j = arg;
	if (j->at == j->ngap)
		return 0;
	*g = j->gap[j->at++];
	return 1;
}

static void add_us(struct buf *b, int64_t ns)
{
	buf_addf(b, "%" PRId64, ns / 1000);
	if (ns % 1000)
		buf_addf(b, ".%03" PRId64, ns % 1000);
}

/* "cause FROM-TO", then "~" between, "@N" the frame, "!" of another thread */
static void last_show(struct job *j)
{
	const struct idle_piece *p = &j->last;
	if (!p->dur_ns)
		return;
	buf_addf(&j->out, "%s%s ", j->out.len ? ", " : "", idle_cause_name(p->cause));
	add_us(&j->out, p->ts_ns);
	buf_addc(&j->out, '-');
	add_us(&j->out, p->ts_ns + p->dur_ns);
	if (p->anchor.how == AT_BETWEEN)
		buf_addc(&j->out, '~');
	if (p->anchor.how == AT_OTHER_THREAD)
		buf_addc(&j->out, '!');
	if (p->anchor.frame)
		buf_addf(&j->out, "@%u", p->anchor.frame);
}

static int piece_show(void *arg, const struct idle_piece *p)
{
	struct job *j = arg;
	if (j->last.ts_ns + j->last.dur_ns == p->ts_ns && j->last.cause == p->cause &&
	    j->last.anchor.frame == p->anchor.frame && j->last.anchor.how == p->anchor.how) {
		j->last.dur_ns += p->dur_ns;
		return 0;
	}
	last_show(j);
	j->last = *p;
	return 0;
}

static void ops_feed(struct gaps *g, const struct op *op)
{
	for (uint32_t n = 1; op->from >= 0; op++, n++) {
		struct gap_op o = {
			.ts_ns = op->from * 1000LL, .end_ns = op->to * 1000LL,
			.issue_ns = op->issue * 1000LL, .issue_end_ns = op->issue_end * 1000LL,
			.issue_track = op->track, .linked = op->track != 0,
			.device = 1, .n = n, .corr = n,
		};
		assert_int_equal(gaps_add(g, &o), 0);
	}
}

static void recs_feed(struct idle *v, const struct rec *r)
{
	for (; r->name; r++) {
		struct idle_record x = {
			.ts_ns = r->from * 1000LL, .end_ns = r->to * 1000LL,
			.track = r->track, .cat = r->cat, .name = 1,
			.traits = trait_of(text_of(r->name)), .pageable = r->pageable,
			.has_anchor = true,
			.anchor = { r->frame, 0, r->frame ? AT_FUNCTION : AT_NONE },
		};
		assert_int_equal(idle_add(v, &x), 0);
	}
}

static void check(const struct op *op, const struct rec *rec, int end, const char *want)
{
	struct job j = { .out = BUF_INIT };
	struct gaps g;
	struct idle v;

	gaps_init(&g, 0, gap_keep, &j);
	ops_feed(&g, op);
	assert_int_equal(gaps_end(&g, end * 1000LL), 0);
	gaps_release(&g);
	assert_int_equal(idle_init(&v, &(struct idle_hooks){
		gap_next, NULL, piece_show, &j }), 0);
	idle_issued(&v, 1, 10);
	recs_feed(&v, rec);
	assert_int_equal(idle_end(&v), 0);
	idle_release(&v);
	last_show(&j);
	assert_string_equal(buf_text(&j.out).s, want);
	buf_release(&j.out);
}

/* A launch at 100 that returns at 110; its op starts at 200. */
static void launch_then_queued(void **s)
{
	(void)s;
	check((struct op[]){ { 0, 50, UNLINKED }, { 200, 300, 1, 100, 110 }, O_END },
		(struct rec[]){
			{ 0, 300, 1, CAT_ANNOTATION, "ProfilerStep#1", 0, false },
			{ 0, 60, 1, CAT_PYTHON, "train.py(1): main", 7, false },
			{ 60, 120, 1, CAT_CPU_OP, "aten::mm", 8, false },
			{ 100, 110, 1, CAT_RUNTIME, "cudaLaunchKernel", 8, false },
			N_END }, 300,
		"host 50-60@7, host 60-110@8, launch 110-120, queued 120-200");
}

static void turnaround_is_whole_and_short(void **s)
{
	(void)s;
	const struct rec none[] = { N_END };
	/* 4 us behind an op that was queued already; then exactly 5 us */
	check((struct op[]){ { 0, 50, UNLINKED }, { 54, 60, 1, 10, 12 },
		{ 65, 70, 1, 13, 14 }, O_END }, none, 70,
		"turnaround 50-54, launch 60-65");
	/* as short, but issued inside: host-late */
	check((struct op[]){ { 0, 50, UNLINKED }, { 54, 60, 1, 51, 52 }, O_END },
		none, 60, "unknown 50-52, launch 52-54");
}

static void ends_without_a_call(void **s)
{
	(void)s;
	const struct rec none[] = { N_END };
	check((struct op[]){ { 10, 50, UNLINKED }, { 80, 90, UNLINKED }, O_END },
		none, 100, "unlinked 0-10, unlinked 50-80, after_last 90-100");
}

/* A wait that began before the gap, or at most 20 us after its start, and was
 * still waiting then, emptied the queue: its own time and 100 us of refilling. */
static void sync_and_refill(void **s)
{
	(void)s;
	const struct op op[] = { { 0, 50, UNLINKED }, { 300, 400, 1, 290, 295 }, O_END };
	check(op, (struct rec[]){
		{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false },
		{ 40, 60, 1, CAT_RUNTIME, "cudaStreamSynchronize", 9, false }, N_END }, 400,
		"sync 50-160@9, host 160-295@7, launch 295-300");
	check(op, (struct rec[]){
		{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false },
		{ 70, 75, 1, CAT_RUNTIME, "hipDeviceSynchronize", 9, false }, N_END }, 400,
		"sync 50-175@9, host 175-295@7, launch 295-300");
	/* 21 us late: it found nothing to wait for */
	check(op, (struct rec[]){
		{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false },
		{ 71, 75, 1, CAT_RUNTIME, "cudaEventSynchronize", 9, false }, N_END }, 400,
		"host 50-71@7, sync 71-75@9, host 75-295@7, launch 295-300");
	/* returned when the gap began */
	check(op, (struct rec[]){
		{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false },
		{ 20, 50, 1, CAT_RUNTIME, "cudaStreamSynchronize", 9, false }, N_END }, 400,
		"host 50-295@7, launch 295-300");
}

static void copies_that_wait(void **s)
{
	(void)s;
	const struct op op[] = { { 0, 50, UNLINKED }, { 180, 190, 1, 170, 175 }, O_END };
	const char *waits = "sync 50-160@9, host 160-175@7, launch 175-180";
	const char *not = "host 50-60@9, host 60-175@7, launch 175-180";
	struct rec r[] = {
		{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false },
		{ 40, 60, 1, CAT_RUNTIME, "cudaMemcpy", 9, false }, N_END };
	check(op, r, 190, waits);
	r[1].name = "cudaMemcpyAsync";
	check(op, r, 190, not);
	r[1].pageable = true;
	check(op, r, 190, waits);
	r[1].cat = CAT_CPU_OP;
	check(op, r, 190, not);
}

static void alloc_before_input_before_host(void **s)
{
	(void)s;
	check((struct op[]){ { 0, 50, UNLINKED }, { 300, 400, 1, 290, 310 }, O_END },
		(struct rec[]){
			{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false },
			{ 60, 200, 1, CAT_ANNOTATION, "enumerate(DataLoader)#X.__next__", 7, false },
			{ 70, 190, 1, CAT_PYTHON, "data.py(3): __getitem__", 8, false },
			{ 100, 120, 1, CAT_RUNTIME, "cudaMalloc", 8, false },
			{ 250, 260, 1, CAT_RUNTIME, "cudaFree", 7, false }, N_END }, 400,
		"host 50-60@7, input 60-70@7, input 70-100@8, alloc 100-120@8, "
		"input 120-190@8, input 190-200@7, host 200-250@7, alloc 250-260@7, "
		"host 260-300@7");
}

/* Without stacks Python leaves no record: a stretch under 1 ms between two of
 * the same thread is the interpreter; from 1 ms on nobody knows. */
static void between_two_records(void **s)
{
	(void)s;
	check((struct op[]){ { 0, 50, UNLINKED }, { 1100, 1200, 1, 1090, 1095 }, O_END },
		(struct rec[]){ { 0, 91, 1, CAT_CPU_OP, "aten::mm", 0, false },
			{ 1090, 1095, 1, CAT_RUNTIME, "cudaLaunchKernel", 0, false }, N_END }, 1200,
		"host 50-91, host 91-1090~, host 1090-1095, launch 1095-1100");
	check((struct op[]){ { 0, 50, UNLINKED }, { 1100, 1200, 1, 1090, 1095 }, O_END },
		(struct rec[]){ { 0, 90, 1, CAT_CPU_OP, "aten::mm", 0, false },
			{ 1090, 1095, 1, CAT_RUNTIME, "cudaLaunchKernel", 0, false }, N_END }, 1200,
		"host 50-90, unknown 90-1090, host 1090-1095, launch 1095-1100");
}

/* Where the issuing thread has no record, the one thread that has most does. */
static void other_thread_stands_in(void **s)
{
	(void)s;
	check((struct op[]){ { 0, 50, UNLINKED }, { 5000, 5100, 2, 4990, 4995 }, O_END },
		(struct rec[]){
			{ 60, 1000, 3, CAT_CPU_OP, "other", 6, false },
			{ 100, 4000, 1, CAT_PYTHON, "train.py(1): main", 7, false },
			{ 1000, 3000, 1, CAT_PYTHON, "torch/utils/data/x.py(1): f", 8, false },
			{ 4990, 4995, 2, CAT_RUNTIME, "cudaLaunchKernel", 0, false }, N_END }, 5100,
		"unknown 50-100, host 100-1000!@7, input 1000-3000!@8, host 3000-4000!@7, "
		"unknown 4000-4990, host 4990-4995, launch 4995-5000");
}

/* Of two that cover as much, the one that feeds the device more. */
static void tie_goes_to_the_one_that_issues(void **s)
{
	(void)s;
	check((struct op[]){ { 0, 50, UNLINKED }, { 5000, 5100, 2, 4990, 4995 }, O_END },
		(struct rec[]){
			{ 0, 6000, 0, CAT_PYTHON, "threading.py(1): run", 6, false },
			{ 0, 6000, 1, CAT_PYTHON, "train.py(1): main", 7, false },
			{ 4990, 4995, 2, CAT_RUNTIME, "cudaLaunchKernel", 0, false }, N_END }, 5100,
		"host 50-4990!@7, host 4990-4995, launch 4995-5000");
}

static void overhead_comes_first(void **s)
{
	(void)s;
	check((struct op[]){ { 0, 50, UNLINKED }, { 300, 400, 1, 290, 295 }, O_END },
		(struct rec[]){
			{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false },
			{ 40, 80, 9, CAT_OVERHEAD, "Buffer Flush", 0, false },
			{ 60, 100, 9, CAT_OVERHEAD, "Lazy Function Loading", 0, false },
			{ 150, 160, 9, CAT_OVERHEAD, "something else", 0, false }, N_END }, 400,
		"profiler 50-80, load 80-100, host 100-295@7, launch 295-300");
}

/* The device's clock can be behind: an op that starts before its call. */
static void op_before_its_call(void **s)
{
	(void)s;
	check((struct op[]){ { 0, 50, UNLINKED }, { 100, 200, 1, 105, 115 }, O_END },
		(struct rec[]){
			{ 0, 400, 1, CAT_PYTHON, "train.py(1): main", 7, false }, N_END }, 200,
		"host 50-100@7");
}

static int piece_sum(void *arg, const struct idle_piece *p)
{
	int64_t *end_ns = arg;
	assert_true(p->ts_ns == *end_ns && p->dur_ns > 0);
	*end_ns += p->dur_ns;
	return 0;
}

static int one_gap(void *arg, struct gap *g)
{
	int64_t *end_ns = arg;
	if (*end_ns != 0)
		return 0;
	*g = (struct gap){ .ts_ns = 1, .end_ns = 40000001, .device = 1,
		.issue_ns = 39999900, .issue_end_ns = 39999990, .after = 1, .issue_track = 1 };
	*end_ns = 1;
	return 1;
}

/* One gap with a million records inside: decided in sections, each ns once. */
static void a_gap_with_more_than_is_held(void **s)
{
	(void)s;
	int64_t end_ns = 0;
	struct idle v;
	size_t most = 0;
	uint64_t seed = 5;

	assert_int_equal(idle_init(&v, &(struct idle_hooks){
		one_gap, NULL, piece_sum, &end_ns }), 0);
	for (int64_t i = 0; i < 1000000; i++) {
		struct idle_record r = {
			.ts_ns = i * 40, .end_ns = i * 40 + 1 + (int64_t)(dice(&seed) % 60),
			.track = 1 + (uint32_t)(dice(&seed) % 3), .cat = CAT_CPU_OP,
			.name = 1 + (uint32_t)(i % 7), .has_anchor = true,
			.anchor = { (uint32_t)(i % 5), 0, 0 },
		};
		assert_int_equal(idle_add(&v, &r), 0);
		most = MAX(most, v.lane[1].n - v.lane[1].first);
	}
	assert_int_equal(idle_end(&v), 0);
	assert_int_equal(end_ns, 40000001);
	assert_true(most <= IDLE_HOLD_MAX);
	idle_release(&v);
}

static void names(void **s)
{
	(void)s;
	static const struct { const char *name; unsigned traits; } table[] = {
		{ "cudaStreamSynchronize", TRAIT_WAIT },
		{ "cuCtxSynchronize", TRAIT_WAIT },
		{ "cudaDeviceSynchronize_v3020", TRAIT_WAIT },
		{ "cudaStreamSynchronize_ptsz", TRAIT_WAIT },
		{ "cudaMemcpy2D_v3020", TRAIT_WAIT },
		{ "hipMemcpyWithStream", TRAIT_WAIT },
		{ "cuMemcpyHtoDAsync_v2", TRAIT_ASYNC_COPY },
		{ "cudaMemcpyAsync", TRAIT_ASYNC_COPY },
		{ "cudaMallocAsync", TRAIT_ALLOC },
		{ "cuMemAddressReserve", TRAIT_ALLOC },
		{ "hipHostMalloc", TRAIT_ALLOC },
		{ "cudaMemsetAsync", 0 },
		{ "cudaGraphAddMemcpyNode", 0 },
		{ "Memcpy HtoD (Pageable -> Device)", TRAIT_PAGEABLE },
		{ "Memcpy HtoD (Pinned -> Device)", 0 },
		{ "/x/site-packages/torch/utils/data/dataloader.py(7): __next__", TRAIT_INPUT },
		{ "mytorch/utils/data/x.py(7): f", 0 },
		{ "f.py(7): torch/utils/data/", 0 },
		{ "ProfilerStep#12", TRAIT_STEP },
		{ "Resource", TRAIT_PROFILER },
		{ "Driver Compiler", TRAIT_LOAD },
		{ "", 0 }, { "cuda", 0 }, { "_v2", 0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (trait_of(text_of(table[i].name)) != table[i].traits)
			fail_msg("%s: %u", table[i].name, trait_of(text_of(table[i].name)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launch_then_queued),
		cmocka_unit_test(turnaround_is_whole_and_short),
		cmocka_unit_test(ends_without_a_call),
		cmocka_unit_test(sync_and_refill),
		cmocka_unit_test(copies_that_wait),
		cmocka_unit_test(alloc_before_input_before_host),
		cmocka_unit_test(between_two_records),
		cmocka_unit_test(other_thread_stands_in),
		cmocka_unit_test(tie_goes_to_the_one_that_issues),
		cmocka_unit_test(overhead_comes_first),
		cmocka_unit_test(op_before_its_call),
		cmocka_unit_test(a_gap_with_more_than_is_held),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
