/* lost.h - why the devices of a trace were idle, worked out while it is loaded;
 * fills the tables `idle` and `tiny`.
 *
 *	lost_begin(&v, l);
 *	lost_dev(v, &dev, n)          each device op in order of time
 *	lost_devs_end(v);
 *	lost_sweep(v, &anchors)       then the one sweep over the host:
 *	lost_see(v, &item, &anchor)   each item; calls with their anchor
 *	lost_end(v);
 *	lost_free(v);                 always, NULL too
 *
 * Rows of `idle` come in order of time for each device. */
#ifndef TP_LOST_H
#define TP_LOST_H

#include "anchor.h"

struct lost; /* private */

int lost_begin(struct lost **out, struct load *l) RESULT_USED;
int lost_dev(struct lost *v, const struct dev *d, int64_t n) RESULT_USED;
int lost_devs_end(struct lost *v) RESULT_USED;
int lost_sweep(struct lost *v, struct anchors *a) RESULT_USED;
int lost_see(struct lost *v, const struct sweep_item *it, const struct anchor *call) RESULT_USED;
int lost_end(struct lost *v) RESULT_USED;
void lost_free(struct lost *v);

#endif
