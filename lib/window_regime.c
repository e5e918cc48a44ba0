/* window_regime.c - change points by binary segmentation; see window.h.
 *
 * Each step is clipped to CLIP deviations around its stretch's median, so that
 * one stall or one checkpoint weighs little; the best cut is where the sums of
 * both sides differ most for their lengths.  It stands when the medians of both
 * sides differ by more than their own deviations explain. */
#include "base.h"
#include "window.h"
#include "mem.h"

#include <stdlib.h>

#define SIDE_MIN 5
#define CLIP 3000            /* thousandths of a deviation */
#define APART_PERCENT 6      /* medians nearer than this are one regime ... */
#define APART_DEVIATIONS 2   /* ... and nearer than so many deviations */

static int64_t median_of(const int64_t *v, size_t n)
{
	int64_t *copy = xmalloc(n * sizeof *copy), m;

	memcpy(copy, v, n * sizeof *copy);
	m = median_ns(copy, n);
	free(copy);
	return m;
}

static void regime_measure(const int64_t *wall_ns, struct regime *r)
{
	size_t n = r->to - r->from;
	int64_t *dev = xmalloc(n * sizeof *dev);

	r->median_ns = median_of(wall_ns + r->from, n);
	for (size_t i = 0; i < n; i++) {
		int64_t d = wall_ns[r->from + i] - r->median_ns;

		dev[i] = d < 0 ? -d : d;
	}
	r->deviation_ns = median_ns(dev, n) / 10000 * 14826;
	free(dev);
}

/* The best place to cut r, 0: none. */
static size_t cut_best(const int64_t *wall_ns, const struct regime *r)
{
	int64_t unit = MAX(MAX(r->deviation_ns, r->median_ns / 100), 1000) / 1000;
	int64_t total = 0, left = 0;
	size_t n = r->to - r->from, best = 0;
	double best_score = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			/* in thousandths: in whole deviations two regimes of one
			 * deviation each would be one */
			int64_t y = (wall_ns[r->from + i] - r->median_ns) / unit;
			double diff, score;

			y = MAX(MIN(y, CLIP), -CLIP);
			if (pass == 0) {
				total += y;
				continue;
			}
			left += y;
			if (i + 1 < SIDE_MIN || n - i - 1 < SIDE_MIN)
				continue;
			diff = (double)left / (double)(i + 1) -
				(double)(total - left) / (double)(n - i - 1);
			score = diff * diff * (double)(i + 1) * (double)(n - i - 1);
			if (score > best_score) {
				best_score = score;
				best = i + 1;
			}
		}
	return best;
}

static bool are_apart(const struct regime *a, const struct regime *b)
{
	int64_t gap = a->median_ns - b->median_ns;
	int64_t least = MIN(a->median_ns, b->median_ns);

	gap = gap < 0 ? -gap : gap;
	return gap > least / 100 * APART_PERCENT &&
		gap > APART_DEVIATIONS * MAX(a->deviation_ns, b->deviation_ns);
}

static bool regime_cut(const int64_t *wall_ns, const struct regime *r,
	struct regime *a, struct regime *b)
{
	size_t at = r->to - r->from >= 2 * SIDE_MIN ? cut_best(wall_ns, r) : 0;

	if (!at)
		return false;
	*a = (struct regime){ .from = r->from, .to = r->from + at };
	*b = (struct regime){ .from = r->from + at, .to = r->to };
	regime_measure(wall_ns, a);
	regime_measure(wall_ns, b);
	return are_apart(a, b);
}

/* Neighbours that are alike after all (a cut of their whole fell between). */
static size_t regimes_join(const int64_t *wall_ns, struct regime *r, size_t n)
{
	for (size_t i = 0; i + 1 < n;) {
		if (are_apart(&r[i], &r[i + 1])) {
			i++;
			continue;
		}
		r[i].to = r[i + 1].to;
		regime_measure(wall_ns, &r[i]);
		memmove(&r[i + 1], &r[i + 2], (n - i - 2) * sizeof *r);
		n--;
		i = i ? i - 1 : 0;
	}
	return n;
}

size_t regimes_find(const int64_t *wall_ns, size_t n, struct regime out[REGIMES_MAX])
{
	size_t count = 1;

	out[0] = (struct regime){ .from = 0, .to = n };
	regime_measure(wall_ns, &out[0]);
	for (size_t i = 0; i < count && count < REGIMES_MAX;) {
		struct regime a, b;

		if (!regime_cut(wall_ns, &out[i], &a, &b)) {
			i++;
			continue;
		}
		memmove(&out[i + 2], &out[i + 1], (count - i - 1) * sizeof *out);
		out[i] = a;
		out[i + 1] = b;
		count++;
	}
	return regimes_join(wall_ns, out, count);
}
