/* view_lost_text.c - lost time for a person: the ledger as one bar, the sites by
 * cost, then single losses. */
#include "base.h"
#include "view_lost.h"

#include <stdlib.h>

#include "kname.h"
#include "num.h"
#include "tab.h"
#include "utf8.h"

#define BAR_MARGIN 4
#define OP_SHOWN 60   /* bytes of an op's name */

static const char LETTER[IDLE_CAUSE_COUNT] = {
	[IDLE_SYNC] = 's', [IDLE_ALLOC] = 'a', [IDLE_INPUT] = 'i', [IDLE_HOST] = 'h',
	[IDLE_UNKNOWN] = '?', [IDLE_LAUNCH] = 'l', [IDLE_QUEUED] = 'q',
	[IDLE_TURNAROUND] = 't', [IDLE_PROFILER] = 'p', [IDLE_LOAD] = 'c',
	[IDLE_UNLINKED] = 'u', [IDLE_AFTER_LAST] = '-',
};

/* The same for a CPU job, where the host is not late for anybody. */
static const char *cause_words(const struct lost_part *p, enum idle_cause c)
{
	if (!p->decomp->cpu_job)
		return idle_cause_words(c);
	return c == IDLE_HOST ? "Python, and what it calls that is no operator" :
		c == IDLE_INPUT ? "the data loader" : "nothing was recorded";
}

/* What the text is about: the complete steps, or all when there are none. */
struct scope {
	bool incomplete;
	int64_t wall_ns, steps;
	struct ledger ledger;
};

static struct scope scope_make(const struct lost_part *p, bool incomplete)
{
	const struct account *a = &p->device->account;
	struct scope s = { .incomplete = incomplete };
	s.steps = lost_part_steps(p, incomplete, &s.wall_ns);
	for (size_t i = 0; i < a->nstep; i++) {
		const struct ledger *l = &a->step[i].ledger;
		if (!a->step[i].chosen || a->step[i].empty || a->step[i].incomplete != incomplete)
			continue;
		s.ledger.idle_ns += l->idle_ns;
		for (enum idle_cause c = 0; c < IDLE_CAUSE_COUNT; c++)
			s.ledger.cause_ns[c] += l->cause_ns[c];
	}
	return s;
}

static void title_add(struct lost_part *p, const struct scope *s)
{
	struct buf *b = &p->view->text;
	const struct ledger *l = &s->ledger;
	int64_t wall_ns = s->wall_ns, steps = s->steps;
	char idle[NUM_LEN], wall[NUM_LEN], share[NUM_LEN];
	view_add_place(b, p->decomp->trace, p->part->device);
	if (p->decomp->cpu_job)
		buf_addf(b, ", %s", trace_cpu_words(p->decomp->trace));
	buf_addf(b, p->decomp->cpu_job ? ": no operator runs in %s of %s (%s)" :
		": idle %s of %s (%s)", num_fmt_ns(idle, l->idle_ns),
		num_fmt_ns(wall, wall_ns), num_fmt_share(share, l->idle_ns, wall_ns));
	if (steps > 1)
		buf_addf(b, ", %s a step over %" PRId64 " steps",
			num_fmt_ns(idle, l->idle_ns / steps), steps);
	buf_addc(b, '\n');
	size_t empty = 0;
	for (size_t i = 0; i < p->device->account.nstep; i++)
		empty += p->device->account.step[i].chosen && p->device->account.step[i].empty;
	if (empty)
		buf_addf(b, "  %zu of %zu steps empty: left out\n", empty,
			empty + (size_t)lost_part_steps(p, false, &wall_ns) +
			(size_t)lost_part_steps(p, true, &wall_ns));
	if (s->incomplete)
		buf_adds(b, "  incomplete: a tenth or more of the launches have no op in this trace, so"
			" idle may be less\n");
	if (p->decomp->trace->count.negative_delay)
		buf_addf(b, "  clocks differ: %" PRId64 " of %" PRId64 " linked ops start before their"
			" call, by up to %s; host causes of gaps below that are uncertain\n",
			p->decomp->trace->count.negative_delay,
			p->decomp->trace->count.linked_ops,
			num_fmt_ns(idle, p->decomp->trace->count.worst_delay_ns));
}

static void ledger_add(struct lost_part *p, const struct scope *s)
{
	struct buf *b = &p->view->text;
	const struct ledger *l = &s->ledger;
	int64_t wall_ns = s->wall_ns, steps = s->steps;
	struct tab_part part[IDLE_CAUSE_COUNT + 1] = { { '#', wall_ns - l->idle_ns } };
	struct tab *t = tab_new("lrrrw");
	char ns[NUM_LEN], share[NUM_LEN];
	for (enum idle_cause c = 0; c < IDLE_CAUSE_COUNT; c++)
		part[c + 1] = (struct tab_part){ LETTER[c], l->cause_ns[c] };
	buf_adds(b, "  [");
	tab_bar(b, part, ARRAY_LEN(part), MAX(20, p->view->width - BAR_MARGIN));
	buf_adds(b, "]\n");
	tab_head(t, "", "cause", "a step", "of wall", "");
	num_fmt_ns(ns, steps ? part[0].value / steps : part[0].value);
	num_fmt_share(share, part[0].value, wall_ns);
	tab_row(t, "#", p->decomp->cpu_job ? "operators" : "busy", ns, share, "");
	for (enum idle_cause c = 0; c < IDLE_CAUSE_COUNT; c++) {
		const char letter[2] = { LETTER[c], 0 };
		if (!l->cause_ns[c])
			continue;
		num_fmt_ns(ns, steps ? l->cause_ns[c] / steps : l->cause_ns[c]);
		num_fmt_share(share, l->cause_ns[c], wall_ns);
		tab_row(t, letter, idle_cause_name(c), ns, share, cause_words(p, c));
	}
	tab_put(t, b, p->view->width, p->view->cut);
	tab_free(t);
	num_fmt_ns(ns, l->idle_ns);
	buf_addf(b, "  adds up: the causes are wall - %s, %s; so are the sites\n",
		p->decomp->cpu_job ? "operators" : "busy", ns);
}

/* "aten::item, cudaStreamSynchronize" */
static int doing_add(struct lost_part *p, struct tally *doing, struct buf *b)
{
	tally_sort(doing);
	for (size_t i = 0; i < MIN(doing->n, 2u); i++) {
		const char *text = texts_name(p->texts, doing->item[i].key[0]);
		if (!text)
			return -1;
		buf_addf(b, "%s%s", i ? ", " : "", text);
	}
	return 0;
}

static int site_row(struct lost_part *p, struct tab *t, struct site *s, int64_t wall_ns,
	int64_t steps)
{
	struct buf where = BUF_INIT, doing = BUF_INIT;
	char ns[NUM_LEN], share[NUM_LEN], run[NUM_LEN];
	int bad = lost_place(p->texts, s->frame, s->op, &where) < 0 ||
		doing_add(p, &s->doing, &doing) < 0;
	if (!bad && doing.len)
		buf_addf(&where, ": %s", doing.data);
	const char *place = where.len ? where.data : "-";
	num_fmt_ns(ns, steps ? s->cost_ns / steps : s->cost_ns);
	num_fmt_share(share, s->cost_ns, wall_ns);
	if (!bad && p->decomp->cpu_job)
		tab_row(t, idle_cause_name(s->cause), ns, share, place);
	else if (!bad)
		tab_row(t, idle_cause_name(s->cause), ns, share,
			num_fmt_share(run, s->in_run_ns, s->cost_ns), place);
	buf_release(&where);
	buf_release(&doing);
	return bad ? -1 : 0;
}

/* Runs of tiny kernels are a device's. */
static struct tab *sites_table(const struct lost_part *p)
{
	struct tab *t = tab_new(p->decomp->cpu_job ? "lrrw" : "lrrrw");
	if (p->decomp->cpu_job)
		tab_head(t, "cause", "a step", "of wall", "where: in what");
	else
		tab_head(t, "cause", "a step", "of wall", "in runs",
			"where: what the host was doing");
	return t;
}

static int sites_add(struct lost_part *p, const struct scope *s)
{
	const struct account *a = &p->device->account;
	struct tab *t = sites_table(p);
	size_t n = 0, shown = 0;
	int64_t left_ns = 0;
	int bad = 0;
	char ns[NUM_LEN];
	for (size_t i = 0; i < a->nsite; i++) {
		bool in = a->site[i].incomplete == s->incomplete;
		n += in;
		left_ns += in ? 0 : a->site[i].cost_ns;
	}
	for (size_t i = 0; i < a->nsite && shown < view_rows(p->view, n) && !bad; i++) {
		if (a->site[i].incomplete != s->incomplete)
			continue;
		bad = site_row(p, t, &a->site[i], s->wall_ns, s->steps);
		shown++;
	}
	buf_adds(&p->view->text, p->decomp->cpu_job ?
		"\n  Sites: all time without an operator, by cause and place\n" :
		"\n  Sites: all idle time by cause and place\n");
	if (shown)
		tab_put(t, &p->view->text, p->view->width, p->view->cut);
	tab_free(t);
	view_add_rest(p->view, shown, n);
	if (left_ns)
		buf_addf(&p->view->text, "  left out: %s of idle in incomplete steps, where ops"
			" are missing\n", num_fmt_ns(ns, left_ns));
	return bad;
}

/* The place in each step: "; 12.3 ms, 12.1 ms, 12.4 ms in". */
static void offsets_add(const struct lost_group *g, struct buf *b)
{
	char ns[NUM_LEN];
	for (size_t i = 0; i < ARRAY_LEN(g->at) && (int64_t)i < g->times; i++)
		buf_addf(b, "%s%s", i ? ", " : b->len ? "; " : "",
			num_fmt_ns(ns, g->at[i].offset_ns));
	if (g->times > (int64_t)ARRAY_LEN(g->at))
		buf_adds(b, ", ...");
	buf_adds(b, " in");
}

static int group_row(struct lost_part *p, struct tab *t, struct lost_group *g)
{
	struct buf where = BUF_INIT, doing = BUF_INIT;
	const char *op = NULL;
	char *name;
	char ns[NUM_LEN], times[NUM_LEN], kernels[NUM_LEN];
	int bad = lost_place(p->texts, g->frame, g->op, &where) < 0 ||
		doing_add(p, &g->doing, &doing) < 0 || !(op = texts_op(p->texts, g->after));
	if (doing.len)
		buf_addf(&where, "%s%s", where.len ? ": " : "", doing.data);
	if (g->is_run)
		buf_addf(&where, "%s%s in kernels, the first ", where.len ? "; " : "",
			num_fmt_ns(kernels, g->kernel_ns / g->times));
	else if (op && *op)
		buf_addf(&where, "%sthen ", where.len ? "; " : "");
	name = kname_short(op ? op : ""); /* templates run to kilobytes */
	text_add_cut(&where, (struct text){ name, strlen(name) }, OP_SHOWN);
	free(name);
	offsets_add(g, &where);
	num_fmt_count(times, g->times);
	if (!bad)
		tab_row(t, g->is_run ? "tiny" : "gap", idle_cause_name(g->cause),
			num_fmt_ns(ns, g->cost_ns / g->times), times, where.data);
	buf_release(&where);
	buf_release(&doing);
	return bad ? -1 : 0;
}

/* How many there are.  A CPU job has no kernels. */
static void losses_title(struct lost_part *p)
{
	struct buf *b = &p->view->text;
	char n[2][NUM_LEN], ns[2][NUM_LEN];
	for (int i = 0; i < 2; i++) {
		num_fmt_count(n[i], p->losses[i]);
		num_fmt_ns(ns[i], p->loss_ns[i]);
	}
	buf_addf(b, "\n  Single losses: %s gaps of 50 us and more (%s)", n[0], ns[0]);
	if (!p->decomp->cpu_job)
		buf_addf(b, ",\n  %s runs of tiny kernels (%s of idle inside)", n[1], ns[1]);
	buf_addc(b, '\n');
}

static int losses_add(struct lost_part *p)
{
	struct buf *b = &p->view->text;
	int bad = 0;
	losses_title(p);
	lost_groups_sort(p);
	if (!p->ngroup)
		return 0;
	struct tab *t = tab_new("llrrw");
	size_t shown = view_rows(p->view, p->ngroup);
	tab_head(t, "loss", "cause", "a time", "times", p->decomp->cpu_job ?
		"where, in what; into its step" :
		"where: what the host was doing; then the device; into its step");
	for (size_t i = 0; i < shown && !bad; i++)
		bad = group_row(p, t, &p->group[i]);
	tab_put(t, b, p->view->width, p->view->cut);
	tab_free(t);
	view_add_rest(p->view, shown, p->ngroup);
	return bad;
}

int lost_part_text(struct lost_part *p)
{
	struct buf *b = &p->view->text;
	struct scope s = scope_make(p, false);
	if (!s.wall_ns)
		s = scope_make(p, true);
	if (b->len)
		buf_addc(b, '\n');
	if (!s.wall_ns) {
		view_add_place(b, p->decomp->trace, p->part->device);
		buf_adds(b, p->part->unknown ?
			": no device op is in this trace although calls launched some: what the"
			" device did is not known (the profiler's device side was not started,"
			" taken by another, or not permitted)\n" : p->decomp->cpu_job ? ": no step with an operator\n" :
			": no step with device work\n");
		return 0;
	}
	title_add(p, &s);
	ledger_add(p, &s);
	return sites_add(p, &s) < 0 ? -1 : losses_add(p);
}
