/* decompose_cpu.c - a job without a device, split on its operators; see
 * decompose.h.
 *
 * Busy is the union of all operators over all threads.  Operators nest, so the
 * own time goes to the innermost one, of the lowest thread where several run. */
#include "base.h"
#include "decompose.h"
#include "mem.h"
#include "sorter.h"

#include <stdlib.h>

struct host_op {
	int64_t ts_ns, end_ns;
	int64_t track, name;
};

/* Outer before inner: at one start the longer comes first. */
static int host_op_cmp(const void *a, const void *b)
{
	const struct host_op *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static int operators_sort(struct decomp *d, struct sorter *s)
{
	sqlite3_stmt *st = trace_prepare(&d->view->db, "SELECT ts, dur, track, name, cat"
		" FROM host WHERE id > ?1 AND id < ?2", d->trace);
	int rc;

	if (!st)
		return -1;
	while ((rc = db_step(&d->view->db, st)) > 0) {
		struct host_op op = {
			.ts_ns = sqlite3_column_int64(st, 0),
			.track = sqlite3_column_int64(st, 2),
			.name = sqlite3_column_int64(st, 3),
		};

		op.end_ns = op.ts_ns + sqlite3_column_int64(st, 1);
		if (sqlite3_column_int(st, 4) == CAT_CPU_OP && sorter_add(s, &op) < 0) {
			rc = -1;
			break;
		}
	}
	db_finish(&st);
	return rc < 0 ? -1 : sorter_done(s);
}

/* The operators that run on each thread, innermost last. */
struct cpu_lane {
	struct cpu_frame { int64_t end_ns; void *owner; } *frame;
	size_t n, cap;
};
struct cpu_sweep {
	struct decomp_part *part;
	const struct decomp_hooks *hooks;
	struct cpu_lane *lane;   /* by the track's order */
	size_t nlane;
	int64_t now_ns;
};

static void piece(struct cpu_sweep *c, void *owner, int64_t to_ns)
{
	struct decomp_part *p = c->part;
	int64_t chosen_ns = spans_part(&p->spans, SPLIT_COMPUTE, c->now_ns, to_ns);

	p->split.part_ns[SPLIT_COMPUTE] += to_ns - c->now_ns;
	p->chosen_ns += chosen_ns;
	if (owner)
		c->hooks->piece(owner, to_ns - c->now_ns, chosen_ns);
	c->now_ns = to_ns;
}

static void sweep_to(struct cpu_sweep *c, int64_t until_ns)
{
	while (c->now_ns < until_ns) {
		struct cpu_frame *top = NULL;

		for (size_t i = 0; i < c->nlane && !top; i++) {
			struct cpu_lane *l = &c->lane[i];

			while (l->n && l->frame[l->n - 1].end_ns <= c->now_ns)
				l->n--;
			if (l->n)
				top = &l->frame[l->n - 1];
		}
		if (!top)
			c->now_ns = until_ns;
		else
			piece(c, top->owner, MIN(top->end_ns, until_ns));
	}
}

/* The union is kept by the same counters as a device's. */
static void union_add(struct decomp_part *p, const struct host_op *op)
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

static void take_operator(struct decomp *d, struct cpu_sweep *c, const struct host_op *op)
{
	const struct view_trace *t = d->trace;
	struct dev_op as_dev = {
		.ts_ns = op->ts_ns, .dur_ns = op->end_ns - op->ts_ns, .track = op->track,
		.name = op->name, .cat = CAT_CPU_OP, .corr = NO_ID,
		.bytes = NO_INT, .blocks = NO_INT,
	};
	size_t at = op->track > 0 && (uint64_t)op->track <= t->ntrack ?
		(size_t)t->track[op->track - 1].stream_order : 0;
	struct cpu_lane *l = &c->lane[at];

	if (c->part->split.ops == 0)
		c->now_ns = op->ts_ns;
	sweep_to(c, op->ts_ns);
	union_add(c->part, op);
	while (l->n && l->frame[l->n - 1].end_ns <= op->ts_ns)
		l->n--;
	GROW(l->frame, l->n, l->cap);
	l->frame[l->n].end_ns = op->end_ns;
	l->frame[l->n++].owner = c->hooks ? c->hooks->owner(c->hooks->arg, c->part, &as_dev) : NULL;
}

#define SORT_BYTES (16 << 20) /* half a million operators before anything spills */

int decomp_operators(struct decomp *d, const struct decomp_hooks *hooks)
{
	struct cpu_sweep c = { .part = &d->part[0], .hooks = hooks };
	struct sorter s;
	struct sorter_iter it;
	const struct host_op *op;
	int rc = -1;

	c.nlane = d->trace->ntrack + 1;
	c.lane = xcalloc(c.nlane, sizeof *c.lane);
	sorter_init(&s, sizeof *op, host_op_cmp, view_scratch_dir(), SORT_BYTES);
	if (operators_sort(d, &s) == 0 && sorter_first(&s, &it) == 0) {
		while ((op = sorter_next(&it)))
			take_operator(d, &c, op);
		sweep_to(&c, d->part[0].split.last_ns);
		rc = it.failed ? -1 : 0;
		sorter_iter_release(&it);
	}
	sorter_release(&s);
	for (size_t i = 0; i < c.nlane; i++)
		free(c.lane[i].frame);
	free(c.lane);
	return rc;
}
