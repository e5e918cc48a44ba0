/* tracefile.c - see tracefile.h. */
#include "base.h"
#include "tracefile.h"
#include "buf.h"
#include "frame.h"
#include "kineto.h"
#include "names.h"
#include "path.h"
#include "say.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Level 4 packs a trace to within 8 % of level 9 at a quarter of the time. */
#define GZIP_MODE "wb4"
#define GZIP_MODE_PLAIN "wbT"
#define CHUNK (1u << 20)
/* Kineto writes its metadata before the events; they take some kilobytes. */
#define HEAD_MAX (1u << 24)

struct mapped { char *s; size_t n; };

static int file_map(const char *path, struct mapped *m)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool failed;

	*m = (struct mapped){ NULL, 0 };
	if (fd < 0)
		return error_errno("%s", path);
	failed = fstat(fd, &st) < 0;
	if (!failed && st.st_size > 0) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		failed = at == MAP_FAILED;
		if (!failed)
			*m = (struct mapped){ at, (size_t)st.st_size };
	}
	if (failed)
		(void)error_errno("%s", path);
	close(fd);
	return failed ? -1 : 0;
}

static void file_unmap(struct mapped *m)
{
	if (m->s)
		munmap(m->s, m->n);
}

/* Where the key "traceEvents" stands, and just behind its [; false: nowhere. */
static bool events_begin(const struct mapped *m, size_t *key, size_t *begin)
{
	static const char word[] = "\"traceEvents\"";
	const char *end = m->s + m->n, *at;

	at = m->n ? memmem(m->s, MIN(m->n, HEAD_MAX), word, sizeof word - 1) : NULL;
	if (!at)
		return false;
	*key = (size_t)(at - m->s);
	for (at += sizeof word - 1; at < end && strchr(" \t\r\n:", *at) && *at; at++)
		;
	*begin = (size_t)(at + 1 - m->s);
	return at < end && *at == '[';
}

static bool has_events(const struct mapped *m, size_t at)
{
	while (at < m->n && strchr(" \t\r\n", m->s[at]) && m->s[at])
		at++;
	return at < m->n && m->s[at] != ']';
}

static int put(gzFile z, const char *s, size_t n)
{
	for (size_t at = 0; at < n;) {
		unsigned part = (unsigned)MIN(n - at, CHUNK);

		if (gzwrite(z, s + at, part) != (int)part)
			return -1;
		at += part;
	}
	return 0;
}

/* A job without process groups says no rank in its trace. */
static void rank_words(const struct tracefile *t, const struct mapped *raw, size_t key,
	struct buf *b)
{
	static const char word[] = "\"distributedInfo\"";

	if (!memmem(raw->s, key, word, sizeof word - 1))
		buf_addf(b, "%s: {\"rank\": %" PRId64 ", \"world_size\": %" PRId64 "},\n  ",
			word, t->rank, t->world_size);
}

static int join_put(gzFile z, const struct tracefile *t, const struct mapped *raw,
	const struct mapped *lines)
{
	struct buf rank = BUF_INIT;
	size_t key, at;
	int r;

	if (!events_begin(raw, &key, &at)) {
		warn("%s: no traceEvents: put in place as it is", t->raw);
		return put(z, raw->s, raw->n);
	}
	HOLDS(raw->s);
	rank_words(t, raw, key, &rank);
	r = put(z, raw->s, key) || put(z, rank.data, rank.len) ||
		put(z, raw->s + key, at - key) || put(z, lines->s, lines->n) ||
		(lines->n && has_events(raw, at) && put(z, ",", 1)) ||
		put(z, raw->s + at, raw->n - at);
	buf_release(&rank);
	return r ? -1 : 0;
}

static int join_write(const struct tracefile *t, const char *target, bool gzip,
	const struct mapped *raw, const struct mapped *lines)
{
	struct draft d;
	gzFile z;
	int fd, bad;

	if (draft_open(&d, target))
		return -1;
	fd = fcntl(d.fd, F_DUPFD_CLOEXEC, 3);
	z = fd < 0 ? NULL : gzdopen(fd, gzip ? GZIP_MODE : GZIP_MODE_PLAIN);
	if (!z) {
		if (fd >= 0)
			close(fd);
		draft_abort(&d);
		return error_errno("%s", target);
	}
	bad = join_put(z, t, raw, lines);
	if (gzclose(z) != Z_OK || bad) {
		error_errno("%s", target);
		draft_abort(&d);
		return -1;
	}
	return draft_commit(&d);
}

int tracefile_join(const struct tracefile *t, const char *target, bool gzip)
{
	struct mapped raw, lines = { NULL, 0 };
	int r = -1;

	if (file_map(t->raw, &raw))
		return -1;
	if (!t->lines || file_map(t->lines, &lines) == 0)
		r = join_write(t, target, gzip, &raw, &lines);
	file_unmap(&lines);
	file_unmap(&raw);
	return r;
}

struct seen { int64_t launches, device_ops; };

static int look(void *arg, const struct event *ev)
{
	struct seen *seen = arg;

	if (cat_on_device(ev->cat))
		seen->device_ops++;
	else if ((ev->cat == CAT_RUNTIME || ev->cat == CAT_DRIVER) && ev->corr != NO_ID &&
	    call_flags(ev->name) & NAME_LAUNCH)
		seen->launches++;
	return 0;
}

int tracefile_check(const char *path, int64_t rank)
{
	struct seen seen = { 0, 0 };
	struct event_sink sink = { look, &seen };
	struct trace_info info;
	struct in *in = in_open(path);
	int r;

	if (!in)
		return -1;
	trace_info_init(&info);
	r = kineto_read(in, NULL, 0, &sink, &info);
	if (r == 0 && seen.launches && !seen.device_ops)
		warn("rank %" PRId64 ": %" PRId64 " launch%s and no device activity: "
			"another tool holds CUPTI, or it could not start", rank,
			seen.launches, seen.launches == 1 ? "" : "es");
	trace_info_release(&info);
	in_close(in);
	return r;
}
