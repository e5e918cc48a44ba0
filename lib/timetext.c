/* timetext.c - see timetext.h. */
#include "base.h"
#include "timetext.h"
#include "buf.h"
#include "mem.h"
#include "num.h"
#include "jw.h"

#include <stdlib.h>

void timetext_init(struct timetext *t)
{
	*t = (struct timetext){ .every = 1 };
}

void timetext_release(struct timetext *t)
{
	free(t->wall_ns);
	*t = (struct timetext){ 0 };
}

static void wall_keep(struct timetext *t, int64_t ns)
{
	if (t->steps++ % t->every)
		return;
	if (t->n >= TIMETEXT_KEEP) {
		for (size_t i = 0; i < t->n / 2; i++)
			t->wall_ns[i] = t->wall_ns[2 * i];
		t->n /= 2;
		t->every *= 2;
	}
	GROW(t->wall_ns, t->n, t->cap);
	t->wall_ns[t->n++] = ns;
}

static void add_ns(struct buf *b, const char *before, const struct rec *r,
	const char *key)
{
	char num[NUM_LEN];
	int64_t ns;

	if (rec_int(r, key, &ns) == 0)
		buf_addf(b, "%s%s", before, num_fmt_ns(num, ns));
}

static void add_bytes(struct buf *b, const char *before, const struct rec *r,
	const char *key, int64_t *peak)
{
	char num[NUM_LEN];
	int64_t bytes;

	if (rec_int(r, key, &bytes))
		return;
	buf_addf(b, "%s%s", before, num_fmt_bytes(num, bytes));
	if (peak)
		*peak = MAX(*peak, bytes);
}

static void add_shown(struct buf *b, struct text t)
{
	struct buf shown = BUF_INIT;

	jw_escape(&shown, t);
	buf_add(b, shown.data ? shown.data : "", shown.len);
	buf_release(&shown);
}

static void add_place(struct buf *b, const struct rec *r)
{
	struct text file = rec_text(r, "file");
	int64_t line;

	if (!file.s || rec_int(r, "line", &line))
		return;
	buf_adds(b, "  ");
	add_shown(b, file);
	buf_addf(b, ":%" PRId64, line);
}

static void step_line(struct timetext *t, struct buf *b, const struct rec *r,
	int64_t rank)
{
	int64_t step = 0, wall = 0;

	if (rec_int(r, "step", &step) || rec_int(r, "wall_ns", &wall))
		return;
	if (rank > 0)
		t->ranks = true;
	if (t->ranks)
		buf_addf(b, "rank %" PRId64 "  ", rank);
	buf_addf(b, "step %" PRId64, step);
	add_ns(b, "  ", r, "wall_ns");
	add_ns(b, "  device ", r, "device_ns");
	add_bytes(b, "  allocated ", r, "allocated_bytes", NULL);
	add_bytes(b, "  reserved ", r, "reserved_bytes", &t->reserved_peak);
	add_bytes(b, "  host ", r, "host_bytes", &t->host_peak);
	if (rec_get(r, "skipped"))
		buf_adds(b, "  skipped by the gradient scaler");
	if (rec_get(r, "late"))
		buf_adds(b, "  known late");
	if (rec_get(r, "compiled"))
		buf_adds(b, "  compiled");
	buf_addc(b, '\n');
	wall_keep(t, wall);
}

static void startup_line(struct buf *b, const struct rec *r, int64_t rank)
{
	if (rank > 0)
		buf_addf(b, "rank %" PRId64 "  ", rank);
	buf_adds(b, "startup  ");
	add_shown(b, rec_text(r, "phase"));
	add_ns(b, "  ", r, "dur_ns");
	add_place(b, r);
	buf_addc(b, '\n');
}

int timetext_put(struct timetext *t, struct out *o, const struct rec *r)
{
	struct buf b = BUF_INIT;
	int64_t rank = 0;
	int got = 0;

	if (rec_int(r, "rank", &rank))
		rank = 0;
	if (text_is(r->kind, "step"))
		step_line(t, &b, r, rank);
	else if (text_is(r->kind, "startup"))
		startup_line(&b, r, rank);
	if (b.len)
		got = out_write(o, b.data, b.len);
	buf_release(&b);
	return got;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int timetext_end(struct timetext *t, struct out *o)
{
	char num[NUM_LEN];
	struct buf b = BUF_INIT;
	int got;

	if (!t->n)
		return 0;
	qsort(t->wall_ns, t->n, sizeof *t->wall_ns, by_value);
	buf_addf(&b, "%" PRId64 " step%s, median %s on the host", t->steps, t->steps == 1 ? "" : "s",
		num_fmt_ns(num, t->wall_ns[t->n / 2]));
	if (t->reserved_peak)
		buf_addf(&b, ", device memory up to %s",
			num_fmt_bytes(num, t->reserved_peak));
	if (t->host_peak)
		buf_addf(&b, ", host memory up to %s",
			num_fmt_bytes(num, t->host_peak));
	buf_addc(&b, '\n');
	got = out_write(o, b.data, b.len);
	buf_release(&b);
	return got;
}
