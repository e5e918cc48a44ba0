/* view.h - what all views share: options, the store, rows, the text face.
 *
 * A view is one file in bin/ with an option table that begins with
 * VIEW_OPTS(v), and a function that is called once with the store open:
 *
 *	static struct view v;
 *	static const struct opt opts[] = { VIEW_OPTS(v), OPT_END };
 *	int main(int argc, char **argv)
 *	{
 *		return view_main(&v, &page, argc, argv, run);
 *	}
 *
 * run() walks v->trace[0..ntrace), in public order and already chosen by
 * --rank.  It writes every row with view_row()/view_put() whatever the face
 * (rows go nowhere when the face is text) and adds what a person reads to
 * v->text, which --top may shorten.
 *
 * The head goes out before the store is opened.  view_main returns the status:
 * 2 when run() failed, an identity was broken or --rank, --device, --step choose
 * what is not there (nothing is shown then), 3 when a chosen trace or a run of
 * tp-time is partial.
 * Times inside are ns on the trace's own clock; view_time() makes what a record
 * holds, relative to the epoch that the `run` record behind the rows tells
 * (epoch_add_ns). */
#ifndef TP_VIEW_H
#define TP_VIEW_H

#include "catalog.h"
#include "opt.h"
#include "path.h"
#include "stream.h"

#define VIEW_TOP 10 /* rows of a text table unless --top or --all says else */

enum view_clock { CLOCK_DRAIN, CLOCK_HOST };

struct view {
	/* options */
	int64_t rank;            /* NO_INT: all */
	const char *device;      /* NULL: all */
	int64_t step_first, step_last; /* NO_INT: all */
	int64_t top;
	bool all;
	enum face face;
	enum view_clock clock;
	const char *out_path;

	struct db db;
	const char *store;
	struct view_trace *trace;
	size_t ntrace;
	int64_t epoch_ns;        /* unix ns of a record's time 0 */
	bool as_text;
	struct buf text, key;    /* key: of the row at hand */
	int width;               /* columns */
	bool cut;                /* text may be cut to the width: a terminal */
	bool broken;             /* an identity did not hold, or run() said so */
	bool own_devices;        /* run() finds out whether what --device asks for is there */

	struct stream_writer writer;
	struct draft draft;
};
#define VIEW_INIT { .rank = NO_INT, .step_first = NO_INT, .step_last = NO_INT, \
	.top = VIEW_TOP, .text = BUF_INIT }

int view_opt_step(void *to, const char *value);
int view_opt_clock(void *to, const char *value);

#define VIEW_OPTS(v) \
	{ 0, "rank", "N", "only this rank", OPT_INT, &(v).rank, NULL }, \
	{ 0, "device", "ID", "only this device, as text: 0", OPT_STR, &(v).device, NULL }, \
	{ 0, "step", "N[:M]", "only these steps: their number, else their index", \
		OPT_FN, &(v), view_opt_step }, \
	{ 0, "top", "N", "rows of a text table (10); 0: none; no record is cut", \
		OPT_INT, &(v).top, NULL }, \
	{ 0, "all", NULL, "all rows of the text tables", OPT_FLAG, &(v).all, NULL }, \
	{ 0, "clock", "CLOCK", "where steps end: drain (the device), or host", \
		OPT_FN, &(v), view_opt_clock }, \
	{ 'o', "output", "FILE", "write there; it appears whole or not at all", \
		OPT_STR, &(v).out_path, NULL }, \
	OPT_FACES((v).face)

typedef int view_fn(struct view *v); /* 0, or -1 said */
int view_main(struct view *v, const struct opt_page *page, int argc, char **argv,
	view_fn *run);

/* What a row is about; NULL or NO_INT parts do not apply. */
struct view_where {
	const struct view_trace *trace;
	const char *device;      /* ANY_DEVICE: the rank as a whole */
	const struct view_step *step;
	const char *item;        /* tells rows of the same place apart in the key */
};
#define ANY_DEVICE "any_device"

/* Sends v->text on its way, for text that is longer than memory should hold. */
int view_text_flush(struct view *v) RESULT_USED;

/* Begins a row: kind, key, trace, rank, device, step, idx, name. */
struct jw *view_row(struct view *v, const char *kind, const struct view_where *at);
int view_put(struct view *v) RESULT_USED;
int64_t view_time(const struct view *v, const struct view_trace *t, int64_t ts_ns);

/* Steps of that device in order of time, those that --step chose marked. */
int view_steps(struct view *v, const struct view_trace *t, const char *device,
	struct view_steps *out) RESULT_USED;
bool view_wants_device(const struct view *v, const char *device);
/* Of view_main: keeps the traces of --rank, and asks whether --device and --step
 * choose anything in them: an empty table would look like a job that did nothing. */
int view_choose(struct view *v) RESULT_USED;
int view_check_device(const struct view *v) RESULT_USED;

/* Where a view may spill what does not fit: $TMPDIR or /tmp (the place of the
 * store may be read-only). */
const char *view_scratch_dir(void);

/* An identity that does not hold: says it, and the status will be 2.  Returns
 * -1 for the caller to pass on. */
int view_unequal(struct view *v, const struct view_where *at, const char *what,
	int64_t is, int64_t should_be);

/* "rank 0 device 1", "trace 2 device 0" when the rank is unknown; for text. */
void view_add_place(struct buf *b, const struct view_trace *t, const char *device);
/* How many rows of a text table of n to show. */
size_t view_rows(const struct view *v, size_t n);
/* "  ... and 12 more (--all)" when rows were left out. */
void view_add_rest(struct view *v, size_t shown, size_t n);

#endif
