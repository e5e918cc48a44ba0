/* pywalk.h - the frames of a thread as they lie in memory. */
#ifndef TP_PYWALK_H
#define TP_PYWALK_H

#include "base.h"
#include "pylayout.h"

struct pyframe {
	const char *code;      /* its code object */
	int at;                /* of the instruction, bytes into the code; -1 not begun */
};

/* The innermost frame, and one frame of a chain: what is not a function's, or has
 * not begun (as sys._getframe sees it), has no code. */
const char *pywalk_first(const struct pylayout *l, const char *thread_state);
struct pyframe pywalk_frame(const struct pylayout *l, const char *frame);

/* The innermost `max` frames, innermost first: how many. */
uint32_t pywalk(const struct pylayout *l, const char *thread_state,
	struct pyframe *at, uint32_t max);

#endif
