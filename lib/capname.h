/* capname.h - CUPTI's numbers in the words of torch.profiler's traces.  Pure
 * functions; numbers that nobody knows have a word too. */
#ifndef TP_CAPNAME_H
#define TP_CAPNAME_H

#include "base.h"
#include "event.h"

#define CAPNAME_LEN 80

/* "Memcpy HtoD (Pageable -> Device)", "Memset (Device)" into words. */
struct text capname_copy(char words[CAPNAME_LEN], unsigned kind, unsigned from,
	unsigned to);
struct text capname_set(char words[CAPNAME_LEN], unsigned kind);
struct text capname_sync(unsigned type);         /* "Stream Sync" */
bool capname_on_device(unsigned memory_kind);

/* A runtime call's name as programs write it: cudaMemcpyAsync of
 * cudaMemcpyAsync_ptsz_v3020. */
struct text capname_runtime(struct text name);

/* "aten::add, seq = 12, op_id = 7, sizes = []", as PyTorch names the NVTX ranges of
 * its operators: true, and the event has the name and the sequence number. */
bool capname_operator(struct text range, struct event *ev);
/* One of the backward pass: its number is that of the forward operator. */
bool capname_backward(struct text name);

#endif
