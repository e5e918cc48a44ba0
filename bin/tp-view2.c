/* tp-view2 - lost time: why each device was idle, by cause and by place in the
 * code, and the single losses. */
#include "base.h"
#include "view_lost.h"

#include <stdlib.h>

#include "mem.h"

static struct view v = VIEW_INIT;
static const struct opt opts[] = { VIEW_OPTS(v), OPT_END };
static const struct opt_page page = {
	.usage = "tp-view2 [options] STORE",
	.what = "Lost time, ranked: what the machine did while a device was idle.",
	.example = "tp-view2 -t store.db",
	.opt = opts,
};

/* Devices of the trace but the rank as a whole: a gap is a device's.  A CPU job has
 * one part, and its gaps are the time in which no operator runs. */
static size_t parts_begin(struct lost_part *part, struct lost_device *dev,
	const struct decomp *d, struct texts *texts)
{
	size_t n = 0;
	for (size_t i = 0; i < d->n; i++) {
		if (d->part[i].any)
			continue;
		part[n] = (struct lost_part){ .view = &v, .decomp = d, .part = &d->part[i] };
		lost_part_begin(&part[n], texts, &dev[n]);
		n++;
	}
	return n;
}

static int parts_put(struct lost_part *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lost_part_check(&part[i]) < 0)
			return -1;
	for (size_t i = 0; i < n; i++)
		if (lost_part_put(&part[i]) < 0 || (v.as_text && lost_part_text(&part[i]) < 0))
			return -1;
	return 0;
}

static int outside_take(void *arg, const struct account_piece *p)
{
	struct lost_device *dev = arg;
	return account_piece(&dev->account, p);
}

/* What its operators leave, once it is known which steps have any. */
static int outside_read(const struct view_trace *t, struct lost_device *dev)
{
	struct decomp_hooks hooks = { .arg = dev, .outside = outside_take };
	struct decomp again;
	int bad = decomp_begin(&again, &v, t) < 0 || decomp_run(&again, &hooks) < 0;
	decomp_release(&again);
	return bad ? -1 : account_end(&dev->account);
}

/* Lost time of a device is in the store; that of a CPU job is not. */
static int parts_read(struct decomp *d, struct texts *texts, struct lost_part *part,
	struct lost_device *dev, size_t *n)
{
	if (decomp_run(d, NULL) < 0)
		return -1;
	*n = parts_begin(part, dev, d, texts);
	if (!d->cpu_job)
		return lost_read(&texts->ops, d->trace, dev, *n);
	return *n ? outside_read(d->trace, dev) : 0;
}

static int trace_put(const struct view_trace *t)
{
	struct decomp d;
	struct texts texts = { 0 };
	int bad = decomp_begin(&d, &v, t) < 0 || texts_open(&texts, &v.db, t) < 0;
	struct lost_part *part = xcalloc(d.n + 1, sizeof *part);
	struct lost_device *dev = xcalloc(d.n + 1, sizeof *dev);
	size_t n = 0;
	bad = bad || parts_read(&d, &texts, part, dev, &n) < 0 || parts_put(part, n) < 0;
	for (size_t i = 0; i < n; i++)
		lost_part_release(&part[i]);
	free(part);
	free(dev);
	texts_close(&texts);
	decomp_release(&d);
	return bad ? -1 : 0;
}

static int run(struct view *view)
{
	for (size_t i = 0; i < view->ntrace; i++)
		if (trace_put(&view->trace[i]) < 0)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	return view_main(&v, &page, argc, argv, run);
}
