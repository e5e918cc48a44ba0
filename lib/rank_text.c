/* rank_text.c - see rank_text.h. */
#include "base.h"
#include "rank_text.h"

#include <stdlib.h>

#include "jw.h"
#include "kname.h"
#include "num.h"
#include "utf8.h"

#define NAME_MAX_BYTES 67  /* of a kernel's or operator's name in a sentence */

void code_add(struct buf *b, struct text t)
{
	size_t at = b->len;

	jw_escape(b, t);
	for (; at < b->len; at++)
		if (b->data[at] == '`')
			b->data[at] = '\'';
}

void plain_add(struct buf *b, struct text t)
{
	bool more = false;

	for (size_t i = 0; i < t.n; i++)
		more |= t.s[i] && strchr("<[`*_&!|", t.s[i]);
	buf_adds(b, more ? "`" : "");
	code_add(b, t);
	buf_adds(b, more ? "`" : "");
}

static void name_add(struct buf *b, struct text t)
{
	struct buf cut = BUF_INIT;
	text_add_cut(&cut, t, NAME_MAX_BYTES);
	code_add(b, buf_text(&cut));
	buf_release(&cut);
}

static void mark_add(struct buf *b, enum face_of_names face)
{
	if (face == NAMES_MARKED)
		buf_addc(b, '`');
}

static void file_add(struct buf *b, struct text file, const struct rank_row *row)
{
	const struct rank_field *line = row_get(row, "line");
	code_add(b, file);
	if (!line)
		return;
	buf_addc(b, ':');
	buf_add(b, line->value.s, line->value.n);
}

/* Without its directories. */
static struct text file_name(struct text file)
{
	const char *slash = file.n ? memrchr(file.s, '/', file.n) : NULL;
	if (!slash || slash + 1 == file.s + file.n)
		return file;
	return (struct text){ slash + 1, (size_t)(file.s + file.n - slash - 1) };
}

static struct text first_line(struct text t)
{
	const char *end = t.n ? memchr(t.s, '\n', t.n) : NULL;
	return end ? (struct text){ t.s, (size_t)(end - t.s) } : t;
}

/* What a row is called that has no line. */
static struct text name_of(const struct rank_row *row)
{
	struct text t = { NULL, 0 };
	if (text_is(row_text(row, "class"), "communication"))
		t = row_text(row, "name"); /* its operator is the same for all kinds */
	if (!t.n)
		t = row_text(row, "op");
	if (!t.n)
		t = row_text(row, "phase");
	if (!t.n)
		t = first_line(buf_text(&row->doing));
	return t.n ? t : row_text(row, "name");
}

static void op_add(struct buf *b, const struct rank_row *row, enum face_of_names face)
{
	struct text name = name_of(row);
	if (!name.n) {
		buf_adds(b, "work that left no record");
		return;
	}
	mark_add(b, face);
	if (name.s == row_text(row, "name").s) { /* a kernel's: mostly namespaces */
		char *shorter = kname_short(name.s);
		name_add(b, (struct text){ shorter, strlen(shorter) });
		free(shorter);
	} else {
		name_add(b, name);
	}
	mark_add(b, face);
}

void anchor_add(struct buf *b, const struct rank_row *row, enum face_of_names face)
{
	struct text func = row_text(row, "func"), file = row_text(row, "file");
	if (!file.n) {
		buf_adds(b, "no line known");
		if (name_of(row).n) {
			buf_adds(b, "; most in ");
			op_add(b, row, face);
		}
		return;
	}
	mark_add(b, face);
	file_add(b, file, row);
	if (func.n) {
		buf_adds(b, " (");
		name_add(b, func);
		buf_addc(b, ')');
	}
	mark_add(b, face);
}

void anchor_add_short(struct buf *b, const struct rank_row *row, enum face_of_names face)
{
	struct text func = row_text(row, "func"), file = row_text(row, "file");
	if (!file.n) {
		buf_adds(b, b->len ? "the job" : "The job");
		if (name_of(row).n) {
			buf_adds(b, " (most in ");
			op_add(b, row, face);
			buf_addc(b, ')');
		}
		return;
	}
	file = file_name(file);
	mark_add(b, face);
	if (func.n) {
		name_add(b, func);
		buf_adds(b, " (");
	}
	file_add(b, file, row);
	if (func.n)
		buf_addc(b, ')');
	mark_add(b, face);
}

bool row_has_place(const struct rank_row *row)
{
	enum charge_of of;
	return row_text(row, "file").n || name_of(row).n || cause_charge(row->kind, &of);
}

static bool field_fill(struct buf *b, struct text name, const struct rank_row *row,
	enum face_of_names face)
{
	for (size_t i = row->nfield; i-- > 0;) {
		const struct rank_field *f = &row->field[i];
		if (!text_eq(f->key, name) || (f->type != REC_NUM && f->type != REC_STR))
			continue;
		struct buf cut = BUF_INIT;
		text_add_cut(&cut, f->value, NAME_MAX_BYTES);
		if (face == NAMES_MARKED)
			plain_add(b, buf_text(&cut));
		else
			code_add(b, buf_text(&cut));
		buf_release(&cut);
		return true;
	}
	return false;
}

/* What kept the late rank, as a sentence; nothing where that is not known. */
static void held_add(struct buf *b, const struct rank_row *late, enum face_of_names face)
{
	struct text cause = late ? row_text(late, "late_cause") : TEXT("");
	struct text file = late ? row_text(late, "late_file") : TEXT("");
	if (!cause.n && !file.n)
		return;
	buf_addf(b, "While the others waited, rank %" PRId64 " was mostly ", late->rank);
	if (file.n) {
		buf_adds(b, "at ");
		mark_add(b, face);
		code_add(b, file);
		buf_addf(b, ":%" PRId64, row_num(late, "late_line"));
		mark_add(b, face);
	}
	if (cause.n) {
		bool busy = text_is(cause, "busy");
		buf_adds(b, file.n ? ", its device " : "with its device ");
		buf_adds(b, busy ? "busy" : "idle (");
		if (!busy) {
			name_add(b, cause);
			buf_addc(b, ')');
		}
	}
	buf_adds(b, ". ");
}

static bool place_fill(struct buf *b, struct text name, const struct rank_row *row,
	enum face_of_names face)
{
	if (text_is(name, "anchor"))
		anchor_add(b, row, face);
	else if (text_is(name, "func"))
		anchor_add_short(b, row, face);
	else if (text_is(name, "mostly") || text_is(name, "op"))
		op_add(b, row, face);
	else if (text_is(name, "late") && row->late)
		buf_addf(b, "rank %" PRId64, row->late->rank);
	else if (text_is(name, "late"))
		buf_adds(b, "a late rank");
	else if (text_is(name, "held"))
		held_add(b, row->late, face);
	else
		return field_fill(b, name, row, face);
	return true;
}

void words_add(struct buf *b, const char *words, const struct rank_row *row,
	enum face_of_names face)
{
	for (const char *at = words; *at;) {
		const char *close = *at == '{' ? strchr(at, '}') : NULL;
		struct text name = { at + 1, close ? (size_t)(close - at - 1) : 0 };
		if (close && place_fill(b, name, row, face)) {
			at = close + 1;
			continue;
		}
		buf_addc(b, *at++);
	}
}

/* X(kind, fields...): what of a row is worth citing. */
static const struct { const char *kind; const char *field[6]; } EVIDENCE[] = {
	{ "view2.site", { "cost_ns", "cost_per_step_ns", "in_run_ns", "sites" } },
	{ "view2.loss", { "cost_ns", "dur_ns", "launches", "kernel_ns" } },
	{ "view3.kernel", { "own_ns", "count", "bytes", "blocks", "sms" } },
	{ "view3.class", { "own_ns", "count" } },
	{ "view3.copy", { "time_ns", "bytes", "count" } },
	{ "view4.collective", { "exposed_ns", "total_ns", "wait_ns", "wire_ns", "count" } },
	{ "view4.rank", { "others_waited_ns", "came_last", "wait_ns", "wire_ns" } },
	{ "view4.total", { "exposed_ns", "total_ns" } },
	{ "view5.device", { "peak_reserved_bytes", "capacity_bytes", "headroom_bytes",
		"reclaimable_bytes" } },
	{ "view5.live", { "bytes", "count" } },
	{ "view1.startup", { "dur_ns" } },
	{ "view1.periodic", { "cost_ns", "every", "count" } },
	{ "view1.run", { "startup_ns", "steps", "plain_median_ns", "profiled_median_ns" } },
	{ "view1.step", { "wall_ns", "busy_ns", "idle_ns" } },
	{ "view1.rank", { "median_ns", "comm_ns" } },
};

const char *evidence_field(const struct rank_row *row, size_t i)
{
	for (size_t k = 0; k < ARRAY_LEN(EVIDENCE); k++)
		if (row_is(row, EVIDENCE[k].kind))
			return i < ARRAY_LEN(EVIDENCE[k].field) ? EVIDENCE[k].field[i] : NULL;
	return NULL;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && strcmp(s + n - m, end) == 0;
}

enum unit_kind unit_of_field(const char *field)
{
	if (ends_with(field, "_ns"))
		return UNIT_NS;
	return ends_with(field, "bytes") ? UNIT_BYTES : UNIT_COUNT;
}

void number_add(struct buf *b, const char *field, int64_t n)
{
	char out[NUM_LEN];
	switch (unit_of_field(field)) {
	case UNIT_NS: buf_adds(b, num_fmt_ns(out, n)); break;
	case UNIT_BYTES: buf_adds(b, num_fmt_bytes(out, n)); break;
	case UNIT_COUNT: buf_adds(b, num_fmt_count(out, n)); break;
	}
}

void percent_add(struct buf *b, int64_t micro)
{
	num_add_ratio(b, micro, 10000, 1);
	buf_adds(b, " %");
}

void micro_put(struct buf *b, int64_t micro)
{
	num_add_ratio(b, micro, 1000000, 6);
}
