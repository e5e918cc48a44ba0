/* memcurve.c - see memcurve.h. */
#include "base.h"
#include "memcurve.h"
#include "each.h"
#include "mem.h"
#include "num.h"
#include "sorter.h"

#include <stdlib.h>

#define SORT_BYTES (16 << 20) /* 300,000 events before anything spills */

static int type_of(int64_t type)
{
	return type == 6 ? MEM_GPU : type < 0 || type > INT32_MAX ? MEM_GPU : (int)type;
}

static const struct view_device *device_find(const struct view_trace *t, const char *idx)
{
	for (size_t i = 0; i < t->ndevice; i++)
		if (!strcmp(t->device[i].idx, idx))
			return &t->device[i];
	return NULL;
}

/* Which steps a curve has: the device's own, else those of any device of the
 * trace: on the host's clock they are the same. */
static int curve_steps(struct memcurves *m, struct mem_curve *c)
{
	const struct view_trace *t = m->trace;

	if (view_steps(m->view, t, c->type == MEM_HOST ? "" : c->device, &c->steps) < 0)
		return -1;
	for (size_t i = 0; i < t->ndevice && !c->steps.n; i++)
		if (view_steps(m->view, t, t->device[i].idx, &c->steps) < 0)
			return -1;
	if (!c->steps.n && view_steps(m->view, t, "", &c->steps) < 0)
		return -1;
	c->step = xcalloc(c->steps.n + 1, sizeof *c->step);
	for (size_t i = 0; i < c->steps.n; i++)
		c->step[i] = (struct mem_step){ &c->steps.step[i], NO_INT, NO_INT, NO_INT, NO_INT };
	return 0;
}

static int curve_add(struct memcurves *m, const char *device, int type)
{
	struct mem_curve *c;

	GROW(m->curve, m->n, m->cap);
	c = &m->curve[m->n];
	memset(c, 0, sizeof *c);
	c->came = (int32_t)m->n++;
	c->own_device = xstrdup(type == MEM_HOST ? "cpu" : device);
	c->device = c->own_device;
	c->type = type;
	c->info = type == MEM_HOST ? NULL : device_find(m->trace, device);
	c->peak_allocated = c->peak_reserved = c->last_allocated = c->last_reserved = NO_INT;
	c->reserved_at_peak = c->before = c->level = c->trace_peak = NO_INT;
	for (size_t i = 0; i < CURVE_CELLS; i++)
		c->cell[i] = c->cell_reserved[i] = NO_INT;
	return curve_steps(m, c);
}

static int id_number(const char *s, int64_t *n)
{
	return num_int((struct text){ s, strlen(s) }, INT64_MIN + 1, INT64_MAX, n);
}

static int curve_cmp(const void *a, const void *b)
{
	const struct mem_curve *x = a, *y = b;
	int64_t nx, ny;

	if ((x->type == MEM_HOST) != (y->type == MEM_HOST))
		return x->type == MEM_HOST ? 1 : -1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (id_number(x->device, &nx) == 0 && id_number(y->device, &ny) == 0 && nx != ny)
		return nx < ny ? -1 : 1;
	return strcmp(x->device, y->device);
}

/* The events' curve, made when the first one comes; -1: that device is not wanted,
 * -2: said. */
static int curve_of(struct memcurves *m, const char *device, int type)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->curve[i].type == type &&
		    (type == MEM_HOST || !strcmp(m->curve[i].device, device)))
			return (int)i;
	if (!view_wants_device(m->view, type == MEM_HOST ? "cpu" : device)) {
		m->others = true;
		return -1;
	}
	return curve_add(m, device, type) < 0 ? -2 : (int)m->n - 1;
}

static int event_cmp(const void *a, const void *b)
{
	const struct mem_event *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

static bool is_chosen(const struct mem_curve *c, int64_t ts_ns)
{
	for (size_t i = 0; i < c->steps.n; i++) {
		const struct view_step *s = &c->steps.step[i];

		if (s->chosen && ts_ns >= s->host_ts_ns && ts_ns < s->host_ts_ns + s->host_dur_ns)
			return true;
	}
	return false;
}

struct event_sort {
	struct memcurves *m;
	struct sorter sort;
};

#define EVENT_COLUMNS "id, ts, device, type, allocated, reserved, delta, ok"
static int event_take(void *arg, sqlite3_value **v)
{
	struct event_sort *s = arg;
	struct memcurves *m = s->m;
	const char *device = db_value_str(v[2]);
	struct mem_event e = {
		.n = sqlite3_value_int64(v[0]) - STORE_ID(m->trace->id, 0),
		.ts_ns = sqlite3_value_int64(v[1]),
		.curve = curve_of(m, device ? device : "", type_of(value_int(v[3]))),
		.allocated = value_int(v[4]), .reserved = value_int(v[5]),
		.delta = value_int(v[6]), .ok = sqlite3_value_int(v[7]) != 0,
	};

	if (e.curve < 0)
		return e.curve < -1 ? -1 : 0;
	if (m->curve[e.curve].type == MEM_HOST)
		e.reserved = NO_INT; /* the host's allocator has no cache: always 0 */
	e.chosen = m->view->step_first == NO_INT || is_chosen(&m->curve[e.curve], e.ts_ns);
	if (e.chosen && m->first_ns == NO_INT)
		m->first_ns = m->last_ns = e.ts_ns;
	if (e.chosen) {
		m->first_ns = MIN(m->first_ns, e.ts_ns);
		m->last_ns = MAX(m->last_ns, e.ts_ns);
	}
	return sorter_add(&s->sort, &e);
}

static int events_sort(struct event_sort *s)
{
	if (trace_each(&s->m->view->db, s->m->trace, EVENT_COLUMNS, "memory", event_take, s) < 0)
		return -1;
	return sorter_done(&s->sort);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a == NO_INT || b > a ? b : a; /* NO_INT is the smallest int64 */
}

/* The steps that have begun take the level before the event as their first. */
static void steps_take(struct mem_curve *c, const struct mem_event *e, int64_t level,
	int64_t before)
{
	while (c->at_step < c->steps.n && c->steps.step[c->at_step].host_ts_ns +
	    c->steps.step[c->at_step].host_dur_ns <= e->ts_ns)
		c->at_step++;
	for (size_t i = c->at_step; i < c->steps.n && c->steps.step[i].host_ts_ns <= e->ts_ns; i++) {
		struct mem_step *s = &c->step[i];

		if (s->first_allocated == NO_INT) {
			s->first_allocated = before == NO_INT ? level : before;
			s->peak_allocated = s->first_allocated;
		}
		s->peak_allocated = larger(s->peak_allocated, level);
		s->peak_reserved = larger(s->peak_reserved, e->reserved);
		s->last_allocated = level;
	}
}

static void cell_take(const struct memcurves *m, struct mem_curve *c,
	const struct mem_event *e, int64_t level)
{
	int64_t span_ns = m->last_ns - m->first_ns + 1;
	size_t at = span_ns < CURVE_CELLS ? (size_t)(e->ts_ns - m->first_ns) :
		(size_t)((e->ts_ns - m->first_ns) / (span_ns / CURVE_CELLS + 1));

	at = MIN(at, (size_t)CURVE_CELLS - 1);
	c->cell[at] = larger(c->cell[at], level);
	c->cell_reserved[at] = larger(c->cell_reserved[at], e->reserved);
}

static void reserved_take(struct mem_curve *c, const struct mem_event *e)
{
	if (e->reserved != NO_INT && (c->peak_reserved == NO_INT ||
	    e->reserved > c->peak_reserved)) {
		c->peak_reserved = e->reserved;
		c->peak_reserved_ns = e->ts_ns;
	}
	c->last_reserved = e->reserved;
}

static void totals_take(struct mem_curve *c, const struct mem_event *e)
{
	c->totals = true;
	if (e->delta != NO_INT && c->before != NO_INT &&
	    e->allocated != c->before + e->delta)
		c->breaks++;
	if (c->peak_allocated == NO_INT || e->allocated > c->peak_allocated) {
		c->peak_allocated = e->allocated;
		c->peak_allocated_ns = e->ts_ns;
		c->reserved_at_peak = e->reserved;
	}
}

static void curve_take(const struct memcurves *m, struct mem_curve *c,
	const struct mem_event *e)
{
	c->events++;
	if (!e->ok) {
		c->bad++;
		return;
	}
	if (e->delta != NO_INT)
		c->relative += e->delta; /* all together below SUM_MAX: load.h */
	c->peak_relative = MAX(c->peak_relative, c->relative);
	reserved_take(c, e);
	if (e->allocated == NO_INT) {
		cell_take(m, c, e, c->relative);
		return;
	}
	totals_take(c, e);
	steps_take(c, e, e->allocated, c->level);
	cell_take(m, c, e, e->allocated);
	c->last_allocated = e->allocated;
}

/* Every event, also where --step leaves it out: the level that a step begins with,
 * and where the peak lies. */
static void level_take(struct mem_curve *c, const struct mem_event *e)
{
	if (!e->ok || e->allocated == NO_INT) {
		if (!e->ok)
			c->before = NO_INT; /* the next total has nothing to continue */
		return;
	}
	if (c->trace_peak == NO_INT || e->allocated > c->trace_peak) {
		c->trace_peak = e->allocated;
		c->peak_chosen = e->chosen;
	}
	c->before = c->level = e->allocated;
}

/* A cell without an event shows what the one before ended near. */
static void cells_fill(struct mem_curve *c)
{
	int64_t level = 0, reserved = 0;

	for (size_t i = 0; i < CURVE_CELLS; i++) {
		level = c->cell[i] = c->cell[i] == NO_INT ? level : c->cell[i];
		reserved = c->cell_reserved[i] = c->cell_reserved[i] == NO_INT ?
			reserved : c->cell_reserved[i];
	}
}

/* Into their order; where each of those that the events know by number lies now. */
static int32_t *curves_sort(struct memcurves *m)
{
	int32_t *place = xcalloc(m->n + 1, sizeof *place);

	if (m->n)
		qsort(m->curve, m->n, sizeof m->curve[0], curve_cmp);
	for (size_t i = 0; i < m->n; i++)
		place[m->curve[i].came] = (int32_t)i;
	return place;
}

int memcurves_run(struct memcurves *m, struct view *v, const struct view_trace *t,
	mem_event_fn *each, void *arg)
{
	struct event_sort s = { .m = m };
	struct sorter_iter it;
	const struct mem_event *e;
	struct mem_curve *c;
	int32_t *place = NULL;
	int rc = -1;

	*m = (struct memcurves){ .view = v, .trace = t, .first_ns = NO_INT, .last_ns = NO_INT };
	sorter_init(&s.sort, sizeof *e, event_cmp, view_scratch_dir(), SORT_BYTES);
	if (events_sort(&s) == 0 && sorter_first(&s.sort, &it) == 0) {
		place = curves_sort(m);
		rc = 0;
		while (rc == 0 && (e = sorter_next(&it))) {
			c = &m->curve[place[e->curve]];
			if (e->chosen) {
				curve_take(m, c, e);
				rc = each(arg, c, e);
			}
			level_take(c, e);
		}
		rc = rc < 0 || it.failed ? -1 : 0;
		sorter_iter_release(&it);
	}
	sorter_release(&s.sort);
	free(place);
	for (size_t i = 0; i < m->n; i++)
		cells_fill(&m->curve[i]);
	return rc;
}

void memcurves_release(struct memcurves *m)
{
	for (size_t i = 0; i < m->n; i++) {
		steps_release(&m->curve[i].steps);
		free(m->curve[i].step);
		free(m->curve[i].own_device);
	}
	free(m->curve);
	memset(m, 0, sizeof *m);
}
