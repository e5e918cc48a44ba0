/* Any bytes as a Chrome trace, read with the scanner and without: the events, the
 * counts and the verdict are the same. */
#include "base.h"
#include "buf.h"
#include "kineto_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void add_text(struct buf *b, struct text t)
{
	buf_addf(b, " %zu ", t.s ? t.n : (size_t)-1);
	if (t.n)
		buf_add(b, t.s, t.n);
}

static int take(void *arg, const struct event *ev)
{
	struct buf *b = arg;
	const struct text slice[] = { ev->name, ev->pid, ev->tid, ev->raw_cat,
		ev->device, ev->stream, ev->args };
	const int64_t v[] = { ev->cat, ev->ts_ns, ev->dur_ns, ev->untimed,
		(int64_t)ev->corr, (int64_t)ev->ext, ev->seq, ev->fwd_tid, ev->bytes,
		ev->blocks, ev->allocated, ev->reserved, ev->delta, (int64_t)ev->addr,
		ev->device_type };

	for (size_t i = 0; i < ARRAY_LEN(slice); i++)
		add_text(b, slice[i]);
	buf_add(b, v, sizeof v);
	return 0;
}

/* Half of the bytes count as read by who looked at the first ones. */
static struct buf read_one(const uint8_t *p, size_t n, bool careful)
{
	struct buf b = BUF_INIT;
	const struct event_sink sink = { take, &b };
	struct in *in = in_memory("fuzz", p + n / 2, n - n / 2);
	struct trace_info info;
	int rc;

	if (!in)
		__builtin_trap();
	trace_info_init(&info);
	rc = kineto_read_carefully(in, p, n / 2, &sink, &info, careful);
	buf_add(&b, &rc, sizeof rc);
	buf_add(&b, &info.count, sizeof info.count);
	buf_add(&b, &info.base_ns, sizeof info.base_ns);
	if (info.why_partial)
		buf_adds(&b, info.why_partial);
	trace_info_release(&info);
	in_close(in);
	return b;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct buf fast = read_one(p, n, false), slow = read_one(p, n, true);

	if (!text_eq(buf_text(&fast), buf_text(&slow)))
		__builtin_trap();
	buf_release(&fast);
	buf_release(&slow);
	return 0;
}
