/* sniff.h - what an input is, by its first bytes and never by its name. */
#ifndef TP_SNIFF_H
#define TP_SNIFF_H

#include "in.h"

/* Enough to tell: the longest header seen before a trace's first event is 9 KiB. */
#define SNIFF_BYTES (64u << 10)
#define STORE_APPLICATION_ID 0x74707374 /* "tpst", in the header of an SQLite file */

/* INPUT_OBJECT: a JSON object of which no key told so far, which goes on: a trace
 * with its events far behind, or a stream cut within its first record.  INPUT_OTHER:
 * something that is only recognised. */
enum input_kind { INPUT_KINETO, INPUT_STREAM, INPUT_STORE, INPUT_EMPTY, INPUT_OBJECT,
	INPUT_OTHER };
/* first/n: up to SNIFF_BYTES of decoded bytes.  *what, a static phrase: "an Nsight
 * Systems SQLite export", "a Chrome trace"; of all kinds but INPUT_EMPTY. */
enum input_kind input_sniff(const void *first, size_t n, const char **what);

/* Reads until it is told, at most SNIFF_BYTES into first: their number, -1 said. */
ssize_t input_first(struct in *in, char *first, enum input_kind *kind,
	const char **what) RESULT_USED;

#endif
