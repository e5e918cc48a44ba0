/* pylayout.h - what lies where in CPython's thread states, frames, code objects
 * and strings, per version: offsets in bytes.
 *
 * These structures are private to CPython, but do not change within a minor
 * version.  A build with other options (debug, free-threaded) has others: so a
 * layout is used only after pyproof_run has seen it give what Python says. */
#ifndef TP_PYLAYOUT_H
#define TP_PYLAYOUT_H

#include "base.h"

enum pyline_table { PYLINE_NOTAB, PYLINE_PAIRS, PYLINE_LOCATIONS };

struct pylayout {
	/* the thread state's pointer to its innermost frame; from 3.11 to 3.12 by
	 * way of a struct of the interpreter loop, and there at current_frame */
	uint16_t frame, current_frame;
	bool by_cframe;
	bool is_object;        /* frames are objects (until 3.10) */
	/* a frame */
	uint16_t back, code;
	uint16_t at;           /* until 3.10 the index of the instruction, else its address */
	uint16_t at_unit;      /* bytes an index counts */
	uint16_t owner;        /* from 3.11 on: PYFRAME_... */
	/* a code object */
	uint16_t first_line, file, name, table;
	uint16_t bytecode, first_traceable; /* from 3.11 on */
	uint16_t serial;       /* from 3.12 on: a number of its own, 0 none; else 0 */
	enum pyline_table lines;
	/* a string: where its bytes begin */
	uint16_t ascii, compact;
};

#define PYFRAME_OF_GENERATOR 1
#define PYFRAME_OF_LOOP 3      /* no function's: the interpreter's own, and above */

/* The same in all versions: a variable object's size, a bytes object's first
 * byte, a string's length and its bits (kind 2-4, compact 5, ascii 6). */
#define PY_SIZE 16
#define PY_BYTES 32
#define PY_LENGTH 16
#define PY_STATE 32

/* The layout of sys.hexversion, NULL where none is known. */
const struct pylayout *pylayout_of(int hexversion);

static inline const char *py_pointer(const char *p, unsigned at)
{
	const char *v;

	memcpy(&v, p + at, sizeof v);
	return v;
}

static inline int32_t py_int(const char *p, unsigned at)
{
	int32_t v;

	memcpy(&v, p + at, sizeof v);
	return v;
}

static inline int64_t py_long(const char *p, unsigned at)
{
	int64_t v;

	memcpy(&v, p + at, sizeof v);
	return v;
}

#endif
