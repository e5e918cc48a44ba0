#include "base.h"
#include "evrec.h"

#include "num.h"
#include "say.h"

/* |start| + length stays an int64 */
#define START_MAX (INT64_C(1) << 62)
#define DUR_MAX (INT64_C(1) << 61)

enum slot_type { SLOT_TEXT, SLOT_INT, SLOT_ID, SLOT_FLAG, SLOT_JSON };

/* Keys of event and mem records in the order in which they are written; writer
 * and reader go by this table. */
static const struct slot {
	struct text key;       /* with its quotes and colon */
	enum slot_type type;
	size_t at;
} slots[] = {
#define SLOT(key, type, field) { { "\"" key "\":", sizeof(key) + 2 }, type, \
	offsetof(struct event, field) }
	SLOT("raw_cat", SLOT_TEXT, raw_cat),
	SLOT("name", SLOT_TEXT, name),
	SLOT("pid", SLOT_TEXT, pid),
	SLOT("tid", SLOT_TEXT, tid),
	SLOT("start_ns", SLOT_INT, ts_ns),
	SLOT("dur_ns", SLOT_INT, dur_ns),
	SLOT("untimed", SLOT_FLAG, untimed),
	SLOT("corr", SLOT_ID, corr),
	SLOT("ext", SLOT_ID, ext),
	SLOT("seq", SLOT_INT, seq),
	SLOT("fwd_tid", SLOT_INT, fwd_tid),
	SLOT("device", SLOT_TEXT, device),
	SLOT("stream", SLOT_TEXT, stream),
	SLOT("bytes", SLOT_INT, bytes),
	SLOT("blocks", SLOT_INT, blocks),
	SLOT("args", SLOT_JSON, args),
	SLOT("device_type", SLOT_INT, device_type),
	SLOT("allocated_bytes", SLOT_INT, allocated),
	SLOT("reserved_bytes", SLOT_INT, reserved),
	SLOT("delta_bytes", SLOT_INT, delta),
	SLOT("addr", SLOT_ID, addr),
#undef SLOT
};
static const struct text memory_name = { "[memory]", 8 };

static void put_json(struct jw *jw, struct text key, struct text json)
{
	struct buf b = BUF_INIT;

	if (json.n && rec_compact(&b, json) == 0) {
		jw_key_raw(jw, key);
		jw_raw(jw, buf_text(&b));
	}
	buf_release(&b);
}

static void put_slot(struct jw *jw, const struct slot *slot, const struct event *ev)
{
	const char *field = (const char *)ev + slot->at;
	int64_t n;
	uint64_t id;
	struct text t;

	switch (slot->type) {
	case SLOT_TEXT:
		memcpy(&t, field, sizeof(t));
		if (!t.s)
			break;
		jw_key_raw(jw, slot->key);
		jw_text(jw, t);
		break;
	case SLOT_JSON:
		memcpy(&t, field, sizeof(t));
		put_json(jw, slot->key, t);
		break;
	case SLOT_INT:
		memcpy(&n, field, sizeof(n));
		if (n == NO_INT)
			break;
		jw_key_raw(jw, slot->key);
		jw_int(jw, n);
		break;
	case SLOT_ID:
		memcpy(&id, field, sizeof(id));
		if (id == NO_ID)
			break;
		jw_key_raw(jw, slot->key);
		jw_u64(jw, id);
		break;
	case SLOT_FLAG:
		if (!*(const bool *)field)
			break;
		jw_key_raw(jw, slot->key);
		jw_bool(jw, true);
		break;
	}
}

int evrec_put(struct stream_writer *w, const struct event *ev, int64_t origin_ns)
{
	bool mem = ev->cat == CAT_MEM;
	struct event e = *ev;
	struct jw *jw;
	size_t i;

	if (__builtin_sub_overflow(ev->ts_ns, origin_ns, &e.ts_ns))
		return error("an event lies outside of any time (%" PRId64 " ns)", ev->ts_ns);
	/* what follows from the kind is not written each time */
	if (mem && text_eq(e.name, memory_name))
		e.name.s = NULL;
	if (mem && e.dur_ns == 0)
		e.dur_ns = NO_INT;
	if (e.cat != CAT_OTHER)
		e.raw_cat.s = NULL;
	jw = stream_begin(w, mem ? "mem" : "event");
	if (!mem)
		jw_kstr(jw, "cat", cat_name(e.cat));
	for (i = 0; i < ARRAY_LEN(slots); i++)
		put_slot(jw, &slots[i], &e);
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

static bool is_key(struct text key, const struct slot *slot)
{
	return key.n + 3 == slot->key.n && memcmp(key.s, slot->key.s + 1, key.n) == 0;
}

/* Fields mostly come in the table's order: the search goes on where the last
 * one was found, so that a record costs one comparison a field. */
static void get_slots(const struct rec *r, struct event *ev)
{
	size_t i, k, next = 0;

	for (i = 0; i < r->nfield; i++)
		for (k = 0; k < ARRAY_LEN(slots); k++) {
			const struct slot *slot = &slots[(next + k) % ARRAY_LEN(slots)];

			if (!is_key(r->field[i].key, slot))
				continue;
			get_slot(slot, &r->field[i], ev);
			next = (next + k + 1) % ARRAY_LEN(slots);
			break;
		}
}

static void get_cat(const struct rec *r, struct event *ev)
{
	struct text word = rec_text(r, "cat");
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

	if (!mem && !text_is(r->kind, "event"))
		return 0;
	if (mem)
		e.name = memory_name;
	get_slots(r, &e);
	if (e.ts_ns <= -START_MAX || e.ts_ns >= START_MAX || e.dur_ns >= DUR_MAX)
		return -1;
	e.dur_ns = MAX(e.dur_ns, 0);
	if (!mem)
		get_cat(r, &e);
	*ev = e;
	return 1;
}
