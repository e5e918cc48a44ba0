/* tp-window - choose the steps to profile, and say why: passes a stream of
 * tp-time on and adds one window record before its end. */
#include "base.h"
#include "opt.h"
#include "out.h"
#include "path.h"
#include "say.h"
#include "stream.h"
#include "tab.h"
#include "window.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
	const char *out, *schedule;
	int64_t active, warmup, rank;
	enum face face;
} want = { .active = 3, .warmup = 2, .rank = -1 };

static const struct opt options[] = {
	{ 0, "active", "N", "steps to profile, 3 if not given", OPT_POS, &want.active, NULL },
	{ 0, "warmup", "N", "steps before them, 2 if not given", OPT_INT, &want.warmup, NULL },
	{ 0, "schedule", "LIST", "periodic steps to avoid: EVERY[+FIRST],...",
		OPT_STR, &want.schedule, NULL },
	{ 0, "rank", "N", "look at this rank alone", OPT_INT, &want.rank, NULL },
	{ 'o', "output", "FILE", "write there", OPT_STR, &want.out, NULL },
	OPT_FACES(want.face),
	OPT_END
};

static const struct opt_page page = {
	.usage = "tp-window [options] [STREAM]",
	.what = "Choose a few steady steps of a timed run to profile, and say why.",
	.example = "tp-time -- python train.py | tp-window",
	.opt = options,
};

struct choosing {
	struct stream *in;
	struct stream_writer w;
	struct series series;
	struct window_want want;
	char **argv;
	bool text;
	bool ended;        /* no segment, or its window was dealt with */
	int64_t windows, without, unusable;
};

static void step_take(struct choosing *c, const struct rec *r)
{
	int64_t rank;

	if (rec_int(r, "rank", &rank))
		rank = 0;
	if (want.rank < 0 || rank == want.rank)
		c->unusable += series_take(&c->series, r) < 0;
}

static int window_write(struct choosing *c, const struct window *w)
{
	struct buf b = BUF_INIT;
	int r;

	if (!c->text) {
		window_put(w, &c->series, stream_begin(&c->w, "window"));
		return stream_put(&c->w);
	}
	window_text(w, &c->series, tab_width(STDOUT_FILENO), &b);
	r = out_write(c->w.out, b.data, b.len);
	buf_release(&b);
	return r;
}

/* A segment has all its steps: choose. */
static int segment_end(struct choosing *c)
{
	struct window w;
	int r = 0;

	if (c->ended)
		return 0;
	c->ended = true;
	if (c->unusable)
		warn("%" PRId64 " step%s left out: number or length absent, below 1 or too"
			" large", c->unusable, c->unusable == 1 ? "" : "s");
	series_settle(&c->series);
	if (window_choose(&c->series, &c->want, &w)) {
		if (c->series.n || !c->without)
			note("no window: %zu step%s, at least %d are needed", c->series.n,
				c->series.n == 1 ? "" : "s", WINDOW_LEAST);
		c->without++;
	} else {
		r = window_write(c, &w);
		c->windows++;
	}
	window_release(&w);
	series_release(&c->series);
	return r;
}

static int record_take(struct choosing *c, const struct rec *r)
{
	bool head = text_is(r->kind, "head");

	if ((head || text_is(r->kind, "end")) && segment_end(c))
		return -1;
	if (head)
		c->ended = false;
	if (text_is(r->kind, "step")) {
		c->ended = false; /* also where the head was lost */
		step_take(c, r);
	}
	if (text_is(r->kind, "window"))
		return 0; /* an earlier choice: ours takes its place */
	return c->text ? 0 : stream_relay(c->in, &c->w, r, c->argv);
}

static int stream_choose(struct choosing *c)
{
	struct rec r;
	int got;

	while ((got = stream_next(c->in, &r)) > 0)
		if (record_take(c, &r))
			return -1;
	if (got < 0 || segment_end(c))
		return -1;
	return c->text ? 0 : stream_relay(c->in, &c->w, NULL, c->argv);
}

static int output_open(struct choosing *c, struct draft *d)
{
	enum face face = want.face;
	int fd = STDOUT_FILENO;

	if (want.out) {
		if (draft_open(d, want.out))
			return -1;
		fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 3);
		if (fd < 0) {
			error_errno("%s", want.out);
			draft_abort(d);
			return -1;
		}
		face = face == FACE_AUTO ? FACE_LZ4 : face;
	}
	face = face_resolve(face, fd);
	c->text = face == FACE_TEXT;
	return stream_writer_init(&c->w, fd, face);
}

static int output_close(struct choosing *c, struct draft *d, int rc)
{
	if (rc)
		stream_writer_abort(&c->w);
	else
		rc = stream_writer_close(&c->w);
	if (want.out && rc)
		draft_abort(d);
	else if (want.out)
		rc = draft_commit(d);
	return rc;
}

/* From the opened stream to the closed output; -1 said. */
static int choose(struct choosing *c)
{
	struct draft d;

	if (output_open(c, &d))
		return -1;
	stream_on_idle(c->in, stream_writer_flush, &c->w);
	return output_close(c, &d, stream_choose(c));
}

int main(int argc, char **argv)
{
	struct choosing c = { .argv = argv, .ended = true };
	int first, status, rc;

	say_init(argv[0]);
	first = opt_parse(&page, argc, argv);
	if (argc - first > 1)
		opt_usage_error(&page, "one stream at a time");
	if (want.active > 1000 || want.warmup > 1000)
		opt_usage_error(&page, "--active, --warmup: not above 1000");
	c.want.active = want.active;
	c.want.warmup = want.warmup;
	if (want.schedule && every_parse(want.schedule, c.want.schedule, SCHEDULE_MAX,
	    &c.want.nschedule))
		return ST_FAIL;
	c.in = stream_open(first < argc ? argv[first] : "-");
	if (!c.in)
		return ST_FAIL;
	rc = choose(&c);
	series_release(&c.series);
	status = stream_close(c.in);
	if (rc)
		return ST_FAIL;
	if (c.unusable)
		return ST_PARTIAL;
	return status ? status : c.without && !c.windows ? ST_NO : ST_OK;
}
