/* evrec.c - see evrec.h. */
#include "base.h"
#include "evrec.h"

#include "num.h"
#include "say.h"

enum slot_type { SLOT_TEXT, SLOT_INT, SLOT_ID, SLOT_FLAG, SLOT_JSON };

/* Keys of event and mem records in the order in which they are written; writer
 * and reader go by this table: X(key, type, field of struct event). */
#define SLOTS(X) \
	X("raw_cat", TEXT, raw_cat) \
	X("name", TEXT, name) \
	X("pid", TEXT, pid) \
	X("tid", TEXT, tid) \
	X("start_ns", INT, ts_ns) \
	X("dur_ns", INT, dur_ns) \
	X("untimed", FLAG, untimed) \
	X("corr", ID, corr) \
	X("ext", ID, ext) \
	X("seq", INT, seq) \
	X("fwd_tid", INT, fwd_tid) \
	X("device", TEXT, device) \
	X("stream", TEXT, stream) \
	X("bytes", INT, bytes) \
	X("blocks", INT, blocks) \
	X("args", JSON, args) \
	X("device_type", INT, device_type) \
	X("allocated_bytes", INT, allocated) \
	X("reserved_bytes", INT, reserved) \
	X("delta_bytes", INT, delta) \
	X("addr", ID, addr)

static const struct slot {
	struct text key;
	enum slot_type type;
	size_t at;
} slots[] = {
#define X(key, type, field) { { key, sizeof(key) - 1 }, SLOT_ ## type, \
	offsetof(struct event, field) },
	SLOTS(X)
#undef X
};
static const struct text memory_name = { "[memory]", 8 };

/* One for each type of a slot: nothing where the event has no such value. */
static inline void put_TEXT(struct jw *jw, struct text key, struct text t)
{
	if (!t.s)
		return;
	jw_key_plain(jw, key.s, key.n);
	jw_text(jw, t);
}

static inline void put_INT(struct jw *jw, struct text key, int64_t n)
{
	if (n == NO_INT)
		return;
	jw_key_plain(jw, key.s, key.n);
	jw_int(jw, n);
}

static inline void put_ID(struct jw *jw, struct text key, uint64_t id)
{
	if (id == NO_ID)
		return;
	jw_key_plain(jw, key.s, key.n);
	jw_u64(jw, id);
}

static inline void put_FLAG(struct jw *jw, struct text key, bool yes)
{
	if (!yes)
		return;
	jw_key_plain(jw, key.s, key.n);
	jw_bool(jw, true);
}

static void put_JSON(struct jw *jw, struct text key, struct text json)
{
	struct buf b = BUF_INIT;

	if (json.n && rec_compact(&b, json) == 0) {
		jw_key_plain(jw, key.s, key.n);
		jw_raw(jw, buf_text(&b));
	}
	buf_release(&b);
}

/* Unrolled: a loop over the table took 250 instructions an event, 3 % of a trace
 * into a stream, for the dozen slots that are empty. */
static void put_slots(struct jw *jw, const struct event *ev)
{
#define X(key, type, field) put_ ## type(jw, TEXT(key), ev->field);
	SLOTS(X)
#undef X
}

/* How the record of a category begins. */
static struct text event_begin(enum event_cat cat)
{
#define X(e, name, d, k) { "{\"kind\":\"event\",\"cat\":\"" name "\"", \
	sizeof("{\"kind\":\"event\",\"cat\":\"\"" name) - 1 },
	static const struct text begin[CAT_COUNT] = { EVENT_CATS(X) };
#undef X
	return begin[cat];
}

int evrec_put(struct stream_writer *w, const struct event *ev, int64_t origin_ns)
{
	bool mem = ev->cat == CAT_MEM;
	struct event e = *ev;

	if (__builtin_sub_overflow(ev->ts_ns, origin_ns, &e.ts_ns))
		return error("an event lies outside of any time (%" PRId64 " ns)", ev->ts_ns);
	/* what follows from the kind is not written each time */
	if (mem && text_eq(e.name, memory_name))
		e.name.s = NULL;
	if (mem && e.dur_ns == 0)
		e.dur_ns = NO_INT;
	if (e.cat != CAT_OTHER)
		e.raw_cat.s = NULL;
	put_slots(stream_begin_as(w, mem ? TEXT("{\"kind\":\"mem\"") : event_begin(e.cat)), &e);
	return stream_put(w);
}

static void get_slot(const struct slot *slot, const struct rec_field *f,
	struct event *ev)
{
	bool digits = f->type == REC_NUM || f->type == REC_STR;
	char *field = (char *)ev + slot->at;
	bool yes = f->type == REC_BOOL && text_is(f->value, "true");
	int64_t n;
	uint64_t id;

	switch (slot->type) {
	case SLOT_TEXT:
		if (digits)
			memcpy(field, &f->value, sizeof(f->value));
		break;
	case SLOT_JSON:
		if (f->type == REC_OBJ)
			memcpy(field, &f->value, sizeof(f->value));
		break;
	case SLOT_INT:
		if (digits && num_int(f->value, INT64_MIN, INT64_MAX, &n) == 0)
			memcpy(field, &n, sizeof(n));
		break;
	case SLOT_ID:
		if (digits && num_u64(f->value, &id) == 0)
			memcpy(field, &id, sizeof(id));
		break;
	case SLOT_FLAG:
		memcpy(field, &yes, sizeof(yes));
		break;
	}
}

/* Fields mostly come in the table's order: the search goes on where the last
 * one was found, so that a record costs one comparison a field.  Returns the
 * category's word. */
static struct text get_slots(const struct rec *r, struct event *ev)
{
	struct text word = { NULL, 0 };
	size_t i, k, next = 0;

	for (i = 0; i < r->nfield; i++) {
		const struct rec_field *f = &r->field[i];

		if (text_is(f->key, "kind"))
			continue;
		if (text_is(f->key, "cat")) {
			word = f->type == REC_STR ? f->value : (struct text){ NULL, 0 };
			continue;
		}
		for (k = 0; k < ARRAY_LEN(slots); k++) {
			const struct slot *slot = &slots[next];

			next = next + 1 < ARRAY_LEN(slots) ? next + 1 : 0;
			if (!text_eq(f->key, slot->key))
				continue;
			get_slot(slot, f, ev);
			break;
		}
	}
	return word;
}

static void get_cat(struct text word, struct event *ev)
{
	int cat = cat_parse(word.s ? word : TEXT("other"));

	ev->cat = cat < 0 ? CAT_OTHER : (enum event_cat)cat;
	if (cat < 0 && !ev->raw_cat.s)
		ev->raw_cat = word;
}

int evrec_get(const struct rec *r, struct event *ev)
{
	bool mem = text_is(r->kind, "mem");
	struct event e = { .cat = CAT_MEM, .ts_ns = NO_INT, .corr = NO_ID,
		.ext = NO_ID, .addr = NO_ID, .seq = NO_INT, .fwd_tid = NO_INT,
		.bytes = NO_INT, .blocks = NO_INT, .allocated = NO_INT,
		.reserved = NO_INT, .delta = NO_INT, .device_type = NO_INT };

	struct text word;

	if (!mem && !text_is(r->kind, "event"))
		return 0;
	if (mem)
		e.name = memory_name;
	word = get_slots(r, &e);
	if (e.ts_ns < -EVENT_NS_MAX || e.ts_ns > EVENT_NS_MAX || e.dur_ns > EVENT_NS_MAX)
		return -1;
	e.dur_ns = MAX(e.dur_ns, 0);
	if (!mem)
		get_cat(word, &e);
	*ev = e;
	return 1;
}
