/* window.c - see window.h. */
#include "base.h"
#include "window.h"
#include "mem.h"
#include "num.h"
#include "say.h"

#include <stdlib.h>

#define TYPICAL_DEVIATIONS 3
#define TYPICAL_PERCENT 3
#define MARGIN 3             /* steps kept between a regime's ends and the window */
#define SURE_STEPS 20        /* typical steps for high confidence */

int every_parse(const char *words, struct every *out, size_t max, size_t *n)
{
	const char *s = words;

	for (*n = 0;; s++) {
		size_t len = strcspn(s, ","), plus = strcspn(s, "+,");
		struct every e;

		if (*n >= max)
			return error("--schedule '%s': more than %zu of them", words, max);
		if (num_int((struct text){ s, plus }, 1, INT32_MAX, &e.every))
			return error("--schedule '%s': not EVERY or EVERY+FIRST,"
				" from 1, with commas between", words);
		e.first = e.every;
		if (plus < len && num_int((struct text){ s + plus + 1, len - plus - 1 },
		    1, INT32_MAX, &e.first))
			return error("--schedule '%s': not EVERY or EVERY+FIRST,"
				" from 1, with commas between", words);
		out[(*n)++] = e;
		s += len;
		if (!*s)
			return 0;
	}
}

/* What is known of each step while a window is looked for. */
struct search {
	const struct series *s;
	const struct window_want *want;
	struct window *w;
	size_t n;                /* without a last step that has no end */
	bool *avoid;
	int64_t expect_ns[WINDOW_PATTERN];
	int64_t within_ns;
};

static bool is_hit(int64_t step, int64_t every, int64_t first)
{
	return step >= first && (step - first) % every == 0;
}

static int64_t off_ns(const struct search *f, size_t i)
{
	HOLDS(f->w->pattern > 0);
	int64_t d = f->s->wall_ns[i] - f->expect_ns[i % (size_t)f->w->pattern];

	return d < 0 ? -d : d;
}

/* Half the differences between steps p apart, against those of neighbours: a
 * pattern makes the former small. */
static int64_t lag_ns(const int64_t *v, size_t n, size_t lag)
{
	int64_t *d, m;

	if (n <= lag)
		return 0;
	d = xmalloc((n - lag) * sizeof *d);
	for (size_t i = lag; i < n; i++)
		d[i - lag] = v[i] > v[i - lag] ? v[i] - v[i - lag] : v[i - lag] - v[i];
	m = median_ns(d, n - lag);
	free(d);
	return m;
}

/* A pattern: steps p apart are alike, neighbours are not, by more than 5 %.
 * One odd step among equals (every fourth is longer) shows only as a beat. */
static int64_t pattern_find(const struct search *f, const struct regime *r)
{
	const int64_t *v = f->s->wall_ns + r->from;
	size_t n = r->to - r->from;
	int64_t next = lag_ns(v, n, 1);

	for (size_t p = 2; p <= WINDOW_PATTERN && n >= 4 * p; p++)
		if (next > r->median_ns / 20 && lag_ns(v, n, p) * 3 < next)
			return (int64_t)p;
	for (size_t i = f->w->nbeat; i-- > 0;)
		if (f->w->beat[i].every <= WINDOW_PATTERN)
			return f->w->beat[i].every;
	return 1;
}

/* For each place of the pattern what a step there takes, and how far steps
 * stray from it. */
static void expect_measure(struct search *f, const struct regime *r)
{
	size_t n = r->to - r->from, p = (size_t)f->w->pattern;
	int64_t *v = xmalloc(n * sizeof *v);

	for (size_t k = 0; k < p; k++) {
		size_t m = 0;

		for (size_t i = r->from; i < r->to; i++)
			if (i % p == k)
				v[m++] = f->s->wall_ns[i];
		f->expect_ns[k] = m ? median_ns(v, m) : r->median_ns;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = off_ns(f, r->from + i);
	f->within_ns = MAX(median_ns(v, n) / 10000 * 14826 * TYPICAL_DEVIATIONS,
		r->median_ns * TYPICAL_PERCENT / 100);
	free(v);
}

static bool is_periodic(const struct search *f, int64_t step)
{
	const struct window *w = f->w;

	for (size_t i = 0; i < w->nschedule; i++)
		if (is_hit(step, w->schedule[i].every, w->schedule[i].first))
			return true;
	for (size_t i = 0; i < w->nbeat; i++)
		if (w->beat[i].every > w->pattern &&
		    is_hit(step, w->beat[i].every, w->beat[i].first))
			return true;
	return false;
}

static void steps_judge(struct search *f, const struct regime *r)
{
	struct window *w = f->w;
	bool begun = false;

	for (size_t i = 0; i < f->n; i++) {
		int64_t step = (int64_t)i + 1;
		bool inside = i >= r->from && i < r->to;
		bool typical = inside && off_ns(f, i) <= f->within_ns;
		bool periodic = is_periodic(f, step);

		f->avoid[i] = !typical || periodic ||
			(f->s->flags[i] & (WALL_COMPILED | WALL_SKIPPED | WALL_LATE)) ||
			(i > 0 && f->s->flags[i - 1] & WALL_LATE);
		if (!inside)
			continue;
		if (!begun && !typical)
			w->startup = step;
		begun |= typical;
		if (begun && !typical && !periodic && w->nodd++ < WINDOW_ODDS)
			w->odd[w->nodd - 1] = step;
	}
	/* before a later regime lies another, unless that is a few steps long */
	if (r->from >= 2 * WINDOW_LEAST || w->chosen > 1)
		w->startup = 0;
	else
		w->startup = MAX(w->startup, (int64_t)r->from);
}

/* Lower is better.  What is to be avoided counts most, before the window too;
 * then nearness to the regime's ends; then how far the steps stray, in units of
 * a third of what is typical, so that earlier windows win among equals. */
static int64_t window_price(const struct search *f, const struct regime *r,
	size_t at, size_t steps)
{
	int64_t price = 0, worst = 0;

	for (size_t i = at; i < at + steps; i++) {
		price += f->avoid[i] ? 1000000 : 0;
		worst = MAX(worst, off_ns(f, i));
	}
	for (int64_t k = 1; k <= f->want->warmup; k++)
		if (at >= (size_t)k)
			price += f->avoid[at - (size_t)k] ? 10000 : 0;
		else
			price += 30000;
	if (at < r->from + MARGIN || at + steps + MARGIN > r->to)
		price += 1000;
	return price + MIN(worst * 3 / MAX(f->within_ns, 1), 900);
}

static void window_search(struct search *f, const struct regime *r)
{
	struct window *w = f->w;
	int64_t best = INT64_MAX;
	size_t steps;

	w->steps = (f->want->active + w->pattern - 1) / w->pattern * w->pattern;
	if ((size_t)w->steps > r->to - r->from)
		w->steps = (int64_t)(r->to - r->from);
	steps = (size_t)w->steps;
	for (size_t at = r->from; at + steps <= r->to; at++) {
		int64_t price = window_price(f, r, at, steps);

		if (price < best) {
			best = price;
			w->first_step = (int64_t)at + 1;
		}
	}
	w->settled = best < 1000000;
	w->warmup = MIN(f->want->warmup, w->first_step - 1);
}

static void sure_judge(struct search *f, const struct regime *r)
{
	struct window *w = f->w;
	int64_t good = 0;

	for (size_t i = r->from; i < r->to; i++)
		good += !f->avoid[i];
	w->sure = !w->settled ? SURE_LOW : good < SURE_STEPS ||
		f->within_ns > r->median_ns / 5 ? SURE_MEDIUM : SURE_HIGH;
}

/* Time by what is typical: a start-up of few huge steps is no regime to look at. */
static size_t regime_choose(const struct window *w)
{
	int64_t most = -1;
	size_t best = 0;

	for (size_t i = 0; i < w->nregime; i++) {
		const struct regime *r = &w->regime[i];
		int64_t ns = r->median_ns * (int64_t)(r->to - r->from);

		if (ns > most) {
			most = ns;
			best = i;
		}
	}
	return best;
}

/* Behind those that are known late, where that leaves any. */
static void window_short(struct window *w, const struct window_want *want, size_t n)
{
	w->short_series = true;
	w->first_step = w->late + 2 <= (int64_t)n ? MAX(w->late + 2, 3) : 3;
	w->steps = MIN(want->active, (int64_t)n - w->first_step + 1);
	w->warmup = MIN(want->warmup, w->first_step - 1);
}

static int64_t last_late(const struct series *s)
{
	for (size_t i = s->n; i > 0; i--)
		if (s->flags[i - 1] & WALL_LATE)
			return (int64_t)i;
	return 0;
}

int window_choose(const struct series *s, const struct window_want *want,
	struct window *w)
{
	struct search f = { .s = s, .want = want, .w = w, .n = s->n };
	const struct regime *r;

	*w = (struct window){ .pattern = 1, .nschedule = want->nschedule };
	memcpy(w->schedule, want->schedule, sizeof w->schedule);
	if (s->n < WINDOW_LEAST)
		return 1;
	w->late = last_late(s);
	if (s->flags[s->n - 1] & WALL_LAST)
		f.n--;
	if (f.n < WINDOW_TELL) {
		window_short(w, want, s->n);
		return 0;
	}
	w->nregime = regimes_find(s->wall_ns, f.n, w->regime);
	w->chosen = regime_choose(w);
	r = &w->regime[w->chosen];
	w->nbeat = pace_beats(s->wall_ns, f.n, w->beat);
	for (size_t i = 0; i < w->nbeat; i++)
		w->beat[i].first++; /* steps count from 1 */
	w->pattern = pattern_find(&f, r);
	expect_measure(&f, r);
	f.avoid = xcalloc(f.n, sizeof *f.avoid);
	steps_judge(&f, r);
	window_search(&f, r);
	sure_judge(&f, r);
	free(f.avoid);
	return 0;
}

void window_release(struct window *w)
{
	for (size_t i = 0; i < w->nbeat; i++) {
		free(w->beat[i].file);
		free(w->beat[i].func);
	}
	w->nbeat = 0;
}
