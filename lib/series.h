/* series.h - the steps of a run in order, as tp-window looks at them.
 *
 *	series_init; series_take for each step record; series_settle; series_release */
#ifndef TP_SERIES_H
#define TP_SERIES_H

#include "base.h"
#include "rec.h"

#define SERIES_MAX (1u << 22) /* steps looked at: 190 MB; later ones are passed on only */

enum wall_flag {
	WALL_SEEN = 1, WALL_COMPILED = 2, WALL_LAST = 4, WALL_SKIPPED = 8,
	WALL_LATE = 16 /* its end was known after the fact: it and the next are not for us */
};
/* The line that most of a long step's time was spent in. */
struct step_place { int64_t step; char *file, *func; int64_t line; };

/* What steps took, by number from 1; of several ranks the longest. */
struct series {
	int64_t *wall_ns;
	int64_t *device_ns;      /* NO_INT unknown */
	bool ahead;              /* series_settle: wall_ns is by the device's clock */
	unsigned char *flags;
	size_t n, cap;
	struct step_place *place;
	size_t nplace, place_cap;
};
void series_init(struct series *s);
/* 0, or -1: not usable. */
int series_add(struct series *s, int64_t step, int64_t wall_ns, int flags) RESULT_USED;
void series_device(struct series *s, int64_t step, int64_t device_ns); /* of an added step */
/* All were added: wall_ns is what each step took (pace_take). */
void series_settle(struct series *s);
/* A step record, with its flags and its first line.  0, or -1: not usable. */
int series_take(struct series *s, const struct rec *r) RESULT_USED;
void series_place(struct series *s, int64_t step, struct text file, int64_t line,
	struct text func);
void series_release(struct series *s);

#endif
