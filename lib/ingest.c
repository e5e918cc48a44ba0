/* ingest.c - what is this input? */
#include "base.h"
#include "ingest.h"

#include <stdlib.h>

#include "kineto.h"
#include "mem.h"
#include "sniff.h"

/* Takes over in. */
static int take(struct ingest *g, struct in *in, const char *first, size_t n,
	enum input_kind kind, const char *what)
{
	int status = ST_FAIL;

	if (kind == INPUT_STREAM)
		return ingest_stream(g, in, first, n);
	if (kind == INPUT_KINETO || kind == INPUT_OBJECT)
		status = ingest_kineto(g, in, first, n);
	else if (in_cut(in))
		error("%s: %s", in_name(in), in_cut(in));
	else if (kind == INPUT_EMPTY)
		error("%s: empty", in_name(in));
	else if (kind == INPUT_STORE)
		error("%s: a store, neither a Chrome trace nor a stream of records: the views"
			" read it, as in tp-view1 %s", in_name(in), in_name(in));
	else
		error("%s: %s, neither a Chrome trace nor a stream of records",
			in_name(in), what);
	in_close(in);
	return status;
}

int ingest_input(struct ingest *g, const char *path)
{
	struct in *in = in_open(path);
	enum input_kind kind;
	const char *what = NULL;
	char *first;
	ssize_t n;
	int status;

	if (in == NULL)
		return ST_FAIL;
	first = xmalloc(SNIFF_BYTES);
	n = input_first(in, first, &kind, &what);
	if (n < 0) {
		in_close(in);
		status = ST_FAIL;
	} else {
		status = take(g, in, first, (size_t)n, kind, what);
	}
	free(first);
	say_progress_done();
	if (status == ST_PARTIAL)
		g->partial = true;
	return status;
}
