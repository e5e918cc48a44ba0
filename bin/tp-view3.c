/* tp-view3 - the kernel table: what the devices did, by class and by kernel,
 * on one ordered scan of the device ops. */
#include "base.h"
#include "kname.h"
#include "mem.h"
#include "view3.h"

#include <stdio.h>
#include <stdlib.h>

#define SITES_MAX 16 /* places of one kernel in its row, the largest first */

static struct view v = VIEW_INIT;
static const struct opt opts[] = { VIEW_OPTS(v), OPT_END };
static const struct opt_page page = {
	.usage = "tp-view3 [options] STORE",
	.what = "What the devices did: kernels by class and name, copies, bandwidth.",
	.example = "tp-view3 -t --top 20 store.db",
	.opt = opts,
};

static void sum_put(struct jw *w, const struct op_sum *s, const struct decomp_part *p)
{
	jw_kint(w, "count", s->count);
	jw_kint(w, "time_ns", s->time_ns);
	jw_kint(w, "own_ns", s->own_ns);
	jw_kint(w, "window_own_ns", s->window_own_ns);
	if (part_basis(p) > 0)
		jw_kratio(w, "share", sum_basis(p, s), part_basis(p), 6);
	if (!s->with_bytes)
		return;
	jw_kint(w, "bytes", s->bytes);
	if (s->time_ns > 0) /* bytes a ns are GB a second */
		jw_kratio(w, "gbps", s->bytes, s->time_ns, 3);
}

static void place_put(struct jw *w, const struct kernel_site *s)
{
	if (*s->op_name)
		jw_kstr(w, "op", s->op_name);
	jw_kstr(w, "file", s->anchor.file);
	if (s->anchor.line != NO_INT)
		jw_kint(w, "line", s->anchor.line);
	jw_kstr(w, "func", s->anchor.func);
	jw_kstr(w, "how", s->anchor.how ? s->anchor.how : *s->op_name ? "op" : NULL);
}

static void sites_put(struct jw *w, const struct kernel *k)
{
	jw_kint(w, "nsites", (int64_t)k->nsite);
	if (k->nsite < 2)
		return;
	jw_key(w, "sites");
	jw_open(w, '[');
	for (size_t i = 0; i < MIN(k->nsite, SITES_MAX); i++) {
		jw_open(w, '{');
		place_put(w, k->site[i]);
		jw_kint(w, "count", k->site[i]->sum.count);
		jw_kint(w, "time_ns", k->site[i]->sum.time_ns);
		jw_kint(w, "own_ns", k->site[i]->sum.own_ns);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static struct jw *row(const struct view3 *t, const char *kind, const struct decomp_part *p,
	const char *item)
{
	struct view_where at = { t->k.decomp->trace, *p->device ? p->device : NULL, NULL, item };

	return view_row(&v, kind, &at);
}

static int kernel_put(const struct view3 *t, const struct kernel *k, size_t number)
{
	char item[24];
	struct jw *w;

	snprintf(item, sizeof item, "%zu", number);
	w = row(t, "view3.kernel", k->part, item);
	jw_kstr(w, "name", k->name);
	jw_kstr(w, "class", class_name(k->class));
	if (k->blocks != NO_INT)
		jw_kint(w, "blocks", k->blocks);
	if (k->part->info && k->part->info->sms != NO_INT) {
		jw_kint(w, "sms", k->part->info->sms);
		if (k->blocks != NO_INT)
			jw_kint(w, "below_sms_ns", k->below_sms_ns);
	}
	sum_put(w, &k->sum, k->part);
	place_put(w, k->site[0]);
	sites_put(w, k);
	return view_put(&v);
}

static int class_put(const struct view3 *t, const struct class_sum *c)
{
	struct jw *w = row(t, "view3.class", c->part, class_name(c->class));

	jw_kstr(w, "class", class_name(c->class));
	sum_put(w, &c->sum, c->part);
	return view_put(&v);
}

static int copy_put(const struct view3 *t, const struct kernel_site *s, size_t number)
{
	const struct kernel *k = s->kernel;
	char item[24];
	struct jw *w;

	snprintf(item, sizeof item, "%zu", number);
	w = row(t, "view3.copy", k->part, item);
	jw_kstr(w, "name", k->name);
	jw_kstr(w, "direction", copy_direction(k->name));
	jw_kbool(w, "pageable", copy_is_pageable(k->name));
	jw_kbool(w, "blocking", s->blocking);
	sum_put(w, &s->sum, k->part);
	place_put(w, s);
	return view_put(&v);
}

static int rows_put(const struct view3 *t)
{
	const struct decomp_part *part = NULL;
	size_t number = 0;

	for (size_t i = 0; i < t->nclass; i++)
		if (class_put(t, &t->class[i]) < 0)
			return -1;
	for (size_t i = 0; i < t->ncopy; i++) {
		number = i && t->copy[i]->kernel->part == part ? number + 1 : 1;
		part = t->copy[i]->kernel->part;
		if (copy_put(t, t->copy[i], number) < 0)
			return -1;
	}
	for (size_t i = 0; i < t->k.n; i++) {
		number = i && t->k.kernel[i]->part == part ? number + 1 : 1;
		part = t->k.kernel[i]->part;
		if (kernel_put(t, t->k.kernel[i], number) < 0)
			return -1;
	}
	return 0;
}

static int trace_run(const struct view_trace *t, const struct class_rules *rules)
{
	struct view3 table = { .view = &v };
	struct decomp d;
	int rc = decomp_begin(&d, &v, t);

	if (rc == 0)
		rc = kernels_run(&table.k, &d, rules);
	if (rc == 0)
		rc = decomp_check(&d);
	if (rc == 0)
		rc = kernels_check(&table.k);
	if (rc == 0) {
		view3_gather(&table);
		rc = rows_put(&table);
	}
	if (rc == 0 && v.as_text)
		view3_text(&table);
	view3_release(&table);
	decomp_release(&d);
	return rc;
}

static int run(struct view *view)
{
	struct class_rules *rules = class_rules_open();
	int rc = rules ? 0 : -1;

	for (size_t i = 0; i < view->ntrace && rc == 0; i++)
		rc = trace_run(&view->trace[i], rules);
	class_rules_close(rules);
	return rc;
}

int main(int argc, char **argv)
{
	return view_main(&v, &page, argc, argv, run);
}
