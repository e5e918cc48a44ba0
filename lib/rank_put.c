/* rank_put.c - see rank_put.h. */
#include "base.h"
#include "rank_put.h"

#include <stdio.h>

#include "num.h"
#include "rank_text.h"

#define EVIDENCE_ROWS_MAX 8
#define SLICES_MAX 64

static void put_words(struct jw *w, const char *key, const char *words, const struct finding *f)
{
	struct buf b = BUF_INIT;
	words_add(&b, words, f->row[0], NAMES_BARE);
	jw_ktext(w, key, buf_text(&b));
	buf_release(&b);
}

static void put_micro(struct jw *w, const char *key, int64_t micro)
{
	struct buf b = BUF_INIT;
	micro_put(&b, micro);
	jw_key(w, key);
	jw_raw(w, buf_text(&b));
	buf_release(&b);
}

static void put_evidence_row(struct jw *w, const struct rank_row *row)
{
	const char *field;
	for (size_t i = 0; (field = evidence_field(row, i)); i++) {
		int64_t n;
		if (!row_int(row, field, &n))
			continue;
		jw_open(w, '{');
		jw_ktext(w, "row", row->key);
		jw_kstr(w, "field", field);
		jw_kint(w, "value", n);
		jw_close(w, '}');
	}
}

static void put_evidence(struct jw *w, const struct finding *f)
{
	jw_key(w, "evidence");
	jw_open(w, '[');
	for (size_t i = 0; i < MIN(f->n, (size_t)EVIDENCE_ROWS_MAX); i++)
		put_evidence_row(w, f->row[i]);
	for (size_t i = 0; i < f->nseen; i++)
		put_evidence_row(w, f->seen[i]);
	jw_close(w, ']');
}

static void put_charged(struct jw *w, const struct finding *f, bool stores)
{
	jw_key(w, "charged");
	jw_open(w, '[');
	for (size_t i = 0; f->charges && i < f->n; i++) {
		struct buf b = BUF_INIT;
		if (stores)
			buf_addf(&b, "store %d ", f->row[i]->store);
		buf_add(&b, f->row[i]->key.s ? f->row[i]->key.s : "", f->row[i]->key.n);
		jw_text(w, buf_text(&b));
		buf_release(&b);
	}
	jw_close(w, ']');
}

struct slices {
	struct jw *w;
	int64_t shift_ns, pair[2];
	size_t n, npair;
};

static int slice_number(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct slices *s = arg;
	(void)key;
	if (type != REC_NUM || s->npair >= 2)
		return -1;
	return num_int(value, INT64_MIN / 4, INT64_MAX / 4, &s->pair[s->npair++]);
}

static int slice_pair(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct slices *s = arg;
	(void)key;
	s->npair = 0;
	if (type != REC_ARR || rec_each(value, slice_number, s) != 0 || s->npair != 2)
		return -1;
	if (s->n++ >= SLICES_MAX)
		return 0;
	jw_open(s->w, '[');
	jw_int(s->w, s->pair[0] + s->shift_ns);
	jw_int(s->w, s->pair[1]);
	jw_close(s->w, ']');
	return 0;
}

/* Those of the trace that the finding names, in our own epoch. */
static void put_slices(struct jw *w, const struct finding *f, const struct rank *rank)
{
	struct slices s = { .w = w };
	jw_key(w, "slices");
	jw_open(w, '[');
	for (size_t i = 0; i < f->n && s.n < SLICES_MAX; i++) {
		const struct rank_row *row = f->row[i];
		const struct rank_field *list = row_get(row, "slices");
		if (!list || list->type != REC_ARR || row->unit != f->row[0]->unit)
			continue;
		if (__builtin_sub_overflow(row->epoch_ns, rank->rows->epoch_ns, &s.shift_ns) ||
		    s.shift_ns > NS_MAX)
			continue;
		(void)!rec_each(list->value, slice_pair, &s);
	}
	jw_close(w, ']');
}

static void put_anchor(struct jw *w, const struct rank_row *row)
{
	int64_t line;
	if (row->trace != NO_NUM)
		jw_kint(w, "trace", row->trace);
	if (row->rank != NO_NUM)
		jw_kint(w, "rank", row->rank);
	if (row->device.n)
		jw_ktext(w, "device", row->device);
	jw_ktext(w, "file", row_text(row, "file"));
	if (row_int(row, "line", &line))
		jw_kint(w, "line", line);
	jw_ktext(w, "func", row_text(row, "func"));
	jw_ktext(w, "op", row_text(row, "op"));
	jw_ktext(w, "how", row_text(row, "how"));
}

static void put_cost(struct jw *w, const struct finding *f)
{
	static const char *const OF[] = { NULL, "run", "window", "timed_steps" };
	if (!f->charges) {
		put_micro(w, "number", f->number_micro);
		put_micro(w, "threshold", f->cause->threshold_micro);
		return;
	}
	jw_kint(w, "cost_ns_per_step", f->per_step_ns);
	if (f->share_micro != NO_NUM)
		put_micro(w, "cost_share", f->share_micro);
	jw_kstr(w, "share_of", OF[f->share_of]);
	jw_kint(w, "cost_ns", f->cost_ns);
	if (f->raw_ns > f->cost_ns)
		jw_kint(w, "hidden_ns", f->raw_ns - f->cost_ns);
	jw_kbool(w, "ceiling", true);
}

static void put_devices(struct jw *w, const struct finding *f, const struct rank *rank)
{
	if (rank->job->about < 2 || f->row[0]->unit < 0)
		return;
	jw_kint(w, "devices", f->devices);
	jw_kint(w, "of_devices", (int64_t)rank->job->about);
}

static void put_action(struct jw *w, const struct finding *f)
{
	if (f->scope_known)
		jw_kbool(w, "in_scope", f->in_scope);
	jw_kstr(w, "confidence", trust_name(f->trust));
	if (f->raise.len)
		jw_ktext(w, "raise_confidence", buf_text(&f->raise));
	put_words(w, "direction", f->cause->direction, f);
	jw_kstr(w, "effort", f->cause->effort);
	jw_kstr(w, "numerics", f->cause->numerics);
	if (f->phase) {
		jw_kstr(w, "phase", f->phase->name);
		jw_kstr(w, "phase_kind", f->phase->kind);
	}
}

static int finding_put(struct stream_writer *sw, const struct rank *rank, size_t i)
{
	const struct finding *f = &rank->finding[i];
	char key[32];
	struct jw *w = stream_begin(sw, "finding");
	snprintf(key, sizeof key, "finding:%zu", i + 1);
	jw_kstr(w, "key", key);
	jw_kint(w, "rank_no", (int64_t)i + 1);
	put_words(w, "title", f->cause->title, f);
	jw_kstr(w, "cause", f->cause->name);
	put_anchor(w, f->row[0]);
	put_devices(w, f, rank);
	put_cost(w, f);
	put_words(w, "root_cause", f->cause->why, f);
	put_action(w, f);
	put_evidence(w, f);
	put_charged(w, f, rank->rows->nstore > 1);
	put_slices(w, f, rank);
	return stream_put(sw);
}

static int cleared_put(struct stream_writer *sw, const struct cleared *x)
{
	struct buf key = BUF_INIT;
	struct jw *w = stream_begin(sw, "cleared");
	buf_addf(&key, "cleared:%s", x->cause->name);
	jw_ktext(w, "key", buf_text(&key));
	buf_release(&key);
	jw_kstr(w, "title", x->cause->clear);
	jw_kstr(w, "cause", x->cause->name);
	put_micro(w, "number", x->number_micro);
	put_micro(w, "threshold", x->cause->threshold_micro);
	if (x->raw_micro > x->number_micro)
		put_micro(w, "before_hidden", x->raw_micro);
	jw_key(w, "evidence");
	jw_open(w, '[');
	for (size_t i = 0; i < x->n; i++)
		put_evidence_row(w, x->row[i]);
	jw_close(w, ']');
	return stream_put(sw);
}

/* What causes took in pieces too small to name. */
static int small_put(struct stream_writer *sw, const struct rank *rank)
{
	struct jw *w = stream_begin(sw, "cleared");
	jw_kstr(w, "key", "cleared:small-change");
	jw_kstr(w, "title", RANK_SMALL_TITLE);
	jw_kstr(w, "cause", "small-change");
	put_micro(w, "number", rank_small_micro(rank));
	jw_kint(w, "cost_ns", rank->small_ns);
	jw_kint(w, "places", (int64_t)rank->nsmall);
	return stream_put(sw);
}

int rank_put(struct stream_writer *w, const struct rank *rank)
{
	for (size_t i = 0; i < rank->n; i++)
		if (finding_put(w, rank, i) != 0)
			return -1;
	for (size_t i = 0; i < rank->ncleared; i++)
		if (cleared_put(w, &rank->cleared[i]) != 0)
			return -1;
	return rank->nsmall ? small_put(w, rank) : 0;
}
