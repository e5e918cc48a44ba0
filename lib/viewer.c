/* viewer.c - see viewer.h. */
#include "base.h"
#include "viewer.h"
#include "num.h"

#include <stdio.h>

#define FLUSH_BYTES (1 << 20)

void viewer_begin(struct viewer *t, struct view *v)
{
	*t = (struct viewer){ .view = v, .first_ns = INT64_MIN, .last_ns = INT64_MAX };
	buf_adds(&v->text, "{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\","
		"\"baseTimeNanoseconds\":");
	buf_addf(&v->text, "%" PRId64 ",\"traceEvents\":[", v->epoch_ns);
}

static void event_begin(struct viewer *t, struct jw *w, const char *ph, const char *name)
{
	buf_adds(&t->view->text, t->comma ? ",\n" : "\n");
	t->comma = true;
	jw_init(w, &t->view->text);
	jw_open(w, '{');
	jw_kstr(w, "ph", ph);
	jw_kstr(w, "name", name);
}

static int event_end(struct viewer *t, struct jw *w)
{
	jw_close(w, '}');
	return t->view->text.len < FLUSH_BYTES ? 0 : view_text_flush(t->view);
}

int viewer_label(struct viewer *t, int64_t pid, int64_t tid, const char *name)
{
	struct jw w;

	event_begin(t, &w, "M", tid < 0 ? "process_name" : "thread_name");
	jw_kint(&w, "pid", pid);
	if (tid >= 0)
		jw_kint(&w, "tid", tid);
	jw_key(&w, "args");
	jw_open(&w, '{');
	jw_kstr(&w, "name", name);
	jw_close(&w, '}');
	return event_end(t, &w);
}

/* ns as us with three decimals, exactly. */
static void add_us(struct jw *w, const char *key, int64_t ns)
{
	char digits[32];
	int64_t us = ns / 1000;
	int rest = (int)(ns % 1000);
	int n = snprintf(digits, sizeof digits, "%s%" PRId64 ".%03d",
		ns < 0 && us == 0 ? "-" : "", us, rest < 0 ? -rest : rest);

	jw_key(w, key);
	jw_raw(w, (struct text){ digits, (size_t)n });
}

static void known(struct jw *w, const char *key, int64_t n)
{
	if (n != NO_INT)
		jw_kint(w, key, n);
}

/* Kineto writes numbers where it can. */
static void arg_id(struct jw *w, const char *key, const char *id)
{
	int64_t n;

	if (id && num_int((struct text){ id, strlen(id) }, INT64_MIN, INT64_MAX, &n) == 0)
		jw_kint(w, key, n);
	else
		jw_kstr(w, key, id);
}

int viewer_slice(struct viewer *t, const struct slice *s)
{
	struct jw w;

	if (s->ts_ns >= t->last_ns || s->ts_ns + s->dur_ns <= t->first_ns)
		return 0;
	event_begin(t, &w, "X", s->name ? s->name : "");
	jw_kstr(&w, "cat", s->cat);
	jw_kint(&w, "pid", s->pid);
	jw_kint(&w, "tid", s->tid);
	add_us(&w, "ts", view_time(t->view, t->trace, s->ts_ns));
	add_us(&w, "dur", s->dur_ns);
	jw_key(&w, "args");
	jw_open(&w, '{');
	jw_kstr(&w, "op", s->op);
	jw_kstr(&w, "file", s->file);
	known(&w, "line", s->line);
	jw_kstr(&w, "func", s->func);
	arg_id(&w, "device", s->device);
	arg_id(&w, "stream", s->stream);
	known(&w, "correlation", s->corr);
	known(&w, "bytes", s->bytes);
	jw_close(&w, '}');
	return event_end(t, &w);
}

void viewer_end(struct viewer *t)
{
	buf_adds(&t->view->text, "\n]}\n");
}
