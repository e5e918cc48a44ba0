/* layout.h - the records of CUPTI that are read, and that they lie in memory alike
 * in CUPTI 12 and 13: one build reads both.
 *
 * A newer version only adds fields at a record's end.  The numbers below are of
 * 12.9 and 13.0, checked at compile time against whichever headers are there; a
 * test compiles this file with both. */
#ifndef TP_LAYOUT_H
#define TP_LAYOUT_H

#include "base.h"

#include <cupti.h>

/* the oldest forms that have what is read: every header of 12 and 13 has them */
typedef CUpti_ActivityKernel9 act_kernel;
typedef CUpti_ActivityMemcpy5 act_memcpy;
typedef CUpti_ActivityMemcpyPtoP4 act_memcpy2;
typedef CUpti_ActivityMemset4 act_memset;
typedef CUpti_ActivitySynchronization act_sync;
typedef CUpti_ActivityMemory3 act_memory;
typedef CUpti_ActivityOverhead act_overhead;
typedef CUpti_ActivityDevice4 act_device;

#define AT(type, field, at) \
	_Static_assert(offsetof(type, field) == (at), #type "." #field)
AT(act_kernel, start, 16);
AT(act_kernel, end, 24);
AT(act_kernel, deviceId, 40);
AT(act_kernel, contextId, 44);
AT(act_kernel, streamId, 48);
AT(act_kernel, gridX, 52);
AT(act_kernel, gridY, 56);
AT(act_kernel, gridZ, 60);
AT(act_kernel, correlationId, 92);
AT(act_kernel, name, 104);
AT(act_kernel, graphNodeId, 144);
AT(act_memcpy, copyKind, 4);
AT(act_memcpy, srcKind, 5);
AT(act_memcpy, dstKind, 6);
AT(act_memcpy, bytes, 8);
AT(act_memcpy, start, 16);
AT(act_memcpy, end, 24);
AT(act_memcpy, deviceId, 32);
AT(act_memcpy, contextId, 36);
AT(act_memcpy, streamId, 40);
AT(act_memcpy, correlationId, 44);
AT(act_memcpy, graphNodeId, 64);
AT(act_memcpy2, copyKind, 4);
AT(act_memcpy2, srcKind, 5);
AT(act_memcpy2, dstKind, 6);
AT(act_memcpy2, bytes, 8);
AT(act_memcpy2, start, 16);
AT(act_memcpy2, end, 24);
AT(act_memcpy2, deviceId, 32);
AT(act_memcpy2, contextId, 36);
AT(act_memcpy2, streamId, 40);
AT(act_memcpy2, correlationId, 60);
AT(act_memcpy2, graphNodeId, 72);
AT(act_memset, bytes, 8);
AT(act_memset, start, 16);
AT(act_memset, end, 24);
AT(act_memset, deviceId, 32);
AT(act_memset, contextId, 36);
AT(act_memset, streamId, 40);
AT(act_memset, correlationId, 44);
AT(act_memset, memoryKind, 50);
AT(act_memset, graphNodeId, 64);
AT(act_sync, type, 4);
AT(act_sync, start, 8);
AT(act_sync, end, 16);
AT(act_sync, correlationId, 24);
AT(act_sync, contextId, 28);
AT(act_sync, streamId, 32);
AT(act_overhead, overheadKind, 4);
AT(act_overhead, start, 24);
AT(act_overhead, end, 32);
AT(act_memory, memoryOperationType, 4);
AT(act_memory, memoryKind, 8);
AT(act_memory, address, 16);
AT(act_memory, bytes, 24);
AT(act_memory, timestamp, 32);
AT(act_memory, deviceId, 52);
AT(act_device, globalMemorySize, 16);
AT(act_device, numMultiprocessors, 44);
AT(act_device, id, 112);
AT(act_device, name, 136);
AT(CUpti_CallbackData, callbackSite, 0);
AT(CUpti_CallbackData, functionName, 8);
AT(CUpti_CallbackData, correlationId, 64);
#undef AT

#endif
