/* viewer.h - events of a Chrome trace, as viewers read it, into a view's text.
 * Categories and the arguments of device ops are Kineto's, so that other tools
 * read them too.
 *
 *	viewer_begin(&t, &view);  viewer_label(...), viewer_slice(...);  viewer_end(&t);
 *
 * Written as it comes: memory does not grow with the trace. */
#ifndef TP_VIEWER_H
#define TP_VIEWER_H

#include "view.h"

struct viewer {
	struct view *view;
	const struct view_trace *trace; /* of the slices that come */
	int64_t first_ns, last_ns;      /* slices beyond them are left out */
	bool comma;
};
/* NULL, NO_INT: left out. */
struct slice {
	const char *cat, *name, *op, *file, *func;
	const char *device, *stream; /* of a device op */
	int64_t pid, tid, ts_ns, dur_ns, line, corr, bytes;
};
#define SLICE_INIT { .line = NO_INT, .corr = NO_INT, .bytes = NO_INT }

void viewer_begin(struct viewer *t, struct view *v);
/* The name of a process (tid < 0) or of a thread in it. */
int viewer_label(struct viewer *t, int64_t pid, int64_t tid, const char *name) RESULT_USED;
int viewer_slice(struct viewer *t, const struct slice *s) RESULT_USED;
void viewer_end(struct viewer *t);

#endif
