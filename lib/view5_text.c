/* view5_text.c - memory over time for a person; see view5.h. */
#include "base.h"
#include "view5.h"
#include "num.h"
#include "tab.h"
#include "utf8.h"

#include <stdio.h>

#define HOST_SMALL_BYTES (1 << 20) /* scalars and the like on the host */
#define TIGHT_PERCENT 5 /* less headroom: the next allocation may not fit */

static void add_size(struct buf *b, int64_t bytes)
{
	char size[NUM_LEN];

	buf_adds(b, bytes == NO_INT ? "?" : num_fmt_gib(size, bytes));
}

static void title_text(struct view *v, const struct memcurves *m, const struct mem_curve *c)
{
	if (v->text.len)
		buf_addc(&v->text, '\n');
	buf_adds(&v->text, "Memory: ");
	view_add_place(&v->text, m->trace, c->type == MEM_HOST ? NULL : c->device);
	if (c->type == MEM_HOST)
		buf_adds(&v->text, ", the host's");
	else if (c->type != MEM_GPU)
		buf_addf(&v->text, " (device type %d)", c->type);
	if (c->info && c->info->name) {
		buf_adds(&v->text, ", ");
		text_show(&v->text, (struct text){ c->info->name, strlen(c->info->name) });
	}
	buf_addc(&v->text, '\n');
}

static void spark(struct buf *b, const char *what, const int64_t *cell, int64_t hi)
{
	buf_addf(b, "  %-9s ", what);
	tab_spark(b, cell, CURVE_CELLS, CURVE_CELLS, 0, hi);
	buf_adds(b, " ");
	add_size(b, hi);
	buf_addc(b, '\n');
}

/* Engine cupti hears CUDA alone. */
static void whose_text(struct view *v, const struct memcurves *m)
{
	if (m->trace->dialect && !strcmp(m->trace->dialect, "cupti"))
		buf_adds(&v->text, "  of what CUDA gave out; what an allocator handed on of it was"
			" not recorded\n");
}

static void relative_text(struct view *v, const struct memcurves *m,
	const struct mem_curve *c)
{
	char peak[NUM_LEN], last[NUM_LEN];

	buf_addf(&v->text, "  this trace tells changes only: all is RELATIVE to the window's"
		" begin;\n  the peak, what is reserved and the headroom are unknown\n"
		"  peak %+" PRId64 " bytes (%s), end %+" PRId64 " bytes (%s)\n", c->peak_relative,
		num_fmt_bytes(peak, c->peak_relative), c->relative,
		num_fmt_bytes(last, c->relative));
	whose_text(v, m);
	spark(&v->text, "change", c->cell, MAX(c->peak_relative, 1));
}

static void headroom_text(struct view *v, const struct mem_curve *c, int64_t capacity)
{
	struct buf *b = &v->text;
	char share[NUM_LEN];

	if (capacity == NO_INT || c->peak_reserved == NO_INT) {
		if (c->type != MEM_HOST)
			buf_adds(b, "  capacity unknown (--capacity-gb tells it): no headroom\n");
		return;
	}
	buf_adds(b, "  headroom ");
	add_size(b, capacity - c->peak_reserved);
	buf_adds(b, " of ");
	add_size(b, capacity);
	buf_addf(b, " (%s)", num_fmt_share(share, capacity - c->peak_reserved, capacity));
	if (c->peak_reserved > capacity)
		buf_adds(b, ": MORE RESERVED THAN THE CAPACITY GIVEN");
	else if (capacity - c->peak_reserved < capacity / 100 * TIGHT_PERCENT)
		buf_adds(b, ": TIGHT");
	if (c->reserved_at_peak != NO_INT) {
		buf_adds(b, "; the cache could give back ");
		add_size(b, c->reserved_at_peak - c->peak_allocated);
	}
	buf_addc(b, '\n');
}

static void reserved_text(struct view *v, const struct memcurves *m,
	const struct mem_curve *c, int64_t capacity)
{
	buf_adds(&v->text, "  peak allocated unknown, peak reserved ");
	add_size(&v->text, c->peak_reserved);
	buf_addc(&v->text, '\n');
	whose_text(v, m);
	headroom_text(v, c, capacity);
	if (c->peak_reserved > 0)
		spark(&v->text, "reserved", c->cell_reserved, c->peak_reserved);
}

/* Every step ends higher than it began, and than the one before: a leak, or
 * gradients and states that appear for the first time. */
static void growth_text(struct view *v, const struct mem_curve *c)
{
	char grown[NUM_LEN];
	int64_t first = 0, last = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->steps.n; i++) {
		const struct mem_step *s = &c->step[i];

		if (s->last_allocated == NO_INT)
			continue;
		if (n && s->last_allocated <= last)
			return;
		first = n++ ? first : s->last_allocated;
		last = s->last_allocated;
	}
	if (n > 2)
		buf_addf(&v->text, "  GROWS at every step: %s over %zu steps\n",
			num_fmt_bytes(grown, last - first), n);
}

static void steps_text(struct view *v, const struct mem_curve *c)
{
	struct tab *t = tab_new("lrrrr");
	size_t shown = 0, n = 0;

	tab_head(t, "step", "begins with", "peak", "ends with", "peak reserved");
	for (size_t i = 0; i < c->steps.n; i++)
		n += c->step[i].peak_allocated != NO_INT && c->steps.step[i].chosen;
	for (size_t i = 0; i < c->steps.n && shown < view_rows(v, n); i++) {
		const struct mem_step *s = &c->step[i];
		char name[NUM_LEN] = "window", a[NUM_LEN], b[NUM_LEN], e[NUM_LEN], r[NUM_LEN];

		if (s->peak_allocated == NO_INT || !s->step->chosen)
			continue;
		if (!(s->step->flags & STEP_WHOLE))
			snprintf(name, sizeof name, "%" PRId64, s->step->number != NO_INT ?
				s->step->number : s->step->idx);
		tab_row(t, name, num_fmt_gib(a, s->first_allocated),
			num_fmt_gib(b, s->peak_allocated), num_fmt_gib(e, s->last_allocated),
			s->peak_reserved == NO_INT ? "?" : num_fmt_gib(r, s->peak_reserved));
		shown++;
	}
	if (shown) {
		buf_addc(&v->text, '\n');
		tab_put(t, &v->text, v->width, v->cut);
		view_add_rest(v, shown, n);
	}
	tab_free(t);
}

static void add_place(struct buf *b, const struct alive_block *l)
{
	buf_adds(b, *l->op ? l->op : "no operator known");
	if (l->anchor.file) {
		buf_addf(b, " at %s", l->anchor.file);
		if (l->anchor.line != NO_INT)
			buf_addf(b, ":%" PRId64, l->anchor.line);
		if (l->anchor.func)
			buf_addf(b, " (%s)", l->anchor.func);
	}
}

static void live_text(struct view *v, const struct mem_curve *c, const struct alive *live)
{
	struct tab *t = tab_new("rrrw");
	size_t limit = view_rows(v, live->n);
	int64_t sum = 0, peak = c->totals ? c->peak_allocated : c->peak_relative;

	tab_head(t, "bytes", "share", "blocks", "alive at the peak, allocated in the window by");
	for (size_t i = 0; i < live->n; i++)
		sum += live->block[i].bytes;
	for (size_t i = 0; i < limit; i++) {
		char bytes[NUM_LEN], share[NUM_LEN], count[NUM_LEN];
		struct buf place = BUF_INIT;

		add_place(&place, &live->block[i]);
		tab_row(t, num_fmt_gib(bytes, live->block[i].bytes),
			num_fmt_share(share, live->block[i].bytes, peak),
			num_fmt_count(count, live->block[i].count), place.data);
		buf_release(&place);
	}
	if (limit) {
		char before[NUM_LEN];

		buf_addc(&v->text, '\n');
		tab_put(t, &v->text, v->width, v->cut);
		view_add_rest(v, limit, live->n);
		if (c->totals && sum <= c->peak_allocated)
			buf_addf(&v->text, "  %s more were allocated before the window\n",
				num_fmt_gib(before, c->peak_allocated - sum));
	}
	if (v->step_first != NO_INT && !c->peak_chosen && c->totals && c->type != MEM_HOST)
		buf_adds(&v->text, "\n  what was alive is known at the trace's own peak, which"
			" lies elsewhere\n");
	tab_free(t);
}

static void checks_text(struct view *v, const struct mem_curve *c)
{
	if (c->bad)
		buf_addf(&v->text, "  %" PRId64 " of %" PRId64 " totals cannot be (negative, or beyond"
			" the device): left out\n", c->bad, c->events);
	if (!c->totals)
		buf_addf(&v->text, "adds up: the end is the sum of %" PRId64 " changes\n", c->events);
	else
		buf_addf(&v->text, "adds up: total = previous + change at %" PRId64 " of %" PRId64
			" events%s\n", c->events - c->bad - c->breaks, c->events,
			c->breaks ? ": BREAKS, the curve has holes" : "");
}

static void curve_text(struct view *v, const struct memcurves *m, const struct mem_curve *c,
	int64_t capacity, const struct alive *live)
{
	struct buf *b = &v->text;
	char peak[NUM_LEN];

	title_text(v, m, c);
	if (c->type == MEM_HOST && c->totals && c->peak_allocated < HOST_SMALL_BYTES) {
		buf_addf(b, "  peak allocated %s: nothing to see\n", num_fmt_gib(peak, c->peak_allocated));
		checks_text(v, c);
		return;
	}
	if (!c->events) {
		buf_adds(b, "  no event in the steps asked for\n");
		return;
	}
	if (!c->totals) {
		if (c->peak_reserved == NO_INT)
			relative_text(v, m, c);
		else
			reserved_text(v, m, c, capacity);
		live_text(v, c, live);
		checks_text(v, c);
		return;
	}
	buf_adds(b, "  peak allocated ");
	add_size(b, c->peak_allocated);
	if (c->type != MEM_HOST) {
		buf_adds(b, ", peak reserved ");
		add_size(b, c->peak_reserved);
	}
	buf_addc(b, '\n');
	headroom_text(v, c, capacity);
	growth_text(v, c);
	spark(b, "allocated", c->cell, MAX(c->peak_allocated, 1));
	if (c->peak_reserved != NO_INT && c->peak_reserved > 0)
		spark(b, "reserved", c->cell_reserved, c->peak_reserved);
	steps_text(v, c);
	live_text(v, c, live);
	checks_text(v, c);
}

void view5_text(struct view *v, const struct memcurves *m, int64_t asked_bytes,
	const struct alive *live)
{
	for (size_t i = 0; i < m->n; i++)
		curve_text(v, m, &m->curve[i], curve_capacity(m->trace, &m->curve[i], asked_bytes),
			&live[i]);
}

/* Once for all of them: a job of many ranks has them all or none. */
void view5_text_without(struct view *v, size_t n)
{
	if (!n)
		return;
	if (v->text.len)
		buf_addc(&v->text, '\n');
	if (v->ntrace == 1)
		buf_adds(&v->text, "Memory: no memory events in this trace\n");
	else
		buf_addf(&v->text, "Memory: no memory events in %zu of %zu traces\n", n,
			v->ntrace);
	buf_adds(&v->text, "  (profile_memory=True records them, or tp-capture --memory)\n");
}
