/* view5.h - the parts of the memory view that do not fit its program: what was
 * alive at the peak, and the text face (view5_text.c). */
#ifndef TP_VIEW5_H
#define TP_VIEW5_H

#include "memcurve.h"

struct alive_block {
	int64_t bytes, count;
	char *op;                /* "" unknown */
	struct anchor_text anchor;
};
struct alive {
	struct alive_block *block; /* the most bytes first */
	size_t n, cap;
};
/* What that curve's device held at its peak. */
int alive_load(struct view *v, const struct view_trace *t, const struct mem_curve *c,
	struct alive *out) RESULT_USED;
void alive_release(struct alive *l);

/* What the device can hold: asked_bytes if it is not NO_INT, else what the trace
 * says of this device, else of its only one.  NO_INT unknown. */
int64_t curve_capacity(const struct view_trace *t, const struct mem_curve *c,
	int64_t asked_bytes);

void view5_text(struct view *v, const struct memcurves *m, int64_t asked_bytes,
	const struct alive *live);
/* n traces have no memory events. */
void view5_text_without(struct view *v, size_t n);

#endif
