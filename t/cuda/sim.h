/* sim.h - a CUDA that computes nothing: libcuda.so.1 and libcupti.so.13 of the
 * tests, for machines without a GPU.
 *
 * A job calls sim_* in libcuda (by dlsym, or Python's ctypes, which lets go of the
 * GIL as PyTorch does); cuInit loads CUDA_INJECTION64_PATH as the driver does,
 * silent when that fails.  Each call reaches the subscriber's callbacks as a real
 * one does, runtime and driver nested; ops run on streams that take their time on
 * the clock, and come back in activity buffers, one being filled per thread, handed
 * out by a thread of CUPTI's or by a flush.
 *
 *	SIM_INIT=100         what cuInit fails with
 *	SIM_FAIL=cuptiSubscribe=39,cuptiActivityEnable=15   functions that fail
 *	SIM_TAKEN=1          somebody else subscribed before
 *	SIM_CUPTI=28         the version of CUPTI that it says (13: 130001)
 *	SIM_DRIVER=12040     the driver's (13000)
 *	SIM_DEVICES=2        devices that there are (1)
 *	SIM_FLUSH_MS=5       how long a flush takes more
 *	SIM_DISABLE_MS=50    how long switching a kind of record off takes
 *	SIM_READ_MS=100      CUPTI's own thread takes so long to read a buffer
 *	SIM_FORK_MS=2000     another thread forks within cuInit, and the child stays
 *	SIM_FORK_HANGS=1     a flush in a forked child never returns, as a real one */
#ifndef SIM_H
#define SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CUDA_VERSION /* else cuda.h has them */
int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *n);
#endif

/* stream: its number; device_ns: how long it runs there.  0, or -1: no cuInit. */
int sim_launch(const char *kernel, uint32_t stream, int64_t device_ns);
/* A driver's launch, without the runtime: as Triton's. */
int sim_driver_launch(const char *kernel, uint32_t stream, int64_t device_ns);
/* kind: CUpti_ActivityMemcpyKind (1 to the device, 2 from it, 8 inside); waits for
 * it unless async. */
int sim_copy(int kind, int64_t bytes, uint32_t stream, int async);
int sim_peer_copy(int64_t bytes, uint32_t stream);
int sim_set(int64_t bytes, uint32_t stream);
/* One launch, so many kernels; the last one can be a copy. */
int sim_graph(int kernels, int copies, uint32_t stream, int64_t device_ns);
/* A capture that takes so long; a flush or a wait in it is told of on stderr. */
int sim_capture(int ms);
/* Wait for all streams. */
int sim_sync(void);
/* cudaEventQuery, which has no callback unless it was asked for. */
int sim_query(void);
/* In libcupti: a profiler as PyTorch's (a subscriber, buffers of its own that are not
 * zeroed, CUPTI's own clock) begins, -1 where it can't; or ends: its kernels. */
int sim_profiler(int on);
/* In libcupti: how often it was taken out of the process, at the end of a call as it
 * must be.  What is asked of it then, but for a new subscriber, is told of on stderr. */
int sim_finalized(void);
int sim_malloc(int64_t bytes);
int sim_free(int64_t bytes);

/* CUPTI's own end has begun: calls of it from here on are told of on stderr.  It is
 * `_Atomic int sim_torn` of libcupti. */

/* Between the two libraries. */
enum sim_op_kind { SIM_KERNEL, SIM_COPY, SIM_PEER, SIM_SET, SIM_SYNC, SIM_MEMORY };
struct sim_op {
	enum sim_op_kind kind;
	const char *name;
	int64_t bytes, device_ns;
	uint32_t stream, corr, copy_kind, graph_node;
};
struct sim_tool {
	/* a call begins (site 0) or has returned (1) */
	void (*call)(int domain, uint32_t cbid, int site, uint32_t corr,
		const char *kernel);
	/* given to the device; returns when it will be over (CLOCK_MONOTONIC) */
	int64_t (*op)(const struct sim_op *op);
};
void sim_tool_set(const struct sim_tool *tool);

#ifdef __cplusplus
}
#endif
#endif
