/* view_choice.c - what --rank, --device and --step leave; see view.h. */
#include "base.h"
#include "view.h"
#include "num.h"
#include "say.h"

#include <stdio.h>

bool view_wants_device(const struct view *v, const char *device)
{
	return !v->device || !strcmp(v->device, device);
}

/* A number that a step's name carries wins over the place in the list; which
 * of the two --step means is one decision for all steps of the device. */
static void steps_choose(struct view *v, struct view_steps *s)
{
	bool by_number = false;

	if (v->step_first == NO_INT)
		return;
	for (size_t i = 0; i < s->n; i++)
		by_number |= s->step[i].number >= v->step_first &&
			s->step[i].number <= v->step_last;
	for (size_t i = 0; i < s->n; i++) {
		int64_t is = by_number ? s->step[i].number : s->step[i].idx;

		s->step[i].chosen = is >= v->step_first && is <= v->step_last;
	}
}

int view_steps(struct view *v, const struct view_trace *t, const char *device,
	struct view_steps *out)
{
	if (steps_load(&v->db, t, device, out) < 0)
		return -1;
	steps_choose(v, out);
	return 0;
}

/* What there is to choose from. */
struct offer {
	bool found;
	int64_t low, high;       /* low > high: nothing */
};
#define OFFER_INIT { false, INT64_MAX, INT64_MIN }

static void offer_add(struct offer *o, int64_t n, bool chosen)
{
	o->found |= chosen;
	o->low = MIN(o->low, n);
	o->high = MAX(o->high, n);
}

/* ", only 3" or ", only 0 to 3" */
static const char *offer_text(char *to, size_t size, const struct offer *o)
{
	if (o->low > o->high)
		*to = '\0';
	else if (o->low == o->high)
		snprintf(to, size, ", only %" PRId64, o->low);
	else
		snprintf(to, size, ", only %" PRId64 " to %" PRId64, o->low, o->high);
	return to;
}
#define OFFER_LEN 64

/* Drop the traces that --rank did not choose; the public numbers stay. */
static int traces_choose(struct view *v)
{
	struct offer ranks = OFFER_INIT;
	char only[OFFER_LEN];
	size_t n = 0, of = v->ntrace;

	if (v->rank == NO_INT)
		return 0;
	for (size_t i = 0; i < v->ntrace; i++) {
		struct view_trace kept = v->trace[i];

		if (kept.rank != NO_INT)
			offer_add(&ranks, kept.rank, kept.rank == v->rank);
		if (kept.rank != v->rank)
			continue;
		v->trace[i] = v->trace[n];
		v->trace[n++] = kept;
	}
	for (size_t i = n; i < v->ntrace; i++)
		catalog_release_one(&v->trace[i]);
	v->ntrace = n;
	if (n || !of)
		return 0;
	return error("%s: no trace of rank %" PRId64 "%s", v->store, v->rank,
		offer_text(only, sizeof only, &ranks));
}

/* A device that is only listed, where nothing ran, has nothing to show. */
int view_check_device(const struct view *v)
{
	struct offer devices = OFFER_INIT;
	char only[OFFER_LEN];

	for (size_t i = 0; i < v->ntrace; i++)
		for (size_t k = 0; k < v->trace[i].ndevice; k++) {
			const struct view_device *d = &v->trace[i].device[k];
			int64_t n;

			if (!device_is_used(d))
				continue;
			if (!strcmp(d->idx, v->device))
				return 0;
			if (num_int((struct text){ d->idx, strlen(d->idx) }, 0, INT64_MAX, &n) == 0)
				offer_add(&devices, n, false);
		}
	return error("%s: no device %s%s", v->store, v->device,
		offer_text(only, sizeof only, &devices));
}

static int device_steps_see(struct view *v, const struct view_trace *t, const char *device,
	struct offer *steps)
{
	struct view_steps s;

	if (view_steps(v, t, device, &s) < 0)
		return -1;
	for (size_t i = 0; i < s.n; i++)
		offer_add(steps, s.step[i].number != NO_INT ? s.step[i].number : s.step[i].idx,
			s.step[i].chosen);
	steps_release(&s);
	return 0;
}

/* The devices of a trace have the same steps: one is enough. */
static int trace_steps_see(struct view *v, const struct view_trace *t, struct offer *steps)
{
	for (size_t i = 0; i < t->ndevice; i++)
		if (device_is_used(&t->device[i]))
			return device_steps_see(v, t, t->device[i].idx, steps);
	return device_steps_see(v, t, "", steps);
}

static int step_check(struct view *v)
{
	struct offer steps = OFFER_INIT;
	char only[OFFER_LEN];

	for (size_t i = 0; i < v->ntrace && !steps.found; i++)
		if (trace_steps_see(v, &v->trace[i], &steps) < 0)
			return -1;
	if (steps.found || steps.low > steps.high)
		return 0; /* a trace without events: the view says so */
	offer_text(only, sizeof only, &steps);
	if (v->step_first == v->step_last)
		return error("%s: no step %" PRId64 "%s", v->store, v->step_first, only);
	return error("%s: none of the steps %" PRId64 " to %" PRId64 "%s", v->store,
		v->step_first, v->step_last, only);
}

int view_choose(struct view *v)
{
	if (traces_choose(v) < 0)
		return -1;
	if (v->ntrace && v->device && !v->own_devices && view_check_device(v) < 0)
		return -1;
	return v->step_first == NO_INT ? 0 : step_check(v);
}
