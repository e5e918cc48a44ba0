/* pyframes.h - the Python stack of the calling thread, with executing lines, read
 * without the GIL.
 *
 * At a CUDA call PyTorch has released the GIL.  The thread's own frames can't
 * change while it is in the call, and they hold their code objects alive, so they
 * are read as they lie in memory: thread state, frames, code objects.  What lies
 * where is a table per version of CPython (pylayout.h), and tp_capture_python
 * (capture.h) proves it against Python's own sys._getframe before anything is
 * read that way.  Where the proof fails there are no stacks, unless the environment has
 * TP_PYTHON_ASK=1: then Python is asked, which takes the GIL, at kernel launches
 * alone.  A job that holds a lock there for which the holder of the GIL waits stands
 * still for ever, so nobody is given this who did not ask for it.
 *
 * A stack seen before costs a walk and a look into a table: for 12 frames 0.08 us
 * from CPython 3.12 on, 0.2 to 0.3 us before, and 4 to 6 us where Python is asked
 * (processor time, measured on a 2-core virtual machine by t/4450-frames.t).  A
 * new one is sent first (CAP_TEXT, CAP_CODE, CAP_STACK).  Memory is bounded: when
 * the tables are full, new stacks have no id, which is said once.
 * Nothing here waits for another thread, except for the GIL as said above. */
#ifndef TP_PYFRAMES_H
#define TP_PYFRAMES_H

#include "base.h"

/* The id of this thread's stack (capwire.h), sent before; 0: no Python frame, not
 * prepared, or no room.  launch: this call is a kernel or graph launch. */
uint32_t pyframes_stack(bool launch);

/* No frame is read from here on (Python ends, or this is a forked child). */
void pyframes_off(void);

#endif
