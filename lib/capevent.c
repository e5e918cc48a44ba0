/* capevent.c - see capevent.h. */
#include "base.h"
#include "capevent.h"

#include <stdlib.h>

#include "buf.h"
#include "capname.h"
#include "frame.h"
#include "match.h"
#include "mem.h"

/* As for every event (evrec.c): |start| + length stays an int64. */
#define TIME_MAX (INT64_C(1) << 61)

static int span_put(void *arg, uint32_t tid, struct text name, int64_t start_ns,
	int64_t end_ns);

void capevent_init(struct capevent *c, struct event_sink sink)
{
	*c = (struct capevent){ .sink = sink };
	wiretab_init(&c->tab);
	pyspan_init(&c->spans, &c->tab, span_put, c);
	trace_info_init(&c->info);
}

void capevent_release(struct capevent *c)
{
	pyspan_release(&c->spans);
	wiretab_release(&c->tab);
	trace_info_release(&c->info);
}

static struct text number(char to[12], uint32_t v)
{
	char *p = to + 11;

	/* CUPTI's "none" of a stream */
	if (v == UINT32_MAX)
		return TEXT("-1");
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	return (struct text){ p, (size_t)(to + 11 - p) };
}

static struct event event_of(enum event_cat cat, struct text name)
{
	return (struct event){ .cat = cat, .name = name, .corr = NO_ID, .ext = NO_ID,
		.addr = NO_ID, .seq = NO_INT, .fwd_tid = NO_INT, .bytes = NO_INT,
		.blocks = NO_INT, .allocated = NO_INT, .reserved = NO_INT,
		.delta = NO_INT, .device_type = NO_INT };
}

/* Places the event in time; -1: there is no such time. */
static int set_time(struct capevent *c, struct event *ev, int64_t start_ns, int64_t end_ns)
{
	int64_t dur;

	if (__builtin_sub_overflow(start_ns, c->hello.mono_ns, &ev->ts_ns) ||
	    ev->ts_ns > TIME_MAX || ev->ts_ns < -TIME_MAX)
		return -1;
	if (__builtin_sub_overflow(end_ns, start_ns, &dur) || dur < 0 || dur > TIME_MAX) {
		c->info.count.negative_dur++;
		dur = 0;
	}
	ev->dur_ns = dur;
	return 0;
}

static int put(struct capevent *c, const struct event *ev)
{
	c->info.count.events++;
	c->info.count.device_ops += cat_on_device(ev->cat);
	return c->sink.event(c->sink.arg, ev);
}

/* A host event of a thread. */
static int put_host(struct capevent *c, struct event *ev, uint32_t tid,
	int64_t start_ns, int64_t end_ns)
{
	ev->pid = number(c->pid, c->hello.pid);
	ev->tid = number(c->tid, tid);
	if (set_time(c, ev, start_ns, end_ns)) {
		c->info.count.bad_events++;
		return 0;
	}
	return put(c, ev);
}

static int span_put(void *arg, uint32_t tid, struct text name, int64_t start_ns,
	int64_t end_ns)
{
	struct event ev = event_of(CAT_PYTHON, name);

	return put_host(arg, &ev, tid, start_ns, end_ns);
}

static int take_call(struct capevent *c, uint32_t tid, const struct cap_call *r)
{
	struct text name = wiretab_text_of(&c->tab, r->name);
	struct event ev = event_of(r->domain ? CAT_DRIVER : CAT_RUNTIME,
		r->domain ? name : capname_runtime(name));
	uint32_t node = wiretab_node_of(&c->tab, r->stack);

	ev.corr = r->corr;
	if (put_host(c, &ev, tid, r->start_ns, r->end_ns))
		return -1;
	/* a frame lives longer than the call: what could not be is not there */
	if (!node || r->end_ns < r->start_ns || set_time(c, &ev, r->start_ns, r->end_ns))
		return 0;
	return pyspan_call(&c->spans, tid, node, r->start_ns, r->end_ns);
}

static void op_name(struct capevent *c, const struct cap_op *r, struct event *ev,
	char words[CAPNAME_LEN])
{
	switch (r->kind) {
	case CAP_KERNEL:
		ev->name = wiretab_kernel_of(&c->tab, r->name);
		ev->cat = comm_cached(&c->comm, ev->name) ? CAT_COMM : CAT_KERNEL;
		break;
	case CAP_MEMCPY:
		ev->name = capname_copy(words, r->copy_kind, r->src_kind, r->dst_kind);
		ev->cat = CAT_MEMCPY;
		break;
	case CAP_MEMSET:
		ev->name = capname_set(words, r->dst_kind);
		ev->cat = CAT_MEMSET;
		break;
	default:
		ev->name = capname_sync(r->sync_type);
		ev->cat = CAT_SYNC;
	}
}

static int take_op(struct capevent *c, uint8_t flags, const struct cap_op *r)
{
	char words[CAPNAME_LEN];
	struct event ev = event_of(CAT_OTHER, TEXT("?"));
	bool untimed = flags & CAP_OP_UNTIMED;

	op_name(c, r, &ev, words);
	ev.device = ev.pid = number(c->device, r->device);
	ev.stream = ev.tid = number(c->stream, r->stream);
	ev.corr = r->corr;
	ev.bytes = r->bytes >= 0 ? r->bytes : NO_INT;
	ev.blocks = r->blocks >= 0 ? r->blocks : NO_INT;
	if (!untimed && set_time(c, &ev, r->start_ns, r->end_ns))
		untimed = true;
	if (untimed && !cat_on_device(ev.cat)) {
		c->info.count.bad_events++;
		return 0;
	}
	if (untimed) {
		ev.untimed = true;
		ev.ts_ns = ev.dur_ns = 0;
		c->info.count.untimed_ops++;
	}
	return put(c, &ev);
}

/* A step by the receiver's rule stands beside the range that shows it. */
static int put_step(struct capevent *c, uint32_t tid, int64_t number_of, int64_t start_ns,
	int64_t end_ns)
{
	char name[48];
	struct event ev;

	snprintf(name, sizeof name, "ProfilerStep#%" PRId64, number_of);
	ev = event_of(CAT_ANNOTATION, (struct text){ name, strlen(name) });
	return put_host(c, &ev, tid, start_ns, end_ns);
}

static bool is_step(const struct capevent *c, struct text name)
{
	char *word;
	bool yes;

	if (!c->step)
		return false;
	word = xmemdup0(name.s, name.n);
	yes = match_finds(c->step, word);
	free(word);
	return yes;
}

/* A line that the hook marked: where a thread waits, or stood at the window's edge. */
static int take_line(struct capevent *c, uint32_t tid, const struct cap_range *r)
{
	struct text file = wiretab_text_of(&c->tab, r->file);
	struct text func = wiretab_text_of(&c->tab, r->name);
	struct buf b = BUF_INIT;
	struct event ev;
	bool exact;
	int got;

	if (r->file) {
		buf_add(&b, file.s, file.n);
		buf_addf(&b, "(%d): ", MAX(r->line, 0));
	}
	buf_add(&b, func.s, func.n);
	/* who waits for the backward pass is known by the function's own name */
	exact = r->file && !frame_flags(buf_text(&b));
	if (exact)
		buf_adds(&b, " [line]");
	ev = event_of(CAT_PYTHON, buf_text(&b));
	got = put_host(c, &ev, tid, r->start_ns, r->end_ns);
	buf_release(&b);
	return got || !exact ? got : pyspan_noted(&c->spans, tid, r->end_ns);
}

static int take_range(struct capevent *c, uint32_t tid, const struct cap_range *r)
{
	struct text name = wiretab_text_of(&c->tab, r->name);
	struct event ev = event_of(CAT_ANNOTATION, name);
	bool op;

	if (r->kind == CAP_RANGE_FRAME)
		return take_line(c, tid, r);
	op = (c->operators && capname_operator(name, &ev)) ||
		r->kind == CAP_RANGE_OPERATOR;
	if (op && !annotation_name(ev.name))
		ev.cat = CAT_CPU_OP;
	if (r->seq >= 0)
		ev.seq = r->seq;
	/* which thread ran the forward one no range tells; one number for all is as
	 * good as any, anchor.c learns what it means */
	if (op && ev.seq != NO_INT && capname_backward(ev.name))
		ev.fwd_tid = 1;
	if (put_host(c, &ev, tid, r->start_ns, r->end_ns))
		return -1;
	if (r->kind != CAP_RANGE_NVTX || !is_step(c, name))
		return 0;
	return put_step(c, tid, ++c->steps, r->start_ns, r->end_ns);
}

/* Only what lies on a device.  In a process of PyTorch this is what its allocator
 * took from CUDA, elsewhere what the program itself asked for. */
static int take_memory(struct capevent *c, uint32_t tid, const struct cap_mem *r)
{
	struct event ev = event_of(CAT_MEM, TEXT("[memory]"));
	int64_t *held = &c->held[r->device % CAPEVENT_DEVICES];

	if (!capname_on_device(r->kind))
		return 0;
	ev.device = number(c->device, r->device);
	ev.device_type = 1;
	ev.delta = r->delta_bytes == NO_INT ? 0 : r->delta_bytes;
	ev.addr = r->addr;
	if (c->whole_memory && r->device < CAPEVENT_DEVICES &&
	    !__builtin_add_overflow(*held, ev.delta, held)) {
		ev.reserved = *held;
		ev.allocated = c->allocator ? NO_INT : *held;
	}
	return put_host(c, &ev, tid, r->at_ns, r->at_ns);
}

static int take_overhead(struct capevent *c, const struct cap_overhead *r)
{
	struct event ev = event_of(CAT_OVERHEAD, wiretab_text_of(&c->tab, r->name));

	if (set_time(c, &ev, r->start_ns, r->end_ns)) {
		c->info.count.bad_events++;
		return 0;
	}
	ev.pid = TEXT("-1");
	ev.tid = TEXT("0");
	return put(c, &ev);
}

static void take_device(struct capevent *c, const struct cap_device *r)
{
	struct text name = wiretab_text_of(&c->tab, r->name);
	struct trace_info *t = &c->info;
	struct text id = number(c->device, r->id);
	size_t i = 0;

	while (i < t->ndevice && !text_is(id, t->device[i].id))
		i++;
	if (i == CAPEVENT_DEVICES)
		return;
	if (i == t->ndevice) {
		t->device = xreallocarray(t->device, i + 1, sizeof *t->device);
		t->device[t->ndevice++] = (struct device_info){ .id = xmemdup0(id.s, id.n) };
	}
	free(t->device[i].name);
	t->device[i].name = xmemdup0(name.s, name.n);
	t->device[i].sms = r->sms > 0 ? r->sms : NO_INT;
	t->device[i].capacity_bytes = r->capacity_bytes > 0 ? r->capacity_bytes : NO_INT;
}

static uint64_t sum_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* More than it told of is no loss, but then the count means nothing. */
static void take_bye(struct capevent *c, uint8_t flags, uint64_t sent)
{
	c->bye = true;
	c->early = (flags & CAP_BYE_EARLY) || sent < c->taken;
	c->missing = sent > c->taken ? sent - c->taken : 0;
}

static int take(struct capevent *c, const struct wire_record *r)
{
	switch (r->type) {
	case CAP_HELLO:
		c->hello = r->as.hello;
		c->allocator = r->flags & CAP_HELLO_PYTHON;
		c->info.base_ns = r->as.hello.unix_ns;
		break;
	case CAP_TEXT:
		wiretab_text(&c->tab, r->as.text.id, r->text);
		break;
	case CAP_CODE:
		c->python = c->allocator = true;
		wiretab_code(&c->tab, &r->as.code);
		break;
	case CAP_STACK:
		wiretab_stack(&c->tab, r->as.stack.id, r->frame, r->as.stack.n);
		break;
	case CAP_CALL:
		return take_call(c, r->tid, &r->as.call);
	case CAP_OP:
		return take_op(c, r->flags, &r->as.op);
	case CAP_RANGE:
		return take_range(c, r->tid, &r->as.range);
	case CAP_MEM:
		return take_memory(c, r->tid, &r->as.mem);
	case CAP_OVERHEAD:
		return take_overhead(c, &r->as.overhead);
	case CAP_DEVICE:
		take_device(c, &r->as.device);
		break;
	case CAP_STEP:
		return put_step(c, r->tid, r->as.step.number, r->as.step.start_ns,
			r->as.step.end_ns);
	case CAP_DROPPED:
		c->dropped = sum_capped(c->dropped,
			sum_capped(r->as.dropped.queue, r->as.dropped.cupti));
		break;
	case CAP_BYE:
		take_bye(c, r->flags, r->as.bye.records);
		break;
	default:
		break; /* a note is for the caller */
	}
	return 0;
}

int capevent_take(struct capevent *c, const struct wire_record *r)
{
	int got = take(c, r);

	c->taken++;
	return got;
}

int capevent_end(struct capevent *c)
{
	return pyspan_end(&c->spans);
}
