/* pyask.h - the Python stack by Python's own calls, with the GIL: for a Python
 * whose layout is not known.
 *
 * It takes the GIL, so it may wait for as long as another thread holds it
 * (measured on an H200: 4.8 us a launch in all).  Code objects that it has seen
 * are kept alive, so that a pointer says which it is. */
#ifndef TP_PYASK_H
#define TP_PYASK_H

#include "base.h"
#include "pyapi.h"

/* As pyframes_stack. */
uint32_t pyask_stack(const struct pyapi *a);

#endif
