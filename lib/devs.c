/* devs.c - device ops in order of time: drain points, then their rows. */
#include "base.h"
#include "devs.h"

#include <stdlib.h>

#include "lost.h"
#include "mem.h"
#include "row.h"
#include "steps.h"

int dev_walk_first(struct dev_walk *w, struct load *l)
{
	memset(w, 0, sizeof *w);
	w->l = l;
	return sorter_first(&l->dev_time, &w->it);
}

bool dev_walk_next(struct dev_walk *w)
{
	const struct load *l = w->l;
	const struct dev *d = sorter_next(&w->it);

	if (d == NULL)
		return false;
	w->dev = *d;
	w->n++;
	if (w->cut < l->ncut && l->cut[w->cut].n == w->n) {
		w->dev.dur = l->cut[w->cut++].dur;
		w->dev.flags |= DEV_CUT;
	}
	return true;
}

int dev_walk_end(struct dev_walk *w)
{
	int rc = w->it.failed ? -1 : 0;

	sorter_iter_release(&w->it);
	return rc;
}

static int link_by_call(const void *pa, const void *pb)
{
	const struct link *a = pa, *b = pb;

	if (a->ts != b->ts)
		return cmp_int(a->ts, b->ts);
	if (a->dur != b->dur)
		return cmp_int(b->dur, a->dur);
	if (a->no != b->no)
		return cmp_int(a->no, b->no);
	return cmp_int(a->n, b->n);
}

static void alloc_steps(struct load *l)
{
	size_t n = l->steps.n + 1, i, k;
	struct device *d;

	for (i = 0; i < l->devices.n; i++) {
		d = &l->devices.item[i];
		d->drain = xcalloc(n, sizeof *d->drain);
		d->launches = xcalloc(n, sizeof *d->launches);
		d->lone = xcalloc(n, sizeof *d->lone);
		d->cover = xcalloc(n, sizeof *d->cover);
		for (k = 0; k < n; k++)
			d->drain[k] = NO_INT;
	}
}

static bool on_main(const struct load *l, const struct dev *d)
{
	const char *stream = l->tracks.track[d->track - 1].stream;
	const char *main_stream = l->devices.item[d->device].main_stream;

	return main_stream == NULL || (stream && strcmp(stream, main_stream) == 0);
}

/* Host and device clocks can differ: then ops seem to start before their call. */
static void see_delay(struct load *l, const struct dev *d)
{
	int64_t delay;

	if (d->issue_ts == NO_INT || d->flags & DEV_UNTIMED)
		return;
	delay = d->ts - d->issue_ts;
	if (delay >= 0)
		return;
	l->count.negative_delay++;
	l->count.worst_delay_ns = MAX(l->count.worst_delay_ns, -delay);
}

/* No call: the op was issued before the window, and the steps begin behind it.  Not
 * so where records are missing and an op of its stream, which runs in the order of
 * issue, began before it and has its call: then its own call is what was lost, and
 * it is left out.  Taken for one of before the window, the last op of a file that was
 * cut between it and its call left all steps but the last one empty. */
static bool bounds_steps(const struct load *l, bool *linked, const struct dev *d)
{
	if (!on_main(l, d) || d->flags & DEV_UNTIMED)
		return false;
	if (d->issue_ts == NO_INT)
		return !l->partial || !linked[d->track];
	linked[d->track] = true;
	return true;
}

static int drain_points(struct load *l)
{
	bool *linked = xcalloc(l->tracks.n + 1, sizeof *linked); /* by track */
	struct dev_walk w;
	struct link k;
	size_t i;
	int rc = dev_walk_first(&w, l);

	while (rc == 0 && dev_walk_next(&w)) {
		see_delay(l, &w.dev);
		rc = lost_dev(l->lost, &w.dev, w.n);
		if (bounds_steps(l, linked, &w.dev))
			steps_drain_add(&l->steps, l->devices.item[w.dev.device].drain,
				w.dev.issue_ts, w.dev.ts + w.dev.dur);
		if (rc < 0 || w.dev.issue_ts == NO_INT)
			continue;
		k = (struct link){ w.dev.issue_ts, w.dev.issue_dur, w.dev.issue_no, w.n };
		rc = sorter_add(&l->links, &k);
	}
	free(linked);
	if (dev_walk_end(&w) < 0 || rc < 0)
		return -1;
	l->count.device_ops = w.n;
	for (i = 0; i < l->devices.n; i++)
		steps_drain_end(&l->steps, l->devices.item[i].drain);
	return sorter_done(&l->links);
}

static void count_launch(struct load *l, const struct call *c)
{
	int64_t k = steps_at(&l->steps, c->ts);
	struct device *d;
	size_t i;

	l->count.launches++;
	l->count.lone_launches += c->ops == 0;
	if (k < 0)
		return;
	for (i = 0; i < l->devices.n; i++) {
		d = &l->devices.item[i];
		/* whose op is lost is not known: it may be any device's */
		d->launches[k] += c->ops == 0 || c->device == i + 1;
		d->lone[k] += c->ops == 0;
	}
}

/* A call that owns an op is a launch whatever its name.  One that does not is a
 * lone launch by its name, unless it only records into a graph. */
static int count_launches(struct load *l)
{
	bool *capturing = xcalloc(l->tracks.n + 1, sizeof *capturing);
	struct sorter_iter it;
	const struct call *c;
	unsigned flags;
	int rc = sorter_first(&l->call_time, &it);

	while (rc == 0 && (c = sorter_next(&it))) {
		flags = names_flags(&l->names, c->name);
		if (flags & NAME_BEGIN_CAPTURE)
			capturing[c->track] = true;
		if (flags & NAME_END_CAPTURE)
			capturing[c->track] = false;
		if (c->ops > 0 || (flags & NAME_LAUNCH && c->corr != NO_ID
			&& !c->nested && !capturing[c->track]))
			count_launch(l, c);
	}
	if (rc == 0 && it.failed)
		rc = -1;
	sorter_iter_release(&it);
	free(capturing);
	return rc;
}

int devs_measure(struct load *l)
{
	sorter_init(&l->links, sizeof(struct link), link_by_call, l->dir, SORTER_BYTES);
	alloc_steps(l);
	if (lost_begin(&l->lost, l) < 0 || cuts_find(l) < 0 || drain_points(l) < 0
	    || lost_devs_end(l->lost) < 0)
		return -1;
	return count_launches(l);
}

struct dev_rows {
	struct load *l;
	struct sorter_iter issues;
	const struct issue *next;
	struct issue issue;
	sqlite3_stmt *name_args;
};

/* What the sweep found about the op's call. */
static const struct issue *issue_of(struct dev_rows *r, int64_t n)
{
	if (r->next == NULL || r->next->n != n)
		return NULL;
	r->issue = *r->next;
	r->next = sorter_next(&r->issues);
	return &r->issue;
}

static int put_row(struct dev_rows *r, const struct dev *d, int64_t n)
{
	struct load *l = r->l;
	const struct issue *i = issue_of(r, n);
	struct row w;

	row_begin(&w);
	row_int(&w, d->ts);
	row_int(&w, d->dur);
	row_int(&w, d->track);
	row_int(&w, d->name);
	row_int(&w, d->cat);
	row_opt(&w, d->corr > INT64_MAX ? NO_INT : (int64_t)d->corr);
	row_opt(&w, d->bytes);
	row_opt(&w, d->blocks);
	row_opt(&w, i ? i->call : NO_INT);
	row_opt(&w, d->issue_ts);
	row_opt(&w, d->issue_ts == NO_INT ? NO_INT : (int64_t)d->issue_track);
	row_number(&w, i ? i->op : 0);
	row_number(&w, i ? i->frame : 0);
	row_int(&w, i ? i->how : 0);
	row_int(&w, d->flags);
	if (pages_add(&l->store->pages, BULK_DEV, STORE_ID(l->id, n), &w) < 0)
		return -1;
	if (d->coll == 0)
		return 0;
	sqlite3_bind_int64(r->name_args, 1, STORE_ID(l->id, n));
	sqlite3_bind_int64(r->name_args, 2, -STORE_ID(l->id, d->coll));
	return db_run(l->db, r->name_args);
}

static int put_rows(struct dev_rows *r)
{
	struct load *l = r->l;
	const struct steps *s = &l->steps;
	struct device *d;
	struct dev_walk w;
	int rc = dev_walk_first(&w, l);

	while (rc == 0 && dev_walk_next(&w)) {
		d = &l->devices.item[w.dev.device];
		if (s->n)
			steps_cover(d->drain, s->n, d->cover, w.dev.ts,
				w.dev.ts + w.dev.dur);
		rc = put_row(r, &w.dev, w.n);
	}
	if (dev_walk_end(&w) < 0 || r->issues.failed)
		return -1;
	return rc;
}

int devs_store(struct load *l)
{
	struct dev_rows r = { .l = l };
	int rc = -1;

	r.name_args = db_prepare(l->db, "UPDATE coll SET id = ? WHERE id = ?");
	if (r.name_args && sorter_done(&l->issues) == 0
	    && sorter_first(&l->issues, &r.issues) == 0) {
		r.next = sorter_next(&r.issues);
		rc = put_rows(&r);
		sorter_iter_release(&r.issues);
	}
	db_finish(&r.name_args);
	return rc;
}
