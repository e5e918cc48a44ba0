/* capture.h - what libtpcapture.so does in the job's process, and what the Python
 * hook may call in it.
 *
 * tp-capture names the library in CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH:
 * the driver calls InitializeInjection in cuInit, NVTX InitializeInjectionNvtx2 at
 * its first call.  The library connects to the socket CAPWIRE_SOCKET in the folder
 * that TP_CAPTURE names, opens libcupti, and sends records (capwire.h) as things
 * happen.  TP_CAPTURE_OPTS is a comma list:
 *	lines   the Python stack at each call, once the hook has called
 *	        tp_capture_python
 *	memory  allocations and releases of device memory (CAP_MEM)
 *	window  record nothing until tp_capture_start
 * Without TP_CAPTURE every function here does nothing.
 *
 * The process is not ours.  Nothing here prints, exits, changes a signal's
 * handling or errno, waits for the reader or lets an fd into a child.  What fails turns
 * the library off, and a CAP_NOTE says why where there is a link.  A forked child
 * records nothing; at exit what was recorded goes out, for at most a second
 * without progress.
 *
 * The hook opens the library by ctypes.CDLL.  All of this may be called from any
 * thread, before, without or after a start, and in a forked child. */
#ifndef TP_CAPTURE_H
#define TP_CAPTURE_H

#include "base.h"

#define CAPTURE_API __attribute__((visibility("default")))

/* 1 the library is linked to tp-capture and CUPTI is ready, 0 not yet (nothing
 * has called cuInit), -1 it failed or was switched off. */
CAPTURE_API int tp_capture_ready(void);

/* The window's edges.  Start may come before cuInit: recording begins with it.
 * Warm, some steps before it: everything is switched on, and names and code objects
 * are told, but no call, op, range or step is sent or counted until start.  From
 * then on ops that were issued before it and end behind it are sent too.
 * Stop hands out what CUPTI holds: call it when the device is idle, or ops that
 * still run are untimed.  Where a thread is capturing a stream into a graph CUPTI
 * is let be, and what it holds follows within 5 s of the capture's end. */
CAPTURE_API void tp_capture_warm(void);
CAPTURE_API void tp_capture_start(void);
CAPTURE_API void tp_capture_stop(void);

/* The last window is over, the device is idle, and no other can follow: CUPTI, which
 * makes launches slower also where nothing is recorded, can be taken out of the process.
 * Watch, again and again for some steps' time: 1 no thread has called CUDA since the
 * first time; 0 one has, or is in a recorded call since the window, or a capture still
 * keeps some of the window from us, or CUDA is older than 12.6.  Then detach, in either
 * case: 1 CUPTI has gone, 0 it stays since a thread called CUDA, -1 it stays since it
 * cannot go; with nothing switched on where it stays.  Hold the GIL at detach: then no
 * thread of Python's can enter CUDA meanwhile. */
CAPTURE_API int tp_capture_watch(void);
CAPTURE_API int tp_capture_detach(void);

/* A wait for the device voids any capture of a stream, also that of another thread.
 * 1: none is under way, and one that begins waits (for 2 s at most) until
 * tp_capture_release; 0: one is, don't wait (and don't release). */
CAPTURE_API int tp_capture_hold(void);
CAPTURE_API void tp_capture_release(void);

/* Somebody else is about to use CUPTI in this process (the script's own profiler):
 * recording ends for good, before or after the start, and CUPTI is as if we had
 * never had it: no subscriber, its own clock, buffers that it zeroes itself.  The
 * stream ends; inside the window, or with none, as one that is not complete. */
CAPTURE_API void tp_capture_leave(void);

/* A whole step, CLOCK_MONOTONIC; the calling thread is the step's. */
CAPTURE_API void tp_capture_step(int64_t number, int64_t start_ns, int64_t end_ns);

/* A range on the calling thread; kind is enum cap_range_kind, name and file are
 * UTF-8 and copied (file may be NULL).  end_ns 0: it is open, and ends with this
 * thread's next recorded call or mark; it is sent then. */
CAPTURE_API void tp_capture_range(int kind, const char *name, int64_t start_ns,
	int64_t end_ns, const char *file, int line);

/* Prepare for reading Python's frames; the GIL is held (ctypes.PyDLL).
 * py_hexversion is sys.hexversion.  0 frames are read as they lie, 1 by Python's
 * own calls (only with TP_PYTHON_ASK=1 in the environment), -1 none. */
CAPTURE_API int tp_capture_python(int py_hexversion);

#endif
