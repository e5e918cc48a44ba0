/* capout.c - see capout.h. */
#include "base.h"
#include "capout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "buf.h"
#include "event_text.h"
#include "evrec.h"
#include "line.h"
#include "mem.h"
#include "say.h"
#include "tracesink.h"

struct capout_segment {
	struct stream_writer *w; /* out, or own */
	struct stream_writer own;
	char *path;              /* of own; NULL: this one is live */
	struct capout_segment *next; /* of those that are open */
};

int capout_open(struct capout *o, const char *private)
{
	o->work = o->dir ? tracesink_work(o->dir) : xstrdup(private);
	return o->work ? 0 : -1;
}

static int file_begin(struct capout *o, struct capout_segment *s)
{
	struct buf b = BUF_INIT;
	int fd;

	buf_addf(&b, "%s/segment.%" PRId64 ".tp.lz4", o->work, o->begun);
	s->path = b.data;
	fd = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_errno("%s", s->path);
	s->w = &s->own;
	if (stream_writer_init(&s->own, fd, FACE_LZ4)) {
		close(fd);
		s->w = NULL;
		return -1;
	}
	return 0;
}

/* The segment that was live is over: another takes the stream. */
static int live_finish(struct capout *o, int job_status)
{
	if (!o->live_ended)
		return 0;
	o->live_ended = false;
	return o->text ? 0 : stream_end(o->out, o->live_complete, job_status);
}

static int live_begin(struct capout *o, struct capout_segment *s)
{
	if (live_finish(o, -1))
		return -1;
	o->live = s;
	s->w = o->out;
	return o->text ? event_text_head(o->out->out, "events of the job") : 0;
}

static void waiting_remove(struct capout *o)
{
	for (size_t i = 0; i < o->nwaiting; i++) {
		(void)unlink(o->waiting[i]);
		free(o->waiting[i]);
	}
	o->nwaiting = 0;
}

/* The file of one that is not whole goes. */
static void file_discard(struct capout_segment *s)
{
	if (!s->path)
		return;
	stream_writer_abort(&s->own);
	(void)unlink(s->path);
}

/* What went wrong on the way to our own reader.  What waits for its turn, or is still
 * written for it, is for nobody any more: a job can write there for days, and one that
 * is silent would hold its file for days. */
static void out_failed(struct capout *o)
{
	if (!o->deaf)
		o->failed |= errno != EPIPE;
	o->deaf = true;
	waiting_remove(o);
	for (struct capout_segment *s = o->open; s; s = s->next)
		file_discard(s);
}

/* Nobody will read what goes to a file: to the stream, or behind it. */
static bool is_unheard(const struct capout *o)
{
	return !o->dir && o->deaf;
}

struct capout_segment *capout_begin(struct capout *o, int64_t base_ns)
{
	bool to_out = !o->dir && !o->live;
	struct capout_segment *s;
	int r;

	if (is_unheard(o))
		return NULL;
	s = xcalloc(1, sizeof *s);
	s->next = o->open;
	o->open = s;
	o->begun++;
	r = to_out ? live_begin(o, s) : file_begin(o, s);
	if (r == 0 && !(to_out && o->text))
		r = stream_head(s->w, base_ns, (struct text){ NULL, 0 }, o->argv);
	if (r == 0)
		return s;
	if (to_out)
		out_failed(o);
	capout_drop(o, s);
	return NULL;
}

int capout_event(struct capout *o, struct capout_segment *s, const struct event *ev)
{
	bool live = !s->path;

	if (is_unheard(o))
		return -1;
	if (live)
		o->dirty = true;
	if (live && o->text ? event_text_put(s->w->out, ev) : evrec_put(s->w, ev, 0)) {
		if (live)
			out_failed(o);
		return -1;
	}
	return 0;
}

static void segment_free(struct capout *o, struct capout_segment *s)
{
	struct capout_segment **at = &o->open;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	free(s->path);
	free(s);
}

void capout_drop(struct capout *o, struct capout_segment *s)
{
	HOLDS(s);
	if (s == o->live)
		o->live = NULL;
	else if (!is_unheard(o))
		o->failed = true;
	file_discard(s);
	segment_free(o, s);
}

static char *place_name(const struct capout *o, const struct capout_name *name)
{
	char host[256] = "";
	struct buf b = BUF_INIT;

	if (gethostname(host, sizeof host - 1) || strchr(host, '/') || !*host)
		memcpy(host, "host", sizeof "host");
	/* a process that was replaced by another (exec) has the same number */
	for (int again = 0; again < 1000; again++) {
		buf_reset(&b);
		buf_addf(&b, "%s/rank%" PRId64 ".%s.%" PRId64, o->dir,
			name->rank == NO_INT ? o->kept : name->rank, host, name->pid);
		if (again)
			buf_addf(&b, ".%d", again);
		buf_adds(&b, ".tp.lz4");
		if (access(b.data, F_OK))
			break;
	}
	return b.data;
}

static int file_end(struct capout *o, struct capout_segment *s,
	const struct capout_name *name)
{
	char *to;
	int r;

	if (stream_writer_close(&s->own)) {
		(void)unlink(s->path);
		return -1;
	}
	if (!o->dir) {
		GROW(o->waiting, o->nwaiting, o->cap_waiting);
		o->waiting[o->nwaiting++] = s->path;
		s->path = NULL;
		return 0;
	}
	to = place_name(o, name);
	r = rename(s->path, to) ? error_errno("%s", to) : 0;
	if (r)
		(void)unlink(s->path);
	free(to);
	return r;
}

void capout_end(struct capout *o, struct capout_segment *s, const struct trace_info *info,
	const struct capout_name *name, bool complete)
{
	bool live = !s->path;
	int r = 0;

	if (is_unheard(o)) {
		capout_drop(o, s);
		return;
	}
	s->w->dropped += (uint64_t)info->count.dropped;
	if (!(live && o->text))
		r = evrec_put_info(s->w, info, 0);
	if (r) {
		if (live)
			out_failed(o);
		capout_drop(o, s);
		return;
	}
	if (live) {
		o->live = NULL;
		o->live_ended = o->dirty = true;
		o->live_complete = complete;
	} else if (stream_end(s->w, complete, -1)) {
		capout_drop(o, s);
		return;
	} else if (file_end(o, s, name)) {
		o->failed = true;
	}
	o->kept++;
	segment_free(o, s);
}

/* Who writes nothing is not told that the reader of a pipe has gone. */
static void reader_look(struct capout *o)
{
	if (!out_unread(o->out->out))
		return;
	errno = EPIPE;
	out_failed(o);
}

/* A reader that has gone is remembered: the job goes on unheard. */
void capout_flush(struct capout *o)
{
	if (o->dir || o->deaf)
		return;
	if (!o->dirty) {
		reader_look(o);
		return;
	}
	o->dirty = false;
	if (stream_writer_flush(o->out))
		out_failed(o);
}

/* A segment that waited, as it is: its records are counted in its own end. */
static int waiting_put(struct capout *o, const char *path)
{
	struct in *in = in_open(path);
	struct buf b = BUF_INIT;
	struct line_reader l;
	struct text line;
	int r = 0;

	if (!in)
		return -1;
	line_reader_init(&l, in, NULL, 0);
	while (r == 0 && line_next(&l, &line) == LINE_READ) {
		buf_reset(&b);
		buf_add(&b, line.s, line.n);
		buf_addc(&b, '\n');
		r = out_write(o->out->out, b.data, b.len);
	}
	buf_release(&b);
	line_reader_release(&l);
	in_close(in);
	return r;
}

static int waiting_show(struct capout *o, const char *path)
{
	struct stream *s = stream_open(path);
	struct event ev;
	struct rec r;
	int got = -1;

	if (!s || event_text_head(o->out->out, "events of a further process"))
		return -1;
	while ((got = stream_next(s, &r)) > 0)
		if (evrec_get(&r, &ev) > 0 && event_text_put(o->out->out, &ev))
			break;
	(void)stream_close(s); /* that it was cut was said where it happened */
	return got ? -1 : 0;
}

static int out_end(struct capout *o, int job_status)
{
	if (!o->begun && !o->text) {
		if (stream_head(o->out, 0, (struct text){ NULL, 0 }, o->argv))
			return -1;
		return stream_end(o->out, false, job_status);
	}
	if (live_finish(o, job_status))
		return -1;
	for (size_t i = 0; i < o->nwaiting; i++)
		if (o->text ? waiting_show(o, o->waiting[i]) : waiting_put(o, o->waiting[i]))
			return -1;
	return 0;
}

int capout_close(struct capout *o, int job_status)
{
	if (!o->dir && !o->deaf && out_end(o, job_status))
		out_failed(o);
	if (!o->dir && o->deaf)
		stream_writer_abort(o->out);
	else if (!o->dir && stream_writer_close(o->out))
		o->failed = true;
	waiting_remove(o);
	free(o->waiting);
	if (o->dir && o->work)
		folder_remove(o->work);
	free(o->work);
	o->work = NULL;
	return o->failed ? -1 : 0;
}
