/* windowin.c - see windowin.h. */
#include "base.h"
#include "windowin.h"
#include "mem.h"
#include "num.h"
#include "say.h"

#include <stdlib.h>

#define STEPS_MAX 100000 /* of a window; the profiler's memory ends long before */

void windowin_rule(struct windowin *in, const char *rule)
{
	free(in->rule);
	in->rule = xstrdup(rule);
}

void windowin_release(struct windowin *in)
{
	free(in->rule);
	in->rule = NULL;
}

int windowin_parse(struct windowin *in, const char *words)
{
	int64_t first, last;

	if (num_range((struct text){ words, strlen(words) }, &first, &last) ||
	    first < 1 || last - first >= STEPS_MAX)
		return error("--window '%s': not A or A:B, with A from 1, B from A, and at"
			" most %d steps", words, STEPS_MAX);
	*in = (struct windowin){ first, last - first + 1, 2, xstrdup("auto") };
	return 0;
}

int windowin_opt(void *to, const char *words)
{
	struct windowin in = { .rule = NULL };

	if (windowin_parse(&in, words) < 0)
		return -1;
	windowin_release(&in);
	*(const char **)to = words;
	return 0;
}

/* The profiled run must count as the timed one did.  An optimizer's steps, and
 * those of prof.step(), are found again by "auto". */
static void rule_take(struct windowin *in, const struct rec *r)
{
	struct text rule = rec_text(r, "step_rule"), by = rec_text(r, "step_by");

	if (!rule.s)
		return;
	if (text_is(rule, "line") && by.s) {
		free(in->rule);
		in->rule = xmemdup0(by.s, by.n);
	} else {
		windowin_rule(in, text_is(rule, "forward") ? "forward" : "auto");
	}
}

static void window_take(struct windowin *in, const struct rec *r)
{
	int64_t first, steps, warmup;

	if (rec_int(r, "first_step", &first) || rec_int(r, "steps", &steps) ||
	    first < 1 || steps < 1 || steps > STEPS_MAX)
		return;
	if (rec_int(r, "warmup", &warmup) || warmup < 0)
		warmup = 1;
	in->first_step = first;
	in->steps = steps;
	in->warmup = warmup;
}

int windowin_read(struct windowin *in, const char *path, struct stream_writer *w,
	char **argv)
{
	struct stream *s = stream_open(path);
	struct rec r;
	int got = -1;

	*in = (struct windowin){ .rule = xstrdup("auto") };
	if (!s)
		return -1;
	if (w)
		stream_on_idle(s, stream_writer_flush, w);
	while ((got = stream_next(s, &r)) > 0) {
		if (text_is(r.kind, "window"))
			window_take(in, &r);
		else if (text_is(r.kind, "run"))
			rule_take(in, &r);
		if (w && stream_relay(s, w, &r, argv)) {
			got = -1;
			break;
		}
	}
	if (got == 0 && w && stream_relay(s, w, NULL, argv))
		got = -1;
	(void)stream_close(s); /* what was lost of it was said */
	if (got == 0 && !in->first_step)
		return error("no window in the stream: the job is not started");
	return got;
}
