/* rank_join.c - see rank_join.h. */
#include "base.h"
#include "rank_join.h"

#include <stdlib.h>

#include "mem.h"

static int unit_order(const void *a, const void *b)
{
	const struct rank_row *x = *(struct rank_row *const *)a, *y = *(struct rank_row *const *)b;
	int order = (x->unit > y->unit) - (x->unit < y->unit);
	return order ? order : row_compare(x, y);
}

void rank_index_init(struct rank_index *x, struct rank_rows *rows, const char *kind)
{
	x->row = xcalloc(rows->n ? rows->n : 1, sizeof *x->row);
	x->n = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (row_is(&rows->row[i], kind))
			x->row[x->n++] = &rows->row[i];
	qsort(x->row, x->n, sizeof *x->row, unit_order);
}

struct rank_row **rank_index_unit(const struct rank_index *x, int unit, size_t *n)
{
	size_t low = 0, high = x->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (x->row[middle]->unit < unit)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < x->n && x->row[low + *n]->unit == unit;)
		++*n;
	return x->row + low;
}

void rank_index_release(struct rank_index *x)
{
	free(x->row);
	*x = (struct rank_index){ 0 };
}

static bool same_text(const struct rank_row *a, const struct rank_row *b, const char *key)
{
	return text_eq(row_text(a, key), row_text(b, key));
}

static void words_join(struct rank_row *to, const struct rank_row *from)
{
	static const char *const KEYS[] = { "doing", "blocked_in", "op", "call" };
	for (size_t i = 0; i < ARRAY_LEN(KEYS); i++)
		row_words(from, KEYS[i], &to->doing);
}

/* DOING_MAX: a job with thousands of losses at one line repeats the same few
 * names; conditions look at the first of them. */
#define DOING_MAX 4000

static void site_join(struct rank_row *site, const struct rank_index *losses)
{
	size_t n;
	struct rank_row **loss = rank_index_unit(losses, site->unit, &n);
	words_join(site, site);
	for (size_t i = 0; i < n && site->doing.len < DOING_MAX; i++)
		if (same_text(site, loss[i], "cause") && row_same_anchor(site, loss[i]))
			words_join(site, loss[i]);
}

/* What a launch was for is known where the host was late before it. */
static void launch_join(struct rank_row *launch, const struct rank_index *sites)
{
	size_t n;
	struct rank_row **site = rank_index_unit(sites, launch->unit, &n);
	if (launch->doing.len || !text_is(row_text(launch, "cause"), "launch"))
		return;
	for (size_t i = 0; i < n; i++)
		if (text_is(row_text(site[i], "cause"), "host") && row_same_anchor(launch, site[i]))
			buf_add(&launch->doing, site[i]->doing.data ? site[i]->doing.data : "",
				site[i]->doing.len);
}

static void copies_join(struct rank_row *row, const struct rank_index *copies)
{
	size_t n;
	struct rank_row **copy = rank_index_unit(copies, row->unit, &n);
	for (size_t i = 0; i < n && row->copies.len < DOING_MAX; i++) {
		if (!row_same_anchor(row, copy[i]))
			continue;
		struct text direction = row_text(copy[i], "direction");
		buf_add(&row->copies, direction.s ? direction.s : "", direction.n);
		buf_adds(&row->copies, row_true(copy[i], "pageable") ? " pageable" : " pinned");
		buf_adds(&row->copies, row_true(copy[i], "blocking") ? " blocking " : " ");
		struct text op = row_text(copy[i], "op");
		buf_add(&row->copies, op.s ? op.s : "", op.n);
		buf_addc(&row->copies, '\n');
	}
}

/* Operators whose kernels the site's line launched, each once; where there is no
 * line, of the whole device. */
static void ops_join(struct rank_row *site, const struct rank_index *kernels)
{
	size_t n;
	struct rank_row **k = rank_index_unit(kernels, site->unit, &n);
	for (size_t i = 0; i < n && site->ops.len < DOING_MAX; i++) {
		struct text op = row_text(k[i], "op");
		if (!op.n || (row_get(site, "file") && !row_same_anchor(site, k[i])))
			continue;
		if (!site->ops.len || !memmem(site->ops.data, site->ops.len, op.s, op.n)) {
			buf_add(&site->ops, op.s, op.n);
			buf_addc(&site->ops, '\n');
		}
	}
}

/* A trace has one kind of loader as a rule; its name need not be in what every
 * site of it did. */
static const char *loader_of(const struct rank_index *sites, int unit)
{
	size_t n;
	bool own = false, workers = false;
	struct rank_row **site = rank_index_unit(sites, unit, &n);
	for (size_t i = 0; i < n; i++) {
		const char *doing = site[i]->doing.len ? site[i]->doing.data : "";
		own |= strstr(doing, "_SingleProcessDataLoaderIter") != NULL;
		workers |= strstr(doing, "_MultiProcessingDataLoaderIter") != NULL;
	}
	return own == workers ? NULL : own ? "main" : "workers";
}

static void sites_join(const struct rank_index *sites, const struct rank_index *kernels)
{
	const char *loader = NULL;
	for (size_t i = 0; i < sites->n; i++) {
		struct rank_row *site = sites->row[i];
		if (i == 0 || sites->row[i - 1]->unit != site->unit)
			loader = loader_of(sites, site->unit);
		site->loader = loader;
		launch_join(site, sites);
		ops_join(site, kernels);
	}
}

/* Collectives of the kernel's own name, else of its line, else all. */
static bool collective_fits(const struct rank_row *kernel, const struct rank_row *c, int how)
{
	if (how == 0)
		return same_text(kernel, c, "name");
	return how == 2 || (row_get(kernel, "file") && row_same_anchor(kernel, c));
}

static void wait_join(struct rank_row *kernel, const struct rank_index *collectives)
{
	size_t n;
	struct rank_row **c = rank_index_unit(collectives, kernel->unit, &n);
	for (int how = 0; how < 3; how++) {
		int64_t wait_ns = 0, all_ns = 0;
		for (size_t i = 0; i < n; i++) {
			if (!collective_fits(kernel, c[i], how))
				continue;
			if (!row_get(c[i], "wait_ns"))
				continue;
			ns_add(&wait_ns, row_ns(c[i], "wait_ns"));
			ns_add(&all_ns, row_ns(c[i], "wait_ns"));
			ns_add(&all_ns, row_ns(c[i], "wire_ns"));
		}
		if (all_ns > 0) {
			kernel->wait_permille = scale(wait_ns, 1000, all_ns);
			return;
		}
	}
}

/* Of the run that this rank is in, the rank for which the others waited longest,
 * if they waited for it more than for all others together. */
static void late_join(struct rank_row *kernel, const struct rank_index *ranks)
{
	const struct rank_row *own = NULL, *late = NULL;
	int64_t all_ns = 0;
	for (size_t i = 0; i < ranks->n && !own; i++)
		if (ranks->row[i]->trace == kernel->trace && ranks->row[i]->store == kernel->store)
			own = ranks->row[i];
	for (size_t i = 0; own && i < ranks->n; i++) {
		const struct rank_row *r = ranks->row[i];
		if (row_num(r, "run") != row_num(own, "run"))
			continue;
		ns_add(&all_ns, row_ns(r, "others_waited_ns"));
		if (!late || row_ns(r, "others_waited_ns") > row_ns(late, "others_waited_ns"))
			late = r;
	}
	if (late && row_ns(late, "others_waited_ns") * 2 > all_ns)
		kernel->late = late;
}

static const struct rank_unit *unit_like(const struct rank_job *job, const struct rank_row *r)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct rank_unit *u = &job->unit[i];
		if (u->store == r->store && u->trace == r->trace && u->rank == r->rank &&
		    text_eq(u->device, r->device))
			return u;
	}
	return NULL;
}

static bool row_is_joined(const struct rank_row *r)
{
	static const char *const KINDS[] = { "view2.loss", "view3.copy", "view4.collective",
		"view3.class", "view4.total", "view5.device", "view5.live" };
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (row_is(r, KINDS[i]))
			return true;
	return false;
}

void rank_join(const struct rank_job *job, struct rank_rows *rows)
{
	struct rank_index sites, kernels, losses, copies, collectives, ranks;
	const struct rank_unit *last = NULL;
	for (size_t i = 0; i < rows->n; i++) {
		struct rank_row *r = &rows->row[i];
		if (r->unit >= 0 || !row_is_joined(r) || row_true(r, "any_device"))
			continue;
		if (!last || last->store != r->store || last->trace != r->trace ||
		    last->rank != r->rank || !text_eq(last->device, r->device))
			last = unit_like(job, r);
		r->unit = last ? (int)(last - job->unit) : -1;
	}
	rank_index_init(&sites, rows, "view2.site");
	rank_index_init(&kernels, rows, "view3.kernel");
	rank_index_init(&losses, rows, "view2.loss");
	rank_index_init(&copies, rows, "view3.copy");
	rank_index_init(&collectives, rows, "view4.collective");
	rank_index_init(&ranks, rows, "view4.rank");
	for (size_t i = 0; i < rows->n; i++) {
		struct rank_row *r = &rows->row[i];
		if (row_is(r, "view2.site"))
			site_join(r, &losses);
		else if (row_is(r, "view3.kernel"))
			words_join(r, r);
		if (row_is(r, "view2.site") || row_is(r, "view3.kernel"))
			copies_join(r, &copies);
		if (row_is(r, "view3.kernel") && text_is(row_text(r, "class"), "communication")) {
			wait_join(r, &collectives);
			late_join(r, &ranks);
		}
	}
	sites_join(&sites, &kernels);
	rank_index_release(&sites);
	rank_index_release(&kernels);
	rank_index_release(&losses);
	rank_index_release(&copies);
	rank_index_release(&collectives);
	rank_index_release(&ranks);
}
