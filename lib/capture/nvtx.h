/* nvtx.h - NVTX ranges: this library is NVTX's tool (InitializeInjectionNvtx2).
 *
 * A range becomes a CAP_RANGE when it ends: pushed ones on their thread, started
 * ones on the thread that ends them.  Marks and categories are left out, and so is
 * what was pushed outside the window.  The operators that PyTorch pushes under
 * torch.autograd.profiler.emit_nvtx, named "aten::add, seq = 7, op_id = 9", are
 * CAP_RANGE_OPERATOR with the name and the sequence number apart: else each would
 * be a text of its own. */
#ifndef TP_NVTX_H
#define TP_NVTX_H

#include "base.h"

/* NVTX's own interface, version 3, as far as it is used here. */
typedef const void *nvtx_export_fn(uint32_t table);

/* Put our functions in NVTX's tables.  -1: it has none of them. */
int nvtx_take(nvtx_export_fn *get) RESULT_USED;

/* The operator of a text as above: its name; *seq its number or -1.  Any other text
 * comes back whole, *operator false. */
struct text nvtx_operator(struct text t, int64_t *seq, bool *is_operator);

#endif
