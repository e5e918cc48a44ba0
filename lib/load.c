/* load.c - pass 1: each event to its table or sorter. */
#include "base.h"
#include "load.h"

#include <stdlib.h>

#include "lost.h"
#include "mem.h"
#include "say.h"

/* By correlation, so that join.c can merge; absent ones (NO_ID) come last. */
static int call_by_corr(const void *pa, const void *pb)
{
	const struct call *a = pa, *b = pb;

	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	if (a->ts != b->ts)
		return cmp_int(a->ts, b->ts);
	if (a->dur != b->dur)
		return cmp_int(b->dur, a->dur);
	return cmp_int(a->no, b->no);
}

static int dev_by_corr(const void *pa, const void *pb)
{
	const struct dev *a = pa, *b = pb;

	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	return cmp_int(a->no, b->no);
}

int load_begin(struct load *l, struct store *store, const struct load_opt *opt)
{
	memset(l, 0, sizeof *l);
	l->store = store;
	l->db = &store->db;
	l->id = store_next_trace(store);
	l->opt = *opt;
	l->dir = store->dir;
	l->first_ns = l->last_ns = NO_INT;
	/* nothing to close yet, should this fail midway */
	l->call_time.fd = l->dev_time.fd = l->links.fd = l->issues.fd = -1;
	tracks_init(&l->tracks, l->db, l->id);
	sorter_init(&l->calls, sizeof(struct call), call_by_corr, l->dir, SORTER_BYTES);
	sorter_init(&l->devs, sizeof(struct dev), dev_by_corr, l->dir, SORTER_BYTES);
	runs_init(&l->hosts, "host", sizeof(struct host), l->dir);
	runs_init(&l->samples, "memory", sizeof(struct sample), l->dir);
	if (names_init(&l->names, l->db, l->id) < 0)
		return -1;
	l->names.scope = opt->scope;
	l->names.regex = opt->step_regex;
	l->put_coll = db_prepare(l->db, "INSERT INTO coll VALUES (?,?)");
	return l->put_coll ? 0 : -1;
}

void load_release(struct load *l)
{
	db_finish(&l->put_coll);
	lost_free(l->lost);
	names_release(&l->names);
	devices_release(&l->devices);
	tracks_release(&l->tracks);
	runs_release(&l->hosts);
	runs_release(&l->samples);
	sorter_release(&l->calls);
	sorter_release(&l->devs);
	sorter_release(&l->call_time);
	sorter_release(&l->dev_time);
	sorter_release(&l->links);
	sorter_release(&l->issues);
	free(l->profiler.item);
	free(l->regex.item);
	free(l->optimizer.item);
	free(l->steps.mark);
	free(l->steps.h);
	free(l->peaks.item);
	free(l->cut);
}

/* first_ns..last_ns is the whole window of a trace without step marks. */
static void widen(struct load *l, const struct event *ev)
{
	int64_t end = ev->ts_ns + ev->dur_ns;

	if (l->first_ns == NO_INT || ev->ts_ns < l->first_ns)
		l->first_ns = ev->ts_ns;
	if (l->last_ns == NO_INT || end > l->last_ns)
		l->last_ns = end;
}

static void marks_add(struct marks *m, const struct event *ev, int64_t name)
{
	struct mark k = { ev->ts_ns, ev->dur_ns, name, 0 };
	size_t i = 0;

	if (m->n >= MARKS_MAX) {
		m->beyond++;
		return;
	}
	while (i < ev->name.n && ev->name.s[i] != '#')
		i++;
	for (i++; i < ev->name.n && k.idx < INT32_MAX
		&& ev->name.s[i] >= '0' && ev->name.s[i] <= '9'; i++)
		k.idx = k.idx * 10 + (ev->name.s[i] - '0');
	GROW(m->item, m->n, m->cap);
	m->item[m->n++] = k;
}

/* Old files have their ranges among the operators, and some no categories. */
static bool can_mark(enum event_cat cat)
{
	return cat == CAT_ANNOTATION || cat == CAT_CPU_OP || cat == CAT_OTHER;
}

static int add_host(struct load *l, const struct event *ev, uint32_t track,
	int64_t name, unsigned flags)
{
	struct host h = { .ts = ev->ts_ns, .dur = ev->dur_ns, .seq = ev->seq,
		.fwd = ev->fwd_tid == 0 ? NO_INT : ev->fwd_tid, .track = track,
		.ext = ev->ext > INT64_MAX ? NO_INT : (int64_t)ev->ext,
		.name = (uint32_t)name, .cat = ev->cat };

	if (flags && can_mark(ev->cat)) {
		if (flags & NAME_STEP)
			marks_add(&l->profiler, ev, name);
		if (flags & NAME_OPTIMIZER)
			marks_add(&l->optimizer, ev, name);
		if (flags & NAME_REGEX && ev->cat != CAT_CPU_OP)
			marks_add(&l->regex, ev, name);
	}
	return load_put_host(l, &h);
}

static int add_call(struct load *l, const struct event *ev, uint32_t track, int64_t name)
{
	struct call c = { .ts = ev->ts_ns, .dur = ev->dur_ns, .no = l->ncall++,
		.corr = ev->corr, .bytes = ev->bytes, .track = track,
		.name = (uint32_t)name, .cat = (uint8_t)ev->cat };

	return sorter_add(&l->calls, &c);
}

/* What a collective says of itself waits under a negative id until the number of
 * its device op is known. */
static int add_args(struct load *l, struct text args)
{
	sqlite3_bind_int64(l->put_coll, 1, -STORE_ID(l->id, ++l->ncoll));
	db_bind_text(l->put_coll, 2, args);
	return db_run(l->db, l->put_coll);
}

static int add_dev(struct load *l, const struct event *ev, uint32_t track, int64_t name)
{
	struct dev d = { .ts = ev->ts_ns, .dur = ev->dur_ns, .no = l->ndev++,
		.bytes = ev->bytes, .blocks = ev->blocks, .corr = ev->corr,
		.issue_ts = NO_INT, .track = track, .name = (uint32_t)name,
		.cat = (uint8_t)ev->cat, .flags = ev->untimed ? DEV_UNTIMED : 0 };
	struct track *k = &l->tracks.track[track - 1];

	k->ops++;
	if (ev->cat == CAT_KERNEL)
		k->compute_ns += ev->dur_ns;
	if (ev->args.n > 0) {
		if (add_args(l, ev->args) < 0)
			return -1;
		d.coll = l->ncoll;
	}
	l->count.untimed_ops += ev->untimed;
	return sorter_add(&l->devs, &d);
}

static int add_sample(struct load *l, const struct event *ev, uint32_t track)
{
	struct sample s = { 0, ev->ts_ns, ev->allocated, ev->reserved, ev->delta,
		(int64_t)ev->addr, ev->device_type, track, "" };

	if (ev->device.s)
		memcpy(s.device, ev->device.s, MIN(ev->device.n, sizeof s.device - 1));
	return load_put_sample(l, &s);
}

static int64_t clamp(int64_t n, int64_t most)
{
	return n == NO_INT ? n : n > most ? most : n < -most ? -most : n;
}

/* A size that is added up; unknown where it cannot be one. */
static int64_t size_of(struct load *l, int64_t bytes)
{
	if (bytes < -TOTAL_MAX || bytes > TOTAL_MAX || llabs(bytes) > SUM_MAX - l->sum_bytes)
		return NO_INT;
	l->sum_bytes += llabs(bytes);
	return bytes;
}

static int add_event(struct load *l, const struct event *ev);

/* In any real trace nothing of this happens. */
int load_event(void *load, const struct event *ev)
{
	struct load *l = load;
	struct event e = *ev;

	if (ev->dur_ns > SUM_MAX - l->sum_ns) {
		l->beyond++;
		return 0;
	}
	l->sum_ns += ev->dur_ns;
	if (e.device.n == 0 && (cat_on_device(e.cat) || e.cat == CAT_MEM))
		e.device = event_default_device(&e); /* a stream may leave it out */
	e.bytes = ev->bytes < 0 ? NO_INT : size_of(l, ev->bytes);
	if (ev->cat == CAT_MEM) {
		e.delta = size_of(l, ev->delta);
		e.allocated = clamp(ev->allocated, TOTAL_MAX);
		e.reserved = clamp(ev->reserved, TOTAL_MAX);
	}
	return add_event(l, &e);
}

static int add_event(struct load *l, const struct event *ev)
{
	uint32_t track;
	unsigned flags = 0;
	int64_t name = 0;

	/* a sample lies on the thread that allocates; its device is a column */
	if (ev->cat == CAT_MEM) {
		struct event host = *ev;

		host.device = host.stream = (struct text){ NULL, 0 };
		track = tracks_find(&l->tracks, &host);
	} else {
		track = tracks_find(&l->tracks, ev);
		name = names_put(&l->names, ev->name, &flags);
	}
	if (name < 0)
		return -1;
	if (track == 0)
		return 0; /* told at the end */
	if (!ev->untimed)
		widen(l, ev);
	if (ev->cat == CAT_MEM)
		return add_sample(l, ev, track);
	if (cat_on_device(ev->cat))
		return add_dev(l, ev, track, name);
	if (ev->cat == CAT_RUNTIME || ev->cat == CAT_DRIVER)
		return add_call(l, ev, track, name);
	return add_host(l, ev, track, name, flags);
}
