/* kineto_small.h - small documents read through kineto.c, for its unit tests.
 *
 * Every document is read many times, cut in two at every byte (what the caller
 * has read already, and the rest): wherever the cut falls, the events are the
 * same. */
#ifndef TP_KINETO_SMALL_H
#define TP_KINETO_SMALL_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "jw.h"
#include "kineto.h"
#include "mem.h"
#include "say.h"

static char dir[] = "/tmp/tp-unit-XXXXXX";
static const char *file_name = "trace.json";

static void say_int(struct buf *b, const char *key, int64_t v)
{
	if (v != NO_INT)
		buf_addf(b, " %s=%" PRId64, key, v);
}

static void say_text(struct buf *b, const char *key, struct text t)
{
	if (t.s) {
		buf_addf(b, " %s=", key);
		jw_escape(b, t);
	}
}

/* One line an event: what is not unknown. */
static int write_event(void *arg, const struct event *ev)
{
	struct buf *b = arg;

	buf_adds(b, cat_name(ev->cat));
	say_text(b, "name", ev->name);
	say_text(b, "pid", ev->pid);
	say_text(b, "tid", ev->tid);
	buf_addf(b, " ts=%" PRId64 " dur=%" PRId64, ev->ts_ns, ev->dur_ns);
	if (ev->untimed)
		buf_adds(b, " untimed");
	if (ev->corr != NO_ID)
		buf_addf(b, " corr=%" PRIu64, ev->corr);
	if (ev->ext != NO_ID)
		buf_addf(b, " ext=%" PRIu64, ev->ext);
	say_int(b, "seq", ev->seq);
	say_int(b, "fwd", ev->fwd_tid);
	say_text(b, "dev", ev->device);
	say_text(b, "stream", ev->stream);
	say_int(b, "bytes", ev->bytes);
	say_int(b, "blocks", ev->blocks);
	say_int(b, "alloc", ev->allocated);
	say_int(b, "res", ev->reserved);
	say_int(b, "delta", ev->delta);
	if (ev->args.s) {
		buf_addc(b, ' ');
		buf_add(b, ev->args.s, ev->args.n);
	}
	buf_addc(b, '\n');
	return 0;
}

static void write_file(const char *name, const char *doc, size_t n)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(doc, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Read the file of which the first `cut` bytes count as read. */
static int read_file(size_t cut, struct buf *events, struct trace_info *info)
{
	const struct event_sink sink = { write_event, events };
	struct in *in = in_open(file_name);
	char *first = xmalloc(cut + 1);
	size_t n = 0;
	int rc;

	assert_non_null(in);
	while (n < cut) {
		ssize_t got = in_read(in, first + n, cut - n);

		assert_true(got > 0);
		n += (size_t)got;
	}
	trace_info_init(info);
	rc = kineto_read(in, first, cut, &sink, info);
	free(first);
	in_close(in);
	return rc;
}

static void info_same(const struct trace_info *a, const struct trace_info *b)
{
	assert_int_equal(a->hash, b->hash);
	assert_int_equal(a->base_ns, b->base_ns);
	assert_int_equal(a->rank, b->rank);
	assert_int_equal(a->partial, b->partial);
	assert_string_equal(a->dialect, b->dialect);
	assert_memory_equal(&a->count, &b->count, sizeof a->count);
}

/* The document in all its cuts gives these events; info as the whole gives it. */
static void expect(const char *doc, const char *events, struct trace_info *info)
{
	struct buf got = BUF_INIT;
	size_t n = strlen(doc);

	write_file(file_name, doc, n);
	if (read_file(0, &got, info) < 0)
		fail_msg("refused: %s", doc);
	assert_string_equal(got.len ? got.data : "", events);
	for (size_t cut = 1; cut <= n; cut++) {
		struct trace_info again;

		buf_reset(&got);
		assert_int_equal(read_file(cut, &got, &again), 0);
		if (strcmp(got.len ? got.data : "", events) != 0)
			fail_msg("cut at %zu: %s", cut, got.data);
		info_same(info, &again);
		trace_info_release(&again);
	}
	buf_release(&got);
}

static int set_up(void **state)
{
	(void)state;
	say_verbosity = -1;
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(file_name) | chdir("/") | rmdir(dir);
}

#endif
