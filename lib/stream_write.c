/* stream_write.c - see stream.h. */
#include "base.h"

#include <assert.h>
#include <unistd.h>

#include "say.h"
#include "stream.h"

enum face face_resolve(enum face wish, int fd)
{
	if (wish != FACE_AUTO)
		return wish;
	return isatty(fd) ? FACE_TEXT : FACE_LZ4;
}

int stream_writer_init(struct stream_writer *w, int fd, enum face face)
{
	struct out *o = out_open(fd, face == FACE_LZ4 ? OUT_LZ4 : OUT_PLAIN);

	if (!o)
		return -1;
	*w = (struct stream_writer){ .out = o };
	return 0;
}

struct jw *stream_begin(struct stream_writer *w, const char *kind)
{
	buf_reset(&w->line);
	jw_init(&w->jw, &w->line);
	jw_open(&w->jw, '{');
	jw_kstr(&w->jw, "kind", kind);
	return &w->jw;
}

struct jw *stream_begin_as(struct stream_writer *w, struct text begin)
{
	buf_reset(&w->line);
	jw_init(&w->jw, &w->line);
	jw_begin(&w->jw, begin);
	return &w->jw;
}

static int line_write(struct stream_writer *w)
{
	if (w->line.len > REC_LINE_MAX) {
		w->dropped++;
		if (!w->warned)
			warn("a record of %zu bytes is too long, dropped", w->line.len);
		w->warned = true;
		return 0;
	}
	w->records++;
	buf_addc(&w->line, '\n');
	return out_write(w->out, w->line.data, w->line.len);
}

int stream_put(struct stream_writer *w)
{
	jw_close(&w->jw, '}');
	assert(w->jw.depth == 0);
	return line_write(w);
}

int stream_pass(struct stream_writer *w, struct text line)
{
	buf_reset(&w->line);
	buf_add(&w->line, line.s, line.n);
	return line_write(w);
}

static bool is_known(struct text key, const char *const *known)
{
	for (; *known; known++)
		if (text_is(key, *known))
			return true;
	return false;
}

/* The keys of a record that this version does not know go on as they are. */
static void put_unknown(struct jw *jw, const struct rec *r, const char *const *known)
{
	const struct rec_field *f;
	size_t i;

	for (i = 0; r && i < r->nfield; i++) {
		f = &r->field[i];
		if (is_known(f->key, known))
			continue;
		jw_key_text(jw, f->key);
		if (f->type == REC_STR)
			jw_text(jw, f->value);
		else
			jw_raw(jw, f->value);
	}
}

static void put_step(struct jw *jw, const char *host, char **argv)
{
	jw_open(jw, '{');
	jw_kstr(jw, "program", say_prog());
	jw_kstr(jw, "version", TP_VERSION);
	jw_kstr(jw, "host", host);
	if (argv) {
		jw_key(jw, "argv");
		jw_open(jw, '[');
		for (; *argv; argv++)
			jw_str(jw, *argv);
		jw_close(jw, ']');
	}
	jw_close(jw, '}');
}

static bool is_empty_array(struct text json)
{
	size_t i;

	for (i = 1; i + 1 < json.n; i++)
		if (json.s[i] != ' ' && json.s[i] != '\t')
			return false;
	return true;
}

static void put_prov(struct jw *jw, struct text prov, const char *host, char **argv)
{
	jw_key(jw, "prov");
	jw_open(jw, '[');
	if (prov.s && !is_empty_array(prov)) /* without its brackets */
		jw_raw(jw, (struct text){ prov.s + 1, prov.n - 2 });
	put_step(jw, host, argv);
	jw_close(jw, ']');
}

/* from: the input's head, whose host and unknown keys stay, or NULL. */
static int head_write(struct stream_writer *w, int64_t epoch_ns, struct text prov,
	char **argv, const struct rec *from)
{
	static const char *const known[] = { "kind", "tp", "program", "version",
		"host", "epoch_ns", "prov", NULL };
	char here[256] = "", epoch[24];
	struct text host = { NULL, 0 };
	struct jw *jw;

	assert(!w->open);
	if (gethostname(here, sizeof(here) - 1) < 0)
		here[0] = '\0';
	if (from)
		host = rec_text(from, "host");
	if (!host.s)
		host = (struct text){ here, strlen(here) };
	snprintf(epoch, sizeof(epoch), "%" PRId64, epoch_ns);
	jw = stream_begin(w, "head");
	jw_kint(jw, "tp", TP_STREAM_MAJOR);
	jw_kstr(jw, "program", say_prog());
	jw_kstr(jw, "version", TP_VERSION);
	jw_ktext(jw, "host", host);
	jw_kstr(jw, "epoch_ns", epoch);
	put_prov(jw, prov, here, argv);
	put_unknown(jw, from, known);
	if (w->line.len >= REC_LINE_MAX) /* other records mean nothing without it */
		return error("the head record is too long (%zu bytes)", w->line.len);
	if (stream_put(w) < 0)
		return -1;
	w->records = w->dropped = 0;
	w->open = true;
	return 0;
}

int stream_head(struct stream_writer *w, int64_t epoch_ns, struct text prov,
	char **argv)
{
	return head_write(w, epoch_ns, prov, argv, NULL);
}

static int end_write(struct stream_writer *w, bool complete, int job_status,
	const struct rec *from)
{
	static const char *const known[] = { "kind", "records", "dropped",
		"complete", "job_status", NULL };
	struct jw *jw = stream_begin(w, "end");

	jw_key(jw, "records");
	jw_u64(jw, w->records);
	jw_key(jw, "dropped");
	jw_u64(jw, w->dropped);
	jw_kbool(jw, "complete", complete);
	if (job_status >= 0)
		jw_kint(jw, "job_status", job_status);
	put_unknown(jw, from, known);
	w->open = false;
	return stream_put(w);
}

int stream_end(struct stream_writer *w, bool complete, int job_status)
{
	return end_write(w, complete, job_status, NULL);
}

int stream_writer_flush(void *w)
{
	return out_flush(((struct stream_writer *)w)->out);
}

int stream_writer_close(struct stream_writer *w)
{
	int r = out_close(w->out);

	buf_release(&w->line);
	w->out = NULL;
	return r;
}

static int relay_end(struct stream *s, struct stream_writer *w, const struct rec *r)
{
	uint64_t dropped;
	int64_t job;

	if (rec_u64(r, "dropped", &dropped) == 0)
		w->dropped += dropped;
	if (rec_int(r, "job_status", &job) < 0 || job < 0 || job > 255)
		job = -1;
	return end_write(w, !stream_cut(s), (int)job, r);
}

int stream_relay(struct stream *s, struct stream_writer *w, const struct rec *r,
	char **argv)
{
	bool head = r && text_is(r->kind, "head");

	if (w->open && (!r || head) && stream_end(w, false, -1) < 0)
		return -1;
	if (!r)
		return 0;
	if (!w->open && head_write(w, stream_epoch_ns(s), stream_prov(s), argv,
			head ? r : NULL) < 0)
		return -1;
	if (head)
		return 0;
	if (text_is(r->kind, "end"))
		return relay_end(s, w, r);
	return stream_pass(w, r->line);
}

void stream_writer_abort(struct stream_writer *w)
{
	if (w->out)
		out_abort(w->out);
	w->out = NULL;
	buf_release(&w->line);
}
