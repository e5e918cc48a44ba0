/* catalog_rows.c - steps, device ops and names of one trace; see catalog.h. */
#include "base.h"
#include "catalog.h"
#include "each.h"
#include "mem.h"
#include "num.h"
#include "say.h"

#include <stdlib.h>

/* N of "ProfilerStep#N"; NO_INT for any other name. */
static int64_t step_number(const char *name)
{
	static const char mark[] = "ProfilerStep#";
	const char *digits = name && !strncmp(name, mark, sizeof mark - 1) ?
		name + sizeof mark - 1 : "";
	int64_t n;

	if (num_int((struct text){ digits, strlen(digits) }, 0, INT64_MAX - 1, &n) < 0)
		return NO_INT;
	return n;
}

static void step_take(struct view_step *s, sqlite3_stmt *st)
{
	s->idx = sqlite3_column_int64(st, 0);
	s->name = column_str(st, 1);
	s->number = step_number(s->name);
	s->ts_ns = sqlite3_column_int64(st, 2);
	s->dur_ns = sqlite3_column_int64(st, 3);
	s->host_ts_ns = sqlite3_column_int64(st, 4);
	s->host_dur_ns = sqlite3_column_int64(st, 5);
	s->launches = column_int(st, 6);
	s->lone = column_int(st, 7);
	s->flags = sqlite3_column_int(st, 8);
	s->chosen = true;
}

int steps_load(struct db *db, const struct view_trace *t, const char *device,
	struct view_steps *out)
{
	struct view_steps steps = { NULL, 0 };
	size_t cap = 0;
	sqlite3_stmt *st = trace_prepare(db, "SELECT idx, name, ts, dur, host_ts,"
		" host_dur, launches, lone, flags FROM step WHERE id > ?1 AND id < ?2"
		" AND device = ?3 ORDER BY id", t); /* in time: numbers can run backwards */
	int rc;

	if (!st)
		return -1;
	db_bind_str(st, 3, device);
	while ((rc = db_step(db, st)) > 0) {
		GROW(steps.step, steps.n, cap);
		step_take(&steps.step[steps.n++], st);
	}
	db_finish(&st);
	if (rc < 0)
		steps_release(&steps);
	else
		*out = steps;
	return rc;
}

void steps_release(struct view_steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->step[i].name);
	free(s->step);
	memset(s, 0, sizeof *s);
}

struct dev_scan {
	dev_fn *fn;
	void *arg;
};

static struct dev_op short_op(sqlite3_value **v)
{
	int cat = sqlite3_value_int(v[3]);

	return (struct dev_op){
		.ts_ns = sqlite3_value_int64(v[0]), .dur_ns = sqlite3_value_int64(v[1]),
		.track = sqlite3_value_int64(v[2]),
		.cat = cat < 0 || cat > CAT_MEMSET ? CAT_KERNEL : (enum event_cat)cat,
		.corr = sqlite3_value_type(v[4]) == SQLITE_NULL ? NO_ID :
			(uint64_t)sqlite3_value_int64(v[4]),
		.flags = sqlite3_value_int(v[5]), .bytes = NO_INT, .blocks = NO_INT,
	};
}

static int short_take(void *arg, sqlite3_value **v)
{
	struct dev_scan *s = arg;
	struct dev_op op = short_op(v);

	return s->fn(s->arg, &op);
}

static int full_take(void *arg, sqlite3_value **v)
{
	struct dev_scan *s = arg;
	struct dev_op op = short_op(v);

	op.n = sqlite3_value_int64(v[6]) & (STORE_ID(1, 0) - 1);
	op.name = sqlite3_value_int64(v[7]);
	op.bytes = value_int(v[8]);
	op.blocks = value_int(v[9]);
	op.call = sqlite3_value_int64(v[10]);
	op.op = sqlite3_value_int64(v[11]);
	op.frame = sqlite3_value_int64(v[12]);
	op.how = sqlite3_value_int64(v[13]);
	return s->fn(s->arg, &op);
}

/* The short row is what the split of the wall clock needs: half the work a row,
 * which is most of the view's time. */
int dev_each(struct db *db, const struct view_trace *t, enum dev_columns columns,
	dev_fn *fn, void *arg)
{
	struct dev_scan s = { fn, arg };

	return columns == DEV_SHORT ?
		trace_each(db, t, "ts, dur, track, cat, corr, flags", "dev", short_take, &s) :
		trace_each(db, t, "ts, dur, track, cat, corr, flags, id, name, bytes, blocks,"
			" call, op, frame, how", "dev", full_take, &s);
}

int names_open(struct names *n, struct db *db, const struct view_trace *t)
{
	n->db = db;
	n->trace_id = t->id;
	n->frame = NULL;
	n->stmt = db_prepare(db, "SELECT text FROM name WHERE id = ?1");
	if (n->stmt)
		n->frame = db_prepare(db,
			"SELECT file, line, func FROM frame WHERE id = ?1");
	if (n->frame)
		return 0;
	names_close(n);
	return -1;
}

/* 1 a row is there, 0 none, -1 said. */
static int names_seek(struct names *n, sqlite3_stmt *st, int64_t row)
{
	sqlite3_reset(st);
	db_bind_int(st, 1, STORE_ID(n->trace_id, row));
	return db_step(n->db, st);
}

char *names_get(struct names *n, int64_t name)
{
	int found = names_seek(n, n->stmt, name);
	char *text;

	if (found < 0)
		return NULL;
	text = found ? column_str(n->stmt, 0) : NULL;
	return text ? text : xstrdup("");
}

int names_anchor(struct names *n, int64_t frame, int64_t how, struct anchor_text *out)
{
	static const char *const words[] = { NULL, "line", "function", "op", "other_thread" };
	int found = frame > 0 ? names_seek(n, n->frame, frame) : 0;

	if (found < 0)
		return -1;
	memset(out, 0, sizeof *out);
	out->line = NO_INT;
	if (how > 0 && how < (int64_t)ARRAY_LEN(words))
		out->how = words[how];
	if (!found)
		return 0;
	out->file = column_str(n->frame, 0);
	out->line = column_int(n->frame, 1);
	out->func = column_str(n->frame, 2);
	return 0;
}

int anchor_cmp(const struct anchor_text *a, const struct anchor_text *b)
{
	int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

void anchor_release(struct anchor_text *a)
{
	free(a->file);
	free(a->func);
	memset(a, 0, sizeof *a);
}

void names_close(struct names *n)
{
	db_finish(&n->stmt);
	db_finish(&n->frame);
}
