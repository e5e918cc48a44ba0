/* window.h - which steps of a run to profile: about three consecutive steps
 * that stand for the run, and why.
 *
 * A run is cut into regimes (stretches of one typical length) at change points;
 * the regime that takes most time is where the window goes.  A step is typical
 * of its regime when it lies within three deviations (or 3 %) of the median;
 * start-up, compiling, periodic (evaluation, checkpoint) and odd steps are not.
 * Where lengths repeat in a pattern of up to WINDOW_PATTERN steps, a step is held
 * against its own place in the pattern and the window covers the pattern whole.
 *
 *	a series (series.h); window_choose; window_reason, window_put, window_text;
 *	window_release */
#ifndef TP_WINDOW_H
#define TP_WINDOW_H

#include "base.h"
#include "buf.h"
#include "jw.h"
#include "pace.h"
#include "series.h"

#define WINDOW_PATTERN 8
#define WINDOW_LEAST 5       /* with fewer steps there is no window */
#define WINDOW_TELL 12       /* with fewer there is nothing to tell regimes by */
#define WINDOW_ODDS 32       /* odd steps named in a record */
#define REGIMES_MAX 16
#define SCHEDULE_MAX 16

struct every { int64_t every, first; }; /* first, first + every, ... */
/* "10" (10, 20, ...), "10+3" (3, 13, ...), several with commas; -1 said. */
int every_parse(const char *words, struct every *out, size_t max, size_t *n) RESULT_USED;

struct window_want {
	int64_t active, warmup;
	struct every schedule[SCHEDULE_MAX];
	size_t nschedule;
};

struct regime {
	size_t from, to;         /* indices: steps from + 1 .. to */
	int64_t median_ns, deviation_ns; /* 1.4826 times the median deviation */
};
/* Change points: 1 to REGIMES_MAX regimes that cover 0..n. */
size_t regimes_find(const int64_t *wall_ns, size_t n, struct regime out[REGIMES_MAX]);

enum sure { SURE_LOW, SURE_MEDIUM, SURE_HIGH };
struct window {
	int64_t first_step, steps, warmup;
	bool short_series;       /* too short to tell: steps 3, 4, 5 */
	bool settled;            /* the window has no step that is to be avoided */
	enum sure sure;
	int64_t startup;         /* steps before the first typical one */
	int64_t late;            /* the last step whose end was known late; 0: none */
	int64_t pattern;         /* 1: none */
	struct regime regime[REGIMES_MAX];
	size_t nregime, chosen;
	struct beat beat[BEATS_MAX];
	size_t nbeat;
	struct every schedule[SCHEDULE_MAX];
	size_t nschedule;
	int64_t odd[WINDOW_ODDS];
	size_t nodd;             /* may be more than WINDOW_ODDS */
};
/* 0, or 1: no window to be had (too few steps). */
int window_choose(const struct series *s, const struct window_want *want,
	struct window *w) RESULT_USED;
void window_reason(const struct window *w, const struct series *s, struct buf *b);
/* The keys of a window record. */
void window_put(const struct window *w, const struct series *s, struct jw *out);
/* The series drawn, the window marked, the reason. */
void window_text(const struct window *w, const struct series *s, int width,
	struct buf *out);
void window_release(struct window *w);

#endif
