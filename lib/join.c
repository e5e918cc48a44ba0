/* join.c - calls and device ops by their correlation: both are sorted by it, so
 * one walk along both finds each op's call, however many ops a call has (a graph)
 * or calls an op (driver calls nest under runtime calls: the outermost, which
 * begins first, is the one). */
#include "base.h"
#include "load.h"

static int call_by_time(const void *pa, const void *pb)
{
	const struct call *a = pa, *b = pb;

	if (a->ts != b->ts)
		return cmp_int(a->ts, b->ts);
	if (a->dur != b->dur)
		return cmp_int(b->dur, a->dur);
	return cmp_int(a->no, b->no);
}

/* The longer of two that begin together comes first, so that one inside the
 * other is seen as such; then as the ties of a gap's ending op are broken. */
static int dev_by_time(const void *pa, const void *pb)
{
	const struct dev *a = pa, *b = pb;

	if (a->ts != b->ts)
		return cmp_int(a->ts, b->ts);
	if (a->dur != b->dur)
		return cmp_int(b->dur, a->dur);
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	return cmp_int(a->no, b->no);
}

struct join {
	struct load *l;
	struct sorter_iter calls, devs;
	const struct call *call;
	const struct dev *dev;
};

static int put_dev(struct join *j, const struct call *c)
{
	struct load *l = j->l;
	struct dev d = *j->dev;

	d.device = l->devices.of_track[d.track - 1];
	if (c) {
		d.issue_ts = c->ts;
		d.issue_dur = c->dur;
		d.issue_no = c->no;
		d.issue_track = c->track;
		if (d.bytes == NO_INT && cat_is_copy(d.cat))
			d.bytes = c->bytes;
		l->count.linked_ops++;
	} else {
		l->count.unlinked_ops++;
	}
	/* without times of its own it stands where it was issued */
	if (d.flags & DEV_UNTIMED)
		d.ts = c ? c->ts : l->first_ns == NO_INT ? 0 : l->first_ns;
	return sorter_add(&l->dev_time, &d);
}

/* The calls of one correlation and the ops of it. */
static int join_one(struct join *j)
{
	struct load *l = j->l;
	struct call c = *j->call;
	uint64_t corr = c.corr;
	int rc = 0;

	while (rc == 0 && j->dev && j->dev->corr == corr && corr != NO_ID) {
		if (c.ops++ == 0)
			c.device = (uint16_t)(l->devices.of_track[j->dev->track - 1] + 1);
		rc = put_dev(j, &c);
		j->dev = sorter_next(&j->devs);
	}
	if (rc == 0)
		rc = sorter_add(&l->call_time, &c);
	while (rc == 0 && (j->call = sorter_next(&j->calls)) != NULL
		&& j->call->corr == corr && corr != NO_ID) {
		c = *j->call;
		c.nested = true;
		rc = sorter_add(&l->call_time, &c);
	}
	return rc;
}

static int join_all(struct join *j)
{
	int rc = 0;

	j->call = sorter_next(&j->calls);
	j->dev = sorter_next(&j->devs);
	while (rc == 0 && (j->call || j->dev)) {
		if (j->call && (j->dev == NULL || j->dev->corr >= j->call->corr)) {
			rc = join_one(j);
		} else {
			rc = put_dev(j, NULL);
			j->dev = sorter_next(&j->devs);
		}
	}
	return rc < 0 || j->calls.failed || j->devs.failed ? -1 : 0;
}

int load_join(struct load *l)
{
	struct join j = { .l = l };
	int rc;

	sorter_init(&l->call_time, sizeof(struct call), call_by_time, l->dir, SORTER_BYTES);
	sorter_init(&l->dev_time, sizeof(struct dev), dev_by_time, l->dir, SORTER_BYTES);
	if (sorter_done(&l->calls) < 0 || sorter_done(&l->devs) < 0
	    || sorter_first(&l->calls, &j.calls) < 0)
		return -1;
	if (sorter_first(&l->devs, &j.devs) < 0) {
		sorter_iter_release(&j.calls);
		return -1;
	}
	rc = join_all(&j);
	sorter_iter_release(&j.calls);
	sorter_iter_release(&j.devs);
	sorter_release(&l->calls);
	sorter_release(&l->devs);
	if (rc < 0 || sorter_done(&l->call_time) < 0)
		return -1;
	return sorter_done(&l->dev_time);
}
