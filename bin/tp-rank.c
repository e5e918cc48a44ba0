/* tp-rank - rows of the views in, ranked findings out (tp-rank(1)). */
#include "base.h"

#include <stdlib.h>
#include <unistd.h>

#include "num.h"
#include "opt.h"
#include "path.h"
#include "rank_join.h"
#include "rank_put.h"
#include "rank_report.h"
#include "say.h"
#include "stream.h"
#include "tab.h"

static struct {
	const char *output, *scope, *schedule, *causes;
	int64_t top;
	unsigned only;
	enum face face;
} opts = { .top = 10 };

static struct rank_rows rows;
static struct stream_writer writer;
static bool as_text, passing, passed;

static int opt_only(void *to, const char *value)
{
	unsigned *only = to;
	for (const char *at = value;; at += 2) {
		if (at[0] < '1' || at[0] > '5' || (at[1] && at[1] != ','))
			return error("--only '%s': not views 1 to 5 with commas between", value);
		*only |= 1u << (at[0] - '0');
		if (!at[1])
			return 0;
	}
}

static const struct opt options[] = {
	{ 0, "only", "LIST", "these views are all that is meant: 1,2", OPT_FN, &opts.only,
		opt_only },
	{ 0, "top", "N", "findings in the report (10); 0: none; no record is cut", OPT_INT,
		&opts.top, NULL },
	{ 0, "scope", "DIR", "files under DIR are in scope", OPT_STR, &opts.scope, NULL },
	{ 0, "schedule", "FILE", "name waits by the phases in FILE", OPT_STR, &opts.schedule,
		NULL },
	{ 0, "causes", "FILE", "rules, instead of share/causes.conf", OPT_STR, &opts.causes, NULL },
	{ 'o', "output", "FILE", "write there; it appears whole or not at all", OPT_STR,
		&opts.output, NULL },
	OPT_FACES(opts.face),
	OPT_END
};

static const struct opt_page page = {
	.usage = "tp-rank [options] [FILE...]",
	.what = "Rank the rows of the views by the wall clock that they cost.",
	.example = "for v in 1 2 3 4 5; do tp-view$v store.db; done | tp-rank -t >report.md",
	.opt = options,
};

/* Records that are not ours go on as a stream of their own, under their head:
 * their times are not ours. */
static int pass(const struct stream *s, const struct rec *r)
{
	if (as_text)
		return 0;
	if (!passing && stream_head(&writer, stream_epoch_ns(s), stream_prov(s), NULL) != 0)
		return -1;
	passing = passed = true;
	return stream_pass(&writer, r->line);
}

static int pass_end(bool complete)
{
	if (!passing)
		return 0;
	passing = false;
	return stream_end(&writer, complete, -1);
}

/* A view's own `run` record tells the epoch of its rows and is consumed. */
static bool take_epoch(const struct rec *r, bool of_view)
{
	int64_t add_ns;
	if (!of_view || !text_is(r->kind, "run"))
		return false;
	if (rec_int(r, "epoch_add_ns", &add_ns) == 0)
		rank_rows_epoch_add(&rows, add_ns);
	return true;
}

static int read_stream(const char *path, bool *cut)
{
	struct stream *s = stream_open(path);
	struct rec r;
	int status = s ? 1 : -1;
	bool of_view = false;
	while (status > 0 && (status = stream_next(s, &r)) > 0) {
		int taken = 1;
		if (text_is(r.kind, "head")) {
			struct text program = stream_head_text(s, "program");
			of_view = rank_view_of(program) != 0;
			rank_rows_head(&rows, program, stream_epoch_ns(s));
			taken = pass_end(true) == 0 ? 1 : -1;
		} else if (!text_is(r.kind, "end") && !take_epoch(&r, of_view)) {
			taken = rank_rows_add(&rows, &r);
		}
		if (taken < 0 || (taken == 0 && pass(s, &r) != 0))
			status = -1;
	}
	if (s && stream_close(s) != ST_OK)
		*cut = true;
	return status < 0 || pass_end(!*cut) != 0 ? -1 : 0;
}

static unsigned views_missing(void)
{
	unsigned missing = 0;
	for (int v = 1; v <= RANK_VIEWS; v++)
		missing |= rows.seen[v] ? 0 : 1u << v;
	return missing;
}

/* Views that are neither there nor waived. */
static bool say_missing(unsigned missing)
{
	struct buf b = BUF_INIT;
	int n = 0;
	for (int v = 1; v <= RANK_VIEWS; v++) {
		if (missing & 1u << v && (!opts.only || opts.only & 1u << v))
			buf_addf(&b, "%stp-view%d", n++ ? ", " : "", v);
	}
	if (n)
		warn("no rows of %s: what %s not looked at", b.data,
			n == 1 ? "it shows was" : "they show was");
	buf_release(&b);
	return n > 0;
}

/* Without a single row there is nothing to rank, unless the views that were there
 * had nothing to show, or others' records went on. */
static int rows_check(bool cut)
{
	if (rows.n || rows.losses.rows || passed)
		return 0;
	if (cut)
		return -1; /* said */
	if (views_missing() != (1u << (RANK_VIEWS + 1)) - 2)
		return 0;
	return error("no rows of a view came: they are made of a store, as in"
		" tp-view1 store.db");
}

static int report_put(const struct rank *rank, unsigned missing)
{
	struct buf b = BUF_INIT;
	struct rank_report report = { .b = &b, .width = MIN(tab_width(STDOUT_FILENO), 100),
		.rank = rank,
		.top = opts.top, .missing = missing, .only = opts.only };
	rank_report_add(&report);
	int status = out_write(writer.out, b.data, b.len);
	buf_release(&b);
	return status;
}

static int records_put(const struct rank *rank, char **argv, bool complete)
{
	if (stream_head(&writer, rows.epoch_ns, (struct text){ NULL, 0 }, argv) != 0 ||
	    rank_put(&writer, rank) != 0)
		return -1;
	return stream_end(&writer, complete, -1);
}

static int rank_all(char **argv, bool *cut)
{
	struct causes causes = { 0 };
	struct schedule schedule = { 0 };
	struct rank_job job = { 0 };
	struct rank rank = { 0 };
	struct rank_options how = { opts.scope, opts.schedule ? &schedule : NULL };
	char *path = opts.causes ? NULL : path_share("causes.conf");
	int status = opts.causes || path ? causes_read(&causes, path ? path : opts.causes) : -1;
	if (status == 0 && opts.schedule)
		status = schedule_read(&schedule, opts.schedule);
	rank_rows_settle(&rows);
	if (rows.clashes) {
		warn("%zu row%s left out: the key of another and other values", rows.clashes,
			rows.clashes == 1 ? "" : "s");
		*cut = true;
	}
	if (status == 0)
		status = rank_job_init(&job, &rows, !*cut);
	if (status == 0) {
		unsigned missing = views_missing();
		*cut |= say_missing(missing);
		rank_join(&job, &rows);
		rank_run(&rank, &causes, &job, &rows, &how);
		status = as_text ? report_put(&rank, missing) : records_put(&rank, argv, !*cut);
	}
	rank_release(&rank);
	rank_job_release(&job);
	schedule_release(&schedule);
	causes_release(&causes);
	free(path);
	return status;
}

static void writer_open(struct draft *draft)
{
	int fd = STDOUT_FILENO;
	if (opts.output) {
		if (draft_open(draft, opts.output) != 0)
			exit(ST_FAIL);
		fd = dup(draft->fd); /* the writer closes its fd, the draft commits its own */
		if (fd < 0)
			die_errno("%s", opts.output);
	}
	enum face face = face_resolve(opts.face, fd);
	as_text = face == FACE_TEXT;
	if (stream_writer_init(&writer, fd, as_text ? FACE_JSON : face) != 0)
		exit(ST_FAIL);
}

int main(int argc, char **argv)
{
	struct draft draft = { 0 };
	bool cut = false;
	say_init(argv[0]);
	int first = opt_parse(&page, argc, argv);
	rank_rows_init(&rows);
	writer_open(&draft);
	int status = first < argc ? 0 : read_stream("-", &cut);
	for (int i = first; i < argc && status == 0; i++)
		status = read_stream(argv[i], &cut);
	if (status == 0)
		status = rows_check(cut);
	if (status == 0)
		status = rank_all(argv, &cut);
	if (status == 0)
		status = stream_writer_close(&writer);
	if (status == 0 && opts.output)
		status = draft_commit(&draft);
	else if (opts.output)
		draft_abort(&draft);
	rank_rows_release(&rows);
	return status != 0 ? ST_FAIL : cut ? ST_PARTIAL : ST_OK;
}
