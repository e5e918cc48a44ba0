/* view3.c - see view3.h. */
#include "base.h"
#include "view3.h"
#include "mem.h"

#include <stdlib.h>

static int class_cmp(const void *a, const void *b)
{
	const struct class_sum *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (sum_basis(x->part, &x->sum) != sum_basis(y->part, &y->sum))
		return sum_basis(x->part, &x->sum) > sum_basis(y->part, &y->sum) ? -1 : 1;
	if (x->sum.time_ns != y->sum.time_ns)
		return x->sum.time_ns > y->sum.time_ns ? -1 : 1;
	return (int)x->class - (int)y->class;
}

static int copy_cmp(const void *a, const void *b)
{
	const struct kernel_site *x = *(struct kernel_site *const *)a;
	const struct kernel_site *y = *(struct kernel_site *const *)b;
	int order;

	if (x->kernel->part != y->kernel->part)
		return x->kernel->part < y->kernel->part ? -1 : 1;
	if (x->sum.time_ns != y->sum.time_ns)
		return x->sum.time_ns > y->sum.time_ns ? -1 : 1;
	order = strcmp(x->kernel->name, y->kernel->name);
	if (!order)
		order = strcmp(x->op_name, y->op_name);
	if (!order)
		order = anchor_cmp(&x->anchor, &y->anchor);
	return order ? order : (int)x->blocking - (int)y->blocking;
}

void view3_gather(struct view3 *t)
{
	size_t parts = t->k.decomp->n, capcopy = 0, n = 0;
	struct class_sum *sum = xcalloc(parts * CLASS_COUNT + 1, sizeof *sum);

	for (size_t i = 0; i < parts * CLASS_COUNT; i++) {
		sum[i].part = &t->k.decomp->part[i / CLASS_COUNT];
		sum[i].class = (enum kernel_class)(i % CLASS_COUNT);
	}
	for (size_t i = 0; i < t->k.n; i++) {
		struct kernel *k = t->k.kernel[i];
		size_t part = (size_t)(k->part - t->k.decomp->part);

		op_sum_add(&sum[part * CLASS_COUNT + k->class].sum, &k->sum);
		for (size_t s = 0; k->cat == CAT_MEMCPY && s < k->nsite; s++) {
			if (!k->site[s]->sum.count)
				continue;
			GROW(t->copy, t->ncopy, capcopy);
			t->copy[t->ncopy++] = k->site[s];
		}
	}
	for (size_t i = 0; i < parts * CLASS_COUNT; i++)
		if (sum[i].sum.count || sum[i].sum.own_ns)
			sum[n++] = sum[i];
	qsort(sum, n, sizeof *sum, class_cmp);
	t->class = sum;
	t->nclass = n;
	if (t->ncopy)
		qsort(t->copy, t->ncopy, sizeof t->copy[0], copy_cmp);
}

void view3_release(struct view3 *t)
{
	kernels_release(&t->k);
	free(t->class);
	free(t->copy);
}
