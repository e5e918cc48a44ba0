/* calls.h - runtime and driver calls, by CUPTI's callbacks: when a call of interest
 * begins (the stack is taken then) and when it has returned (CAP_CALL).
 *
 * Only calls that give the device work, wait for it, move or get memory, or load
 * code have a callback at all: the cheap queries, most of a job's calls (measured:
 * 14,600 API records in a step of 1,069 kernels), cost nothing.  A driver call
 * inside a runtime call, or a runtime call inside another, is not recorded: it
 * would count twice.
 *
 * A call costs its thread 72 ns without stacks (measured: four callbacks, two of a
 * nested driver call; two looks at the clock; the record). */
#ifndef TP_CALLS_H
#define TP_CALLS_H

#include "base.h"

/* Become CUPTI's subscriber; -1: not to be had (a note says why). */
int calls_open(void) RESULT_USED;
/* Switch the callbacks on or off; those of captures of streams are always on, and
 * counted (ops_graph).  One caller at a time.  -1: CUPTI refused. */
int calls_set(bool on);
/* Be CUPTI's subscriber no more (also where calls_open failed, or was not called). */
void calls_leave(void);
/* Take CUPTI out of the driver: with nothing switched on it still makes the launches of
 * all that follows slower (measured on an H200, CUDA 13.0: turns of a thousand small
 * kernels by 11 to 45 %).  No other thread should be in CUDA then: one that launched
 * when CUPTI was taken out from elsewhere than the end of a call ruined the job's heap
 * (once in two tries, CUDA 13.0).  So all calls are watched for a while first.
 *
 * True: none of any thread has begun or ended since the first of these calls.  False:
 * one has, or one that was recorded has not returned, or CUPTI must stay (before CUDA
 * 12.6 graphs that were made under it crash without it).  What it cannot know: a thread
 * that is within a call since before recording began. */
bool calls_watch(void);
bool calls_watched(void);
/* The watch is over: 1 CUPTI has gone, 0 it stays since there was a call, -1 it refused:
 * then calls_leave.  The device is idle, and no stream is being captured. */
int calls_detach(void) RESULT_USED;

#endif
