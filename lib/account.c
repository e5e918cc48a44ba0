/* account.c - pieces cut at steps, and added up in four ways. */
#include "base.h"
#include "account.h"

#include <stdlib.h>

#include "mem.h"

void account_init(struct account *a, struct account_step *step, size_t nstep,
	loss_fn *fn, void *arg)
{
	*a = (struct account){ .step = step, .nstep = nstep, .loss_put = fn, .arg = arg };
}

void account_release(struct account *a)
{
	for (size_t i = 0; i < a->nsite; i++)
		free(a->site[i].slice);
	free(a->site);
	free(a->bucket);
	a->site = NULL;
	a->bucket = NULL;
	a->nsite = a->capsite = a->nbucket = 0;
}

enum idle_cause ledger_main(const struct ledger *l)
{
	enum idle_cause best = 0;
	for (enum idle_cause c = 1; c < IDLE_CAUSE_COUNT; c++)
		if (l->cause_ns[c] > l->cause_ns[best])
			best = c;
	return best;
}

static void ledger_add(struct ledger *l, enum idle_cause cause, int64_t ns)
{
	l->idle_ns += ns;
	l->cause_ns[cause] += ns;
}

/* More keys than fit: the smallest makes room.  What was small by then stays
 * small, the few on top are right. */
static void tally_add(struct tally *t, const int64_t key[3], int64_t ns)
{
	size_t least = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (t->item[i].key[0] == key[0] && t->item[i].key[1] == key[1]) {
			t->item[i].ns += ns;
			return;
		}
		if (t->item[i].ns < t->item[least].ns)
			least = i;
	}
	if (t->n < ACCOUNT_TOP)
		least = t->n++;
	else if (t->item[least].ns >= ns)
		return;
	memcpy(t->item[least].key, key, sizeof t->item[least].key);
	t->item[least].ns = ns;
}

void tally_sort(struct tally *t)
{
	/* a handful, and equal ones stay in the order in which they came */
	for (size_t i = 1; i < t->n; i++)
		for (size_t k = i; k > 0 && t->item[k].ns > t->item[k - 1].ns; k--) {
			struct tally one = { .item = { [0] = t->item[k] } };
			t->item[k] = t->item[k - 1];
			t->item[k - 1] = one.item[0];
		}
}

static void loss_add(struct loss *l, const struct account_piece *p, int64_t ns)
{
	int64_t place[3] = { p->frame, p->op, p->how }, doing[3] = { p->doing, 0, 0 };
	ledger_add(&l->ledger, p->cause, ns);
	if (!l->is_run || p->cause != IDLE_TURNAROUND) {
		l->cost_ns += ns;
		tally_add(&l->place, place, ns);
	}
	if (p->doing)
		tally_add(&l->doing, doing, ns);
}

/* Sites */

/* What tells sites apart, without the site's kilobyte. */
struct site_key {
	enum idle_cause cause;
	int64_t frame, op;
	bool incomplete;
};

static struct site_key site_key(const struct site *s)
{
	return (struct site_key){ s->cause, s->frame, s->op, s->incomplete };
}

static uint64_t site_hash(struct site_key k)
{
	uint64_t h = (uint64_t)k.frame * 0x9e3779b97f4a7c15u;
	h ^= ((uint64_t)k.op + 0x7f4a7c15u) * 0xbf58476d1ce4e5b9u;
	h ^= ((uint64_t)k.cause * 2 + k.incomplete) * 0x94d049bb133111ebu;
	return h ^ h >> 29;
}

static bool site_is(const struct site *s, struct site_key k)
{
	return s->cause == k.cause && s->frame == k.frame && s->op == k.op &&
		s->incomplete == k.incomplete;
}

static void sites_rehash(struct account *a)
{
	a->nbucket = MAX((size_t)64, a->nbucket * 2);
	free(a->bucket);
	a->bucket = xcalloc(a->nbucket, sizeof *a->bucket);
	for (size_t i = 0; i < a->nsite; i++) {
		size_t at = site_hash(site_key(&a->site[i])) & (a->nbucket - 1);
		while (a->bucket[at])
			at = (at + 1) & (a->nbucket - 1);
		a->bucket[at] = (uint32_t)i + 1;
	}
}

static struct site *site_of(struct account *a, struct site_key want)
{
	if (a->nsite * 2 >= a->nbucket)
		sites_rehash(a);
	size_t at = site_hash(want) & (a->nbucket - 1);
	for (; a->bucket[at]; at = (at + 1) & (a->nbucket - 1))
		if (site_is(&a->site[a->bucket[at] - 1], want))
			return &a->site[a->bucket[at] - 1];
	GROW(a->site, a->nsite, a->capsite);
	a->site[a->nsite++] = (struct site){ .cause = want.cause, .frame = want.frame,
		.op = want.op, .incomplete = want.incomplete };
	a->bucket[at] = (uint32_t)a->nsite;
	return &a->site[a->nsite - 1];
}

static bool slice_before(const struct slice *a, const struct slice *b)
{
	return a->dur_ns != b->dur_ns ? a->dur_ns > b->dur_ns : a->ts_ns < b->ts_ns;
}

/* The stretch is complete: among the longest, or dropped.  slice[0] is the
 * least of a heap. */
static void slice_end(struct site *s)
{
	if (!s->now.dur_ns)
		return;
	size_t at;
	if (s->nslice < ACCOUNT_SLICES) {
		GROW(s->slice, s->nslice, s->capslice);
		for (at = s->nslice++; at > 0; at = (at - 1) / 2) {
			if (!slice_before(&s->slice[(at - 1) / 2], &s->now))
				break;
			s->slice[at] = s->slice[(at - 1) / 2];
		}
		s->slice[at] = s->now;
		return;
	}
	if (!slice_before(&s->now, &s->slice[0]))
		return;
	for (at = 0;;) {
		size_t kid = 2 * at + 1;
		if (kid >= s->nslice)
			break;
		if (kid + 1 < s->nslice && slice_before(&s->slice[kid], &s->slice[kid + 1]))
			kid++;
		if (!slice_before(&s->now, &s->slice[kid]))
			break;
		s->slice[at] = s->slice[kid];
		at = kid;
	}
	s->slice[at] = s->now;
}

/* ns of the piece inside the run at hand. */
static int64_t run_share(const struct account *a, const struct account_piece *p)
{
	int64_t end_ns = MIN(p->end_ns, a->run.ts_ns + a->run.dur_ns);
	return a->in_run ? MAX(0, end_ns - MAX(p->ts_ns, a->run.ts_ns)) : 0;
}

static void site_add(struct account *a, const struct account_piece *p, bool incomplete)
{
	struct site *s = site_of(a, (struct site_key){ p->cause, p->frame, p->op, incomplete });
	int64_t ns = p->end_ns - p->ts_ns;
	s->cost_ns += ns;
	s->how_ns[p->how] += ns;
	if (p->doing)
		tally_add(&s->doing, (int64_t[3]){ p->doing }, ns);
	s->in_run_ns += run_share(a, p);
	if (s->last_gap != a->gaps)
		s->gaps++;
	s->last_gap = a->gaps;
	if (s->now.ts_ns + s->now.dur_ns != p->ts_ns) {
		slice_end(s);
		s->now = (struct slice){ p->ts_ns, 0 };
	}
	s->now.dur_ns += ns;
}

/* Losses */

static int gap_end(struct account *a)
{
	bool is = a->in_gap && a->gap.dur_ns >= IDLE_LOSS_NS;
	a->in_gap = false;
	return is ? a->loss_put(a->arg, &a->gap) : 0;
}

static int run_end(struct account *a)
{
	bool is = a->in_run && a->run.step < a->nstep;
	a->in_run = false;
	return is ? a->loss_put(a->arg, &a->run) : 0;
}

/* The first chosen step that holds some of the run, or nstep. */
static size_t run_step(const struct account *a, const struct tiny_run *r)
{
	size_t i = a->at < a->nstep ? a->at : 0;
	while (i > 0 && a->step[i - 1].ts_ns + a->step[i - 1].dur_ns > r->ts_ns)
		i--;
	for (; i < a->nstep && a->step[i].ts_ns < r->end_ns; i++)
		if (a->step[i].chosen && a->step[i].ts_ns + a->step[i].dur_ns > r->ts_ns)
			return i;
	return a->nstep;
}

int account_run(struct account *a, const struct tiny_run *r)
{
	if (run_end(a) < 0)
		return -1;
	size_t step = run_step(a, r);
	a->in_run = true;
	a->run = (struct loss){
		.is_run = true, .step = step, .ts_ns = r->ts_ns,
		.incomplete = step < a->nstep && a->step[step].incomplete,
		.dur_ns = r->end_ns - r->ts_ns, .launches = r->launches,
		.kernel_ns = r->kernel_ns, .before = r->first, .after = r->last,
	};
	return 0;
}

/* Nearly every piece begins one: the tallies, a kilobyte, are not cleared. */
static void gap_begin(struct account *a, size_t step, const struct account_piece *p)
{
	struct loss *l = &a->gap;
	a->in_gap = true;
	a->gaps++;
	l->step = step;
	l->incomplete = a->step[step].incomplete;
	l->ts_ns = p->ts_ns;
	l->dur_ns = l->cost_ns = 0;
	l->before = p->before;
	l->after = p->after;
	l->ledger = (struct ledger){ 0 };
	l->place.n = l->doing.n = 0;
}

/* p lies within one chosen step. */
static int piece_in_step(struct account *a, size_t step, const struct account_piece *p)
{
	int64_t ns = p->end_ns - p->ts_ns;
	if (a->step[step].empty) {
		ledger_add(&a->step[step].ledger, p->cause, ns);
		return 0;
	}
	if (!a->in_gap || a->gap_end_ns != p->ts_ns || a->gap.step != step) {
		if (gap_end(a) < 0)
			return -1;
		gap_begin(a, step, p);
	}
	a->gap_end_ns = p->end_ns;
	a->gap.dur_ns += ns;
	loss_add(&a->gap, p, ns);
	/* a run can begin or end with an op of no length, within a gap */
	if (run_share(a, p) > 0)
		loss_add(&a->run, p, run_share(a, p));
	ledger_add(&a->step[step].ledger, p->cause, ns);
	ledger_add(&a->total, p->cause, ns);
	site_add(a, p, a->step[step].incomplete);
	return 0;
}

int account_piece(struct account *a, const struct account_piece *p)
{
	while (a->at < a->nstep && a->step[a->at].ts_ns + a->step[a->at].dur_ns <= p->ts_ns)
		a->at++;
	for (size_t i = a->at; i < a->nstep && a->step[i].ts_ns < p->end_ns; i++) {
		struct account_piece part = *p;
		part.ts_ns = MAX(p->ts_ns, a->step[i].ts_ns);
		part.end_ns = MIN(p->end_ns, a->step[i].ts_ns + a->step[i].dur_ns);
		if (part.ts_ns < part.end_ns && a->step[i].chosen &&
		    piece_in_step(a, i, &part) < 0)
			return -1;
	}
	return 0;
}

static int slice_by_time(const void *pa, const void *pb)
{
	const struct slice *a = pa, *b = pb;
	return (a->ts_ns > b->ts_ns) - (a->ts_ns < b->ts_ns);
}

static int site_by_cost(const void *pa, const void *pb)
{
	const struct site *a = pa, *b = pb;
	if (a->cost_ns != b->cost_ns)
		return a->cost_ns > b->cost_ns ? -1 : 1;
	if (a->cause != b->cause)
		return a->cause < b->cause ? -1 : 1;
	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return (int)a->incomplete - (int)b->incomplete;
}

int account_end(struct account *a)
{
	if (gap_end(a) < 0 || run_end(a) < 0)
		return -1;
	for (size_t i = 0; i < a->nsite; i++) {
		struct site *s = &a->site[i];
		slice_end(s);
		if (s->nslice)
			qsort(s->slice, s->nslice, sizeof *s->slice, slice_by_time);
		s->between_ns = s->how_ns[AT_BETWEEN];
	}
	if (a->nsite)
		qsort(a->site, a->nsite, sizeof *a->site, site_by_cost);
	return 0;
}
