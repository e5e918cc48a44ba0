/* tp-ingest - traces and streams into a store, or out as event records. */
#include "base.h"

#include <stdlib.h>
#include <unistd.h>

#include "ingest.h"
#include "match.h"
#include "mem.h"
#include "opt.h"
#include "out.h"

static const char *store_path, *scope, *step_regex;
static int64_t rank = NO_INT;
static bool check;
static enum face face;

static const struct opt opt[] = {
	{ 'o', "output", "STORE", "make this store, or add to it", OPT_STR, &store_path, NULL },
	{ 'n', "check", NULL, "only check, and end in one verdict line", OPT_FLAG, &check, NULL },
	{ 0, "rank", "N", "the rank of the one input", OPT_INT, &rank, NULL },
	{ 0, "step-regex", "RE", "annotations that are steps, with no ProfilerStep",
		OPT_STR, &step_regex, NULL },
	{ 0, "scope", "DIR", "whose Python files are the user's own", OPT_STR, &scope, NULL },
	OPT_FACES(face),
	{ 'v', "verbose", NULL, "print the whole import report", OPT_COUNT, &say_verbosity,
		NULL },
	OPT_QUIET,
	OPT_END
};

static const struct opt_page page = {
	.usage = "tp-ingest [-nqv] [-o STORE] [options] [FILE ...]",
	.what = "Load traces and streams into a store, or write them as event records.",
	.example = "tp-ingest -o store.db trace/rank*.json.gz",
	.opt = opt,
};

static int compile_regex(regex_t *re)
{
	char why[128];
	int rc = match_compile(re, step_regex, 0);

	if (rc == 0)
		return 0;
	regerror(rc, re, why, sizeof why);
	return error("--step-regex '%s': %s", step_regex, why);
}

/* How it went over all inputs. */
struct tally {
	int used, failed;
};

/* -1: the store or the output failed. */
static int take_all(struct ingest *g, char **path, int n, struct tally *t)
{
	int i, status;

	for (i = 0; i < n; i++) {
		status = ingest_input(g, path[i]);
		if (status < 0)
			return -1;
		if (status == ST_FAIL)
			t->failed++;
		else
			t->used++;
	}
	return 0;
}

static int status_of(const struct ingest *g, const struct tally *t, bool clash)
{
	if (t->used == 0)
		return ST_FAIL;
	return t->failed || g->partial || clash ? ST_PARTIAL : ST_OK;
}

static int into_store(struct ingest *g, const char *target, char **path, int n,
	struct tally *t)
{
	struct store s;
	int rc;

	if (store_begin(&s, target) < 0)
		return ST_FAIL;
	g->store = &s;
	rc = take_all(g, path, n, t);
	g->store = NULL;
	if (rc < 0) {
		store_abort(&s);
		return ST_FAIL;
	}
	if (check || t->used == 0)
		store_abort(&s);
	else if (store_publish(&s) < 0)
		return ST_FAIL;
	return status_of(g, t, s.clash);
}

static int as_records(struct ingest *g, char **path, int n, struct tally *t)
{
	enum face is = face_resolve(face, STDOUT_FILENO);
	struct stream_writer w;
	int rc;

	g->text = is == FACE_TEXT;
	if (stream_writer_init(&w, STDOUT_FILENO, is) < 0)
		return ST_FAIL;
	g->out = &w;
	rc = take_all(g, path, n, t);
	g->out = NULL;
	if (rc < 0) {
		stream_writer_abort(&w);
		return ST_FAIL;
	}
	if (stream_writer_close(&w) < 0)
		return ST_FAIL;
	return status_of(g, t, false);
}

static int verdict(const struct ingest *g, const struct tally *t, int status)
{
	static const char *const word[] = { "whole", "", "unusable", "usable in part" };
	struct out *o = out_open(STDOUT_FILENO, OUT_PLAIN);
	struct buf b = BUF_INIT;
	int rc;

	buf_addf(&b, "%s: %d of %d input%s, %" PRId64 " trace%s, %" PRId64 " event%s\n",
		word[status], t->used, t->used + t->failed, t->used + t->failed == 1 ? "" : "s",
		g->traces, g->traces == 1 ? "" : "s", g->events, g->events == 1 ? "" : "s");
	rc = o ? out_write(o, b.data, b.len) : -1;
	if (o && out_close(o) < 0)
		rc = -1;
	buf_release(&b);
	return rc < 0 ? ST_FAIL : status;
}

/* -n builds the store as well, to know what links, and throws it away. */
static int only_check(struct ingest *g, char **path, int n, struct tally *t)
{
	const char *tmp = getenv("TMPDIR");
	struct buf b = BUF_INIT;
	int status;

	buf_addf(&b, "%s/tp-ingest-check", tmp && *tmp ? tmp : "/tmp");
	status = into_store(g, b.data, path, n, t);
	buf_release(&b);
	return verdict(g, t, status);
}

int main(int argc, char **argv)
{
	static char standard_input[] = "-", *no_operand[] = { standard_input };
	struct ingest g = { .rank = NO_INT, .argv = argv };
	struct tally t = { 0, 0 };
	regex_t re;
	int first, n, status;
	char **path;

	say_init(argv[0]);
	first = opt_parse(&page, argc, argv);
	n = argc > first ? argc - first : 1;
	path = argc > first ? argv + first : no_operand;
	if (rank != NO_INT && (n > 1 || rank < 0))
		opt_usage_error(&page, "--rank: not for more than one input");
	if (step_regex && compile_regex(&re) < 0)
		return ST_FAIL;
	g.rank = rank;
	g.opt.scope = scope;
	g.opt.step_regex = step_regex ? &re : NULL;
	if (check)
		status = only_check(&g, path, n, &t);
	else if (store_path)
		status = into_store(&g, store_path, path, n, &t);
	else
		status = as_records(&g, path, n, &t);
	if (step_regex)
		regfree(&re);
	return status;
}
