#include "base.h"
#include "cuptilib.h"
#include "emit.h"
#include "layout.h"
#include "ops.h"
#include "pool.h"
#include "state.h"

#define BUSY_WAIT 10000       /* of 100 us: a buffer is read in less than a millisecond */
#define OUT_WAIT 200          /* it may also be one that never comes */
#define GRAPH_WAIT 20000      /* of 100 us: a flush takes milliseconds */

static struct pool pool;
static _Atomic uint64_t dropped, moved;
static _Atomic int out, busy;    /* buffers that CUPTI has; that are being read */
static _Atomic bool was_asked;
static _Atomic int graphs;       /* streams that are being captured into a graph */
static _Atomic int holds;        /* flushes, and waits of the hook's, under way */

static _Atomic bool opened, left;

/* CUPTI keeps this callback for good: after us it gives what CUPTI's own clock
 * would. */
static uint64_t CUPTIAPI now_cupti(void)
{
	struct timespec t;

	if (!atomic_load_explicit(&left, memory_order_relaxed))
		return (uint64_t)emit_now_ns();
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What the device still does when a warm-up ends takes time of the window, and says
 * where its first step begins: it is sent, without the call. */
static bool op_belongs(const struct cap_op *o)
{
	if (emit_warming())
		return false;
	if (o->kind == CAP_SYNC)
		return emit_since(o->start_ns);
	return !o->start_ns || !o->end_ns || emit_since(o->end_ns);
}

static void op_put(struct cap_op o, bool graph)
{
	uint8_t flags = graph ? CAP_OP_GRAPH : 0;
	struct cap_op *to;

	if (o.start_ns == 0 || o.end_ns == 0)
		flags |= CAP_OP_UNTIMED;
	to = op_belongs(&o) ? emit_begin_flags(CAP_OP, flags, sizeof *to, 0) : NULL;
	if (!to)
		return;
	*to = o;
	emit_end(to);
}

static void kernel_put(const CUpti_Activity *r)
{
	const act_kernel *k = (const void *)r;

	op_put((struct cap_op){ .start_ns = (int64_t)k->start, .end_ns = (int64_t)k->end,
		.kind = CAP_KERNEL, .name = k->name ? emit_text(k->name, strlen(k->name)) : 0,
		.corr = k->correlationId, .device = k->deviceId, .context = k->contextId,
		.stream = k->streamId, .bytes = -1,
		.blocks = (int64_t)k->gridX * k->gridY * k->gridZ }, k->graphNodeId != 0);
}

static void memcpy_put(const CUpti_Activity *r)
{
	const act_memcpy *c = (const void *)r;

	op_put((struct cap_op){ .start_ns = (int64_t)c->start, .end_ns = (int64_t)c->end,
		.kind = CAP_MEMCPY, .corr = c->correlationId, .device = c->deviceId,
		.context = c->contextId, .stream = c->streamId, .bytes = (int64_t)c->bytes,
		.blocks = -1, .copy_kind = c->copyKind, .src_kind = c->srcKind,
		.dst_kind = c->dstKind }, c->graphNodeId != 0);
}

static void memcpy2_put(const CUpti_Activity *r)
{
	const act_memcpy2 *c = (const void *)r;

	op_put((struct cap_op){ .start_ns = (int64_t)c->start, .end_ns = (int64_t)c->end,
		.kind = CAP_MEMCPY, .corr = c->correlationId, .device = c->deviceId,
		.context = c->contextId, .stream = c->streamId, .bytes = (int64_t)c->bytes,
		.blocks = -1, .copy_kind = c->copyKind, .src_kind = c->srcKind,
		.dst_kind = c->dstKind }, c->graphNodeId != 0);
}

static void memset_put(const CUpti_Activity *r)
{
	const act_memset *m = (const void *)r;

	op_put((struct cap_op){ .start_ns = (int64_t)m->start, .end_ns = (int64_t)m->end,
		.kind = CAP_MEMSET, .corr = m->correlationId, .device = m->deviceId,
		.context = m->contextId, .stream = m->streamId, .bytes = (int64_t)m->bytes,
		.blocks = -1, .dst_kind = (uint8_t)m->memoryKind }, m->graphNodeId != 0);
}

/* Without the queries (cudaEventQuery, cudaStreamQuery), which wait for nothing. */
static void sync_put(const CUpti_Activity *r)
{
	const act_sync *s = (const void *)r;

	if (s->type < CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE ||
	    s->type > CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE)
		return;
	op_put((struct cap_op){ .start_ns = (int64_t)s->start, .end_ns = (int64_t)s->end,
		.kind = CAP_SYNC, .corr = s->correlationId, .context = s->contextId,
		.stream = s->streamId, .bytes = -1, .blocks = -1,
		.sync_type = (uint8_t)s->type }, false);
}

static void memory_put(const CUpti_Activity *r)
{
	const act_memory *m = (const void *)r;
	bool got = m->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
	struct cap_mem *to = emit_since((int64_t)m->timestamp) ?
		emit_begin(CAP_MEM, sizeof *to, 0) : NULL;

	if (!to)
		return;
	*to = (struct cap_mem){ .at_ns = (int64_t)m->timestamp, .addr = m->address,
		.delta_bytes = got ? (int64_t)m->bytes : -(int64_t)m->bytes,
		.device = m->deviceId, .kind = m->memoryKind };
	emit_end(to);
}

static struct text overhead_name(CUpti_ActivityOverheadKind kind)
{
	switch ((int)kind) {
	case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
		return TEXT("Driver Compiler");
	case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
		return TEXT("Buffer Flush");
	case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
		return TEXT("Instrumentation");
	case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
		return TEXT("Resource");
	/* the rest are not in the oldest headers of 12 */
	case 4 << 16:
		return TEXT("Runtime Triggered Module Loading");
	case 5 << 16:
		return TEXT("Lazy Function Loading");
	case 6 << 16:
		return TEXT("Command Buffer Full");
	case 7 << 16:
		return TEXT("Activity Buffer Request");
	case 8 << 16:
		return TEXT("UVM Activity Init");
	default:
		return TEXT("Unknown");
	}
}

static void overhead_put(const CUpti_Activity *r)
{
	const act_overhead *o = (const void *)r;
	struct text name = overhead_name(o->overheadKind);
	uint32_t id = emit_text(name.s, name.n);
	struct cap_overhead *to = emit_since((int64_t)o->end) ?
		emit_begin(CAP_OVERHEAD, sizeof *to, 0) : NULL;

	if (!to)
		return;
	*to = (struct cap_overhead){ .start_ns = (int64_t)o->start,
		.end_ns = (int64_t)o->end, .name = id };
	emit_end(to);
}

static void device_put(const CUpti_Activity *r)
{
	const act_device *d = (const void *)r;
	uint32_t id = d->name ? emit_text(d->name, strlen(d->name)) : 0;
	struct cap_device *to = emit_begin(CAP_DEVICE, sizeof *to, 0);

	if (!to)
		return;
	*to = (struct cap_device){ .id = d->id, .name = id,
		.sms = d->numMultiprocessors,
		.capacity_bytes = (int64_t)d->globalMemorySize };
	emit_end(to);
}

static const struct {
	void (*put)(const CUpti_Activity *);
	const char *name;
	CUpti_ActivityKind kind;
	bool memory;               /* only with that option */
} kinds[] = {
	{ device_put, "device", CUPTI_ACTIVITY_KIND_DEVICE, false },
	{ kernel_put, "kernel", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, false },
	{ memcpy_put, "memcpy", CUPTI_ACTIVITY_KIND_MEMCPY, false },
	{ memcpy2_put, "peer memcpy", CUPTI_ACTIVITY_KIND_MEMCPY2, false },
	{ memset_put, "memset", CUPTI_ACTIVITY_KIND_MEMSET, false },
	{ sync_put, "synchronization", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false },
	{ overhead_put, "overhead", CUPTI_ACTIVITY_KIND_OVERHEAD, false },
	{ memory_put, "memory", CUPTI_ACTIVITY_KIND_MEMORY2, true },
};

static void record_put(const CUpti_Activity *r)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (r->kind == kinds[i].kind) {
			kinds[i].put(r);
			return;
		}
	if (r->kind == CUPTI_ACTIVITY_KIND_KERNEL)
		kernel_put(r);
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *records)
{
	atomic_store_explicit(&was_asked, true, memory_order_relaxed);
	*buffer = pool_get(&pool);
	atomic_fetch_add_explicit(&out, *buffer != NULL, memory_order_relaxed);
	*size = *buffer ? POOL_PART_BYTES : 0;
	*records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream,
	uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *r = NULL;
	size_t lost = 0;

	(void)context;
	(void)stream;
	(void)size;
	if (!buffer)
		return;
	atomic_fetch_add(&busy, 1);
	atomic_fetch_sub(&out, 1);
	if (atomic_load_explicit(&capture_phase, memory_order_relaxed) == PHASE_LIVE) {
		while (valid && cuptilib.ActivityGetNextRecord(buffer, valid, &r) ==
		       CUPTI_SUCCESS)
			record_put(r);
		if (cuptilib.ActivityGetNumDroppedRecords(NULL, 0, &lost) ==
		    CUPTI_SUCCESS && lost && !emit_warming())
			atomic_fetch_add(&dropped, lost);
	}
	pool_put(&pool, buffer, valid);
	atomic_fetch_add(&moved, 1);
	atomic_fetch_sub(&busy, 1);
}

static int refused(const char *what, CUptiResult r)
{
	emit_note("CUPTI: %s: %s: nothing is recorded", what, cuptilib_word(r));
	return -1;
}

static void settings(bool ours)
{
	uint8_t zeroed = ours;
	size_t n = sizeof zeroed;

	/* else CUPTI sets each buffer to zero on the job's thread */
	if (cuptilib.ActivitySetAttribute)
		(void)cuptilib.ActivitySetAttribute(
			CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &n, &zeroed);
	if (cuptilib.ActivityEnableAllSyncRecords)
		(void)cuptilib.ActivityEnableAllSyncRecords(!ours);
}

void ops_leave(void)
{
	if (atomic_load(&opened))
		settings(false);
	atomic_store(&left, true);
}

int ops_open(void)
{
	CUptiResult r;

	if (pool_init(&pool)) {
		emit_note("capture library: no memory: nothing is recorded");
		return -1;
	}
	atomic_store(&opened, true);
	settings(true);
	r = cuptilib.ActivityRegisterTimestampCallback(now_cupti);
	if (r != CUPTI_SUCCESS)
		return refused("cuptiActivityRegisterTimestampCallback", r);
	r = cuptilib.ActivityRegisterCallbacks(buffer_requested, buffer_completed);
	if (r != CUPTI_SUCCESS)
		return refused("cuptiActivityRegisterCallbacks", r);
	return 0;
}

int ops_set(bool on)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		CUptiResult r;

		if (kinds[i].memory && !capture_opts.memory)
			continue;
		r = on ? cuptilib.ActivityEnable(kinds[i].kind) :
			cuptilib.ActivityDisable(kinds[i].kind);
		if (r == CUPTI_SUCCESS || !on)
			continue;
		if (kinds[i].kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			return refused("kernels", r);
		emit_note("CUPTI: no %s records: %s", kinds[i].name, cuptilib_word(r));
	}
	return 0;
}

/* One of the two sees the other: the order of both is that of all threads. */
bool ops_hold(void)
{
	atomic_fetch_add(&holds, 1);
	if (atomic_load(&graphs) == 0)
		return true;
	ops_release();
	return false;
}

bool ops_hold_alone(void)
{
	if (!ops_hold())
		return false;
	if (atomic_load(&holds) == 1)
		return true;
	ops_release();
	return false;
}

void ops_release(void)
{
	atomic_fetch_sub(&holds, 1);
}

void ops_forget(void)
{
	atomic_store(&holds, 0);
}

bool ops_flush(bool all)
{
	if (!ops_hold())
		return false;
	(void)cuptilib.ActivityFlushAll(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
	ops_release();
	return true;
}

bool ops_settle(void)
{
	static const struct timespec moment = { .tv_nsec = 100000 };

	for (int i = 0; i < (atomic_load(&busy) ? BUSY_WAIT : OUT_WAIT) &&
	     (atomic_load(&out) || atomic_load(&busy)); i++)
		nanosleep(&moment, NULL);
	return atomic_load(&busy) == 0;
}

void ops_graph(bool begins)
{
	static const struct timespec moment = { .tv_nsec = 100000 };
	int n;

	if (begins) {
		atomic_fetch_add(&graphs, 1);
		for (int i = 0; i < GRAPH_WAIT && atomic_load(&holds); i++)
			nanosleep(&moment, NULL);
		return;
	}
	/* never below: a begin that was not seen is not counted */
	n = atomic_load(&graphs);
	while (n > 0 && !atomic_compare_exchange_weak(&graphs, &n, n - 1))
		;
}

void ops_forgive(void)
{
	size_t lost;

	(void)cuptilib.ActivityGetNumDroppedRecords(NULL, 0, &lost);
}

uint64_t ops_dropped(void)
{
	return atomic_load_explicit(&dropped, memory_order_relaxed);
}

uint64_t ops_moved(void)
{
	return atomic_load_explicit(&moved, memory_order_relaxed);
}

bool ops_asked(void)
{
	return atomic_load_explicit(&was_asked, memory_order_relaxed);
}
