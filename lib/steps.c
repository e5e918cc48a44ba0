/* steps.c - steps on both clocks. */
#include "base.h"
#include "steps.h"

#include <stdlib.h>

#include "mem.h"
#include "say.h"

static int mark_by_time(const void *pa, const void *pb)
{
	const struct mark *a = pa, *b = pb;

	if (a->ts != b->ts)
		return cmp_int(a->ts, b->ts);
	if (a->dur != b->dur)
		return cmp_int(a->dur, b->dur);
	if (a->idx != b->idx)
		return cmp_int(a->idx, b->idx);
	return cmp_int(a->name, b->name);
}

static void take(struct steps *s, struct marks *m, const char *rule)
{
	s->mark = m->item;
	s->n = m->n;
	s->rule = rule;
	s->beyond = m->beyond;
	*m = (struct marks){ NULL, 0, 0, 0 };
}

static void number(struct steps *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		s->mark[i].idx = (int64_t)i;
}

static int64_t end_of(const struct mark *m)
{
	return m->ts + m->dur;
}

/* From the end of one Optimizer.step to the end of the next.  An optimizer that
 * wraps another marks twice: what ends within the one before is no step. */
static void from_ends(struct marks *m)
{
	size_t i, n = 0;
	int64_t end;

	if (m->n == 0)
		return;
	end = end_of(&m->item[0]);
	for (i = 1; i < m->n; i++) {
		if (end_of(&m->item[i]) <= end)
			continue;
		m->item[n] = m->item[i];
		m->item[n].ts = end;
		end = end_of(&m->item[i]);
		m->item[n].dur = end - m->item[n].ts;
		n++;
	}
	m->n = n;
}

static void whole_window(struct load *l)
{
	struct steps *s = &l->steps;

	s->rule = "whole";
	s->whole = true;
	if (l->first_ns == NO_INT)
		return;
	s->mark = xcalloc(1, sizeof *s->mark);
	s->mark[0] = (struct mark){ l->first_ns, l->last_ns - l->first_ns, 0, 0 };
	s->n = 1;
}

static void sort_marks(struct marks *m)
{
	if (m->n > 1)
		qsort(m->item, m->n, sizeof *m->item, mark_by_time);
}

/* A device has a few numbers for each step. */
static void limit(struct load *l)
{
	struct steps *s = &l->steps;
	size_t most = STEP_CELLS_MAX / MAX(l->devices.n, 1u) - 1;

	if (s->n <= most)
		return;
	s->beyond += (int64_t)(s->n - most);
	s->n = most;
}

void steps_choose(struct load *l)
{
	struct steps *s = &l->steps;
	size_t i;

	sort_marks(&l->profiler);
	sort_marks(&l->regex);
	sort_marks(&l->optimizer);
	from_ends(&l->optimizer);
	if (l->profiler.n) {
		take(s, &l->profiler, "ProfilerStep");
	} else if (l->regex.n) {
		take(s, &l->regex, "regex");
		number(s);
	} else if (l->optimizer.n) {
		take(s, &l->optimizer, "Optimizer.step");
		number(s);
	} else {
		whole_window(l);
	}
	limit(l);
	s->h = xcalloc(s->n + 1, sizeof *s->h);
	for (i = 0; i < s->n; i++)
		s->h[i] = s->mark[i].ts;
	if (s->n)
		s->h[s->n] = end_of(&s->mark[s->n - 1]);
}

/* How many of the n values are <= ts. */
static size_t upper(const int64_t *v, size_t n, int64_t ts)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v[mid] <= ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int64_t steps_at(const struct steps *s, int64_t ts)
{
	size_t i = s->n ? upper(s->h, s->n + 1, ts) : 0;

	/* the window's last event may be an instant at its very end */
	if (s->whole && s->n && ts == s->h[1])
		return 0;
	return i == 0 || i > s->n ? -1 : (int64_t)i - 1;
}

void steps_drain_add(const struct steps *s, int64_t *drain, int64_t issue_ts,
	int64_t end_ts)
{
	/* the first boundary behind the issue; no call: before them all */
	size_t k = issue_ts == NO_INT ? 0 : upper(s->h, s->n + 1, issue_ts);

	if (k <= s->n && end_ts > drain[k])
		drain[k] = end_ts;
}

void steps_drain_end(const struct steps *s, int64_t *drain)
{
	int64_t latest = NO_INT;
	size_t k;

	for (k = 0; k <= s->n; k++) {
		latest = MAX(latest, drain[k]);
		drain[k] = s->whole ? s->h[k] : MAX(s->h[k], latest);
	}
}

void steps_cover(const int64_t *drain, size_t n, int64_t *cover, int64_t ts,
	int64_t end)
{
	size_t first = upper(drain, n + 1, ts);
	size_t last = upper(drain, n + 1, MAX(end - 1, ts));

	/* steps first-1 .. last-1, those that are */
	first = first ? first - 1 : 0;
	if (last == 0 || first >= n)
		return;
	cover[first]++;
	cover[MIN(last, n)]--;
}

struct step_row {
	const char *device;
	int64_t ts, dur, launches, lone;
	bool empty;
};

/* A tenth of the launches without an op: what the device did is not known. */
static int step_flags(const struct steps *s, const struct step_row *r)
{
	int flags = s->whole ? 4 : 0;

	if (r->empty || r->dur == 0)
		flags |= 1;
	if (r->lone > 0 && r->lone * 10 >= r->launches)
		flags |= 2;
	return flags;
}

static int put_step(struct load *l, sqlite3_stmt *st, size_t k, const struct step_row *r)
{
	const struct mark *m = &l->steps.mark[k];
	struct text name = names_text(&l->names, m->name);

	if (l->steps.whole)
		name = TEXT("whole window");
	db_bind_str(st, 2, r->device);
	sqlite3_bind_int64(st, 3, m->idx);
	db_bind_text(st, 4, name);
	sqlite3_bind_int64(st, 5, r->ts);
	sqlite3_bind_int64(st, 6, r->dur);
	sqlite3_bind_int64(st, 7, m->ts);
	sqlite3_bind_int64(st, 8, m->dur);
	sqlite3_bind_int64(st, 9, r->launches);
	sqlite3_bind_int64(st, 10, r->lone);
	sqlite3_bind_int(st, 11, step_flags(&l->steps, r));
	return db_run(l->db, st);
}

static int put_device(struct load *l, sqlite3_stmt *st, const struct device *d,
	int64_t *n)
{
	const struct steps *s = &l->steps;
	struct step_row r;
	int64_t covered = 0;
	size_t k;

	for (k = 0; k < s->n; k++) {
		covered += d->cover[k];
		r = (struct step_row){ d->idx, d->drain[k],
			d->drain[k + 1] - d->drain[k], d->launches[k], d->lone[k],
			d->ops > 0 && covered == 0 };
		sqlite3_bind_int64(st, 1, STORE_ID(l->id, ++*n));
		if (put_step(l, st, k, &r) < 0)
			return -1;
	}
	return 0;
}

int steps_store(struct load *l)
{
	sqlite3_stmt *st = db_prepare(l->db, "INSERT INTO step VALUES"
		" (?,?,?,?,?,?,?,?,?,?,?)");
	int64_t n = 0;
	int rc = st ? 0 : -1;
	size_t i;

	for (i = 0; rc == 0 && i < l->devices.n; i++)
		rc = put_device(l, st, &l->devices.item[i], &n);
	db_finish(&st);
	return rc;
}
