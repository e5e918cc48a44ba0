/* repair.h - rewrite one JSON value that a strict parser refuses to the JSON
 * that its writer meant.  No state, no recursion, nothing printed.
 *
 *	bare nan, inf, -nan(ind), N/A, None     -> null      (nonnumeric)
 *	raw control bytes in a string           -> \u00XX    (control_names)
 *	a string with an invalid escape         -> all its backslashes literal
 *	                                                     (bad_escapes)
 *	a quote that closes nothing             -> \"        (bare_quotes)
 *	a comma before ] or }                   -> dropped   (trailing_commas)
 *	no comma between members or elements    -> added     (missing_commas)
 *
 * A quote closes a string only when what follows fits the structure: a colon
 * behind a key; behind a value a comma and a key (in an array: a value), or the
 * brackets that are open, and behind the whole value what `after` says. */
#ifndef TP_REPAIR_H
#define TP_REPAIR_H

#include "buf.h"
#include "event.h"

#define REPAIR_DEPTH_MAX 60

enum repair_after {
	AFTER_ELEMENT, /* an event in the array: , and { or ], or the end */
	AFTER_MEMBER   /* a member of the document: , and a key, or } */
};
enum repair_result {
	REPAIR_OK,     /* *used bytes of `in` were rewritten, appended to out */
	REPAIR_MORE,   /* the value goes on behind `in`: call again with more */
	REPAIR_BAD     /* cannot be told what was meant */
};

/* `in` begins at the value; last: no byte follows it.  out and count are
 * changed only with REPAIR_OK; without, *used is how far it had to look. */
enum repair_result repair_value(struct text in, bool last,
	enum repair_after after, struct buf *out, size_t *used,
	struct import_counts *count);

enum repair_seek {
	SEEK_EVENT,
	SEEK_BOTH,     /* or the bracket that ends the events */
	SEEK_LAST      /* the same, and no byte follows these */
};
/* Where the next event begins, at or behind `from`: a `{` behind a comma, a
 * bracket or another object, followed by a key that events have.  in.n: not in
 * these bytes (the last REPAIR_OVERLAP may hold the beginning of one). */
#define REPAIR_OVERLAP 128
size_t repair_next_event(struct text in, size_t from,
	enum repair_seek seek);

#endif
