/* decompose_cpu_lane.c - the records of a CPU job, and a thread at a moment; see
 * decompose_cpu.h. */
#include "base.h"
#include "decompose_cpu.h"
#include "frame.h"
#include "mem.h"
#include "trait.h"

#include <stdlib.h>

/* Outer before inner: at one start the longer comes first. */
static int record_cmp(const void *a, const void *b)
{
	const struct cpu_record *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* What records of a name are, by the name's number: asked once a name, since a
 * trace with stacks has millions of frames. */
struct kinds {
	uint8_t *of;             /* enum cpu_kind of a frame or an annotation */
	int64_t n;
};

static uint8_t kind_of(struct text name, bool own_frame)
{
	struct frame f;
	unsigned traits = trait_of(name);

	if (own_frame)
		return frame_parse(name, NULL, &f) && f.line_known ? CPU_LINE : CPU_FRAME;
	if (traits & TRAIT_STEP)
		return CPU_NONE;
	return traits & TRAIT_INPUT ? CPU_INPUT : CPU_NOTE;
}

static int kinds_read(struct kinds *k, struct decomp *d)
{
	sqlite3_stmt *st = trace_prepare(&d->view->db, "SELECT n.id, n.text, f.own FROM name n"
		" LEFT JOIN frame f ON f.id = n.id WHERE n.id > ?1 AND n.id < ?2 ORDER BY n.id DESC",
		d->trace);
	int rc = -1;

	while (st && (rc = db_step(&d->view->db, st)) > 0) {
		int64_t n = sqlite3_column_int64(st, 0) - STORE_ID(d->trace->id, 0);
		const char *text = db_column_str(st, 1);

		if (!k->of) {
			k->n = n + 1;
			k->of = xcalloc((size_t)k->n, sizeof *k->of);
		}
		k->of[n] = kind_of((struct text){ text ? text : "", text ? strlen(text) : 0 },
			sqlite3_column_int(st, 2));
	}
	db_finish(&st);
	return rc;
}

/* An operator is one by its category; frames that are not the user's and notes
 * of steps say nothing here. */
static enum cpu_kind record_kind(const struct kinds *k, int64_t name, int cat)
{
	uint8_t kind = name >= 0 && name < k->n ? k->of[name] : CPU_NONE;
	bool frame = kind == CPU_LINE || kind == CPU_FRAME;

	if (cat == CAT_CPU_OP)
		return CPU_OPERATOR;
	if (cat == CAT_PYTHON)
		return frame ? kind : CPU_NONE;
	return cat == CAT_ANNOTATION && !frame ? kind : CPU_NONE;
}

static int records_add(struct sorter *s, struct db *db, sqlite3_stmt *st, const struct kinds *k)
{
	int rc;

	while ((rc = db_step(db, st)) > 0) {
		struct cpu_record r = {
			.ts_ns = sqlite3_column_int64(st, 0),
			.track = sqlite3_column_int64(st, 2),
			.name = sqlite3_column_int64(st, 3),
			.seq = column_int(st, 5),
			.backward = column_int(st, 6) != NO_INT,
		};

		r.end_ns = r.ts_ns + sqlite3_column_int64(st, 1);
		r.kind = record_kind(k, r.name, sqlite3_column_int(st, 4));
		if (r.kind != CPU_NONE && sorter_add(s, &r) < 0)
			return -1;
	}
	return rc;
}

#define SORT_BYTES (16 << 20) /* a quarter of a million records before anything spills */

int cpu_records_sort(struct sorter *s, struct decomp *d, bool places)
{
	struct kinds kinds = { NULL, 0 };
	sqlite3_stmt *st = trace_prepare(&d->view->db, "SELECT ts, dur, track, name, cat, seq, fwd"
		" FROM host WHERE id > ?1 AND id < ?2", d->trace);
	int rc = -1;

	sorter_init(s, sizeof(struct cpu_record), record_cmp, view_scratch_dir(), SORT_BYTES);
	if (st && (!places || kinds_read(&kinds, d) == 0))
		rc = records_add(s, &d->view->db, st, &kinds);
	db_finish(&st);
	free(kinds.of);
	return rc < 0 ? -1 : sorter_done(s);
}

void cpu_lane_release(struct cpu_lane *l)
{
	free(l->open);
	free(l->mark);
}

const struct cpu_open *cpu_lane_operator(struct cpu_lane *l, int64_t ts_ns)
{
	while (l->nopen && l->open[l->nopen - 1].end_ns <= ts_ns)
		l->nopen--;
	return l->nopen ? &l->open[l->nopen - 1] : NULL;
}

void cpu_lane_mark(struct cpu_lane *l, const struct cpu_record *r)
{
	if (r->kind == CPU_LINE) {
		l->line = r->name;
		l->line_end_ns = r->end_ns;
		return;
	}
	while (l->nmark && l->mark[l->nmark - 1].end_ns <= r->ts_ns)
		l->nmark--;
	GROW(l->mark, l->nmark, l->capmark);
	l->mark[l->nmark++] = (struct cpu_open){ .end_ns = r->end_ns, .name = r->name,
		.kind = r->kind };
}

void cpu_lane_at(struct cpu_lane *l, int64_t ts_ns, struct cpu_state *out)
{
	*out = (struct cpu_state){ .until_ns = INT64_MAX };
	while (l->nmark && l->mark[l->nmark - 1].end_ns <= ts_ns)
		l->nmark--;
	if (l->line && l->line_end_ns > ts_ns) {
		out->place = (struct cpu_place){ l->line, AT_LINE };
		out->until_ns = l->line_end_ns;
	}
	for (size_t i = l->nmark; i-- > 0;) {
		const struct cpu_open *m = &l->mark[i];

		if (m->end_ns <= ts_ns)
			continue;
		if (m->kind == CPU_FRAME) {
			if (out->place.frame)
				continue;
			out->place = (struct cpu_place){ m->name, AT_FUNCTION };
		} else {
			out->note = out->note ? out->note : m->name;
			out->input |= m->kind == CPU_INPUT;
		}
		out->until_ns = MIN(out->until_ns, m->end_ns);
	}
	out->any = out->place.frame || out->note;
}
