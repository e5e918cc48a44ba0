/* ops.h - what the device did, by CUPTI's activity buffers: CAP_OP, CAP_MEM,
 * CAP_OVERHEAD and CAP_DEVICE.
 *
 * CUPTI takes buffers of a pool of fixed size (24 MiB, its pages used as needed)
 * from any thread, fills them, and gives them back on its own thread, or on the one
 * that flushes; there the records are read and put into the ring.  An empty pool
 * costs records, which CUPTI counts. */
#ifndef TP_OPS_H
#define TP_OPS_H

#include "base.h"

/* Before any context is made: the buffers, and CLOCK_MONOTONIC for all times.  -1:
 * refused (a note says why). */
int ops_open(void) RESULT_USED;
/* Leave CUPTI to others, as we found it (also where ops_open failed, or was not
 * called). */
void ops_leave(void);
/* Record, or stop.  One caller at a time.  -1: kernels can't be had (noted). */
int ops_set(bool on);
/* Have what is complete handed out; all: what is not complete too.  False: a
 * stream is being captured, nothing was done. */
bool ops_flush(bool all);
/* After the last flush: a buffer may be on its way from CUPTI's own thread.  Waits
 * for it, 20 ms where none is being read, else at most a second.  False: one is still
 * being read. */
bool ops_settle(void);
/* The capture of a stream into a graph begins, or has ended.  CUDA voids a capture
 * in which another thread waits for the device, as a flush may: none is at work when
 * this returns from a begin, unless it took over 2 s. */
void ops_graph(bool begins);
/* True: no stream is being captured, and one that begins waits for ops_release. */
bool ops_hold(void);
/* The same, where nobody else holds: no flush is at work, and no wait of the hook's. */
bool ops_hold_alone(void);
void ops_release(void);
/* In a forked child: who held is not here. */
void ops_forget(void);
void ops_forgive(void);        /* what CUPTI dropped so far was not wanted */
uint64_t ops_dropped(void);    /* records that CUPTI says it dropped, in all */
uint64_t ops_moved(void);      /* buffers given back, in all */
bool ops_asked(void);          /* has CUPTI asked for a buffer yet? */

#endif
