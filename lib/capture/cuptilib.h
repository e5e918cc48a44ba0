/* cuptilib.h - libcupti, found and opened while the job runs.
 *
 * In this order: the one that the process already has (PyTorch brings its own; a
 * second one would not see its contexts), the names libcupti.so.13 and .12, the
 * toolkit's folders extras/CUPTI/lib64 and lib64 under CUDA_HOME (or
 * /usr/local/cuda), and the file that TP_CUPTI names.  Versions 12 and 13: the
 * records that are read have the same layout in both (layout.h). */
#ifndef TP_CUPTILIB_H
#define TP_CUPTILIB_H

#include "base.h"

#include <cupti.h>

#define CUPTI_FUNCTIONS(X) \
	X(GetVersion) X(GetResultString) X(GetCallbackName) \
	X(Subscribe) X(Unsubscribe) X(EnableCallback) \
	X(ActivityRegisterTimestampCallback) X(ActivityRegisterCallbacks) \
	X(ActivityEnable) X(ActivityDisable) X(ActivityFlushAll) \
	X(ActivityGetNextRecord) X(ActivityGetNumDroppedRecords)
/* Done without where it is missing. */
#define CUPTI_OPTIONAL(X) X(ActivitySetAttribute) X(EnableDomain) X(Finalize)

struct cuptilib {
	uint32_t version;          /* 0: not open */
#define FIELD(name) __typeof__(&cupti##name) name;
	CUPTI_FUNCTIONS(FIELD)
	CUPTI_OPTIONAL(FIELD)
#undef FIELD
	/* the first headers of 12 do not have it */
	CUptiResult CUPTIAPI (*ActivityEnableAllSyncRecords)(uint8_t enable);
};

extern struct cuptilib cuptilib;

/* -1: none that fits; a note was sent. */
int cuptilib_open(void) RESULT_USED;
/* CUPTI's word for a result. */
const char *cuptilib_word(CUptiResult r);

#endif
