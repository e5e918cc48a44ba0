/* honest.c - see honest.h. */
#include "base.h"
#include "honest.h"
#include "mem.h"
#include "rec.h"

#include <stdlib.h>

static int int_cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t median_ns(int64_t *value, size_t n)
{
	if (!n)
		return NO_INT;
	qsort(value, n, sizeof *value, int_cmp);
	if (n % 2)
		return value[n / 2];
	return value[n / 2 - 1] + (value[n / 2] - value[n / 2 - 1]) / 2;
}

struct honest_list {
	struct honest *item;
	size_t n, cap, last;
};

/* Rows come in order of run, once for steps and once for phases; ranks of one run may
 * interleave: it is near the last one. */
static struct honest *honest_get(struct honest_list *l, int64_t run, int64_t rank)
{
	for (size_t k = 0; k < l->n; k++) {
		size_t i = (l->last + k) % l->n;

		if (l->item[i].run == run && l->item[i].rank == rank) {
			l->last = i;
			return &l->item[i];
		}
	}
	GROW(l->item, l->n, l->cap);
	memset(&l->item[l->n], 0, sizeof l->item[0]);
	l->item[l->n].run = run;
	l->item[l->n].rank = rank;
	l->last = l->n;
	return &l->item[l->n++];
}

static struct text column_slice(sqlite3_stmt *st, int column)
{
	const char *s = db_column_str(st, column);

	return (struct text){ s, (size_t)sqlite3_column_bytes(st, column) };
}

static void step_take(struct honest *h, sqlite3_stmt *st, struct rec_parser *parser)
{
	struct honest_step *s;

	if (column_int(st, 3) == NO_INT || column_int(st, 4) == NO_INT)
		return;
	GROW(h->step, h->nstep, h->capstep);
	s = &h->step[h->nstep++];
	s->step = column_int(st, 2) == NO_INT ? (int64_t)h->nstep : column_int(st, 2);
	s->start_ns = column_int(st, 3);
	s->wall_ns = column_int(st, 4);
	s->device_ns = column_int(st, 6);
	s->line = NULL;
	s->nline = 0;
	honest_step_lines(parser, column_slice(st, 5), s);
}

static void phase_take(struct honest *h, sqlite3_stmt *st, struct rec_parser *parser)
{
	struct honest_phase *p;

	GROW(h->phase, h->nphase, h->capphase);
	p = &h->phase[h->nphase++];
	p->phase = column_str(st, 2);
	p->start_ns = column_int(st, 3);
	p->dur_ns = column_int(st, 4) == NO_INT ? 0 : column_int(st, 4);
	p->file = column_str(st, 5);
	p->line = column_int(st, 6);
	p->func = honest_phase_func(parser, column_slice(st, 7));
}

static int rows_take(struct view *v, struct honest_list *l, const char *sql,
	void (*take)(struct honest *h, sqlite3_stmt *st, struct rec_parser *parser))
{
	sqlite3_stmt *st = trace_prepare(&v->db, sql, NULL);
	struct rec_parser *parser;
	int rc;

	if (!st)
		return -1;
	parser = rec_parser_new();
	while ((rc = db_step(&v->db, st)) > 0) {
		int64_t rank = column_int(st, 1);

		if (v->rank == NO_INT || rank == NO_INT || rank == v->rank)
			take(honest_get(l, sqlite3_column_int64(st, 0), rank), st, parser);
	}
	rec_parser_free(parser);
	db_finish(&st);
	return rc;
}

static int step_cmp(const void *a, const void *b)
{
	const struct honest_step *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static int phase_cmp(const void *a, const void *b)
{
	const struct honest_phase *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->dur_ns > y->dur_ns) - (x->dur_ns < y->dur_ns);
}

static int honest_cmp(const void *a, const void *b)
{
	const struct honest *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

bool runs_ahead(const int64_t *wall_ns, const int64_t *device_ns, size_t n)
{
	int64_t *copy, wall, device;
	size_t known = 0;

	if (!n)
		return false;
	copy = xcalloc(n, sizeof *copy);
	for (size_t i = 0; i < n; i++)
		if (device_ns[i] != NO_INT)
			copy[known++] = device_ns[i];
	device = median_ns(copy, known);
	memcpy(copy, wall_ns, n * sizeof *copy);
	wall = median_ns(copy, n);
	free(copy);
	return known >= n - n / 10 && device - wall >= wall / 4 && device > wall;
}

/* What each step took, and by which clock. */
static void clock_settle(struct honest *h)
{
	int64_t *wall = xcalloc(h->nstep + 1, sizeof *wall);
	int64_t *device = xcalloc(h->nstep + 1, sizeof *device);

	for (size_t i = 0; i < h->nstep; i++) {
		wall[i] = h->step[i].wall_ns;
		device[i] = h->step[i].device_ns;
	}
	h->ahead = runs_ahead(wall, device, h->nstep);
	h->wall_median_ns = median_ns(wall, h->nstep);
	for (size_t i = 0; i < h->nstep; i++) {
		struct honest_step *s = &h->step[i];

		s->took_ns = h->ahead && s->device_ns != NO_INT ? s->device_ns : s->wall_ns;
		wall[i] = s->took_ns;
	}
	h->median_ns = median_ns(wall, h->nstep);
	free(device);
	free(wall);
}

/* The last step's end; the device's where it is later, which has no pause between the
 * steps. */
static int64_t steps_end(const struct honest *h)
{
	int64_t end_ns = INT64_MIN, device_ns = h->step[0].start_ns;

	for (size_t i = 0; i < h->nstep; i++) {
		end_ns = MAX(end_ns, h->step[i].start_ns + h->step[i].wall_ns);
		device_ns += h->ahead ? h->step[i].took_ns : 0;
	}
	return MAX(end_ns, device_ns);
}

static void honest_settle(struct honest *h)
{
	if (h->nstep)
		qsort(h->step, h->nstep, sizeof h->step[0], step_cmp);
	if (h->nphase)
		qsort(h->phase, h->nphase, sizeof h->phase[0], phase_cmp);
	clock_settle(h);
	h->nbeat = honest_beats(h, h->beat);
	beats_place(h, h->beat, h->nbeat);
	h->startup_ns = h->total_ns = NO_INT;
	if (!h->nphase)
		return;
	/* phases are sums over a line, not intervals: they add up, and only so */
	h->startup_ns = 0;
	for (size_t i = 0; i < h->nphase; i++)
		h->startup_ns += h->phase[i].dur_ns;
	if (!h->nstep || h->phase[0].start_ns == NO_INT)
		return;
	h->total_ns = steps_end(h) - h->phase[0].start_ns;
}

static int cuts_take(struct view *v, struct honest_list *l)
{
	sqlite3_stmt *st = db_prepare(&v->db, "SELECT id FROM honest_run WHERE partial");
	int rc;

	if (!st)
		return -1;
	while ((rc = db_step(&v->db, st)) > 0)
		for (size_t i = 0; i < l->n; i++)
			l->item[i].cut |= l->item[i].run == sqlite3_column_int64(st, 0);
	db_finish(&st);
	return rc;
}

int honest_load(struct view *v, struct honest **out, size_t *n)
{
	struct honest_list l = { 0 };

	if (rows_take(v, &l, "SELECT id >> 40, rank, step, ts_ns, wall_ns, record,"
		" device_ns FROM honest_step ORDER BY id", step_take) < 0 ||
	    rows_take(v, &l, "SELECT id >> 40, rank, phase, ts_ns, dur_ns, file, line,"
		" record"
		" FROM honest_startup ORDER BY id", phase_take) < 0 ||
	    cuts_take(v, &l) < 0) {
		honest_free(l.item, l.n);
		return -1;
	}
	if (l.n)
		qsort(l.item, l.n, sizeof l.item[0], honest_cmp);
	for (size_t i = 0; i < l.n; i++)
		honest_settle(&l.item[i]);
	*out = l.item;
	*n = l.n;
	return 0;
}

void honest_free(struct honest *h, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < h[i].nphase; k++) {
			free(h[i].phase[k].phase);
			free(h[i].phase[k].file);
			free(h[i].phase[k].func);
		}
		for (size_t k = 0; k < h[i].nbeat; k++) {
			free(h[i].beat[k].file);
			free(h[i].beat[k].func);
		}
		for (size_t k = 0; k < h[i].nstep; k++)
			honest_lines_free(&h[i].step[k]);
		free(h[i].phase);
		free(h[i].step);
	}
	free(h);
}

#define NEAR 15          /* steps on either side that make a step's baseline */
#define BEAT_MAX 1000    /* longest beat looked for */
#define BEAT_HITS 3      /* fewer is no beat */
#define LONGER_PERCENT 15 /* over the baseline: beyond a plain run's jitter of some % */
#define OUTSIDE_PERCENT 20 /* as many other long steps make the beat a coincidence */
#define CHANCE_MAX 0.05  /* as do beats that many by chance among all that are tried */

/* How much longer each step took than the steps around it; negative is 0. */
static int64_t *excess_make(const struct honest *h, int64_t *floor_ns)
{
	int64_t *excess = xcalloc(h->nstep, sizeof *excess), near[2 * NEAR + 1];

	for (size_t i = 0; i < h->nstep; i++) {
		size_t from = i > NEAR ? i - NEAR : 0, to = MIN(i + NEAR + 1, h->nstep);
		int64_t base_ns;

		for (size_t k = from; k < to; k++)
			near[k - from] = h->step[k].took_ns;
		base_ns = median_ns(near, to - from);
		excess[i] = MAX(h->step[i].took_ns - base_ns, 0);
		floor_ns[i] = base_ns / 100 * LONGER_PERCENT;
	}
	return excess;
}

/* How many beats up to this long would hit so often by chance, if each step were as
 * often long as those outside the beat are. */
static double chance_of(size_t every, size_t hits, size_t outside, size_t others)
{
	double often = (double)(outside + 1) / (double)(others + 1);
	double chance = (double)every * (double)every / 2;

	for (size_t i = 0; i < hits && chance > CHANCE_MAX; i++)
		chance *= often;
	return chance;
}

/* Steps first, first + every, ... (from 0): a beat when nearly all of them took longer
 * and few others did, by half as much; what it explains is taken off.  The run's own
 * first step is start-up. */
static bool beat_try(int64_t *excess, const int64_t *floor_ns, size_t n, size_t first,
	size_t every, struct beat *out)
{
	size_t members = 0, hits = 0, outside = 0;
	int64_t *cost = xcalloc(n / every + 1, sizeof *cost), each_ns;

	for (size_t i = first; i < n; i += every, members++)
		if (excess[i] > floor_ns[i])
			cost[hits++] = excess[i];
	if (hits >= BEAT_HITS && hits * 10 >= members * 9)
		qsort(cost, hits, sizeof *cost, int_cmp);
	else
		hits = 0;
	each_ns = cost[hits / 4];
	free(cost);
	if (!hits)
		return false;
	for (size_t i = 1; i < n; i++)
		outside += i % every != first % every && excess[i] > each_ns / 2;
	if (outside * 100 > (n - members) * OUTSIDE_PERCENT ||
	    chance_of(every, hits, outside, n - members) > CHANCE_MAX)
		return false;
	*out = (struct beat){ .every = (int64_t)every, .first = (int64_t)first,
		.count = (int64_t)hits, .each_ns = each_ns, .line = NO_INT };
	for (size_t i = first; i < n; i += every)
		excess[i] = MAX(excess[i] - each_ns, 0);
	return true;
}

size_t honest_beats(const struct honest *h, struct beat out[BEATS_MAX])
{
	int64_t *floor_ns = xcalloc(h->nstep + 1, sizeof *floor_ns), *excess;
	size_t n = 0;

	excess = excess_make(h, floor_ns);
	for (size_t every = 2; every <= BEAT_MAX && every * BEAT_HITS <= h->nstep; every++)
		for (size_t first = 1; first <= every && n < BEATS_MAX; first++) {
			if (excess[first] <= floor_ns[first] &&
			    excess[first + every] <= floor_ns[first + every])
				continue;
			if (beat_try(excess, floor_ns, h->nstep, first, every, &out[n])) {
				out[n].first = h->step[out[n].first].step;
				n++;
			}
		}
	free(excess);
	free(floor_ns);
	return n;
}
