/* rank_report_find.c - parts 2 and 3 of the report (rank_report.h). */
#include "base.h"
#include "rank_report.h"

#include "num.h"
#include "utf8.h"

#define EVIDENCE_ROWS_MAX 4
#define SEEN_ROWS_MAX 3
#define DOING_BYTES 100 /* of a name that time was spent in */

static void item(const struct rank_report *r, const char *name, struct text t)
{
	struct buf first = BUF_INIT;
	buf_addf(&first, "- **%s**: ", name);
	rank_report_wrap(r, first.data, "  ", t);
	buf_release(&first);
}

static void item_where(const struct rank_report *r, const struct finding *f)
{
	struct buf b = BUF_INIT;
	struct text how = row_text(f->row[0], "how");
	if (!row_has_place(f->row[0]))
		return;
	anchor_add(&b, f->row[0], NAMES_MARKED);
	if (!f->scope_known)
		buf_adds(&b, "; whose code it is cannot be told");
	else
		buf_adds(&b, f->in_scope ? "; in scope" : "; not in scope");
	if (text_is(how, "function"))
		buf_adds(&b, "; the line is where the function begins or stood");
	if (text_is(how, "other_thread"))
		buf_adds(&b, "; found by the thread that waited");
	if (f->row[0]->unit >= 0 && r->rank->job->about > 1)
		buf_addf(&b, "; on %" PRId64 " of %zu %s", f->devices, r->rank->job->about,
			r->rank->job->cpu_job ? "processes" : "devices");
	if (f->row[0]->rank != NO_NUM && r->rank->job->ranks > 1)
		buf_addf(&b, ", most on rank %" PRId64, f->row[0]->rank);
	if (f->phase) {
		buf_adds(&b, "; in the phase ");
		plain_add(&b, (struct text){ f->phase->name, strlen(f->phase->name) });
		buf_addf(&b, " (%s", f->phase->kind);
		if (f->phase->runs_on) {
			buf_adds(&b, ", on ");
			plain_add(&b, (struct text){ f->phase->runs_on,
				strlen(f->phase->runs_on) });
		}
		buf_addc(&b, ')');
	}
	item(r, "Where", buf_text(&b));
	buf_release(&b);
}

static void also_anchor(struct buf *b, const struct finding *f)
{
	size_t n = 0;
	for (size_t i = 1; i < f->n && n < 3; i++) {
		bool old = !row_get(f->row[i], "file");
		for (size_t k = 0; k < i && !old; k++)
			old = row_same_anchor(f->row[k], f->row[i]);
		if (old)
			continue;
		buf_adds(b, n++ ? ", " : "");
		anchor_add(b, f->row[i], NAMES_MARKED);
	}
}

static void item_also(const struct rank_report *r, const struct finding *f)
{
	struct buf b = BUF_INIT;
	also_anchor(&b, f);
	if (b.len)
		item(r, "Also at", buf_text(&b));
	buf_release(&b);
}

/* The names that its time was spent in, most first, each once. */
static void item_doing(const struct rank_report *r, const struct finding *f)
{
	struct buf b = BUF_INIT;
	size_t n = 0;
	const char *at = f->row[0]->doing.len ? f->row[0]->doing.data : "";
	while (*at && n < 4) {
		const char *nl = strchr(at, '\n');
		struct text t = { at, nl ? (size_t)(nl - at) : strlen(at) };
		bool old = b.len && memmem(b.data, b.len, t.s, t.n);
		if (t.n && !old) {
			struct buf cut = BUF_INIT;
			text_add_cut(&cut, t, DOING_BYTES);
			buf_adds(&b, n++ ? ", `" : "`");
			code_add(&b, buf_text(&cut));
			buf_addc(&b, '`');
			buf_release(&cut);
		}
		at += t.n + (nl != NULL);
	}
	if (n)
		item(r, "Spent in", buf_text(&b));
	buf_release(&b);
}

static void evidence_row(const struct rank_report *r, const struct rank_row *row)
{
	struct buf b = BUF_INIT, first = BUF_INIT;
	const char *field;
	for (size_t i = 0; (field = evidence_field(row, i)); i++) {
		int64_t n;
		if (!row_int(row, field, &n) || (row_true(row, "cpu_job") &&
		    strcmp(field, "in_run_ns") == 0)) /* there are no kernels to run */
			continue;
		buf_addf(&b, "%s%s ", b.len ? ", " : "", field);
		number_add(&b, field, n);
	}
	buf_adds(&first, "  - `");
	code_add(&first, row->key);
	buf_adds(&first, "`: ");
	if (b.len)
		rank_report_wrap(r, first.data, "    ", buf_text(&b));
	buf_release(&b);
	buf_release(&first);
}

static void item_evidence(const struct rank_report *r, const struct finding *f)
{
	if (r->rank->job->steps > 1)
		buf_adds(r->b, "- **Evidence**, over all steps but for a loss, which is one:\n");
	else
		buf_adds(r->b, "- **Evidence**:\n");
	for (size_t i = 0; i < MIN(f->n, (size_t)EVIDENCE_ROWS_MAX); i++)
		evidence_row(r, f->row[i]);
	for (size_t i = 0; i < MIN(f->nseen, (size_t)SEEN_ROWS_MAX); i++)
		evidence_row(r, f->seen[i]);
}

/* The first finding of the same cause, which explained it; i itself if none. */
static size_t finding_first(const struct rank *rank, size_t i)
{
	size_t first = 0;
	while (rank->finding[first].cause != rank->finding[i].cause)
		first++;
	return first;
}

static void item_why(const struct rank_report *r, size_t i)
{
	const struct finding *f = &r->rank->finding[i];
	size_t first = finding_first(r->rank, i);
	struct buf b = BUF_INIT;
	if (first < i)
		buf_addf(&b, "as in finding %zu", first + 1);
	else
		words_add(&b, f->cause->why, f->row[0], NAMES_MARKED);
	item(r, "Why", buf_text(&b));
	buf_release(&b);
}

static void item_trust(const struct rank_report *r, size_t i)
{
	const struct finding *f = &r->rank->finding[i];
	struct buf b = BUF_INIT;
	size_t first = 0;
	while (!text_eq(buf_text(&r->rank->finding[first].raise), buf_text(&f->raise)))
		first++;
	buf_adds(&b, trust_name(f->trust));
	if (f->raise.len && first < i)
		buf_addf(&b, ". To raise it: as in finding %zu", first + 1);
	else if (f->raise.len)
		buf_addf(&b, ". To raise it: %s", f->raise.data);
	item(r, "Confidence", buf_text(&b));
	buf_release(&b);
}

static void finding_add(const struct rank_report *r, size_t i)
{
	const struct finding *f = &r->rank->finding[i];
	struct buf b = BUF_INIT;
	buf_addf(r->b, "### %zu. %s\n\n", i + 1, f->cause->name);
	words_add(&b, f->cause->title, f->row[0], NAMES_MARKED);
	buf_addc(&b, '.');
	rank_report_wrap(r, "", "", buf_text(&b));
	buf_addc(r->b, '\n');
	buf_reset(&b);
	cost_add(&b, r, f);
	if (f->raw_ns > f->cost_ns && f->charges)
		buf_adds(&b, f->of == CHARGE_IDLE || r->rank->job->cpu_job ?
			"; the profiler's own weight is taken out" :
			"; what is hidden while the host is late anyway is left out");
	item(r, f->charges ? "Cost" : "Measured", buf_text(&b));
	item_where(r, f);
	item_also(r, f);
	item_doing(r, f);
	item_why(r, i);
	item_evidence(r, f);
	item_trust(r, i);
	buf_addc(r->b, '\n');
	buf_release(&b);
}

static void cleared_add(const struct rank_report *r, const struct cleared *x)
{
	struct buf b = BUF_INIT;
	const char *word = x->cause->way == WAY_MOST ? "from" : "under";
	buf_addf(&b, "%s: ", x->cause->clear);
	percent_add(&b, x->number_micro);
	buf_addf(&b, " (%s ", word);
	percent_add(&b, x->cause->threshold_micro);
	buf_addc(&b, ')');
	if (x->raw_micro > x->number_micro && x->raw_micro >= x->cause->threshold_micro) {
		buf_adds(&b, "; ");
		percent_add(&b, x->raw_micro);
		buf_adds(&b, " of the time, but hidden: the device waits for the host anyway");
	}
	if (x->n) {
		buf_adds(&b, " `");
		code_add(&b, x->row[0]->key);
		buf_addc(&b, '`');
	}
	rank_report_wrap(r, "- ", "  ", buf_text(&b));
	buf_release(&b);
}

/* Causes of which there was nothing at all, in one breath. */
static void cleared_none(const struct rank_report *r)
{
	struct buf b = BUF_INIT;
	for (size_t i = 0; i < r->rank->ncleared; i++)
		if (!r->rank->cleared[i].n)
			buf_addf(&b, "%s%s", b.len ? "; " : "", r->rank->cleared[i].cause->clear);
	if (b.len) {
		buf_addc(&b, '.');
		rank_report_wrap(r, "- Nothing at all of these: ", "  ", buf_text(&b));
	}
	buf_release(&b);
}

static void small_add(const struct rank_report *r)
{
	const struct rank *rank = r->rank;
	struct buf b = BUF_INIT;
	buf_adds(&b, "Small change: " RANK_SMALL_TITLE ": ");
	percent_add(&b, rank_small_micro(rank));
	rank_report_wrap(r, "- ", "  ", buf_text(&b));
	buf_release(&b);
}

void rank_report_findings(const struct rank_report *r)
{
	const struct rank *rank = r->rank;
	size_t shown = rank_report_shown(r);
	buf_adds(r->b, "## 2. Findings\n\n");
	if (!rank->n && rank->job->works.unread && !rank->job->busy_known)
		rank_report_line(r, "None: no cost can be told without the device's part of the "
			"trace.\n");
	else if (!rank->n)
		rank_report_line(r, "None: nothing that was looked at costs enough to be named.\n");
	if (rank->n > 1)
		rank_report_line(r, "Costs do not overlap: no ns is in two of them.%s\n",
			rank->job->cpu_job || rank->job->binds == BINDS_DEVICE ? "" :
			" Together they can still win less than their sum: once the host is "
			"quicker, kernel time shows that was hidden behind it.");
	for (size_t i = 0; i < shown; i++)
		finding_add(r, i);
	if (shown < rank->n)
		buf_addf(r->b, "... and %zu more (--top)\n\n", rank->n - shown);
	if (!rank->ncleared && !rank->nsmall)
		return;
	buf_adds(r->b, "### Not the problem\n\n");
	rank_report_line(r, "Tried and under the threshold; shares are of the steps, or of the "
		"run%s for what is outside of them.", rank->job->run_cut ?
		" as far as it was timed" : "");
	buf_addc(r->b, '\n');
	for (size_t i = 0; i < rank->ncleared; i++)
		if (rank->cleared[i].n)
			cleared_add(r, &rank->cleared[i]);
	cleared_none(r);
	if (rank->nsmall)
		small_add(r);
	buf_addc(r->b, '\n');
}

static void ceiling_add(const struct rank_report *r, const struct finding *f)
{
	struct buf b = BUF_INIT;
	if (row_has_place(f->row[0])) {
		if (text_is(row_text(f->row[0], "class"), "operator") && row_get(f->row[0], "file")) {
			plain_add(&b, row_text(f->row[0], "name"));
			buf_adds(&b, " at ");
		}
		anchor_add(&b, f->row[0], NAMES_MARKED);
		buf_adds(&b, f->scope_known ? f->in_scope ? "" : ", not in scope" : ", whose code it "
			"is cannot be told");
		buf_adds(&b, ": ");
	}
	cost_add(&b, r, f);
	rank_report_wrap(r, "   - ", "     ", buf_text(&b));
	buf_release(&b);
}

/* One direction for all findings of a cause, each with its ceiling. */
static void direction_add(const struct rank_report *r, size_t i, size_t number)
{
	const struct finding *f = &r->rank->finding[i];
	struct buf b = BUF_INIT, first = BUF_INIT;
	buf_addf(&first, "%zu. ", number);
	words_add(&b, f->cause->direction, f->row[0], NAMES_MARKED);
	buf_addf(&b, " (%s)", f->cause->name);
	rank_report_wrap(r, first.data, "   ", buf_text(&b));
	buf_reset(&b);
	buf_addf(&b, "Effort: %s. Numerics: %s. Code: %s.", f->cause->effort, f->cause->numerics,
		f->cause->code ? f->cause->code : "yours");
	rank_report_wrap(r, "   ", "   ", buf_text(&b));
	for (size_t k = i; k < rank_report_shown(r); k++)
		if (r->rank->finding[k].cause == f->cause)
			ceiling_add(r, &r->rank->finding[k]);
	buf_addc(r->b, '\n');
	buf_release(&b);
	buf_release(&first);
}

void rank_report_prescription(const struct rank_report *r)
{
	buf_adds(r->b, "## 3. What to do\n\n");
	if (!r->rank->n) {
		rank_report_line(r, "Nothing follows from what was found.");
		return;
	}
	rank_report_line(r, "A ceiling is the most that can be won, not a forecast; after each "
		"change, measure again. "
		"Ceilings do not overlap.");
	buf_addc(r->b, '\n');
	for (size_t i = 0, number = 0; i < rank_report_shown(r); i++)
		if (finding_first(r->rank, i) == i)
			direction_add(r, i, ++number);
}
