/* decompose.c - see decompose.h. */
#include "base.h"
#include "decompose.h"
#include "mem.h"
#include "say.h"

#include <stdlib.h>

#define FOREVER_NS (INT64_MAX / 4) /* further than any trace, and no overflow */

/* Boundaries of the clock that --clock chose go into ts_ns and dur_ns. */
static void steps_to_clock(const struct view *v, struct view_steps *s)
{
	if (v->clock == CLOCK_DRAIN)
		return;
	for (size_t i = 0; i < s->n; i++) {
		s->step[i].ts_ns = s->step[i].host_ts_ns;
		s->step[i].dur_ns = s->step[i].host_dur_ns;
	}
}

static void part_spans(struct decomp_part *p)
{
	size_t n = p->steps.n;
	int64_t first_ns = FOREVER_NS, last_ns = -FOREVER_NS;

	p->span = xcalloc(n + 2, sizeof *p->span);
	for (size_t i = 0; i < n; i++) {
		const struct view_step *s = &p->steps.step[i];

		p->span[i + 1].chosen = s->chosen;
		p->span[i + 1].start_ns = s->ts_ns;
		p->span[i + 1].end_ns = s->ts_ns + s->dur_ns;
		first_ns = MIN(first_ns, s->ts_ns);
		last_ns = MAX(last_ns, s->ts_ns + s->dur_ns);
	}
	if (!n)
		last_ns = FOREVER_NS;
	p->span[0] = (struct span){ .start_ns = -FOREVER_NS, .end_ns = first_ns };
	p->span[n + 1] = (struct span){ .start_ns = last_ns, .end_ns = FOREVER_NS };
	spans_init(&p->spans, p->span, n + 2);
}

static int part_begin(struct decomp *d, struct decomp_part *p, const char *device,
	const struct view_device *info)
{
	p->device = device;
	p->info = info;
	p->window = d->view->step_first == NO_INT;
	p->unknown = info ? !info->busy_known : trace_busy_unknown(d->trace);
	if (view_steps(d->view, d->trace, device, &p->steps) < 0)
		return -1;
	steps_to_clock(d->view, &p->steps);
	part_spans(p);
	return 0;
}

/* The rank as a whole: its step ends when the last of its devices has drained. */
static int part_begin_any(struct decomp *d, struct decomp_part *p)
{
	if (view_steps(d->view, d->trace, d->part[0].device, &p->steps) < 0)
		return -1;
	p->device = ANY_DEVICE;
	p->any = true;
	p->window = d->view->step_first == NO_INT;
	steps_to_clock(d->view, &p->steps);
	for (size_t i = 0; i < p->steps.n; i++) {
		struct view_step *s = &p->steps.step[i];
		int64_t end_ns = s->ts_ns + s->dur_ns;

		for (size_t k = 0; k + 1 < d->n; k++) {
			const struct view_steps *other = &d->part[k].steps;

			if (i >= other->n)
				continue;
			s->ts_ns = MAX(s->ts_ns, other->step[i].ts_ns);
			end_ns = MAX(end_ns, other->step[i].ts_ns + other->step[i].dur_ns);
		}
		s->dur_ns = end_ns - s->ts_ns;
	}
	part_spans(p);
	return 0;
}

int decomp_begin(struct decomp *d, struct view *v, const struct view_trace *t)
{
	size_t used = 0;

	memset(d, 0, sizeof *d);
	d->view = v;
	d->trace = t;
	d->cpu_job = trace_is_cpu_job(t);
	d->part = xcalloc(t->ndevice + 2, sizeof *d->part);
	for (size_t i = 0; i < t->ndevice; i++) {
		if (!device_is_used(&t->device[i]))
			continue;
		used++;
		if (view_wants_device(v, t->device[i].idx) &&
		    part_begin(d, &d->part[d->n++], t->device[i].idx, &t->device[i]) < 0)
			return -1;
	}
	if (!used && !v->device)
		return part_begin(d, &d->part[d->n++], "", NULL);
	if (used > 1 && !v->device)
		return part_begin_any(d, &d->part[d->n++]);
	return 0;
}

struct sweep_arg {
	struct decomp_part *part;
	const struct decomp_hooks *hooks;
};

static void on_piece(void *arg, const struct split_op *op, int64_t start_ns, int64_t end_ns)
{
	struct sweep_arg *a = arg;
	int64_t chosen_ns = spans_part(&a->part->spans, op->class, start_ns, end_ns);

	a->part->chosen_ns += chosen_ns;
	if (op->owner)
		a->hooks->piece(op->owner, end_ns - start_ns, chosen_ns);
}

static enum split_class class_of(enum event_cat cat)
{
	return cat_is_copy(cat) ? SPLIT_COPY : cat == CAT_COMM ? SPLIT_COMM : SPLIT_COMPUTE;
}

static void part_op(struct decomp_part *p, const struct dev_op *op, int stream, void *owner)
{
	struct split_op s = {
		.start_ns = op->ts_ns, .end_ns = op->ts_ns + op->dur_ns,
		.class = class_of(op->cat), .stream = stream, .corr = op->corr, .owner = owner,
	};

	spans_op(&p->spans, &p->split, &s);
	split_add(&p->split, &s);
}

struct dev_take {
	struct decomp *d;
	const struct decomp_hooks *hooks;
};

static int take_op(void *arg, const struct dev_op *op)
{
	struct decomp *d = ((struct dev_take *)arg)->d;
	const struct decomp_hooks *hooks = ((struct dev_take *)arg)->hooks;
	const struct view_track *k = op->track > 0 && (uint64_t)op->track <= d->trace->ntrack ?
		&d->trace->track[op->track - 1] : NULL;

	for (size_t i = 0; i < d->n; i++) {
		struct decomp_part *p = &d->part[i];
		void *owner;

		if (!p->any && (!k || k->device_at < 0 ||
		    p->info != &d->trace->device[k->device_at]))
			continue;
		owner = hooks ? hooks->owner(hooks->arg, p, op) : NULL;
		if (op->flags & DEV_UNTIMED)
			p->untimed++;
		else
			part_op(p, op, k ? k->stream_order : 0, owner);
	}
	return 0;
}

static int scan_devices(struct decomp *d, const struct decomp_hooks *hooks)
{
	struct dev_take take = { d, hooks };

	return dev_each(&d->view->db, d->trace, hooks ? DEV_FULL : DEV_SHORT, take_op, &take);
}

int decomp_run(struct decomp *d, const struct decomp_hooks *hooks)
{
	struct sweep_arg *arg = xcalloc(d->n + 1, sizeof *arg);
	int rc;

	for (size_t i = 0; i < d->n; i++) {
		arg[i] = (struct sweep_arg){ &d->part[i], hooks };
		split_init(&d->part[i].split, on_piece, &arg[i]);
	}
	rc = !d->n ? 0 : d->cpu_job ? decomp_operators(d, hooks) : scan_devices(d, hooks);
	for (size_t i = 0; i < d->n && rc == 0; i++)
		split_end(&d->part[i].split);
	for (size_t i = 0; i < d->n; i++)
		d->part[i].split.arg = NULL;
	free(arg);
	return rc;
}

static int64_t parts_sum(const int64_t *part_ns)
{
	return part_ns[SPLIT_COMPUTE] + part_ns[SPLIT_COMM] + part_ns[SPLIT_COPY];
}

int decomp_check(const struct decomp *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct decomp_part *p = &d->part[i];
		struct view_where at = { d->trace, p->device, NULL, NULL };

		if (parts_sum(p->split.part_ns) != p->split.busy_ns)
			return view_unequal(d->view, &at, "own times against busy",
				parts_sum(p->split.part_ns), p->split.busy_ns);
		for (size_t k = 0; k < p->steps.n; k++) {
			const struct span *s = part_step(p, k);

			at.step = &p->steps.step[k];
			if (parts_sum(s->part_ns) != s->busy_ns)
				return view_unequal(d->view, &at,
					"compute + exposed comm + exposed copy against busy",
					parts_sum(s->part_ns), s->busy_ns);
			if (s->busy_ns > s->end_ns - s->start_ns)
				return view_unequal(d->view, &at, "busy against wall",
					s->busy_ns, s->end_ns - s->start_ns);
		}
	}
	return 0;
}

void decomp_release(struct decomp *d)
{
	for (size_t i = 0; i < d->n; i++) {
		steps_release(&d->part[i].steps);
		split_release(&d->part[i].split);
		free(d->part[i].span);
	}
	free(d->part);
	memset(d, 0, sizeof *d);
}

int part_step_flags(const struct decomp_part *p, size_t i)
{
	const struct view_step *s = &p->steps.step[i];
	int flags = s->flags & ~STEP_EMPTY;

	if (s->dur_ns == 0 || (part_step(p, i)->ops == 0 && !part_step_unknown(p, i)))
		flags |= STEP_EMPTY;
	return flags;
}

bool part_step_unknown(const struct decomp_part *p, size_t i)
{
	const struct view_step *s = &p->steps.step[i];

	return p->unknown || (!part_step(p, i)->ops && s->launches != NO_INT &&
		s->launches > 0 && s->lone == s->launches);
}
