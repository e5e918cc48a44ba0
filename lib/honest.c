/* honest.c - see honest.h. */
#include "base.h"
#include "honest.h"
#include "mem.h"
#include "rec.h"

#include <stdlib.h>

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

/* What each step took, by which clock, and what comes at a beat. */
static void pace_settle(struct honest *h)
{
	int64_t *wall = xcalloc(h->nstep + 1, sizeof *wall);
	int64_t *device = xcalloc(h->nstep + 1, sizeof *device);

	for (size_t i = 0; i < h->nstep; i++) {
		wall[i] = h->step[i].wall_ns;
		device[i] = h->step[i].device_ns;
	}
	h->ahead = pace_take(wall, device, h->nstep, device);
	h->wall_median_ns = median_ns(wall, h->nstep);
	for (size_t i = 0; i < h->nstep; i++)
		h->step[i].took_ns = device[i];
	h->nbeat = pace_beats(device, h->nstep, h->beat);
	for (size_t i = 0; i < h->nbeat; i++)
		h->beat[i].first = h->step[h->beat[i].first].step;
	h->median_ns = median_ns(device, h->nstep);
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
		if (h->ahead && device_ns != NO_INT &&
		    __builtin_add_overflow(device_ns, h->step[i].took_ns, &device_ns))
			device_ns = NO_INT;
	}
	return MAX(end_ns, device_ns);
}

static void honest_settle(struct honest *h)
{
	if (h->nstep)
		qsort(h->step, h->nstep, sizeof h->step[0], step_cmp);
	if (h->nphase)
		qsort(h->phase, h->nphase, sizeof h->phase[0], phase_cmp);
	pace_settle(h);
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
	if (__builtin_sub_overflow(steps_end(h), h->phase[0].start_ns, &h->total_ns))
		h->total_ns = NO_INT;
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
