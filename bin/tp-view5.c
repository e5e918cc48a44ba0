/* tp-view5 - memory over time: allocated, reserved, peak and headroom of each
 * device, and what was alive at the peak. */
#include "base.h"
#include "mem.h"
#include "num.h"
#include "say.h"
#include "view5.h"

#include <stdio.h>
#include <stdlib.h>

static struct view v = VIEW_INIT;
static int64_t capacity_bytes = NO_INT;

static int opt_capacity(void *to, const char *value)
{
	int64_t bytes;

	/* bare numbers are GiB: what total_memory / 2**30 prints */
	if (num_bytes((struct text){ value, strlen(value) }, 1LL << 30, &bytes) < 0 || bytes <= 0)
		return error("--capacity-gb '%s': not a size above 0, in GiB or with a unit", value);
	*(int64_t *)to = bytes;
	return 0;
}

static const struct opt opts[] = {
	VIEW_OPTS(v),
	{ 0, "capacity-gb", "SIZE", "what a device holds: GiB, or GB as a suffix",
		OPT_FN, &capacity_bytes, opt_capacity },
	OPT_END
};
static const struct opt_page page = {
	.usage = "tp-view5 [options] STORE",
	.what = "Memory over time: allocated, reserved, peak, headroom, what was alive.",
	.example = "tp-view5 -t --capacity-gb 139.8 store.db",
	.opt = opts,
};

static void known(struct jw *w, const char *key, int64_t n)
{
	if (n != NO_INT)
		jw_kint(w, key, n);
}

/* The row's place: device_type tells what "0" is where it is no GPU. */
static struct jw *row(const struct memcurves *m, const char *kind, const struct mem_curve *c,
	const struct view_step *step, int64_t number)
{
	static struct buf item;
	struct view_where at = { m->trace, c->device, step, NULL };
	struct jw *w;

	if (number > 0) {
		buf_reset(&item);
		buf_add_int(&item, number);
		at.item = item.data;
	}
	w = view_row(&v, kind, &at);
	if (c->type != MEM_GPU)
		jw_kint(w, "device_type", c->type);
	return w;
}

static int sample_put(void *arg, const struct mem_curve *c, const struct mem_event *e)
{
	const struct memcurves *m = arg;
	struct jw *w;

	if (v.as_text || !e->ok)
		return 0;
	w = row(m, "view5.sample", c, NULL, e->n);
	jw_kint(w, "start_ns", view_time(&v, m->trace, e->ts_ns));
	known(w, "allocated_bytes", e->allocated);
	known(w, "reserved_bytes", e->reserved);
	known(w, "delta_bytes", e->delta);
	return view_put(&v);
}

static void device_flags(struct jw *w, const struct mem_curve *c)
{
	jw_key(w, "flags");
	jw_open(w, '[');
	if (!c->totals)
		jw_str(w, c->peak_reserved == NO_INT ? "relative" : "reserved_only");
	if (c->bad)
		jw_str(w, "bad_totals");
	if (c->breaks)
		jw_str(w, "breaks");
	jw_close(w, ']');
}

static int device_put(const struct memcurves *m, const struct mem_curve *c)
{
	struct jw *w = row(m, "view5.device", c, NULL, 0);
	int64_t capacity = curve_capacity(m->trace, c, capacity_bytes);

	jw_kstr(w, "device_name", c->info ? c->info->name : NULL);
	jw_kint(w, "events", c->events);
	jw_kint(w, "bad_totals", c->bad);
	jw_kint(w, "breaks", c->breaks);
	if (c->totals) {
		jw_kint(w, "peak_allocated_bytes", c->peak_allocated);
		jw_kint(w, "peak_start_ns", view_time(&v, m->trace, c->peak_allocated_ns));
		known(w, "peak_reserved_bytes", c->peak_reserved);
		known(w, "last_allocated_bytes", c->last_allocated);
		known(w, "last_reserved_bytes", c->last_reserved);
		if (c->reserved_at_peak != NO_INT)
			jw_kint(w, "reclaimable_bytes", c->reserved_at_peak - c->peak_allocated);
	} else if (c->peak_reserved != NO_INT) {
		jw_kint(w, "peak_start_ns", view_time(&v, m->trace, c->peak_reserved_ns));
		jw_kint(w, "peak_reserved_bytes", c->peak_reserved);
		known(w, "last_reserved_bytes", c->last_reserved);
	} else {
		jw_kint(w, "relative_peak_bytes", c->peak_relative);
		jw_kint(w, "relative_last_bytes", c->relative);
	}
	known(w, "capacity_bytes", capacity);
	if (capacity != NO_INT && c->peak_reserved != NO_INT)
		jw_kint(w, "headroom_bytes", capacity - c->peak_reserved);
	device_flags(w, c);
	return view_put(&v);
}

static int step_put(const struct memcurves *m, const struct mem_curve *c, size_t i)
{
	const struct mem_step *s = &c->step[i];
	struct jw *w;

	if (s->peak_allocated == NO_INT || !s->step->chosen)
		return 0;
	w = row(m, "view5.step", c, s->step, 0);
	jw_kint(w, "peak_allocated_bytes", s->peak_allocated);
	known(w, "peak_reserved_bytes", s->peak_reserved);
	jw_kint(w, "first_allocated_bytes", s->first_allocated);
	jw_kint(w, "last_allocated_bytes", s->last_allocated);
	return view_put(&v);
}

static int live_put(const struct memcurves *m, const struct mem_curve *c,
	const struct alive_block *b, size_t number)
{
	struct jw *w = row(m, "view5.live", c, NULL, (int64_t)number);

	jw_kint(w, "bytes", b->bytes);
	jw_kint(w, "count", b->count);
	if (*b->op)
		jw_kstr(w, "op", b->op);
	jw_kstr(w, "file", b->anchor.file);
	known(w, "line", b->anchor.line);
	jw_kstr(w, "func", b->anchor.func);
	jw_kstr(w, "how", b->anchor.how ? b->anchor.how : *b->op ? "op" : NULL);
	return view_put(&v);
}

static int curve_put(const struct memcurves *m, const struct mem_curve *c, struct alive *live)
{
	if (!c->events) /* none in the steps asked for */
		return 0;
	/* what was alive is known at the peak of the whole trace alone */
	if ((v.step_first == NO_INT || c->peak_chosen) &&
	    alive_load(&v, m->trace, c, live) < 0)
		return -1;
	for (size_t i = 0; i < c->steps.n; i++)
		if (step_put(m, c, i) < 0)
			return -1;
	for (size_t i = 0; i < live->n; i++)
		if (live_put(m, c, &live->block[i], i + 1) < 0)
			return -1;
	return device_put(m, c);
}

static struct {
	size_t none;             /* traces without any memory events */
	bool found, others;      /* events of the device asked for, of others */
} seen;

static int trace_run(const struct view_trace *t)
{
	struct memcurves m;
	struct alive *live;
	int rc = memcurves_run(&m, &v, t, sample_put, &m);

	live = xcalloc(m.n + 1, sizeof *live);
	for (size_t i = 0; i < m.n && rc == 0; i++)
		rc = curve_put(&m, &m.curve[i], &live[i]);
	if (rc == 0 && v.as_text)
		view5_text(&v, &m, capacity_bytes, live);
	seen.none += m.n == 0 && !m.others;
	seen.found |= m.n > 0;
	seen.others |= m.others;
	for (size_t i = 0; i < m.n; i++)
		alive_release(&live[i]);
	free(live);
	memcurves_release(&m);
	return rc;
}

static int run(struct view *view)
{
	for (size_t i = 0; i < view->ntrace; i++)
		if (trace_run(&view->trace[i]) < 0)
			return -1;
	if (view->ntrace && v.device && !seen.found) {
		if (strcmp(v.device, "cpu") != 0 && view_check_device(&v) < 0)
			return -1;
		if (seen.others)
			return error("%s: no memory events of device %s", v.store, v.device);
	}
	if (v.as_text)
		view5_text_without(&v, seen.none);
	return 0;
}

int main(int argc, char **argv)
{
	v.own_devices = true; /* those with memory events, and the host's */
	return view_main(&v, &page, argc, argv, run);
}
