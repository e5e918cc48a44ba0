/* arrive.c - see arrive.h. */
#include "base.h"
#include "arrive.h"
#include "event.h"
#include "mem.h"

#include <stdlib.h>

/* How far an order may be shifted: windows of one job differ by the few
 * collectives in flight at their edges. */
#define SHIFT_MAX 64
/* Ends compared to judge a shift: enough for a median, cheap for any length. */
#define SAMPLE 512

void arrive_init(struct arrive *a)
{
	memset(a, 0, sizeof *a);
}

size_t arrive_rank(struct arrive *a, int64_t rank, const char *host)
{
	GROW(a->rank, a->nrank, a->caprank);
	a->rank[a->nrank] = (struct arrive_rank){ .rank = rank, .host = host };
	return a->nrank++;
}

void arrive_add(struct arrive *a, size_t rank, const struct arrive_item *item)
{
	struct arrive_rank *r = &a->rank[rank];
	GROW(r->item, r->n, r->cap);
	r->item[r->n++] = *item;
}

static int order_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By class; in it those with a number by number, then the others by time. */
static int item_order(const void *x, const void *y)
{
	const struct arrive_item *a = x, *b = y;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->seq != b->seq && (a->seq == NO_INT || b->seq == NO_INT))
		return a->seq == NO_INT ? 1 : -1;
	if (a->seq != b->seq)
		return order_int(a->seq, b->seq);
	if (a->start_ns != b->start_ns)
		return order_int(a->start_ns, b->start_ns);
	return (a->at > b->at) - (a->at < b->at);
}

static int int64_order(const void *x, const void *y)
{
	return order_int(*(const int64_t *)x, *(const int64_t *)y);
}

/* Median (the lower one) of v[0..n), n > 0; reorders v. */
static int64_t median(int64_t *v, size_t n)
{
	qsort(v, n, sizeof *v, int64_order);
	return v[(n - 1) / 2];
}

struct stretch {
	const struct arrive_item *item;
	size_t n;
};

/* How badly the ends of a fit those of b, `shift` later: the median distance,
 * around 0 on one clock, else around the median difference.  -1: too little
 * in common. */
static int64_t misfit(struct stretch a, struct stretch b, int64_t shift, bool one_clock)
{
	int64_t diff[SAMPLE];
	size_t n = 0;
	int64_t from = shift < 0 ? -shift : 0;
	int64_t to = MIN((int64_t)a.n, (int64_t)b.n - shift);
	int64_t every = MAX(1, (to - from + SAMPLE - 1) / SAMPLE);
	for (int64_t i = from; i < to; i += every)
		diff[n++] = b.item[i + shift].end_ns - a.item[i].end_ns;
	if (n == 0 || (size_t)(to - from) * 2 < MIN(a.n, b.n))
		return -1;
	int64_t middle = one_clock ? 0 : median(diff, n);
	for (size_t i = 0; i < n; i++)
		diff[i] = diff[i] > middle ? diff[i] - middle : middle - diff[i];
	return median(diff, n);
}

static int64_t best_shift(struct stretch a, struct stretch b, bool one_clock)
{
	int64_t best = 0, least = misfit(a, b, 0, one_clock);
	for (int64_t d = 1; d <= SHIFT_MAX; d++) {
		for (int64_t shift = d; shift >= -d; shift -= 2 * d) {
			int64_t fit = misfit(a, b, shift, one_clock);
			if (fit >= 0 && (least < 0 || fit < least)) {
				least = fit;
				best = shift;
			}
		}
	}
	return best;
}

static bool one_clock(const struct arrive_rank *a, const struct arrive_rank *b)
{
	return !a->host || !b->host || strcmp(a->host, b->host) == 0;
}

/* The items of a class, with numbers or without. */
static struct stretch stretch_of(const struct arrive_rank *r, uint64_t class, bool numbered)
{
	size_t lo = 0, hi = r->n;
	while (lo < hi) { /* the first not before (class, numbered) */
		size_t mid = lo + (hi - lo) / 2;
		const struct arrive_item *m = &r->item[mid];
		if (m->class < class || (m->class == class && !numbered && m->seq != NO_INT))
			lo = mid + 1;
		else
			hi = mid;
	}
	size_t end = lo;
	while (end < r->n && r->item[end].class == class &&
	    (r->item[end].seq != NO_INT) == numbered)
		end++;
	return (struct stretch){ r->item + lo, end - lo };
}

static struct arrive_set *set_new(struct arrive *a, bool by_seq)
{
	GROW(a->set, a->nset, a->capset);
	struct arrive_set *s = &a->set[a->nset];
	*s = (struct arrive_set){ .member = xmalloc(a->nrank * sizeof *s->member),
		.by_seq = by_seq };
	for (size_t r = 0; r < a->nrank; r++)
		s->member[r] = SIZE_MAX;
	return s;
}

static void set_keep(struct arrive *a, struct arrive_set *s)
{
	s->ranks = 0;
	for (size_t r = 0; r < a->nrank; r++)
		s->ranks += s->member[r] != SIZE_MAX;
	if (s->ranks >= 2)
		a->nset++;
	else
		free(s->member);
}

static size_t index_of(const struct arrive_rank *r, const struct arrive_item *i)
{
	return (size_t)(i - r->item);
}

static const struct arrive_item *with_seq(struct stretch s, int64_t seq)
{
	size_t lo = 0, hi = s.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s.item[mid].seq < seq)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s.n && s.item[lo].seq == seq ? &s.item[lo] : NULL;
}

/* Sets of one class by number, those of which `first` is the lowest member. */
static void match_numbered(struct arrive *a, size_t first, uint64_t class)
{
	struct stretch mine = stretch_of(&a->rank[first], class, true);
	for (size_t i = 0; i < mine.n; i++) {
		if (i > 0 && mine.item[i].seq == mine.item[i - 1].seq)
			continue; /* a number twice: the first one */
		bool taken = false;
		for (size_t r = 0; r < first && !taken; r++)
			taken = with_seq(stretch_of(&a->rank[r], class, true),
				mine.item[i].seq) != NULL;
		if (taken)
			continue;
		struct arrive_set *s = set_new(a, true);
		s->member[first] = index_of(&a->rank[first], &mine.item[i]);
		for (size_t r = first + 1; r < a->nrank; r++) {
			struct stretch theirs = stretch_of(&a->rank[r], class, true);
			const struct arrive_item *x = with_seq(theirs, mine.item[i].seq);
			if (x)
				s->member[r] = index_of(&a->rank[r], x);
		}
		set_keep(a, s);
	}
}

/* By order: against the rank that has most of them, each shifted to fit. */
static void match_ordered(struct arrive *a, uint64_t class)
{
	size_t ref = 0;
	struct stretch most = { NULL, 0 };
	for (size_t r = 0; r < a->nrank; r++) {
		struct stretch s = stretch_of(&a->rank[r], class, false);
		if (s.n > most.n) {
			most = s;
			ref = r;
		}
	}
	if (most.n == 0)
		return;
	int64_t *shift = xcalloc(a->nrank, sizeof *shift);
	for (size_t r = 0; r < a->nrank; r++)
		if (r != ref)
			shift[r] = best_shift(most, stretch_of(&a->rank[r], class, false),
				one_clock(&a->rank[ref], &a->rank[r]));
	for (size_t i = 0; i < most.n; i++) {
		struct arrive_set *s = set_new(a, false);
		for (size_t r = 0; r < a->nrank; r++) {
			struct stretch x = stretch_of(&a->rank[r], class, false);
			int64_t j = (int64_t)i + shift[r];
			if (j >= 0 && (size_t)j < x.n)
				s->member[r] = index_of(&a->rank[r], &x.item[j]);
		}
		set_keep(a, s);
	}
	free(shift);
}

static int class_order(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
	return (a > b) - (a < b);
}

static void match_classes(struct arrive *a)
{
	uint64_t *class = NULL;
	size_t n = 0, cap = 0;
	for (size_t r = 0; r < a->nrank; r++) {
		for (size_t i = 0; i < a->rank[r].n; i++) {
			if (i > 0 && a->rank[r].item[i].class == a->rank[r].item[i - 1].class)
				continue;
			GROW(class, n, cap);
			class[n++] = a->rank[r].item[i].class;
		}
	}
	if (n > 1)
		qsort(class, n, sizeof *class, class_order);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && class[i] == class[i - 1])
			continue;
		for (size_t r = 0; r < a->nrank; r++)
			match_numbered(a, r, class[i]);
		match_ordered(a, class[i]);
	}
	free(class);
}

/* The clock of rank r against the first rank's, from matched ends. */
static void tie_clock(struct arrive *a, size_t r)
{
	struct arrive_rank *me = &a->rank[r];
	int64_t *diff = NULL;
	size_t n = 0, cap = 0;
	for (size_t i = 0; i < a->nset; i++) {
		const struct arrive_set *s = &a->set[i];
		if (s->member[0] == SIZE_MAX || s->member[r] == SIZE_MAX)
			continue;
		GROW(diff, n, cap);
		diff[n++] = me->item[s->member[r]].end_ns -
			a->rank[0].item[s->member[0]].end_ns;
	}
	bool same = one_clock(&a->rank[0], me);
	me->ends = r == 0 ? 0 : n;
	me->tied = r == 0 || same || n > 0;
	if (r > 0 && n > 0) {
		me->offset_ns = same ? 0 : median(diff, n);
		for (size_t i = 0; i < n; i++)
			diff[i] = diff[i] > me->offset_ns ? diff[i] - me->offset_ns :
				me->offset_ns - diff[i];
		me->residual_ns = median(diff, n);
	}
	free(diff);
}

static int64_t corrected_start(const struct arrive *a, const struct arrive_set *s, size_t r)
{
	return a->rank[r].item[s->member[r]].start_ns - a->rank[r].offset_ns;
}

int64_t arrive_wait(const struct arrive *a, const struct arrive_set *s, size_t r)
{
	const struct arrive_item *i = &a->rank[r].item[s->member[r]];
	int64_t wait = s->last_start_ns - corrected_start(a, s, r);
	return MIN(wait, i->end_ns - i->start_ns);
}

int64_t arrive_wire(const struct arrive *a, const struct arrive_set *s, size_t r)
{
	const struct arrive_item *i = &a->rank[r].item[s->member[r]];
	return i->end_ns - i->start_ns - arrive_wait(a, s, r);
}

/* A member whose clock is tied to nobody's says nothing of who was late. */
static void set_measure(struct arrive *a, struct arrive_set *s)
{
	int64_t first = INT64_MAX;
	s->last_start_ns = INT64_MIN;
	for (size_t r = 0; r < a->nrank; r++) {
		if (s->member[r] == SIZE_MAX)
			continue;
		int64_t start = corrected_start(a, s, r);
		first = MIN(first, start);
		if (start > s->last_start_ns) {
			s->last_start_ns = start;
			s->last = r;
		}
	}
	s->skew_ns = s->last_start_ns - first;
	s->wire_ns = arrive_wire(a, s, s->last);
	for (size_t r = 0; r < a->nrank; r++) {
		if (s->member[r] == SIZE_MAX)
			continue;
		a->rank[r].matched++;
		a->rank[r].wait_ns += arrive_wait(a, s, r);
		a->rank[r].wire_ns += arrive_wire(a, s, r);
		a->rank[s->last].late_ns += arrive_wait(a, s, r);
	}
	a->rank[s->last].last++;
}

/* Enough members whose clocks can be compared. */
static bool set_whole(const struct arrive *a, struct arrive_set *s)
{
	size_t need = 2;
	s->ranks = 0;
	for (size_t r = 0; r < a->nrank; r++) {
		if (!a->rank[r].tied)
			s->member[r] = SIZE_MAX;
		if (s->member[r] == SIZE_MAX)
			continue;
		need = MAX(need, a->rank[r].item[s->member[r]].need);
		s->ranks++;
	}
	return s->ranks >= need;
}

static int set_order(const void *x, const void *y)
{
	const struct arrive_set *a = x, *b = y;
	if (a->last_start_ns != b->last_start_ns)
		return order_int(a->last_start_ns, b->last_start_ns);
	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return (a->member[a->last] > b->member[b->last]) -
		(a->member[a->last] < b->member[b->last]);
}

void arrive_match(struct arrive *a)
{
	for (size_t r = 0; r < a->nrank; r++)
		if (a->rank[r].n > 1)
			qsort(a->rank[r].item, a->rank[r].n, sizeof *a->rank[r].item, item_order);
	match_classes(a);
	for (size_t r = 0; r < a->nrank; r++)
		tie_clock(a, r);
	size_t kept = 0;
	for (size_t i = 0; i < a->nset; i++) {
		struct arrive_set s = a->set[i];
		if (set_whole(a, &s)) {
			set_measure(a, &s);
			a->set[kept++] = s;
		} else {
			a->nshort++;
			free(s.member);
		}
	}
	a->nset = kept;
	if (a->nset > 1)
		qsort(a->set, a->nset, sizeof *a->set, set_order);
}

void arrive_release(struct arrive *a)
{
	for (size_t r = 0; r < a->nrank; r++)
		free(a->rank[r].item);
	for (size_t i = 0; i < a->nset; i++)
		free(a->set[i].member);
	free(a->rank);
	free(a->set);
	memset(a, 0, sizeof *a);
}
