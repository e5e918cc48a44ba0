/* view_lost_group.c - the same loss lined up across steps. */
#include "base.h"
#include "view_lost.h"

#include <stdlib.h>

#include "mem.h"

static uint64_t group_hash(const struct lost_group *g)
{
	uint64_t h = (uint64_t)g->frame * 0x9e3779b97f4a7c15u;
	h ^= ((uint64_t)g->op + 0x7f4a7c15u) * 0xbf58476d1ce4e5b9u;
	h ^= ((uint64_t)g->cause * 2 + g->is_run) * 0x94d049bb133111ebu;
	h ^= (uint64_t)(g->k + 2) * 0xff51afd7ed558ccdu;
	return h ^ h >> 31;
}

static bool group_same(const struct lost_group *a, const struct lost_group *b)
{
	return a->is_run == b->is_run && a->cause == b->cause && a->frame == b->frame &&
		a->op == b->op && a->k == b->k;
}

static void groups_rehash(struct lost_part *p)
{
	p->nbucket = MAX((size_t)256, p->nbucket * 2);
	free(p->bucket);
	p->bucket = xcalloc(p->nbucket, sizeof *p->bucket);
	for (size_t i = 0; i < p->ngroup; i++) {
		size_t at = group_hash(&p->group[i]) & (p->nbucket - 1);
		while (p->bucket[at])
			at = (at + 1) & (p->nbucket - 1);
		p->bucket[at] = (uint32_t)i + 1;
	}
}

/* NULL when there is no more room. */
static struct lost_group *group_of(struct lost_part *p, const struct lost_group *want)
{
	if (p->ngroup * 2 >= p->nbucket)
		groups_rehash(p);
	size_t at = group_hash(want) & (p->nbucket - 1);
	for (; p->bucket[at]; at = (at + 1) & (p->nbucket - 1))
		if (group_same(&p->group[p->bucket[at] - 1], want))
			return &p->group[p->bucket[at] - 1];
	if (p->ngroup >= LOST_GROUPS_MAX)
		return NULL;
	GROW(p->group, p->ngroup, p->capgroup);
	p->group[p->ngroup++] = *want;
	p->bucket[at] = (uint32_t)p->ngroup;
	return &p->group[p->ngroup - 1];
}

void lost_groups_add(struct lost_part *p, const struct loss *l, int64_t offset_ns)
{
	struct lost_group want = {
		.is_run = l->is_run, .cause = ledger_main(&l->ledger), .k = -1,
		.frame = l->place.n ? l->place.item[0].key[0] : 0,
		.op = l->place.n ? l->place.item[0].key[1] : 0, .step = SIZE_MAX,
	};
	struct lost_group *g = group_of(p, &want);
	if (!g)
		return;
	if (g->step != l->step)
		g->times = 0;
	g->step = l->step;
	want.k = g->times++;
	g = group_of(p, &want);
	if (!g)
		return;
	if (g->times < (int64_t)ARRAY_LEN(g->at)) {
		g->at[g->times].step = l->step;
		g->at[g->times].offset_ns = offset_ns;
	}
	if (l->cost_ns > g->longest_ns || !g->times) {
		g->longest_ns = l->cost_ns;
		g->after = l->is_run ? l->before : l->after;
		g->doing = l->doing;
	}
	g->times++;
	g->cost_ns += l->cost_ns;
	g->kernel_ns += l->kernel_ns;
}

static int group_by_cost(const void *pa, const void *pb)
{
	const struct lost_group *a = pa, *b = pb;
	if ((a->k < 0) != (b->k < 0))
		return a->k < 0 ? 1 : -1;
	if (a->cost_ns != b->cost_ns)
		return a->cost_ns > b->cost_ns ? -1 : 1;
	if (a->at[0].step != b->at[0].step)
		return a->at[0].step < b->at[0].step ? -1 : 1;
	if (a->at[0].offset_ns != b->at[0].offset_ns)
		return a->at[0].offset_ns < b->at[0].offset_ns ? -1 : 1;
	return (int)a->is_run - (int)b->is_run;
}

void lost_groups_sort(struct lost_part *p)
{
	if (p->ngroup)
		qsort(p->group, p->ngroup, sizeof *p->group, group_by_cost);
	/* counters of one step have done their work */
	while (p->ngroup && p->group[p->ngroup - 1].k < 0)
		p->ngroup--;
}
