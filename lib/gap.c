/* gap.c - maximal idle stretches and the ops that end them. */
#include "base.h"
#include "gap.h"

#include <stdlib.h>

#include "mem.h"

void gaps_init(struct gaps *v, int64_t first_ns, gap_fn *sink, void *arg)
{
	*v = (struct gaps){ .sink = sink, .arg = arg, .first_ns = first_ns };
}

void gaps_release(struct gaps *v)
{
	free(v->device);
	free(v->place);
	v->device = NULL;
	v->place = NULL;
	v->nplace = 0;
}

static struct gap_device *device_of(struct gaps *v, uint32_t device)
{
	if (device >= v->nplace) {
		size_t n = MAX((size_t)device + 1, v->nplace * 2);

		v->place = xreallocarray(v->place, n, sizeof *v->place);
		memset(v->place + v->nplace, 0, (n - v->nplace) * sizeof *v->place);
		v->nplace = n;
	}
	if (v->place[device])
		return &v->device[v->place[device] - 1];
	GROW(v->device, v->ndevice, v->capdevice);
	v->place[device] = (uint32_t)v->ndevice + 1;
	struct gap_device *d = &v->device[v->ndevice++];
	*d = (struct gap_device){ .device = device, .busy_end_ns = v->first_ns };
	return d;
}

void gaps_device(struct gaps *v, uint32_t device)
{
	(void)device_of(v, device);
}

/* Which of two ops that start together counts as the one that ends a gap. */
static bool ends_before(const struct gap_op *a, const struct gap_op *b)
{
	if (a->linked != b->linked)
		return a->linked;
	if (a->linked && a->issue_ns != b->issue_ns)
		return a->issue_ns < b->issue_ns;
	if (a->stream_order != b->stream_order)
		return a->stream_order < b->stream_order;
	return a->corr < b->corr;
}

static int gap_send(struct gaps *v, struct gap_device *d)
{
	const struct gap_op *op = &d->ending;
	d->open = false;
	struct gap gap = {
		.ts_ns = d->start_ns, .end_ns = op->ts_ns, .device = d->device,
		.issue_ns = op->issue_ns, .issue_end_ns = op->issue_end_ns,
		.before = d->before, .after = op->n,
		.issue_track = op->linked ? op->issue_track : 0,
	};
	return v->sink(v->arg, &gap);
}

int gaps_add(struct gaps *v, const struct gap_op *op)
{
	struct gap_device *d = device_of(v, op->device);
	/* one of no length that starts where a gap ends is among those that end
	 * it; the one of some length may come behind it */
	if (d->open && op->ts_ns > d->ending.ts_ns && gap_send(v, d) < 0)
		return -1;
	if (d->open && op->ts_ns == d->ending.ts_ns) {
		if (ends_before(op, &d->ending))
			d->ending = *op;
	} else if (op->ts_ns > d->busy_end_ns && op->end_ns > op->ts_ns) {
		d->open = true;
		d->start_ns = d->busy_end_ns;
		d->before = d->last;
		d->ending = d->instant.ts_ns == op->ts_ns && d->has_instant &&
			ends_before(&d->instant, op) ? d->instant : *op;
	} else if (op->end_ns == op->ts_ns && op->ts_ns > d->busy_end_ns) {
		if (!d->has_instant || d->instant.ts_ns < op->ts_ns || ends_before(op, &d->instant))
			d->instant = *op;
		d->has_instant = true;
	}
	if (op->end_ns > d->busy_end_ns && op->end_ns > op->ts_ns) {
		d->busy_end_ns = op->end_ns;
		d->last = op->n;
	}
	return 0;
}

int gaps_end(struct gaps *v, int64_t last_ns)
{
	for (size_t i = 0; i < v->ndevice; i++) {
		struct gap_device *d = &v->device[i];
		if (d->open && gap_send(v, d) < 0)
			return -1;
		if (d->busy_end_ns >= last_ns)
			continue;
		struct gap tail = {
			.ts_ns = d->busy_end_ns, .end_ns = last_ns, .device = d->device,
			.before = d->last,
		};
		if (v->sink(v->arg, &tail) < 0)
			return -1;
	}
	return 0;
}
