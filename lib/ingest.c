/* ingest.c - what is this input? */
#include "base.h"
#include "ingest.h"

#include <stdlib.h>

#include "kineto.h"
#include "mem.h"

/* Enough for input_sniff: the longest header seen before a trace's first event
 * is 9 KiB. */
#define SNIFF_BYTES (64u << 10)

/* As many of the first bytes as it takes to tell a stream, else all of them. */
static ssize_t read_first(struct in *in, char *first, enum input_kind *kind,
	const char **what)
{
	size_t n = 0;
	ssize_t got;

	do {
		got = in_read(in, first + n, SNIFF_BYTES - n);
		if (got < 0)
			return -1;
		n += (size_t)got;
		*kind = input_sniff(first, n, what);
	} while (got > 0 && n < SNIFF_BYTES && *kind != INPUT_STREAM);
	return (ssize_t)n;
}

/* Takes over in. */
static int take(struct ingest *g, struct in *in, const char *first, size_t n,
	enum input_kind kind, const char *what)
{
	int status = ST_FAIL;

	if (kind == INPUT_STREAM)
		return ingest_stream(g, in, first, n);
	if (kind == INPUT_KINETO)
		status = ingest_kineto(g, in, first, n);
	else if (in_cut(in))
		error("%s: %s", in_name(in), in_cut(in));
	else if (kind == INPUT_EMPTY)
		error("%s: empty", in_name(in));
	else
		error("%s: %s, neither a Chrome trace nor a stream of tp programs",
			in_name(in), what ? what : "unknown format");
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
	n = read_first(in, first, &kind, &what);
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
