#include "base.h"
#include "emit.h"
#include "nvtx.h"
#include "state.h"
#include "nvtxname.h"

#include <wchar.h>

/* NVTX 3: the tables that a tool may write to, and the places in them. */
enum { TABLE_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };
enum { START_EX = 4, START_A, START_W, END, PUSH_EX, PUSH_A, PUSH_W, POP };
enum { DOMAIN_START_EX = 2, DOMAIN_END, DOMAIN_PUSH_EX, DOMAIN_POP,
	DOMAIN_STRING_A = 10, DOMAIN_STRING_W, DOMAIN_CREATE_A, DOMAIN_CREATE_W };

typedef void nvtx_fn(void);
struct nvtx_callbacks {
	size_t size;
	int (*module)(int module, nvtx_fn ***table, unsigned *n);
};

struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	union {
		const char *ascii;
		const wchar_t *wide;
		uintptr_t registered;
	} message;
};
enum { MESSAGE_ASCII = 1, MESSAGE_WIDE, MESSAGE_REGISTERED };

/* Ranges that are started, not pushed: few are open at a time. */
#define STARTED 256
#define WIDE_MAX 1024

static struct {
	_Atomic uint64_t id;    /* 0: free; all ones: being filled */
	struct open_range range;
} started[STARTED];
static _Atomic uint64_t started_ids;

/* ", seq = " and ", op_id = " stand where PyTorch puts them. */
static size_t find(struct text t, struct text what)
{
	const char *p = t.n ? memmem(t.s, t.n, what.s, what.n) : NULL;

	return p ? (size_t)(p - t.s) : t.n;
}

struct text nvtx_operator(struct text t, int64_t *seq, bool *is_operator)
{
	struct text mark = TEXT(", seq = ");
	size_t at = find(t, mark), op = find(t, TEXT(", op_id = "));
	int64_t v = 0;

	*seq = -1;
	*is_operator = at < t.n || op < t.n;
	for (size_t i = at + mark.n; i < t.n && t.s[i] >= '0' && t.s[i] <= '9'; i++) {
		if (v > (INT64_MAX - 9) / 10)
			break;
		v = v * 10 + (t.s[i] - '0');
		*seq = v;
	}
	t.n = MIN(at, op);
	return t;
}

static struct open_range range_open(const char *name)
{
	struct open_range r = { .seq = -1, .kind = CAP_RANGE_NVTX };
	bool is_operator;
	struct text t;

	if (!emit_on() || !name)
		return r;
	t = nvtx_operator((struct text){ name, strnlen(name, CAPWIRE_TEXT_MAX + 1) },
		&r.seq, &is_operator);
	if (is_operator)
		r.kind = CAP_RANGE_OPERATOR;
	r.name = emit_text(t.s, t.n);
	r.start_ns = emit_now_ns();
	return r;
}

static size_t utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void wide_to_utf8(const wchar_t *w, char out[WIDE_MAX])
{
	size_t n = 0;

	while (w && *w && n + 5 < WIDE_MAX)
		n += utf8_put(out + n, (uint32_t)*w++);
	out[n] = '\0';
}

static struct open_range range_open_wide(const wchar_t *name)
{
	char s[WIDE_MAX];

	if (!emit_on())
		return range_open(NULL);
	wide_to_utf8(name, s);
	return range_open(s);
}

static struct open_range range_open_ex(const struct nvtx_attributes *a)
{
	struct open_range r;

	/* fields are only added at the end */
	if (!a || a->size < sizeof *a)
		return range_open(NULL);
	if (a->message_type == MESSAGE_ASCII)
		return range_open(a->message.ascii);
	if (a->message_type == MESSAGE_WIDE)
		return range_open_wide(a->message.wide);
	r = range_open(NULL);
	if (emit_on() && a->message_type == MESSAGE_REGISTERED) {
		r.name = nvtxname_text(a->message.registered);
		r.start_ns = emit_now_ns();
	}
	return r;
}

static void range_close(const struct open_range *o)
{
	struct cap_range *r;

	if (!o->name || !emit_on() || !emit_since(o->start_ns))
		return;
	r = emit_begin(CAP_RANGE, sizeof *r, emit_tid());
	if (!r)
		return;
	*r = (struct cap_range){ .start_ns = o->start_ns, .end_ns = emit_now_ns(),
		.kind = o->kind, .name = o->name, .seq = o->seq };
	emit_end(r);
}

static int range_push(const void *domain, struct open_range r)
{
	struct capture_thread *t = &capture_self;

	r.domain = domain;
	if (t->depth < RANGE_DEPTH)
		t->range[t->depth] = r;
	return (int)t->depth++;
}

/* The domain's last one, which need not be the thread's. */
static int range_pop(const void *domain)
{
	struct capture_thread *t = &capture_self;
	uint32_t at = t->depth;

	if (at > RANGE_DEPTH)
		return (int)--t->depth;
	while (at > 0 && t->range[at - 1].domain != domain)
		at--;
	if (at == 0)
		return -1;
	range_close(&t->range[at - 1]);
	memmove(&t->range[at - 1], &t->range[at], (t->depth - at) * sizeof t->range[0]);
	return (int)--t->depth;
}

static int on_pop(void)
{
	return range_pop(NULL);
}

static uint64_t range_start(struct open_range r)
{
	uint64_t id = atomic_fetch_add(&started_ids, 1) + 1;

	for (size_t i = 0; r.name && i < STARTED; i++) {
		size_t at = (id + i) % STARTED;
		uint64_t empty = 0;

		if (!atomic_compare_exchange_strong(&started[at].id, &empty, UINT64_MAX))
			continue;
		started[at].range = r;
		atomic_store(&started[at].id, id);
		break;
	}
	return id;
}

static void on_end(uint64_t id)
{
	for (size_t i = 0; id && i < STARTED; i++) {
		size_t at = (id + i) % STARTED;
		uint64_t want = id;
		struct open_range r;

		if (!atomic_compare_exchange_strong(&started[at].id, &want, UINT64_MAX))
			continue;
		r = started[at].range;
		atomic_store(&started[at].id, 0);
		range_close(&r);
		return;
	}
}

static int on_push(const char *name)
{
	return range_push(NULL, range_open(name));
}

static int on_push_wide(const wchar_t *name)
{
	return range_push(NULL, range_open_wide(name));
}

static int on_push_ex(const struct nvtx_attributes *a)
{
	return range_push(NULL, range_open_ex(a));
}

static uint64_t on_start(const char *name)
{
	return range_start(range_open(name));
}

static uint64_t on_start_wide(const wchar_t *name)
{
	return range_start(range_open_wide(name));
}

static uint64_t on_start_ex(const struct nvtx_attributes *a)
{
	return range_start(range_open_ex(a));
}

static int on_domain_push(void *domain, const struct nvtx_attributes *a)
{
	return range_push(domain, range_open_ex(a));
}

static int on_domain_pop(void *domain)
{
	return range_pop(domain);
}

static uint64_t on_domain_start(void *domain, const struct nvtx_attributes *a)
{
	(void)domain;
	return on_start_ex(a);
}

static void on_domain_end(void *domain, uint64_t id)
{
	(void)domain;
	on_end(id);
}

/* The handle of a domain is that of its name. */
static uintptr_t on_string(void *domain, const char *s)
{
	(void)domain;
	return s ? nvtxname_add(s) : 0;
}

static uintptr_t on_string_wide(void *domain, const wchar_t *w)
{
	char s[WIDE_MAX];

	wide_to_utf8(w, s);
	return on_string(domain, s);
}

static uintptr_t on_domain(const char *name)
{
	return on_string(NULL, name);
}

static uintptr_t on_domain_wide(const wchar_t *name)
{
	return on_string_wide(NULL, name);
}

struct place {
	unsigned at;
	nvtx_fn *fn;
};

static int table_fill(const struct nvtx_callbacks *c, int module,
	const struct place *place, size_t places)
{
	nvtx_fn ***table = NULL;
	unsigned n = 0;

	if (!c->module(module, (nvtx_fn ***)&table, &n) || !table)
		return -1;
	for (size_t i = 0; i < places; i++)
		if (place[i].at < n && table[place[i].at])
			*table[place[i].at] = place[i].fn;
	return 0;
}

#define PLACE(at, fn) { at, (nvtx_fn *)(fn) }

int nvtx_take(nvtx_export_fn *get)
{
	static const struct place core[] = {
		PLACE(START_EX, on_start_ex), PLACE(START_A, on_start),
		PLACE(START_W, on_start_wide), PLACE(END, on_end),
		PLACE(PUSH_EX, on_push_ex), PLACE(PUSH_A, on_push),
		PLACE(PUSH_W, on_push_wide), PLACE(POP, on_pop),
	};
	static const struct place core2[] = {
		PLACE(DOMAIN_START_EX, on_domain_start), PLACE(DOMAIN_END, on_domain_end),
		PLACE(DOMAIN_PUSH_EX, on_domain_push), PLACE(DOMAIN_POP, on_domain_pop),
		PLACE(DOMAIN_STRING_A, on_string), PLACE(DOMAIN_STRING_W, on_string_wide),
		PLACE(DOMAIN_CREATE_A, on_domain), PLACE(DOMAIN_CREATE_W, on_domain_wide),
	};
	const struct nvtx_callbacks *c = get ? get(TABLE_CALLBACKS) : NULL;

	if (!c || c->size < sizeof *c || !c->module)
		return -1;
	if (table_fill(c, MODULE_CORE, core, ARRAY_LEN(core)))
		return -1;
	/* domains came later: a library without them still has the rest */
	(void)table_fill(c, MODULE_CORE2, core2, ARRAY_LEN(core2));
	return 0;
}
