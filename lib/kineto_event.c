/* kineto_event.c - from the values of one event to struct event.
 *
 * Times go from decimal digits to integer ns; the first event's time, cut to
 * whole microseconds, becomes the origin, so that ts_ns stays small whatever
 * the file counts from. */
#include "kineto_doc.h"

#include "num.h"

static bool has(const struct doc *d, enum kineto_key k)
{
	return d->seen >> k & 1;
}

static struct text get(const struct doc *d, enum kineto_key k)
{
	return has(d, k) ? d->value[k] : (struct text){ NULL, 0 };
}

/* Microseconds as text to ns.  Nearly all are up to 15 digits and up to three
 * behind the point; num_scaled does the rest. */
static int time_parse(struct text t, int64_t *ns)
{
	static const int64_t scale[] = { 1000, 100, 10, 1 };
	size_t i = 0, point;
	int64_t v = 0;

	for (; i < t.n && i < 15 && t.s[i] >= '0' && t.s[i] <= '9'; i++)
		v = v * 10 + (t.s[i] - '0');
	if (i == t.n && i > 0) {
		*ns = v * 1000;
		return 0;
	}
	if (i == 0 || t.s[i] != '.' || t.n - i - 1 > 3)
		return num_scaled(t, 3, ns);
	for (point = i++; i < t.n && t.s[i] >= '0' && t.s[i] <= '9'; i++)
		v = v * 10 + (t.s[i] - '0');
	if (i < t.n || i == point + 1)
		return num_scaled(t, 3, ns);
	*ns = v * scale[i - point - 1];
	return 0;
}

static int64_t get_int(const struct doc *d, enum kineto_key k)
{
	int64_t v;

	return has(d, k) && num_int(d->value[k], INT64_MIN + 1, INT64_MAX, &v) == 0
		? v : NO_INT;
}

static uint64_t get_id(const struct doc *d, enum kineto_key k)
{
	uint64_t v;

	return has(d, k) && num_u64(d->value[k], &v) == 0 ? v : NO_ID;
}

/* A memory total that wrapped below zero is written as 2^64 - n: negative
 * again, so that whoever checks totals sees what it is. */
static int64_t get_total(const struct doc *d, enum kineto_key k)
{
	int64_t v = get_int(d, k);
	uint64_t u = v == NO_INT ? get_id(d, k) : NO_ID;

	return v == NO_INT && u != NO_ID ? (int64_t)u : v;
}

static const struct cat_rule *find_rule(struct doc *d)
{
	struct text c = get(d, K_CAT);

	if (c.n >= sizeof d->last_cat)
		return cat_rule(c);
	if (strlen(d->last_cat) != c.n || memcmp(d->last_cat, c.s ? c.s : "", c.n) != 0) {
		d->rule = cat_rule(c);
		memcpy(d->last_cat, c.s ? c.s : "", c.n);
		d->last_cat[c.n] = 0;
	}
	return d->rule;
}

/* The exporter before Kineto: no categories, the pid says which side. */
static enum event_cat legacy_cat(struct doc *d, struct text pid)
{
	bool cpu = text_is(pid, "CPU functions");

	if (!cpu && !text_is(pid, "CUDA functions"))
		return CAT_OTHER;
	d->saw_legacy = true;
	return cpu ? CAT_CPU_OP : CAT_KERNEL;
}

static enum event_cat find_cat(struct doc *d, const struct cat_rule *r, struct event *ev)
{
	enum event_cat c = r->cat;

	if (!has(d, K_CAT))
		c = legacy_cat(d, ev->pid);
	if (c == CAT_CPU_OP && annotation_name(ev->name))
		c = CAT_ANNOTATION;
	if (c == CAT_KERNEL && comm_cached(&d->comm, ev->name))
		c = CAT_COMM;
	if (c == CAT_MEM)
		c = CAT_OTHER;
	if (r->flags & CF_OLD)
		d->saw_old = true;
	else if (r->flags & CF_KNOWN)
		d->saw_kineto = true;
	else if (c == CAT_OTHER)
		d->info->count.unknown_cats++, d->saw_other = true;
	return c;
}

static struct text stream_of(const struct doc *d)
{
	struct text t = get(d, has(d, K_STREAM_WAS) ? K_STREAM_WAS : K_STREAM);

	if (t.n == 0) {
		t = get(d, K_TID);
		if (t.n > 7 && memcmp(t.s, "stream ", 7) == 0)
			t = (struct text){ t.s + 7, t.n - 7 };
	}
	return t.n ? t : TEXT("0");
}

static void set_place(const struct doc *d, struct event *ev)
{
	if (cat_on_device(ev->cat) || ev->cat == CAT_GPU_ANNOTATION) {
		if (d->saw_legacy && !has(d, K_CAT)) {
			/* the legacy exporter's tid is the device */
			ev->device = ev->tid.n ? ev->tid : TEXT("0");
			ev->stream = TEXT("0");
			return;
		}
		ev->device = get(d, K_DEVICE);
		if (ev->device.n == 0)
			ev->device = event_default_device(ev);
		ev->stream = stream_of(d);
	} else if (ev->cat == CAT_SYNC) {
		ev->device = get(d, K_DEVICE);
		ev->stream = get(d, K_STREAM);
	}
}

static void set_args(struct doc *d, struct event *ev)
{
	ev->corr = get_id(d, K_CORR);
	ev->ext = get_id(d, has(d, K_EXT) ? K_EXT : K_EXT_OLD);
	ev->seq = get_int(d, K_SEQ);
	ev->fwd_tid = get_int(d, K_FWD_TID);
	/* a HIP call carries what its copy moves, as text, in "size" */
	ev->bytes = get_int(d, has(d, K_BYTES) ? K_BYTES : K_SIZE);
	ev->blocks = d->blocks;
}

/* More than 15 digits: a string, so that no reader makes a double of it. */
static void put_number(struct doc *d, struct jw *w, enum kineto_key k)
{
	struct text t = d->value[k];
	size_t digits = 0;

	while (digits < t.n && strchr("-0123456789", t.s[digits]) && t.s[digits])
		digits++;
	if (t.n > 15 && digits == t.n)
		jw_text(w, t);
	else
		jw_raw(w, t.n ? t : TEXT("null"));
}

static struct text collective_args(struct doc *d)
{
	const uint64_t need = K_BIT(K_COLL) | K_BIT(K_COLL_IN) |
		K_BIT(K_COLL_PG) | K_BIT(K_COLL_COMMS) | K_BIT(K_COLL_SEQ) |
		K_BIT(K_COLL_COMMUNICATOR);
	struct jw w;

	if (!(d->seen & need))
		return (struct text){ NULL, 0 };
	buf_reset(&d->args);
	jw_init(&w, &d->args);
	jw_open(&w, '{');
	for (enum kineto_key k = K_COLL_FIRST; k < K_COUNT; k++) {
		if (!has(d, k))
			continue;
		jw_key(&w, key_name(k));
		if (d->quoted >> k & 1)
			jw_text(&w, d->value[k]);
		else
			put_number(d, &w, k);
	}
	jw_close(&w, '}');
	return buf_text(&d->args);
}

/* The origin is fixed by the first time that counts. */
static int set_time(struct doc *d, int64_t ns, struct event *ev)
{
	if (!d->have_origin) {
		d->have_origin = true;
		d->origin_ns = ns - ns % 1000;
	}
	if (__builtin_sub_overflow(ns, d->origin_ns, &ev->ts_ns) ||
	    ev->ts_ns > EVENT_NS_MAX || ev->ts_ns < -EVENT_NS_MAX)
		return -1;
	return 0;
}

static void note_string_time(struct doc *d)
{
	if (d->quoted & K_BIT(K_TS))
		d->saw_string_ts = true;
}

static void set_duration(struct doc *d, struct event *ev)
{
	struct import_counts *c = &d->info->count;

	ev->dur_ns = 0;
	if (!has(d, K_DUR) || time_parse(d->value[K_DUR], &ev->dur_ns) < 0 ||
	    ev->dur_ns > EVENT_NS_MAX) {
		c->missing_dur++;
		ev->dur_ns = 0;
	} else if (ev->dur_ns < 0) {
		c->negative_dur++;
		ev->dur_ns = 0;
	}
}

int event_emit(struct doc *d, const struct event *ev)
{
	d->info->count.events++;
	d->info->count.device_ops += cat_on_device(ev->cat);
	return d->sink->event(d->sink->arg, ev);
}

static void event_clear(struct doc *d, struct event *ev)
{
	memset(ev, 0, sizeof *ev);
	ev->name = get(d, K_NAME);
	ev->pid = get(d, K_PID);
	ev->tid = get(d, K_TID);
	ev->raw_cat = get(d, K_CAT);
	ev->corr = ev->ext = ev->addr = NO_ID;
	ev->seq = ev->fwd_tid = ev->bytes = ev->blocks = NO_INT;
	ev->allocated = ev->reserved = ev->delta = ev->device_type = NO_INT;
}

/* ph X, or B: its length comes with the E. */
static int finish_span(struct doc *d, bool begin)
{
	struct import_counts *c = &d->info->count;
	const struct cat_rule *rule = find_rule(d);
	struct event ev;
	int64_t ns = 0;
	bool timed;

	event_clear(d, &ev);
	if (!begin)
		set_duration(d, &ev);
	if (rule->flags & CF_SKIP) {
		c->meta_events++;
		return 0;
	}
	timed = has(d, K_TS) && time_parse(d->value[K_TS], &ns) == 0;
	note_string_time(d);
	ev.cat = find_cat(d, rule, &ev);
	if (cat_on_device(ev.cat) && (!timed || (ns == 0 && ev.dur_ns == 0))) {
		ev.untimed = true;
		ev.dur_ns = 0;
		c->untimed_ops++;
	} else if (!timed || set_time(d, ns, &ev) < 0) {
		doc_bad_event(d, "no time in them");
		return 0;
	}
	set_place(d, &ev);
	set_args(d, &ev);
	if (ev.cat == CAT_KERNEL || ev.cat == CAT_COMM ||
	    text_is(ev.name, "record_param_comms"))
		ev.args = collective_args(d);
	if (!begin)
		return event_emit(d, &ev);
	if (!pairs_begin(d->pairs, &ev))
		c->unmatched_ends++;
	return 0;
}

static int finish_end(struct doc *d)
{
	struct import_counts *c = &d->info->count;
	struct event end, ev;
	int64_t ns;

	event_clear(d, &end);
	if (!has(d, K_TS) || time_parse(d->value[K_TS], &ns) < 0 ||
	    !pairs_end(d->pairs, &end, &ev) || set_time(d, ns, &end) < 0) {
		c->unmatched_ends++;
		return 0;
	}
	note_string_time(d);
	ev.dur_ns = end.ts_ns - ev.ts_ns;
	if (ev.dur_ns < 0) {
		ev.dur_ns = 0;
		c->negative_dur++;
	}
	return event_emit(d, &ev);
}

/* ph i: only the allocator's are events. */
static int finish_instant(struct doc *d)
{
	struct event ev;
	int64_t ns;

	event_clear(d, &ev);
	if (!text_is(ev.name, "[memory]")) {
		d->info->count.meta_events++;
		return 0;
	}
	if (!has(d, K_TS) || time_parse(d->value[K_TS], &ns) < 0 ||
	    set_time(d, ns, &ev) < 0) {
		doc_bad_event(d, "no time in them");
		return 0;
	}
	note_string_time(d);
	ev.cat = CAT_MEM;
	ev.device = get(d, K_MEM_DEVICE);
	if (ev.device.n == 0)
		ev.device = event_default_device(&ev);
	ev.device_type = get_int(d, K_MEM_TYPE);
	ev.delta = get_total(d, K_MEM_BYTES);
	ev.allocated = get_total(d, K_MEM_ALLOCATED);
	ev.reserved = get_total(d, K_MEM_RESERVED);
	ev.addr = get_id(d, K_MEM_ADDR);
	return event_emit(d, &ev);
}

int event_finish(struct doc *d)
{
	struct import_counts *c = &d->info->count;
	struct text ph = get(d, K_PH);

	switch (ph.n == 1 ? ph.s[0] : 0) {
	case 'X':
		return finish_span(d, false);
	case 'B':
		return finish_span(d, true);
	case 'E':
		return finish_end(d);
	case 'i':
	case 'I':
		return finish_instant(d);
	case 's':
		c->flow_starts++;
		break;
	case 'f':
		c->flow_ends++;
		break;
	default:
		if (ph.n == 0 && d->seen)
			doc_bad_event(d, "no phase in them");
		else
			c->meta_events++;
	}
	return 0;
}
