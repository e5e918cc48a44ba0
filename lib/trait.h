/* trait.h - what a host record's name says about lost time: does the call wait
 * for the device, move memory about, belong to a data loader?  Names come
 * with vendor prefixes (cuda, cu, hip) and version suffixes (_v2, _ptsz). */
#ifndef TP_TRAIT_H
#define TP_TRAIT_H

#include "event.h"

enum trait {
	/* of runtime and driver calls */
	TRAIT_WAIT = 1,        /* ...Synchronize, a copy call that isn't async */
	TRAIT_ASYNC_COPY = 2,  /* waits when its op turns out Pageable */
	TRAIT_ALLOC = 4,       /* cudaMalloc, cudaFree and kin, page-locking too */
	/* of annotations, operators and frames */
	TRAIT_INPUT = 8,       /* a data loader's */
	TRAIT_STEP = 16,       /* ProfilerStep: no record of work */
	/* of overhead */
	TRAIT_PROFILER = 32,   /* the profiler's own buffers */
	TRAIT_LOAD = 64,       /* code loaded or compiled at first use */
	/* of copies on the device */
	TRAIT_PAGEABLE = 128   /* from or to memory that isn't page-locked */
};

/* Bits of enum trait, 0 for none: worked out once a name.  What a record may
 * have of them depends on its category: and with trait_mask(). */
unsigned trait_of(struct text name);
unsigned trait_mask(enum event_cat cat);

#endif
