/* issue.c - the one sweep over the host: each call gets who issued it, its device
 * ops get the same, and memory at the peak gets who allocated it. */
#include "base.h"
#include "load.h"

#include "anchor.h"
#include "devs.h"
#include "live.h"
#include "row.h"
#include "lost.h"

struct issuer {
	struct load *l;
	struct sweep sweep;
	struct anchors anchors;
	struct live live;
	struct sorter_iter links;
	const struct link *link;
	int64_t ncall;
};

static int issue_by_n(const void *pa, const void *pb)
{
	const struct issue *a = pa, *b = pb;

	return cmp_int(a->n, b->n);
}

static int put_call(struct issuer *s, const struct call *c, const struct anchor *a,
	int64_t stack)
{
	struct row r;

	row_begin(&r);
	row_int(&r, c->ts);
	row_int(&r, c->dur);
	row_int(&r, c->track);
	row_int(&r, c->name);
	row_int(&r, c->cat);
	row_opt(&r, c->corr > INT64_MAX ? NO_INT : (int64_t)c->corr);
	row_number(&r, a->op);
	row_number(&r, a->frame);
	row_int(&r, a->how);
	row_number(&r, stack);
	row_int(&r, c->ops);
	return pages_add(&s->l->store->pages, BULK_CALL, STORE_ID(s->l->id, ++s->ncall), &r);
}

/* The device ops of a call follow it in the order of links. */
static int pass_on(struct issuer *s, const struct call *c, const struct anchor *a)
{
	struct issue i;

	while (s->link && s->link->ts == c->ts && s->link->no == c->no) {
		i = (struct issue){ s->link->n, s->ncall, a->op, a->frame, a->how };
		if (sorter_add(&s->l->issues, &i) < 0)
			return -1;
		s->link = sorter_next(&s->links);
	}
	return s->links.failed ? -1 : 0;
}

static int see(struct issuer *s, const struct sweep_item *it)
{
	struct anchor a;
	int64_t stack;

	anchors_see(&s->anchors, it);
	if (it->kind == SWEEP_CALL) {
		a = anchors_find(&s->anchors, it);
		stack = anchors_stack(&s->anchors, it);
		if (stack < 0 || put_call(s, it->call, &a, stack) < 0
		    || lost_see(s->l->lost, it, &a) < 0)
			return -1;
		return pass_on(s, it->call, &a);
	}
	if (it->kind == SWEEP_HOST)
		return lost_see(s->l->lost, it, NULL);
	if (it->kind == SWEEP_SAMPLE && live_wants(&s->live, it->sample))
		return live_see(&s->live, it->sample, anchors_find(&s->anchors, it));
	return 0;
}

static int sweep_all(struct issuer *s)
{
	struct sweep_item it;
	int rc;

	if (lost_sweep(s->l->lost, &s->anchors) < 0)
		return -1;
	s->link = sorter_next(&s->links);
	while ((rc = sweep_next(&s->sweep, &it)) > 0)
		if (see(s, &it) < 0)
			return -1;
	return rc < 0 ? -1 : lost_end(s->l->lost);
}

int load_issue(struct load *l)
{
	struct issuer s = { .l = l };
	int rc = -1;

	sorter_init(&l->issues, sizeof(struct issue), issue_by_n, l->dir, SORTER_BYTES);
	if (sweep_init(&s.sweep, l) < 0)
		return -1;
	live_init(&s.live, l);
	if (anchors_init(&s.anchors, &s.sweep) == 0) {
		if (sorter_first(&l->links, &s.links) == 0) {
			rc = sweep_all(&s);
			sorter_iter_release(&s.links);
		}
		anchors_release(&s.anchors);
	}
	live_release(&s.live);
	sweep_release(&s.sweep);
	sorter_release(&l->links);
	sorter_release(&l->call_time);
	runs_release(&l->hosts);
	runs_release(&l->samples);
	return rc;
}
