/* view.c - see view.h. */
#include "base.h"
#include "view.h"
#include "mem.h"
#include "num.h"
#include "say.h"
#include "tab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int view_opt_step(void *to, const char *value)
{
	struct view *v = to;

	if (num_range((struct text){ value, strlen(value) },
	    &v->step_first, &v->step_last) < 0)
		return error("--step '%s': not N or N:M, with N from 0 and M from N", value);
	return 0;
}

int view_opt_clock(void *to, const char *value)
{
	struct view *v = to;

	if (!strcmp(value, "drain"))
		v->clock = CLOCK_DRAIN;
	else if (!strcmp(value, "host"))
		v->clock = CLOCK_HOST;
	else
		return error("--clock '%s': not drain or host", value);
	return 0;
}

int64_t view_time(const struct view *v, const struct view_trace *t, int64_t ts_ns)
{
	return ts_ns + (t->base_ns - v->epoch_ns);
}

/* By hand: printf took a fifth of the time of a row. */
static void add_step_key(struct buf *b, const struct view_step *s)
{
	if (s->flags & STEP_WHOLE) {
		buf_adds(b, ":whole");
		return;
	}
	buf_addc(b, ':');
	if (s->number != NO_INT)
		buf_add_int(b, s->number);
	buf_addc(b, '+');
	buf_add_int(b, s->idx);
}

static void add_key(struct buf *b, const char *kind, const struct view_where *at)
{
	buf_adds(b, kind);
	if (at->trace) {
		buf_addc(b, ':');
		buf_add_int(b, at->trace->number);
	}
	if (at->device) {
		buf_addc(b, ':');
		buf_adds(b, at->device);
	}
	if (at->step)
		add_step_key(b, at->step);
	if (at->item) {
		buf_addc(b, ':');
		buf_adds(b, at->item);
	}
}

struct jw *view_row(struct view *v, const char *kind, const struct view_where *at)
{
	struct jw *w = stream_begin(&v->writer, kind);

	buf_reset(&v->key);
	add_key(&v->key, kind, at);
	jw_ktext(w, "key", buf_text(&v->key));
	if (at->trace) {
		jw_kint(w, "trace", at->trace->number);
		if (at->trace->rank != NO_INT)
			jw_kint(w, "rank", at->trace->rank);
	}
	if (at->device)
		jw_kstr(w, "device", at->device);
	if (at->device && !strcmp(at->device, ANY_DEVICE))
		jw_kbool(w, "any_device", true);
	if (at->step && !(at->step->flags & STEP_WHOLE)) {
		jw_kint(w, "step", at->step->number != NO_INT ?
			at->step->number : at->step->idx);
		jw_kint(w, "idx", at->step->idx);
		jw_kstr(w, "name", at->step->name);
	}
	return w;
}

int view_put(struct view *v)
{
	if (v->as_text) { /* the text was made from the same numbers */
		buf_reset(&v->writer.line);
		return 0;
	}
	return stream_put(&v->writer);
}

int view_unequal(struct view *v, const struct view_where *at, const char *what,
	int64_t is, int64_t should_be)
{
	struct buf key = BUF_INIT;

	add_key(&key, "", at);
	v->broken = true;
	(void)error("%s: %s: %" PRId64 " ns is not %" PRId64 " ns, at%s: nothing is written",
		v->store, what, is, should_be, key.data ? key.data : "");
	buf_release(&key);
	return -1;
}

const char *view_scratch_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

void view_add_place(struct buf *b, const struct view_trace *t, const char *device)
{
	if (t->rank != NO_INT)
		buf_addf(b, "rank %" PRId64, t->rank);
	else
		buf_addf(b, "trace %" PRId64, t->number);
	if (device && !strcmp(device, ANY_DEVICE))
		buf_adds(b, " any device");
	else if (device && *device)
		buf_addf(b, " device %s", device);
}

size_t view_rows(const struct view *v, size_t n)
{
	return v->all || v->top < 0 || (uint64_t)v->top >= n ? n : (size_t)v->top;
}

void view_add_rest(struct view *v, size_t shown, size_t n)
{
	if (shown < n)
		buf_addf(&v->text, "  ... and %zu more (--all shows them)\n", n - shown);
}

/* A record's time 0 is the first event of all chosen traces: small numbers. */
static void epoch_choose(struct view *v)
{
	bool any = false;

	for (size_t i = 0; i < v->ntrace; i++) {
		const struct view_trace *t = &v->trace[i];
		int64_t first_ns = t->base_ns + (t->first_ns == NO_INT ? 0 : t->first_ns);

		if (!any || first_ns < v->epoch_ns)
			v->epoch_ns = first_ns;
		any = true;
	}
}

static int partial_say(const struct view *v)
{
	int status = ST_OK;

	for (size_t i = 0; i < v->ntrace; i++) {
		const struct view_trace *t = &v->trace[i];

		if (!t->partial)
			continue;
		warn("%s: trace %" PRId64 " (%s) is partial%s%s", v->store, t->number,
			t->path ? t->path : "?", t->why_partial ? ": " : "",
			t->why_partial ? t->why_partial : "");
		status = ST_PARTIAL;
	}
	return status;
}

/* What a plain run's stream lost is missing from every share of the run. */
static int cut_runs_say(struct view *v, int *status)
{
	sqlite3_stmt *st = db_prepare(&v->db, "SELECT r.id, (SELECT count(*)"
		" FROM honest_step WHERE id >= r.id << 40 AND id < (r.id + 1) << 40)"
		" FROM honest_run r WHERE r.partial ORDER BY r.id");
	int rc;

	if (!st)
		return -1;
	while ((rc = db_step(&v->db, st)) > 0) {
		warn("%s: timed run %" PRId64 " is partial: cut short, %" PRId64 " steps came",
			v->store, (int64_t)sqlite3_column_int64(st, 0),
			(int64_t)sqlite3_column_int64(st, 1));
		*status = ST_PARTIAL;
	}
	db_finish(&st);
	return rc;
}

static int run_record_put(struct view *v)
{
	struct jw *w = stream_begin(&v->writer, "run");
	char digits[24];

	snprintf(digits, sizeof digits, "%" PRId64, v->epoch_ns);
	jw_kstr(w, "epoch_add_ns", digits);
	return stream_put(&v->writer);
}

/* Everything between the head and the end. */
static int view_body(struct view *v, view_fn *run, int *status)
{
	if (store_open_ro(&v->db, v->store) < 0)
		return -1;
	if (catalog_load(&v->db, &v->trace, &v->ntrace) < 0)
		return -1;
	if (view_choose(v) < 0)
		return -1;
	epoch_choose(v);
	if (!v->ntrace)
		note("%s: no trace", v->store);
	*status = partial_say(v);
	if (cut_runs_say(v, status) < 0 || run(v) < 0 || v->broken)
		return -1;
	return v->as_text || !v->ntrace ? 0 : run_record_put(v);
}

/* Where to, and in which face. */
static int output_open(struct view *v, char **argv)
{
	int fd = STDOUT_FILENO;
	enum face face;

	if (v->out_path) {
		if (draft_open(&v->draft, v->out_path) < 0)
			return -1;
		fd = v->draft.fd;
	}
	face = face_resolve(v->face, fd);
	v->as_text = face == FACE_TEXT;
	v->width = tab_width(fd);
	v->cut = isatty(fd);
	if (v->out_path) {
		/* the writer closes its fd, the draft needs its own to commit */
		fd = dup(fd);
		if (fd < 0)
			return error_errno("%s", v->out_path);
	}
	if (stream_writer_init(&v->writer, fd, v->as_text ? FACE_JSON : face) < 0)
		return -1;
	if (v->as_text)
		return 0;
	/* The head is on its way before the store is opened: a view that then
	 * fails shows downstream as a stream with no end. */
	if (stream_head(&v->writer, 0, (struct text){ NULL, 0 }, argv) < 0)
		return -1;
	return v->out_path ? 0 : stream_writer_flush(&v->writer);
}

int view_text_flush(struct view *v)
{
	struct text t = buf_text(&v->text);
	int rc = out_write(v->writer.out, t.s, t.n);

	buf_reset(&v->text);
	return rc;
}

static int output_close(struct view *v, int status)
{
	if (v->as_text) {
		if (view_text_flush(v) < 0)
			return -1;
	} else if (stream_end(&v->writer, status == ST_OK, -1) < 0) {
		return -1;
	}
	if (stream_writer_close(&v->writer) < 0)
		return -1;
	return v->out_path ? draft_commit(&v->draft) : 0;
}

/* A view that fails ends its frame but not its stream: who reads several views
 * one after the other finds the next one's head, and sees that this one was cut. */
static void output_break(struct view *v)
{
	if (v->out_path)
		draft_abort(&v->draft);
	if (stream_writer_close(&v->writer) < 0)
		return; /* said; the status is 2 anyway */
}

int view_main(struct view *v, const struct opt_page *page, int argc, char **argv,
	view_fn *run)
{
	int status = ST_OK, first;

	say_init(argv[0]);
	first = opt_parse(page, argc, argv);
	if (first + 1 != argc)
		opt_usage_error(page, first < argc ? "one store at a time" : "no store given");
	v->store = argv[first];
	if (output_open(v, argv) < 0)
		return ST_FAIL;
	if (view_body(v, run, &status) < 0) {
		output_break(v);
		status = ST_FAIL;
	} else if (output_close(v, status) < 0) {
		if (v->out_path)
			draft_abort(&v->draft);
		status = ST_FAIL;
	}
	catalog_release(v->trace, v->ntrace);
	db_close(&v->db);
	buf_release(&v->text);
	buf_release(&v->key);
	return status;
}
