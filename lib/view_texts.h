/* view_texts.h - names and frames of a trace as text, asked for again and again:
 * the last few thousand are kept. */
#ifndef TP_VIEW_TEXTS_H
#define TP_VIEW_TEXTS_H

#include "lost_read.h"

#define TEXTS_SLOTS 2048u

struct texts {
	struct names names;
	struct near ops;       /* device ops, for lost_read() too */
	struct texts_name { int64_t n; char *text; } *name;
	struct texts_frame { int64_t n; struct anchor_text at; } *frame;
};

int texts_open(struct texts *t, struct db *db, const struct view_trace *trace) RESULT_USED;
void texts_close(struct texts *t);
/* Valid until the next call; NULL said.  "" for none. */
const char *texts_name(struct texts *t, int64_t n) RESULT_USED;
const struct anchor_text *texts_frame(struct texts *t, int64_t frame) RESULT_USED;
/* Name of the op in a row of dev; "" for 0. */
const char *texts_op(struct texts *t, int64_t dev) RESULT_USED;

#endif
