/* pywalk.c - from a thread state along its frames. */
#include "base.h"
#include "pywalk.h"

/* Frames that are no function's stand between functions where C is between
 * them: at most one for each. */
#define STEPS_A_FRAME 3

const char *pywalk_first(const struct pylayout *l, const char *thread_state)
{
	const char *p = py_pointer(thread_state, l->frame);

	return p && l->by_cframe ? py_pointer(p, l->current_frame) : p;
}

struct pyframe pywalk_frame(const struct pylayout *l, const char *frame)
{
	struct pyframe f = { NULL, 0 };
	const char *code, *at, *begin;
	int owner;

	if (l->is_object) {
		f.code = py_pointer(frame, l->code);
		f.at = py_int(frame, l->at);
		f.at = f.at < 0 ? -1 : f.at * l->at_unit;
		return f;
	}
	owner = (unsigned char)frame[l->owner];
	if (owner >= PYFRAME_OF_LOOP)
		return f;
	code = py_pointer(frame, l->code);
	at = py_pointer(frame, l->at);
	begin = code + l->bytecode;
	if (owner != PYFRAME_OF_GENERATOR
	    && at < begin + 2 * py_int(code, l->first_traceable))
		return f;
	f.code = code;
	f.at = at < begin ? -1 : (int)(at - begin);
	return f;
}

uint32_t pywalk(const struct pylayout *l, const char *thread_state,
	struct pyframe *at, uint32_t max)
{
	const char *frame = pywalk_first(l, thread_state);
	uint32_t n = 0, steps;

	for (steps = max * STEPS_A_FRAME; frame && n < max && steps > 0; steps--) {
		at[n] = pywalk_frame(l, frame);
		if (at[n].code)
			n++;
		frame = py_pointer(frame, l->back);
	}
	return n;
}
