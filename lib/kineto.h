/* kineto.h - Chrome-trace JSON of torch.profiler, 2021 to today, any vendor
 * (FORMATS in doc/tp-ingest.1, section INPUT), one pass, memory independent of
 * the file's length.
 *
 * yajl parses; where it refuses an event, repair.c rewrites that event's text
 * (bare nan, raw control bytes, lone backslashes, unescaped quotes, trailing
 * commas; each counted) and the same callbacks go on with it. */
#ifndef TP_KINETO_H
#define TP_KINETO_H

#include "event.h"
#include "in.h"

/* Reads `in` (of which first/n were read already) to its end.  0 with info
 * filled in (info->partial when the tail is cut or rows had to be dropped),
 * -1 when nothing can be used or the sink stopped; said. */
int kineto_read(struct in *in, const void *first, size_t n,
	const struct event_sink *sink, struct trace_info *info) RESULT_USED;

#endif
