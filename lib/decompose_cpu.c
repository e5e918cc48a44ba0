/* decompose_cpu.c - a job without a device, split on its operators; see
 * decompose.h.
 *
 * Busy is the union of all operators over all threads.  Operators nest, so the
 * own time goes to the innermost one, of the lowest thread where several run.
 * The time between is that thread's which has a line or a function of the user's
 * code open, the lowest again; else that with an annotation. */
#include "base.h"
#include "decompose_cpu.h"
#include "mem.h"

#include <stdlib.h>

/* Forward operators remembered, by sequence number: an iteration of a model with
 * 10,000 operators makes about that many numbers. */
#define FORWARD_SLOTS (1 << 17)

/* The place of the forward operator with a sequence number; of two threads that
 * count alike neither is believed. */
struct forward_place { int64_t seq, track; struct cpu_place place; };

struct cpu_sweep {
	struct decomp_part *part;
	const struct decomp_hooks *hooks;
	struct cpu_lane *lane;   /* by the track's order */
	size_t nlane;
	struct forward_place *forward; /* FORWARD_SLOTS; NULL: places are not asked for */
	int64_t now_ns;
	bool begun, failed;
};

static void piece(struct cpu_sweep *c, void *owner, int64_t to_ns)
{
	struct decomp_part *p = c->part;
	int64_t chosen_ns = spans_part(&p->spans, SPLIT_COMPUTE, c->now_ns, to_ns);

	p->split.part_ns[SPLIT_COMPUTE] += to_ns - c->now_ns;
	p->chosen_ns += chosen_ns;
	if (c->hooks && owner)
		c->hooks->piece(owner, to_ns - c->now_ns, chosen_ns);
	c->now_ns = to_ns;
}

static struct cpu_state outside_state(struct cpu_sweep *c)
{
	struct cpu_state best = { .until_ns = INT64_MAX }, s;
	int64_t until_ns = INT64_MAX;

	for (size_t i = 0; i < c->nlane; i++) {
		cpu_lane_at(&c->lane[i], c->now_ns, &s);
		until_ns = MIN(until_ns, s.until_ns);
		if ((s.place.frame && !best.place.frame) || (s.any && !best.any))
			best = s;
		if (best.place.frame)
			break;
	}
	best.until_ns = until_ns;
	return best;
}

/* No operator runs up to until_ns. */
static void outside(struct cpu_sweep *c, int64_t until_ns)
{
	if (!c->hooks || !c->hooks->outside)
		c->now_ns = until_ns;
	while (c->now_ns < until_ns && !c->failed) {
		struct cpu_state s = outside_state(c);
		struct account_piece p = { .ts_ns = c->now_ns, .end_ns = MIN(s.until_ns, until_ns),
			.cause = s.input ? IDLE_INPUT : s.any ? IDLE_HOST : IDLE_UNKNOWN,
			.frame = s.place.frame, .how = s.place.how, .doing = s.note };

		/* between two records that are near: the interpreter's own time, which
		 * leaves no record without stacks */
		if (!s.any && p.end_ns - p.ts_ns < LANE_BETWEEN_NS) {
			p.cause = IDLE_HOST;
			p.how = AT_BETWEEN;
		}
		c->failed = c->hooks->outside(c->hooks->arg, &p) < 0;
		c->now_ns = p.end_ns;
	}
}

static void sweep_to(struct cpu_sweep *c, int64_t until_ns)
{
	while (c->now_ns < until_ns && !c->failed) {
		const struct cpu_open *top = NULL;

		for (size_t i = 0; i < c->nlane && !top; i++)
			top = cpu_lane_operator(&c->lane[i], c->now_ns);
		if (!top)
			outside(c, until_ns);
		else
			piece(c, top->owner, MIN(top->end_ns, until_ns));
	}
}

/* The union is kept by the same counters as a device's. */
static void union_add(struct decomp_part *p, const struct cpu_record *op)
{
	struct split_op s = { .start_ns = op->ts_ns, .end_ns = op->end_ns };
	int64_t from_ns;

	spans_op(&p->spans, &p->split, &s);
	if (p->split.ops++ == 0) {
		p->split.first_ns = p->split.busy_end_ns = op->ts_ns;
		p->split.last_ns = op->end_ns;
	}
	from_ns = MAX(p->split.busy_end_ns, op->ts_ns);
	if (op->end_ns > from_ns) {
		p->split.busy_ns += op->end_ns - from_ns;
		p->split.busy_end_ns = op->end_ns;
	}
	p->split.last_ns = MAX(p->split.last_ns, op->end_ns);
}

/* An operator that makes no node shows the next one's number: the last that has it
 * is the one that made it. */
static void forward_see(struct cpu_sweep *c, const struct cpu_record *op, struct cpu_place place)
{
	struct forward_place *f;

	if (op->seq < 0 || op->backward || !place.frame)
		return;
	f = &c->forward[op->seq % FORWARD_SLOTS];
	if (f->place.frame && f->seq == op->seq && f->track != op->track)
		place = (struct cpu_place){ 0, AT_NONE };
	*f = (struct forward_place){ op->seq, op->track, place };
}

/* Where the operator was called from: a backward one, and what it calls, where its
 * forward one was. */
static struct cpu_place place_find(struct cpu_sweep *c, struct cpu_lane *l,
	const struct cpu_record *op, bool *inherits)
{
	const struct cpu_open *outer = cpu_lane_operator(l, op->ts_ns);
	const struct forward_place *f;
	struct cpu_state s;

	*inherits = true;
	if (op->backward && op->seq >= 0) {
		f = &c->forward[op->seq % FORWARD_SLOTS];
		if (f->seq == op->seq && f->place.frame)
			return f->place;
	}
	if (outer && outer->inherits)
		return outer->place;
	*inherits = false;
	cpu_lane_at(l, op->ts_ns, &s);
	forward_see(c, op, s.place);
	return s.place;
}

static void take_operator(struct cpu_sweep *c, struct cpu_lane *l, const struct cpu_record *op)
{
	struct dev_op as_dev = {
		.ts_ns = op->ts_ns, .dur_ns = op->end_ns - op->ts_ns, .track = op->track,
		.name = op->name, .cat = CAT_CPU_OP, .corr = NO_ID,
		.bytes = NO_INT, .blocks = NO_INT,
	};
	struct cpu_open open = { .end_ns = op->end_ns };

	union_add(c->part, op);
	if (c->forward)
		open.place = place_find(c, l, op, &open.inherits);
	as_dev.frame = open.place.frame;
	as_dev.how = open.place.how;
	if (c->hooks && c->hooks->owner)
		open.owner = c->hooks->owner(c->hooks->arg, c->part, &as_dev);
	(void)cpu_lane_operator(l, op->ts_ns);
	GROW(l->open, l->nopen, l->capopen);
	l->open[l->nopen++] = open;
}

static void take_record(struct cpu_sweep *c, const struct view_trace *t,
	const struct cpu_record *r)
{
	size_t at = r->track > 0 && (uint64_t)r->track <= t->ntrack ?
		(size_t)t->track[r->track - 1].stream_order : 0;
	const struct view_steps *steps = &c->part->steps;

	if (!c->begun)
		c->now_ns = steps->n ? MIN(r->ts_ns, steps->step[0].ts_ns) : r->ts_ns;
	c->begun = true;
	sweep_to(c, r->ts_ns);
	if (r->kind == CPU_OPERATOR)
		take_operator(c, &c->lane[at], r);
	else
		cpu_lane_mark(&c->lane[at], r);
}

static int64_t last_of(const struct decomp_part *p)
{
	int64_t last_ns = p->split.last_ns;

	for (size_t i = 0; i < p->steps.n; i++)
		last_ns = MAX(last_ns, p->steps.step[i].ts_ns + p->steps.step[i].dur_ns);
	return last_ns;
}

/* Steps in which nothing was recorded are swept too. */
static void sweep_end(struct cpu_sweep *c)
{
	if (!c->begun && c->part->steps.n)
		c->now_ns = c->part->steps.step[0].ts_ns;
	if (c->begun || c->part->steps.n)
		sweep_to(c, last_of(c->part));
}

int decomp_operators(struct decomp *d, const struct decomp_hooks *hooks)
{
	struct cpu_sweep c = { .part = &d->part[0], .hooks = hooks };
	struct sorter s;
	struct sorter_iter it;
	const struct cpu_record *r;
	int rc = -1;

	c.nlane = d->trace->ntrack + 1;
	c.lane = xcalloc(c.nlane, sizeof *c.lane);
	if (hooks)
		c.forward = xcalloc(FORWARD_SLOTS, sizeof *c.forward);
	if (cpu_records_sort(&s, d, hooks != NULL) == 0 && sorter_first(&s, &it) == 0) {
		while ((r = sorter_next(&it)) && !c.failed)
			take_record(&c, d->trace, r);
		sweep_end(&c);
		rc = it.failed || c.failed ? -1 : 0;
		sorter_iter_release(&it);
	}
	sorter_release(&s);
	for (size_t i = 0; i < c.nlane; i++)
		cpu_lane_release(&c.lane[i]);
	free(c.lane);
	free(c.forward);
	return rc;
}
