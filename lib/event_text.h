/* event_text.h - events as lines for a person: when, how long, what.
 *
 *	   1.10 ms    100 us  cpu_op      aten::mm */
#ifndef TP_EVENT_TEXT_H
#define TP_EVENT_TEXT_H

#include "event.h"
#include "out.h"

/* A line of text for the event, control bytes of its name shown escaped. */
int event_text_put(struct out *o, const struct event *ev) RESULT_USED;
/* The line that a trace begins with. */
int event_text_head(struct out *o, const char *name) RESULT_USED;

#endif
