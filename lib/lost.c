/* lost.c - from device ops and the sweep to the rows of idle and tiny. */
#include "base.h"
#include "lost.h"

#include <stdlib.h>

#include "gap.h"
#include "idle.h"
#include "mem.h"
#include "row.h"
#include "say.h"
#include "tiny.h"
#include "trait.h"

_Static_assert((int)AT_OTHER_THREAD == (int)HOW_OTHER_THREAD, "how of store.sql");

/* A copy call that waits, since its op is Pageable; in the order of calls. */
struct pageable {
	int64_t ts, dur, no;
};

struct lost {
	struct load *l;
	struct gaps gaps;
	struct tiny tiny;
	struct idle idle;
	bool idles;                    /* idle was begun */
	struct sorter gap_time, pageable;
	struct sorter_iter gap_it, pageable_it;
	const struct pageable *next_pageable;
	struct anchors *anchors;
	const struct sweep_item *item; /* whose anchor idle may ask for */
	uint32_t *stream_order;        /* by track n - 1 */
	int64_t *issued;               /* device ops, by track n - 1 */
	uint16_t *trait;               /* by name n; TRAIT_KNOWN set when worked out */
	size_t ntrait;
	sqlite3_stmt *put_tiny;
	int64_t nidle, ntiny;
	int64_t idle_ns, gap_ns;       /* pieces; gaps: the same in the end */
};
#define TRAIT_KNOWN 0x8000u

static int gap_by_time(const void *pa, const void *pb)
{
	const struct gap *a = pa, *b = pb;

	if (a->ts_ns != b->ts_ns)
		return cmp_int(a->ts_ns, b->ts_ns);
	return cmp_int(a->device, b->device);
}

static int pageable_by_call(const void *pa, const void *pb)
{
	const struct pageable *a = pa, *b = pb;

	if (a->ts != b->ts)
		return cmp_int(a->ts, b->ts);
	if (a->dur != b->dur)
		return cmp_int(b->dur, a->dur);
	return cmp_int(a->no, b->no);
}

static const char *device_text(const struct lost *v, uint32_t device)
{
	return v->l->devices.item[device].idx;
}

static int gap_take(void *arg, const struct gap *g)
{
	struct lost *v = arg;

	v->gap_ns += g->end_ns - g->ts_ns;
	return sorter_add(&v->gap_time, g);
}

static int gap_next(void *arg, struct gap *g)
{
	struct lost *v = arg;
	const struct gap *next = sorter_next(&v->gap_it);

	if (next == NULL)
		return v->gap_it.failed ? -1 : 0;
	*g = *next;
	return 1;
}

static int tiny_put(void *arg, const struct tiny_run *r)
{
	struct lost *v = arg;
	sqlite3_stmt *st = v->put_tiny;

	sqlite3_bind_int64(st, 1, STORE_ID(v->l->id, ++v->ntiny));
	sqlite3_bind_int64(st, 2, r->ts_ns);
	sqlite3_bind_int64(st, 3, r->end_ns - r->ts_ns);
	db_bind_str(st, 4, device_text(v, r->device));
	sqlite3_bind_int64(st, 5, r->launches);
	sqlite3_bind_int64(st, 6, r->kernel_ns);
	sqlite3_bind_int64(st, 7, r->first);
	sqlite3_bind_int64(st, 8, r->last);
	return db_run(v->l->db, st);
}

static int piece_put(void *arg, const struct idle_piece *p)
{
	struct lost *v = arg;
	struct row r;

	v->idle_ns += p->dur_ns;
	row_begin(&r);
	row_int(&r, p->ts_ns);
	row_int(&r, p->dur_ns);
	row_str(&r, device_text(v, p->device));
	row_int(&r, p->cause);
	row_number(&r, p->anchor.how);
	row_number(&r, p->anchor.frame);
	row_number(&r, p->anchor.op);
	row_number(&r, p->doing);
	row_number(&r, p->before);
	row_number(&r, p->after);
	return pages_add(&v->l->store->pages, BULK_IDLE, STORE_ID(v->l->id, ++v->nidle), &r);
}

/* Stream numbers in order of value, then words. */
static int stream_cmp(const struct track *a, const struct track *b)
{
	const char *s = a->stream ? a->stream : "", *t = b->stream ? b->stream : "";
	bool num_s = *s && strspn(s, "0123456789") == strlen(s);
	bool num_t = *t && strspn(t, "0123456789") == strlen(t);

	if (num_s != num_t)
		return num_s ? -1 : 1;
	if (num_s && strlen(s) != strlen(t))
		return strlen(s) < strlen(t) ? -1 : 1;
	return strcmp(s, t);
}

struct ordered { const struct track *track; uint32_t at; };

static int ordered_cmp(const void *pa, const void *pb)
{
	const struct ordered *a = pa, *b = pb;
	int c = stream_cmp(a->track, b->track);

	return c ? c : cmp_int(a->at, b->at);
}

static void streams_order(struct lost *v)
{
	const struct tracks *t = &v->l->tracks;
	struct ordered *list = xcalloc(t->n + 1, sizeof *list);

	v->stream_order = xcalloc(t->n + 1, sizeof *v->stream_order);
	for (uint32_t i = 0; i < t->n; i++)
		list[i] = (struct ordered){ &t->track[i], i };
	qsort(list, t->n, sizeof *list, ordered_cmp);
	for (uint32_t i = 0; i < t->n; i++)
		v->stream_order[list[i].at] = i;
	free(list);
}

int lost_begin(struct lost **out, struct load *l)
{
	struct lost *v = xcalloc(1, sizeof *v);

	*out = v;
	v->l = l;
	sorter_init(&v->gap_time, sizeof(struct gap), gap_by_time, l->dir, SORTER_BYTES);
	sorter_init(&v->pageable, sizeof(struct pageable), pageable_by_call, l->dir,
		SORTER_BYTES);
	gaps_init(&v->gaps, l->first_ns == NO_INT ? 0 : l->first_ns, gap_take, v);
	tiny_init(&v->tiny, tiny_put, v);
	streams_order(v);
	v->issued = xcalloc(l->tracks.n + 1, sizeof *v->issued);
	v->put_tiny = db_prepare(l->db, "INSERT INTO tiny VALUES (?,?,?,?,?,?,?,?)");
	return v->put_tiny ? 0 : -1;
}

void lost_free(struct lost *v)
{
	if (v == NULL)
		return;
	gaps_release(&v->gaps);
	tiny_release(&v->tiny);
	if (v->idles) {
		idle_release(&v->idle);
		sorter_iter_release(&v->gap_it);
		sorter_iter_release(&v->pageable_it);
	}
	sorter_release(&v->gap_time);
	sorter_release(&v->pageable);
	db_finish(&v->put_tiny);
	free(v->stream_order);
	free(v->issued);
	free(v->trait);
	free(v);
}

/* What a name says, worked out once; a name that the loader does not remember
 * says nothing. */
static unsigned traits_of(struct lost *v, uint32_t name)
{
	struct text t;

	if (name >= v->ntrait) {
		size_t n = MAX((size_t)name + 1, v->ntrait * 2);

		if (name > NAMES_MAX)
			return 0;
		v->trait = xreallocarray(v->trait, n, sizeof *v->trait);
		memset(v->trait + v->ntrait, 0, (n - v->ntrait) * sizeof *v->trait);
		v->ntrait = n;
	}
	if (!v->trait[name]) {
		t = names_text(&v->l->names, name);
		v->trait[name] = (uint16_t)(TRAIT_KNOWN | (t.s ? trait_of(t) : 0));
	}
	return v->trait[name] & ~TRAIT_KNOWN;
}

int lost_dev(struct lost *v, const struct dev *d, int64_t n)
{
	bool linked = d->issue_ts != NO_INT;
	struct gap_op gap = {
		.ts_ns = d->ts, .end_ns = d->ts + d->dur, .corr = d->corr,
		.device = d->device, .n = (uint32_t)n, .linked = linked,
		.issue_ns = d->issue_ts, .issue_end_ns = linked ? d->issue_ts + d->issue_dur : 0,
		.issue_track = d->issue_track, .stream_order = v->stream_order[d->track - 1],
	};
	struct tiny_op op = {
		d->ts, d->ts + d->dur, d->corr, d->device, (uint32_t)n, !cat_is_copy(d->cat)
	};
	struct pageable p = { d->issue_ts, d->issue_dur, d->issue_no };

	if (linked)
		v->issued[d->issue_track - 1]++;
	if (linked && d->cat == CAT_MEMCPY && traits_of(v, d->name) & TRAIT_PAGEABLE &&
	    sorter_add(&v->pageable, &p) < 0)
		return -1;
	gaps_device(&v->gaps, d->device);
	if (d->flags & DEV_UNTIMED)
		return 0;
	return gaps_add(&v->gaps, &gap) < 0 ? -1 : tiny_add(&v->tiny, &op);
}

int lost_devs_end(struct lost *v)
{
	const struct load *l = v->l;

	if (gaps_end(&v->gaps, l->last_ns == NO_INT ? 0 : l->last_ns) < 0 ||
	    tiny_end(&v->tiny) < 0 || sorter_done(&v->gap_time) < 0)
		return -1;
	return sorter_done(&v->pageable);
}

static struct lane_anchor anchor_find(void *arg, const struct idle_record *r)
{
	struct lost *v = arg;
	struct anchor a = anchors_within(v->anchors, v->item);

	(void)r;
	return (struct lane_anchor){ a.frame, a.op, a.how };
}

int lost_sweep(struct lost *v, struct anchors *a)
{
	const struct idle_hooks hooks = { gap_next, anchor_find, piece_put, v };

	v->anchors = a;
	if (sorter_first(&v->gap_time, &v->gap_it) < 0)
		return -1;
	if (sorter_first(&v->pageable, &v->pageable_it) < 0) {
		sorter_iter_release(&v->gap_it);
		return -1;
	}
	v->idles = true;
	v->next_pageable = sorter_next(&v->pageable_it);
	if (idle_init(&v->idle, &hooks) < 0)
		return -1;
	for (uint32_t i = 0; i < v->l->tracks.n; i++)
		if (v->issued[i])
			idle_issued(&v->idle, i + 1, v->issued[i]);
	return 0;
}

/* Several ops of a call can be Pageable. */
static bool call_is_pageable(struct lost *v, const struct call *c)
{
	bool is = false;

	while (v->next_pageable && v->next_pageable->ts == c->ts &&
	    v->next_pageable->no == c->no) {
		is = true;
		v->next_pageable = sorter_next(&v->pageable_it);
	}
	return is;
}

int lost_see(struct lost *v, const struct sweep_item *it, const struct anchor *call)
{
	struct idle_record r = { .track = it->track };

	if (it->kind == SWEEP_SAMPLE)
		return 0;
	v->item = it;
	if (it->kind == SWEEP_CALL) {
		const struct call *c = it->call;

		r = (struct idle_record){ .ts_ns = c->ts, .end_ns = c->ts + c->dur,
			.track = c->track, .name = c->name, .cat = c->cat, .has_anchor = true,
			.anchor = { call->frame, call->op, call->how },
			.pageable = call_is_pageable(v, c) };
	} else {
		const struct host *h = it->host;
		unsigned flags = h->cat == CAT_PYTHON ?
			names_flags(&v->l->names, h->name) : 0;

		r = (struct idle_record){ .ts_ns = h->ts, .end_ns = h->ts + h->dur,
			.track = h->track, .name = h->name, .cat = h->cat,
			.backward = h->fwd != NO_INT && h->seq != NO_INT,
			.own_frame = flags & NAME_OWN &&
				(flags & NAME_LINE || !v->l->names.has_lines),
			.own_line = flags & NAME_LINE };
	}
	r.traits = traits_of(v, r.name);
	return v->pageable_it.failed ? -1 : idle_add(&v->idle, &r);
}

int lost_end(struct lost *v)
{
	if (idle_end(&v->idle) < 0)
		return -1;
	if (v->idle_ns != v->gap_ns)
		return error("%s: idle time does not add up: %" PRId64 " ns of %" PRId64 " ns",
			v->l->db->name, v->idle_ns, v->gap_ns);
	return 0;
}
