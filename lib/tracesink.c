/* tracesink.c - see tracesink.h. */
#include "base.h"
#include "tracesink.h"
#include "buf.h"
#include "folder.h"
#include "ingest.h"
#include "mem.h"
#include "say.h"
#include "tracefile.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *tracesink_work(const char *dir)
{
	struct buf b = BUF_INIT;
	char *real;

	if (mkdir(dir, 0777) && errno != EEXIST) {
		error_errno("%s", dir);
		return NULL;
	}
	real = realpath(dir, NULL); /* the job may stand elsewhere */
	if (!real) {
		error_errno("%s", dir);
		return NULL;
	}
	buf_addf(&b, "%s/.tp-XXXXXX", real);
	free(real);
	real = folder_make(b.data);
	buf_release(&b);
	return real;
}

int tracesink_open(struct tracesink *s, const char *dir, const char *private)
{
	s->dir = dir;
	s->work = dir ? tracesink_work(dir) : xstrdup(private);
	return s->work ? 0 : -1;
}

/* The events of a finished trace go on as a stream of their own. */
static int events_put(struct tracesink *s, const char *path, int64_t rank)
{
	struct ingest g = { .out = s->out, .text = s->text, .argv = s->argv,
		.rank = rank };
	int got;

	if (s->deaf)
		return 0;
	got = ingest_input(&g, path);
	if (got < 0 || stream_writer_flush(s->out)) {
		s->failed |= errno != EPIPE;
		s->deaf = true;
	}
	return got == ST_FAIL ? -1 : 0;
}

static int trace_place(struct tracesink *s, const struct tracefile *t, int64_t pid)
{
	char host[256] = "";
	struct buf target = BUF_INIT;
	int r;

	if (gethostname(host, sizeof host - 1) || strchr(host, '/') || !*host)
		memcpy(host, "host", sizeof "host");
	buf_addf(&target, "%s/rank%" PRId64 ".%s.%" PRId64 ".json%s",
		s->dir ? s->dir : s->work, t->rank, host, pid, s->dir ? ".gz" : "");
	r = tracefile_join(t, target.data, s->dir);
	if (r == 0)
		r = tracefile_check(target.data, t->rank);
	if (r == 0 && !s->dir)
		r = events_put(s, target.data, t->rank);
	if (!s->dir)
		(void)unlink(target.data);
	buf_release(&target);
	return r;
}

int tracesink_take(struct tracesink *s, const struct rec *r)
{
	struct text raw = rec_text(r, "path"), lines = rec_text(r, "lines");
	struct tracefile t = { .world_size = 1 };
	char *raw_path, *lines_path;
	int64_t pid;

	if (!raw.s || rec_int(r, "rank", &t.rank) || rec_int(r, "pid", &pid))
		return -1;
	if (rec_int(r, "world_size", &t.world_size))
		t.world_size = 1;
	t.raw = raw_path = xmemdup0(raw.s, raw.n);
	t.lines = lines_path = lines.s ? xmemdup0(lines.s, lines.n) : NULL;
	if (trace_place(s, &t, pid))
		s->failed = true;
	else
		s->traces++;
	(void)unlink(raw_path);
	if (lines_path)
		(void)unlink(lines_path);
	free(raw_path);
	free(lines_path);
	return 0;
}

/* Nothing was written: still a stream, one that says that all is missing. */
static int empty_put(struct tracesink *s, int job_status)
{
	if (s->traces || s->text)
		return 0;
	if (stream_head(s->out, 0, (struct text){ NULL, 0 }, s->argv))
		return -1;
	return stream_end(s->out, false, job_status);
}

int tracesink_close(struct tracesink *s, int job_status)
{
	if (s->out && !s->deaf) {
		if (empty_put(s, job_status))
			s->failed = true;
		if (stream_writer_close(s->out))
			s->failed = true;
	} else if (s->out) {
		stream_writer_abort(s->out);
	}
	if (s->dir && s->work)
		folder_remove(s->work);
	free(s->work);
	s->work = NULL;
	return s->failed ? -1 : 0;
}
