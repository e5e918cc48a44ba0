/* rank_report_cpu.c - what the step of a job without a device is made of
 * (rank_report.h): operators by their own time, and between them the lines of Python. */
#include "base.h"
#include "rank_report.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"

#define BAR_CELLS 60
#define ITEMS_MAX 12

static bool is_part(const struct rank_report *r, const struct rank_row *row)
{
	return row->unit >= 0 && !r->rank->job->unit[row->unit].left_out && row_charge(row) > 0 &&
		(row_is(row, "view2.site") || row_is(row, "view3.kernel"));
}

static int field_compare(const struct rank_row *a, const struct rank_row *b, const char *key)
{
	const struct rank_field *x = row_get(a, key), *y = row_get(b, key);
	return text_compare(x ? x->value : TEXT(""), y ? y->value : TEXT(""));
}

/* Parts of several ranks that are the same operator or the same place. */
static int same_order(const struct rank_row *a, const struct rank_row *b)
{
	static const char *const OPERATOR[] = { "name" };
	static const char *const PLACE[] = { "file", "line", "func", "cause" };
	bool site = row_is(a, "view2.site");
	const char *const *key = site ? PLACE : OPERATOR;
	int order = text_compare(a->kind, b->kind);
	for (size_t i = 0; i < (site ? ARRAY_LEN(PLACE) : ARRAY_LEN(OPERATOR)) && !order; i++)
		order = field_compare(a, b, key[i]);
	return order;
}

static int row_order(const void *a, const void *b)
{
	const struct rank_row *x = *(const struct rank_row *const *)a;
	const struct rank_row *y = *(const struct rank_row *const *)b;
	int order = same_order(x, y);
	return order ? order : row_compare(x, y);
}

struct item {
	const struct rank_row *row; /* the largest of them */
	int64_t ns, row_ns;
};

static int item_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return row_compare(x->row, y->row);
}

static size_t items_sum(const struct rank_report *r, struct item *item)
{
	const struct rank_rows *rows = r->rank->rows;
	const struct rank_row **row = xcalloc(rows->n + 1, sizeof(const struct rank_row *));
	size_t n = 0, items = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (is_part(r, &rows->row[i]))
			row[n++] = &rows->row[i];
	if (n)
		qsort(row, n, sizeof *row, row_order);
	for (size_t i = 0; i < n; i++) {
		if (!i || same_order(row[i - 1], row[i]))
			item[items++] = (struct item){ .row = row[i] };
		struct item *to = &item[items - 1];
		ns_add(&to->ns, row_charge(row[i]));
		if (row_charge(row[i]) > to->row_ns) {
			to->row = row[i];
			to->row_ns = row_charge(row[i]);
		}
	}
	free(row);
	if (items)
		qsort(item, items, sizeof *item, item_order);
	return items;
}

static void what_add(struct buf *b, const struct rank_row *row)
{
	if (row_is(row, "view3.kernel"))
		code_add(b, row_text(row, "name"));
	else if (text_is(row_text(row, "cause"), "input"))
		buf_adds(b, "data loader");
	else if (text_is(row_text(row, "cause"), "unknown"))
		buf_adds(b, "not recorded");
	else
		buf_adds(b, row_get(row, "file") ? "Python" : "Python between operators");
}

static void item_row(struct tab *t, const struct rank_row *row, int64_t ns, int64_t wall_ns,
	int64_t steps)
{
	char step[NUM_LEN], share[NUM_LEN];
	struct buf b = BUF_INIT;
	what_add(&b, row);
	if (row_get(row, "file")) {
		buf_adds(&b, " at ");
		anchor_add(&b, row, NAMES_BARE);
		if (row_num(row, "nsites") > 1)
			buf_addf(&b, ", %" PRId64 " more", row_num(row, "nsites") - 1);
	}
	tab_row(t, num_fmt_ns(step, ns / steps), num_fmt_share(share, ns, wall_ns), b.data);
	buf_release(&b);
}

static void rest_row(struct tab *t, int64_t ns, int64_t wall_ns, int64_t steps, const char *what)
{
	char step[NUM_LEN], share[NUM_LEN];
	if (ns > 0)
		tab_row(t, num_fmt_ns(step, ns / steps), num_fmt_share(share, ns, wall_ns), what);
}

static void items_put(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	int64_t steps = MAX(job->steps, 1), wall_ns = job->busy_ns + job->idle_ns;
	int64_t operators_ns = 0, outside_ns = 0;
	struct item *item = xcalloc(r->rank->rows->n + 1, sizeof *item);
	size_t n = items_sum(r, item), shown = MIN(n, (size_t)ITEMS_MAX);
	struct tab *t = tab_new("rrw");
	tab_head(t, job->whole ? "time" : "a step", "of it", "what, and where");
	for (size_t i = 0; i < shown; i++) {
		bool operator = row_is(item[i].row, "view3.kernel");
		ns_add(operator ? &operators_ns : &outside_ns, item[i].ns);
		item_row(t, item[i].row, item[i].ns, wall_ns, steps);
	}
	rest_row(t, job->busy_ns - operators_ns, wall_ns, steps, "other operators");
	rest_row(t, job->idle_ns - outside_ns, wall_ns, steps, "other time without an operator");
	rest_row(t, wall_ns, wall_ns, steps, "= wall");
	rank_report_table(r, t);
	free(item);
}

void rank_report_cpu(const struct rank_report *r)
{
	const struct rank_job *job = r->rank->job;
	int64_t wall_ns = job->busy_ns + job->idle_ns, steps = MAX(job->steps, 1);
	struct tab_part part[] = { { 'O', job->busy_ns }, { '.', job->idle_ns } };
	char operators[NUM_LEN], outside[NUM_LEN], share[2][NUM_LEN];
	if (!wall_ns)
		return;
	rank_report_line(r, "What %s%s is made of%s:", job->whole ? "the window" : "a step",
		job->about > 1 ? ", on average over all "
		"processes," : steps > 1 ? ", on average," : "", job->weighed ? ", as profiled" : "");
	buf_adds(r->b, "\n    ");
	tab_bar(r->b, part, ARRAY_LEN(part), BAR_CELLS);
	buf_adds(r->b, "\n\n");
	rank_report_line(r, "O operators of PyTorch %s (%s), . no operator %s (%s).",
		num_fmt_ns(operators, job->busy_ns / steps), num_fmt_share(share[0], job->busy_ns, wall_ns),
		num_fmt_ns(outside, job->idle_ns / steps), num_fmt_share(share[1], job->idle_ns, wall_ns));
	buf_addc(r->b, '\n');
	items_put(r);
}
