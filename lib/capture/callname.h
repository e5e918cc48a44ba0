/* callname.h - which runtime and driver calls are recorded, by their names.
 *
 * Names serve better than ids: each version of CUDA adds calls, and CUPTI tells the
 * name of each (cuptiGetCallbackName). */
#ifndef TP_CALLNAME_H
#define TP_CALLNAME_H

#include "base.h"

/* Is the call with this name (without version and variant, call_name) recorded? */
bool call_wanted(const char *name, size_t n);
/* Does it launch kernels: then the job holds no lock of its own meanwhile. */
bool call_launches(const char *name, size_t n);
/* Does it begin (1) or end (-1) the capture of a stream into a graph?  Else 0. */
int call_captures(const char *name, size_t n);
/* "cudaMemcpyAsync_ptsz_v7000" -> "cudaMemcpyAsync", "__cudaLaunchKernel_v13000" ->
 * "cudaLaunchKernel"; a driver's "_v2" stays. */
struct text call_name(const char *name);

#endif
