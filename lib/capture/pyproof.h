/* pyproof.h - does a layout hold in this process?  What it reads is held against
 * what Python's own calls say, here and now: the frames of the running stack
 * (file, name, first line, executing line of each) and strings of all kinds.
 *
 * With the GIL.  Nothing is followed that was not first seen to be readable
 * memory, so a layout that does not hold costs no more than the answer. */
#ifndef TP_PYPROOF_H
#define TP_PYPROOF_H

#include "base.h"
#include "pyapi.h"
#include "pylayout.h"

/* 0 it holds, -1 it does not, or the stack has no frames to try it on. */
int pyproof_run(const struct pyapi *a, const struct pylayout *l) RESULT_USED;

#endif
