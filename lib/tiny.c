/* tiny.c - ops to launches, launches to runs. */
#include "base.h"
#include "tiny.h"

#include <stdlib.h>

#include "event.h"
#include "mem.h"

#define SLOTS (4 * TINY_OPEN)

/* One launch, or several in a row; launches 0: nothing. */
struct span {
	int64_t ts_ns, end_ns, launches, kernel_ns;
	uint32_t first, last;
};

struct tiny_device {
	uint32_t device;
	bool busy;             /* busy_end_ns is known */
	int64_t busy_end_ns;
	struct span *open;     /* launches whose ops may still come: oldest .. next */
	uint64_t oldest, next;
	struct slot { uint64_t corr, launch; } *slot;
	/* the run so far: tiny ones, the one long launch, tiny ones behind it */
	struct span before, one_long, behind;
};

void tiny_init(struct tiny *v, tiny_fn *sink, void *arg)
{
	*v = (struct tiny){ .sink = sink, .arg = arg };
}

void tiny_release(struct tiny *v)
{
	for (size_t i = 0; i < v->ndevice; i++) {
		free(v->device[i].open);
		free(v->device[i].slot);
	}
	free(v->device);
	free(v->place);
	*v = (struct tiny){ .sink = v->sink, .arg = v->arg };
}

static struct tiny_device *device_of(struct tiny *v, uint32_t device)
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
	struct tiny_device *d = &v->device[v->ndevice++];
	*d = (struct tiny_device){ .device = device };
	d->open = xcalloc(TINY_OPEN, sizeof *d->open);
	d->slot = xcalloc(SLOTS, sizeof *d->slot);
	return d;
}

static void span_join(struct span *a, const struct span *b)
{
	if (!b->launches)
		return;
	if (!a->launches) {
		*a = *b;
		return;
	}
	a->end_ns = MAX(a->end_ns, b->end_ns);
	a->launches += b->launches;
	a->kernel_ns += b->kernel_ns;
	a->last = b->last;
}

/* The run so far, without a long launch at its end; true when it was one. */
static int run_send(struct tiny *v, const struct tiny_device *d, bool *sent)
{
	struct span s = d->before;
	if (d->behind.launches) {
		span_join(&s, &d->one_long);
		span_join(&s, &d->behind);
	}
	*sent = s.launches >= TINY_LAUNCHES;
	if (!*sent)
		return 0;
	struct tiny_run run = {
		d->device, s.ts_ns, s.end_ns, s.launches, s.kernel_ns, s.first, s.last
	};
	return v->sink(v->arg, &run);
}

static void run_clear(struct tiny_device *d)
{
	d->before.launches = d->one_long.launches = d->behind.launches = 0;
}

static int run_break(struct tiny *v, struct tiny_device *d)
{
	bool sent;
	int bad = run_send(v, d, &sent);
	run_clear(d);
	return bad;
}

/* A launch that is complete. */
static int launch_add(struct tiny *v, struct tiny_device *d, const struct span *l)
{
	bool sent;
	if (l->end_ns - l->ts_ns < TINY_NS) {
		span_join(d->one_long.launches ? &d->behind : &d->before, l);
		return 0;
	}
	if (!d->one_long.launches) {
		if (d->before.launches)
			d->one_long = *l;
		return 0;
	}
	if (run_send(v, d, &sent) < 0)
		return -1;
	/* too few up to here: what came behind the first long one may still
	 * become a run with this one as its exception */
	struct span rest = d->behind;
	run_clear(d);
	if (!sent && rest.launches) {
		d->before = rest;
		d->one_long = *l;
	}
	return 0;
}

static int launches_complete(struct tiny *v, struct tiny_device *d, uint64_t upto)
{
	for (; d->oldest < upto; d->oldest++)
		if (launch_add(v, d, &d->open[d->oldest % TINY_OPEN]) < 0)
			return -1;
	return 0;
}

static struct slot *slot_of(const struct tiny_device *d, uint64_t corr)
{
	return &d->slot[corr % SLOTS];
}

static int kernel_add(struct tiny *v, struct tiny_device *d, const struct tiny_op *op)
{
	int64_t dur_ns = op->end_ns - op->ts_ns;
	struct slot *slot = slot_of(d, op->corr);
	if (op->corr != NO_ID && slot->launch && slot->corr == op->corr) {
		/* one that is complete was, and is no launch again */
		if (slot->launch <= d->oldest)
			return 0;
		struct span *l = &d->open[(slot->launch - 1) % TINY_OPEN];
		l->end_ns = MAX(l->end_ns, op->end_ns);
		l->kernel_ns += dur_ns;
		return 0;
	}
	if (d->next - d->oldest == TINY_OPEN && launches_complete(v, d, d->oldest + 1) < 0)
		return -1;
	d->open[d->next++ % TINY_OPEN] = (struct span){
		op->ts_ns, op->end_ns, 1, dur_ns, op->n, op->n
	};
	if (op->corr != NO_ID)
		*slot = (struct slot){ op->corr, d->next }; /* 1 + its number: 0 is none */
	return 0;
}

int tiny_add(struct tiny *v, const struct tiny_op *op)
{
	struct tiny_device *d = device_of(v, op->device);
	if (d->busy && op->ts_ns - d->busy_end_ns >= TINY_IDLE_NS &&
	    (launches_complete(v, d, d->next) < 0 || run_break(v, d) < 0))
		return -1;
	if (op->end_ns > op->ts_ns && (!d->busy || op->end_ns > d->busy_end_ns)) {
		d->busy = true;
		d->busy_end_ns = op->end_ns;
	}
	return op->kernel ? kernel_add(v, d, op) : 0;
}

int tiny_end(struct tiny *v)
{
	for (size_t i = 0; i < v->ndevice; i++) {
		struct tiny_device *d = &v->device[i];
		if (launches_complete(v, d, d->next) < 0 || run_break(v, d) < 0)
			return -1;
	}
	return 0;
}
