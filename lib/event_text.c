/* event_text.c - events for a person. */
#include "base.h"
#include "event_text.h"

#include "num.h"
#include "utf8.h"

static int put(struct out *o, struct buf *b)
{
	int rc = out_write(o, b->data, b->len);

	buf_release(b);
	return rc;
}

static void add_sample(struct buf *b, const struct event *ev)
{
	char text[NUM_LEN];

	if (ev->delta != NO_INT)
		buf_addf(b, "%s", num_fmt_bytes(text, ev->delta));
	if (ev->allocated != NO_INT)
		buf_addf(b, ", allocated %s", num_fmt_bytes(text, ev->allocated));
	if (ev->reserved != NO_INT)
		buf_addf(b, ", reserved %s", num_fmt_bytes(text, ev->reserved));
}

int event_text_put(struct out *o, const struct event *ev)
{
	char start[NUM_LEN], dur[NUM_LEN];
	struct buf b = BUF_INIT;

	buf_addf(&b, "%10s %10s  %-11s ", num_fmt_ns(start, ev->ts_ns),
		ev->cat == CAT_MEM ? "" : num_fmt_ns(dur, ev->dur_ns), cat_name(ev->cat));
	if (ev->cat == CAT_MEM)
		add_sample(&b, ev);
	else
		text_show(&b, ev->name);
	buf_addc(&b, '\n');
	return put(o, &b);
}

int event_text_head(struct out *o, const char *name)
{
	struct buf b = BUF_INIT;

	text_show(&b, (struct text){ name, strlen(name) });
	buf_addf(&b, "\n%10s %10s  %-11s %s\n", "start", "length", "kind", "name");
	return put(o, &b);
}
