/* view_lost.c - the rows of lost time; see view_lost.h. */
#include "base.h"
#include "view_lost.h"

#include <stdlib.h>

#include "mem.h"

#define TOP_TEXTS 3 /* of doing[] and blocked_in[] */

int lost_place(struct texts *t, int64_t frame, int64_t op, struct buf *b)
{
	if (frame) {
		const struct anchor_text *a = texts_frame(t, frame);
		if (a && a->file) {
			buf_adds(b, a->file);
			buf_addc(b, ':');
			buf_add_int(b, a->line);
			buf_adds(b, " (");
			buf_adds(b, a->func ? a->func : "?");
			buf_addc(b, ')');
		}
		return a ? 0 : -1;
	}
	const char *text = texts_name(t, op);
	if (text && *text)
		buf_addf(b, "op %s", text);
	return text ? 0 : -1;
}

static void flags_put(struct jw *w, bool incomplete, bool empty)
{
	if (!incomplete && !empty)
		return;
	jw_key(w, "flags");
	jw_open(w, '[');
	if (empty)
		jw_str(w, "empty");
	if (incomplete)
		jw_str(w, "incomplete");
	jw_close(w, ']');
}

static void ledger_put(struct jw *w, const struct ledger *l, bool zeros)
{
#define X(e, name, host, words) if (zeros || l->cause_ns[e]) \
		jw_kint(w, name "_ns", l->cause_ns[e]);
	IDLE_CAUSES(X)
#undef X
}

/* file, line, func, op, how */
static int anchor_put(struct lost_part *p, struct jw *w, int64_t frame, int64_t op, int how)
{
	static const char *const word[] = {
		NULL, "line", "function", "op", "other_thread", "between"
	};
	if (frame) {
		const struct anchor_text *a = texts_frame(p->texts, frame);
		if (!a)
			return -1;
		jw_kstr(w, "file", a->file);
		if (a->file)
			jw_kint(w, "line", a->line);
		jw_kstr(w, "func", a->func);
	} else if (op) {
		const char *text = texts_name(p->texts, op);
		if (!text)
			return -1;
		jw_kstr(w, "op", text);
	}
	jw_kstr(w, "how", word[how]);
	return 0;
}

static int names_put(struct lost_part *p, struct jw *w, const char *key, struct tally *t)
{
	int bad = 0;
	tally_sort(t);
	jw_key(w, key);
	jw_open(w, '[');
	for (size_t i = 0; i < MIN(t->n, TOP_TEXTS) && !bad; i++) {
		const char *text = texts_name(p->texts, t->item[i].key[0]);
		bad = !text;
		if (text)
			jw_str(w, text);
	}
	jw_close(w, ']');
	return bad ? -1 : 0;
}

static int places_put(struct lost_part *p, struct jw *w, const struct tally *t)
{
	struct buf b = BUF_INIT;
	int bad = 0;
	jw_key(w, "blocked_in");
	jw_open(w, '[');
	for (size_t i = 0; i < MIN(t->n, TOP_TEXTS) && !bad; i++) {
		buf_reset(&b);
		bad = lost_place(p->texts, t->item[i].key[0], t->item[i].key[1], &b) < 0;
		if (b.len)
			jw_text(w, buf_text(&b));
	}
	jw_close(w, ']');
	buf_release(&b);
	return bad ? -1 : 0;
}

static int op_put(struct lost_part *p, struct jw *w, const char *key, int64_t n)
{
	const char *text = texts_op(p->texts, n);
	if (text && *text)
		jw_kstr(w, key, text);
	return text ? 0 : -1;
}

/* What lies between the operators of a CPU job is no idle of a device. */
static struct jw *lost_row(struct lost_part *p, const char *kind, const struct view_where *at)
{
	struct view_where where = *at;
	if (!p->decomp->cpu_job)
		return view_row(p->view, kind, at);
	where.device = NULL;
	struct jw *w = view_row(p->view, kind, &where);
	jw_kbool(w, "cpu_job", true);
	return w;
}

static int loss_row(struct lost_part *p, struct loss *l, int64_t offset_ns)
{
	const struct view_trace *t = p->decomp->trace;
	struct buf item = BUF_INIT;
	buf_adds(&item, l->is_run ? "tiny@" : "gap@");
	buf_add_int(&item, view_time(p->view, t, l->ts_ns));
	struct view_where at = { t, p->part->device, &p->part->steps.step[l->step], item.data };
	struct jw *w = lost_row(p, "view2.loss", &at);
	buf_release(&item);
	jw_kstr(w, "loss", l->is_run ? "tiny" : "gap");
	jw_kint(w, "start_ns", view_time(p->view, t, l->ts_ns));
	jw_kint(w, "offset_ns", offset_ns);
	jw_kint(w, "dur_ns", l->dur_ns);
	jw_kint(w, "cost_ns", l->cost_ns);
	if (l->is_run) {
		jw_kint(w, "launches", l->launches);
		jw_kint(w, "kernel_ns", l->kernel_ns);
	}
	jw_kstr(w, "cause", l->ledger.idle_ns ? idle_cause_name(ledger_main(&l->ledger)) : NULL);
	ledger_put(w, &l->ledger, false);
	if (names_put(p, w, "doing", &l->doing) < 0 || places_put(p, w, &l->place) < 0 ||
	    op_put(p, w, "before", l->before) < 0 || op_put(p, w, "after", l->after) < 0)
		return -1;
	if (l->place.n && anchor_put(p, w, l->place.item[0].key[0], l->place.item[0].key[1],
	    (int)l->place.item[0].key[2]) < 0)
		return -1;
	flags_put(w, l->incomplete, false);
	return view_put(p->view);
}

static int loss_take(void *arg, const struct loss *loss)
{
	struct lost_part *p = arg;
	struct loss l = *loss;
	int64_t offset_ns = l.ts_ns - p->part->steps.step[l.step].ts_ns;
	tally_sort(&l.place);
	tally_sort(&l.doing);
	p->losses[l.is_run]++;
	p->loss_ns[l.is_run] += l.cost_ns;
	if (p->view->as_text) {
		if (!l.incomplete)
			lost_groups_add(p, &l, offset_ns);
		return 0;
	}
	return loss_row(p, &l, offset_ns);
}

void lost_part_begin(struct lost_part *p, struct texts *texts, struct lost_device *d)
{
	const struct decomp_part *part = p->part;
	p->texts = texts;
	p->device = d;
	p->step = xcalloc(part->steps.n + 1, sizeof *p->step);
	for (size_t i = 0; i < part->steps.n; i++) {
		const struct view_step *s = &part->steps.step[i];
		p->step[i] = (struct account_step){
			.ts_ns = s->ts_ns, .dur_ns = s->dur_ns,
			.chosen = s->chosen && !part_step_unknown(part, i),
			.incomplete = s->flags & STEP_INCOMPLETE,
			.empty = part_step_flags(part, i) & STEP_EMPTY,
		};
	}
	d->idx = part->device;
	account_init(&d->account, p->step, part->steps.n, loss_take, p);
}

void lost_part_release(struct lost_part *p)
{
	if (p->device)
		account_release(&p->device->account);
	free(p->step);
	free(p->group);
	free(p->bucket);
}

/* Causes add up to wall - busy, step by step, and sites to it all. */
int lost_part_check(const struct lost_part *p)
{
	const struct account *a = &p->device->account;
	struct view_where at = { p->decomp->trace, p->part->device, NULL, NULL };
	int64_t sites_ns = 0;
	for (size_t i = 0; i < a->nstep; i++) {
		int64_t idle_ns = a->step[i].dur_ns - part_step(p->part, i)->busy_ns;
		at.step = &p->part->steps.step[i];
		if (a->step[i].chosen && a->step[i].ledger.idle_ns != idle_ns)
			return view_unequal(p->view, &at, "causes of idle",
				a->step[i].ledger.idle_ns, idle_ns);
	}
	at.step = NULL;
	for (size_t i = 0; i < a->nsite; i++)
		sites_ns += a->site[i].cost_ns;
	return sites_ns == a->total.idle_ns ? 0 :
		view_unequal(p->view, &at, "sites of idle", sites_ns, a->total.idle_ns);
}

static int step_put(struct lost_part *p, size_t i)
{
	const struct account_step *s = &p->device->account.step[i];
	const struct view_step *step = &p->part->steps.step[i];
	struct view_where at = { p->decomp->trace, p->part->device, step, NULL };
	struct jw *w = lost_row(p, "view2.ledger", &at);
	jw_kstr(w, "clock", p->view->clock == CLOCK_HOST ? "host" : "drain");
	jw_kint(w, "wall_ns", s->dur_ns);
	if (s->chosen) {
		jw_kint(w, "idle_ns", s->ledger.idle_ns);
		ledger_put(w, &s->ledger, true);
		flags_put(w, s->incomplete, part_step_flags(p->part, i) & STEP_EMPTY);
	} else {
		jw_key(w, "flags");
		jw_open(w, '[');
		jw_str(w, "busy_unknown");
		jw_close(w, ']');
	}
	return view_put(p->view);
}

int64_t lost_part_steps(const struct lost_part *p, bool incomplete, int64_t *wall_ns)
{
	const struct account *a = &p->device->account;
	int64_t n = 0;
	for (size_t i = 0; i < a->nstep; i++) {
		if (!a->step[i].chosen || a->step[i].empty || a->step[i].incomplete != incomplete)
			continue;
		*wall_ns += a->step[i].dur_ns;
		n += a->step[i].dur_ns > 0;
	}
	return n;
}

static int total_put(struct lost_part *p)
{
	const struct account *a = &p->device->account;
	struct view_where at = { p->decomp->trace, p->part->device, NULL, NULL };
	struct jw *w = lost_row(p, "view2.ledger", &at);
	int64_t wall_ns = 0;
	int64_t steps = lost_part_steps(p, false, &wall_ns) + lost_part_steps(p, true, &wall_ns);
	jw_kint(w, "steps", steps);
	jw_kint(w, "wall_ns", wall_ns);
	jw_kint(w, "idle_ns", a->total.idle_ns);
	ledger_put(w, &a->total, true);
	if (p->decomp->trace->count.negative_delay) {
		/* not beside the causes: those are what ends in _ns there */
		jw_key(w, "clocks_differ");
		jw_open(w, '{');
		jw_kint(w, "ops", p->decomp->trace->count.negative_delay);
		jw_kint(w, "worst_delay_ns", p->decomp->trace->count.worst_delay_ns);
		jw_close(w, '}');
	}
	return view_put(p->view);
}

static int site_put(struct lost_part *p, struct site *s)
{
	const struct view_trace *t = p->decomp->trace;
	struct buf item = BUF_INIT;
	int how = 0;
	int64_t wall_ns = 0, steps = lost_part_steps(p, s->incomplete, &wall_ns);
	buf_addf(&item, "%s:", idle_cause_name(s->cause));
	if (lost_place(p->texts, s->frame, s->op, &item) < 0)
		return -1;
	if (s->incomplete)
		buf_adds(&item, ":incomplete");
	struct view_where at = { t, p->part->device, NULL, item.data };
	struct jw *w = lost_row(p, "view2.site", &at);
	buf_release(&item);
	jw_kstr(w, "cause", idle_cause_name(s->cause));
	jw_kbool(w, "host_side", idle_cause_is_host(s->cause));
	jw_kint(w, "sites", s->gaps);
	jw_kint(w, "cost_ns", s->cost_ns);
	jw_kint(w, "cost_per_step_ns", steps ? s->cost_ns / steps : s->cost_ns);
	jw_kint(w, "in_run_ns", s->in_run_ns);
	if (s->between_ns)
		jw_kint(w, "between_ns", s->between_ns);
	for (int h = 1; h <= AT_BETWEEN; h++)
		if (s->how_ns[h] > s->how_ns[how])
			how = h;
	if (anchor_put(p, w, s->frame, s->op, how) < 0 ||
	    names_put(p, w, "doing", &s->doing) < 0)
		return -1;
	flags_put(w, s->incomplete, false);
	jw_key(w, "slices");
	jw_open(w, '[');
	for (size_t i = 0; i < s->nslice; i++) {
		jw_open(w, '[');
		jw_int(w, view_time(p->view, t, s->slice[i].ts_ns));
		jw_int(w, s->slice[i].dur_ns);
		jw_close(w, ']');
	}
	jw_close(w, ']');
	return view_put(p->view);
}

int lost_part_put(struct lost_part *p)
{
	const struct account *a = &p->device->account;
	bool any = false;
	if (p->view->as_text)
		return 0;
	for (size_t i = 0; i < a->nstep; i++) {
		if (p->part->steps.step[i].chosen && step_put(p, i) < 0)
			return -1;
		any |= a->step[i].chosen;
	}
	if (!any)
		return 0;
	if (total_put(p) < 0)
		return -1;
	for (size_t i = 0; i < a->nsite; i++)
		if (site_put(p, &a->site[i]) < 0)
			return -1;
	return 0;
}
