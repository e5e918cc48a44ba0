/* view3_text.c - the kernel table for a person; see view3.h. */
#include "base.h"
#include "view3.h"
#include "kname.h"
#include "num.h"
#include "tab.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

static void rate(char *out, const struct op_sum *s)
{
	struct buf b = BUF_INIT;

	*out = '\0';
	if (s->with_bytes && s->time_ns > 0) {
		num_add_ratio(&b, s->bytes, s->time_ns, 1);
		snprintf(out, NUM_LEN, "%s", b.data);
	}
	buf_release(&b);
}

/* An operator is its own. */
static void add_place(struct buf *b, const struct kernel_site *s, size_t others)
{
	bool own = s->kernel->cat == CAT_CPU_OP;

	if (!own)
		buf_adds(b, *s->op_name ? s->op_name : "no operator known");
	if (s->anchor.file) {
		buf_addf(b, "%sat %s", own ? "" : " ", s->anchor.file);
		if (s->anchor.line != NO_INT)
			buf_addf(b, ":%" PRId64, s->anchor.line);
		if (s->anchor.func)
			buf_addf(b, " (%s)", s->anchor.func);
	}
	if (others && (!own || s->anchor.file))
		buf_addf(b, ", %zu more place%s", others, others == 1 ? "" : "s");
}

static void classes_text(const struct view3 *t, const struct decomp_part *p)
{
	struct view *v = t->view;
	struct tab *tab = tab_new("lrrrrrr");

	tab_head(tab, "class", "share", "own", "time", "count", "bytes", "GB/s");
	for (size_t i = 0; i < t->nclass; i++) {
		const struct class_sum *c = &t->class[i];
		char share[NUM_LEN], own[NUM_LEN], time[NUM_LEN], count[NUM_LEN];
		char bytes[NUM_LEN] = "", gbps[NUM_LEN];

		if (c->part != p)
			continue;
		rate(gbps, &c->sum);
		if (c->sum.with_bytes)
			num_fmt_bytes(bytes, c->sum.bytes);
		tab_row(tab, class_name(c->class), num_fmt_share(share, sum_basis(p, &c->sum), part_basis(p)),
			num_fmt_ns(own, sum_basis(p, &c->sum)), num_fmt_ns(time, c->sum.time_ns),
			num_fmt_count(count, c->sum.count), bytes, gbps);
	}
	tab_put(tab, &v->text, v->width, v->cut);
	tab_free(tab);
}

static void copy_row(struct tab *tab, const struct kernel_site *s)
{
	char count[NUM_LEN], bytes[NUM_LEN], time[NUM_LEN], gbps[NUM_LEN];
	const char *direction = copy_direction(s->kernel->name);
	bool pageable = copy_is_pageable(s->kernel->name);
	struct buf words = BUF_INIT;

	rate(gbps, &s->sum);
	if (pageable)
		buf_adds(&words, "PAGEABLE, ");
	if (s->blocking)
		buf_adds(&words, "BLOCKING, ");
	add_place(&words, s, 0);
	tab_row(tab, direction ? direction : s->kernel->name, num_fmt_count(count, s->sum.count),
		s->sum.with_bytes ? num_fmt_bytes(bytes, s->sum.bytes) : "?",
		num_fmt_ns(time, s->sum.time_ns), gbps, words.data);
	buf_release(&words);
}

static void copies_text(const struct view3 *t, const struct decomp_part *p)
{
	struct view *v = t->view;
	struct tab *tab = tab_new("lrrrrw");
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < t->ncopy; i++)
		n += t->copy[i]->kernel->part == p;
	tab_head(tab, "copies", "count", "bytes", "time", "GB/s", "how, and from where");
	for (size_t i = 0; i < t->ncopy && shown < view_rows(v, n); i++) {
		if (t->copy[i]->kernel->part != p)
			continue;
		copy_row(tab, t->copy[i]);
		shown++;
	}
	if (n) {
		buf_addc(&v->text, '\n');
		tab_put(tab, &v->text, v->width, v->cut);
		view_add_rest(v, shown, n);
	}
	tab_free(tab);
}

/* A second line under the name: what issued it, and whether it fills the device. */
static void add_notes(struct buf *b, const struct kernel *k)
{
	char share[NUM_LEN];

	add_place(b, k->site[0], k->nsite - 1);
	/* collectives take few blocks on purpose */
	if (k->cat == CAT_KERNEL && k->below_sms_ns * 2 > k->sum.time_ns)
		buf_addf(b, "; FEW BLOCKS: fewer than the %" PRId64 " SMs in %s of its time",
			k->part->info->sms, num_fmt_share(share, k->below_sms_ns, k->sum.time_ns));
}

static void kernel_rows(const struct view3 *t, struct kernel *const *k, size_t n)
{
	struct view *v = t->view;
	struct tab *tab = tab_new("rrrlw");
	char **name = kname_all(k, n, v->all);

	tab_head(tab, "share", "own", "count", "class", t->k.decomp->cpu_job ?
		"operator, and the line that called it" : "kernel, and what issued it");
	for (size_t i = 0; i < n; i++) {
		char share[NUM_LEN], own[NUM_LEN], count[NUM_LEN];
		struct buf notes = BUF_INIT;

		add_notes(&notes, k[i]);
		tab_row(tab, num_fmt_share(share, sum_basis(k[i]->part, &k[i]->sum),
			part_basis(k[i]->part)),
			num_fmt_ns(own, sum_basis(k[i]->part, &k[i]->sum)), num_fmt_count(count, k[i]->sum.count),
			class_name(k[i]->class), name[i]);
		if (notes.len)
			tab_row(tab, "", "", "", "", notes.data);
		buf_release(&notes);
		free(name[i]);
	}
	free(name);
	tab_put(tab, &v->text, v->width, v->cut);
	tab_free(tab);
}

/* The first lines: what the device's time goes to. */
static void look_text(const struct view3 *t, const struct decomp_part *p)
{
	struct buf *b = &t->view->text;
	struct op_sum pageable = { 0 }, blocking = { 0 };
	char share[NUM_LEN], bytes[NUM_LEN], time[NUM_LEN], gbps[NUM_LEN];
	size_t shown = 0;

	for (size_t i = 0; i < t->nclass && shown < 3; i++) {
		if (t->class[i].part != p)
			continue;
		buf_addf(b, "%s%s %s", shown++ ? ", " : "  ", class_name(t->class[i].class),
			num_fmt_share(share, sum_basis(p, &t->class[i].sum), part_basis(p)));
	}
	buf_adds(b, shown && t->k.decomp->cpu_job ? " of the operators' time\n" :
		shown ? " of the busy time\n" : "  nothing ran\n");
	for (size_t i = 0; i < t->ncopy; i++) {
		if (t->copy[i]->kernel->part != p)
			continue;
		if (copy_is_pageable(t->copy[i]->kernel->name))
			op_sum_add(&pageable, &t->copy[i]->sum);
		else if (t->copy[i]->blocking)
			op_sum_add(&blocking, &t->copy[i]->sum);
	}
	rate(gbps, &pageable);
	if (pageable.count)
		buf_addf(b, "  %" PRId64 " PAGEABLE copies (each also BLOCKS the host): %s in %s,"
			" %s GB/s\n", pageable.count, num_fmt_bytes(bytes, pageable.bytes),
			num_fmt_ns(time, pageable.time_ns), *gbps ? gbps : "?");
	rate(gbps, &blocking);
	if (blocking.count)
		buf_addf(b, "  %" PRId64 " more BLOCKING copies: %s in %s, %s GB/s\n",
			blocking.count, num_fmt_bytes(bytes, blocking.bytes),
			num_fmt_ns(time, blocking.time_ns), *gbps ? gbps : "?");
}

static void title_text(const struct view3 *t, const struct decomp_part *p)
{
	struct view *v = t->view;
	char busy[NUM_LEN], rest[NUM_LEN];

	if (v->text.len)
		buf_addc(&v->text, '\n');
	buf_adds(&v->text, t->k.decomp->cpu_job ? "What the operators did: " :
		"What the device did: ");
	view_add_place(&v->text, t->k.decomp->trace, p->device);
	if (p->info && p->info->name) {
		buf_adds(&v->text, ", ");
		text_show(&v->text, (struct text){ p->info->name, strlen(p->info->name) });
	}
	buf_addf(&v->text, t->k.decomp->cpu_job ? ", %s" : ", busy %s",
		num_fmt_ns(busy, part_basis(p)));
	if (p->split.busy_ns > p->chosen_ns)
		buf_addf(&v->text, p->window ? "\n  (%s of it outside the steps)" :
			"\n  (%s more outside the steps shown)",
			num_fmt_ns(rest, p->split.busy_ns - p->chosen_ns));
	buf_addc(&v->text, '\n');
}

static void part_text(struct view3 *t, const struct decomp_part *p)
{
	struct view *v = t->view;
	size_t first = 0, n = 0, shown;
	int64_t own_ns = 0, time_ns = 0;

	title_text(t, p);
	if (p->unknown) {
		buf_addf(&v->text, "  NO DEVICE ACTIVITY in this trace although %" PRId64
			" launches were recorded:\n  what the device did is unknown\n",
			t->k.decomp->trace->count.launches);
		return;
	}
	while (first < t->k.n && t->k.kernel[first]->part != p)
		first++;
	for (; first + n < t->k.n && t->k.kernel[first + n]->part == p; n++) {
		own_ns += sum_basis(p, &t->k.kernel[first + n]->sum);
		time_ns += t->k.kernel[first + n]->sum.time_ns;
	}
	look_text(t, p);
	buf_addc(&v->text, '\n');
	classes_text(t, p);
	copies_text(t, p);
	buf_addc(&v->text, '\n');
	shown = view_rows(v, n);
	kernel_rows(t, &t->k.kernel[first], shown);
	view_add_rest(v, shown, n);
	buf_addf(&v->text, "adds up: own times %" PRId64 " ns = busy %" PRId64 " ns;"
		" plain sum of durations %" PRId64 " ns\n", own_ns, part_basis(p), time_ns);
}

void view3_text(struct view3 *t)
{
	for (size_t i = 0; i < t->k.decomp->n; i++)
		if (!t->k.decomp->part[i].any)
			part_text(t, &t->k.decomp->part[i]);
}
