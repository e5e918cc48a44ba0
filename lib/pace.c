/* pace.c - see pace.h. */
#include "base.h"
#include "pace.h"
#include "mem.h"

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

#define AHEAD_PART 50 /* of the run: less is nothing that a finding is made of */

/* The first step is left out: the device starts within it. */
static bool runs_ahead(const int64_t *wall_ns, const int64_t *device_ns, size_t n)
{
	double later = 0, wall = 0; /* four million steps of 104 days are over 63 bits */
	size_t known = 0, seen = 0;

	for (size_t i = 1; i < n; i++) {
		seen += wall_ns[i] > 0;
		if (wall_ns[i] <= 0 || device_ns[i] == NO_INT)
			continue;
		known++;
		wall += (double)wall_ns[i];
		later += device_ns[i] > wall_ns[i] ? (double)(device_ns[i] - wall_ns[i]) : 0;
	}
	return known && known >= seen - seen / 3 && later * AHEAD_PART >= wall;
}

bool pace_take(const int64_t *wall_ns, const int64_t *device_ns, size_t n,
	int64_t *took_ns)
{
	bool ahead = runs_ahead(wall_ns, device_ns, n);
	int64_t *copy, typical_ns;
	size_t known = 0;

	if (!ahead) {
		for (size_t i = 0; i < n; i++)
			took_ns[i] = wall_ns[i];
		return false;
	}
	copy = xcalloc(n, sizeof *copy);
	for (size_t i = 1; i < n; i++)
		if (device_ns[i] != NO_INT)
			copy[known++] = device_ns[i];
	typical_ns = median_ns(copy, known);
	free(copy);
	took_ns[0] = MAX(wall_ns[0], device_ns[0]);
	for (size_t i = 1; i < n; i++)
		took_ns[i] = wall_ns[i] <= 0 ? wall_ns[i] :
			device_ns[i] != NO_INT ? device_ns[i] : typical_ns;
	return true;
}

#define NEAR 15          /* steps on either side that make a step's baseline */
#define BEAT_MAX 1000    /* longest beat looked for */
#define BEAT_HITS 3      /* fewer is no beat */
#define LONGER_PERCENT 15 /* over the baseline: beyond a plain run's jitter of some % */
#define OUTSIDE_PERCENT 20 /* as many other long steps make the beat a coincidence */
#define CHANCE_MAX 0.05  /* as do beats that many by chance among all that are tried */

/* How much longer each step took than the steps around it; negative is 0. */
struct excess {
	int64_t *ns, *floor_ns; /* over floor_ns it is long */
	int64_t *cost_ns;       /* of one beat's members, in turn */
	size_t n;
};

static struct excess excess_make(const int64_t *took_ns, size_t n)
{
	struct excess x = { xcalloc(n + 1, sizeof *x.ns), xcalloc(n + 1, sizeof *x.floor_ns),
		xcalloc(n / 2 + 1, sizeof *x.cost_ns), n };
	int64_t near[2 * NEAR + 1];

	for (size_t i = 0; i < n; i++) {
		size_t from = i > NEAR ? i - NEAR : 0, to = MIN(i + NEAR + 1, n);
		int64_t base_ns;

		for (size_t k = from; k < to; k++)
			near[k - from] = took_ns[k];
		base_ns = median_ns(near, to - from);
		x.ns[i] = MAX(took_ns[i] - base_ns, 0);
		x.floor_ns[i] = base_ns / 100 * LONGER_PERCENT;
	}
	return x;
}

static void excess_free(struct excess *x)
{
	free(x->ns);
	free(x->floor_ns);
	free(x->cost_ns);
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

/* Steps first, first + every, ...: a beat when nearly all of them took longer and few
 * others did, by half as much; what it explains is taken off. */
static bool beat_try(struct excess *x, size_t first, size_t every, struct beat *out)
{
	size_t members = 0, hits = 0, long_hits = 0, outside = 0;
	int64_t each_ns;

	for (size_t i = first; i < x->n; i += every, members++)
		if (x->ns[i] > x->floor_ns[i])
			x->cost_ns[hits++] = x->ns[i];
	if (hits < BEAT_HITS || hits * 10 < members * 9)
		return false;
	qsort(x->cost_ns, hits, sizeof *x->cost_ns, int_cmp);
	each_ns = x->cost_ns[hits / 4];
	for (size_t i = 0; i < hits; i++)
		long_hits += x->cost_ns[i] > each_ns / 2;
	for (size_t i = 1; i < x->n; i++)
		outside += i % every != first % every && x->ns[i] > each_ns / 2;
	if (outside * 100 > (x->n - 1 - members) * OUTSIDE_PERCENT ||
	    chance_of(every, long_hits, outside, x->n - 1 - members) > CHANCE_MAX)
		return false;
	*out = (struct beat){ .every = (int64_t)every, .first = (int64_t)first,
		.count = (int64_t)hits, .each_ns = each_ns, .line = NO_INT };
	for (size_t i = first; i < x->n; i += every)
		x->ns[i] = MAX(x->ns[i] - each_ns, 0);
	return true;
}

size_t pace_beats(const int64_t *took_ns, size_t n, struct beat out[BEATS_MAX])
{
	struct excess x = excess_make(took_ns, n);
	size_t found = 0;

	for (size_t every = 2; every <= BEAT_MAX && every * BEAT_HITS <= n; every++)
		for (size_t first = 1; first <= every && found < BEATS_MAX; first++) {
			if (x.ns[first] <= x.floor_ns[first] &&
			    x.ns[first + every] <= x.floor_ns[first + every])
				continue;
			found += beat_try(&x, first, every, &out[found]);
		}
	excess_free(&x);
	return found;
}
