/* event.h - one event of a trace on its way in, whatever its dialect.
 *
 * Producers: kineto.c (Chrome-trace JSON), evrec.c (event and mem records of a
 * stream).  Consumers: load.c (store), evrec.c (records).  An event and its
 * slices live until the callback returns. */
#ifndef TP_EVENT_H
#define TP_EVENT_H

#include "base.h"

/* X(enum, store's name, on device, kineto's name today) */
#define EVENT_CATS(X) \
	X(CAT_KERNEL,   "kernel",  1, "kernel") \
	X(CAT_COMM,     "comm",    1, "kernel") \
	X(CAT_MEMCPY,   "memcpy",  1, "gpu_memcpy") \
	X(CAT_MEMSET,   "memset",  1, "gpu_memset") \
	X(CAT_CPU_OP,   "cpu_op",  0, "cpu_op") \
	X(CAT_RUNTIME,  "runtime", 0, "cuda_runtime") \
	X(CAT_DRIVER,   "driver",  0, "cuda_driver") \
	X(CAT_PYTHON,   "python",  0, "python_function") \
	X(CAT_ANNOTATION, "annotation", 0, "user_annotation") \
	X(CAT_SYNC,     "sync",    0, "cuda_sync") \
	X(CAT_GPU_ANNOTATION, "gpu_user_annotation", 0, "gpu_user_annotation") \
	X(CAT_OVERHEAD, "overhead", 0, "overhead") \
	X(CAT_OTHER,    "other",   0, "") \
	X(CAT_MEM,      "mem",     0, "cpu_instant_event")
enum event_cat {
#define X(e, n, d, k) e,
	EVENT_CATS(X)
#undef X
	CAT_COUNT
};
const char *cat_name(enum event_cat c);
int cat_parse(struct text name);                 /* enum, or -1 */
static inline bool cat_on_device(enum event_cat c) { return c <= CAT_MEMSET; }
static inline bool cat_is_copy(enum event_cat c)
{
	return c == CAT_MEMCPY || c == CAT_MEMSET;
}

/* |ts_ns| and dur_ns of an event: 73 years, so that a sum of two stays in range. */
#define EVENT_NS_MAX (INT64_C(1) << 61)
/* A time of day at most: the year 2096. */
#define EPOCH_NS_MAX INT64_C(4000000000000000000)
#define NO_INT INT64_MIN /* an absent integer */
#define NO_ID UINT64_MAX /* an absent id: correlation -1 too */

struct event {
	enum event_cat cat;
	struct text name;      /* raw: may hold control bytes or bad UTF-8 */
	struct text pid, tid;  /* as written: numbers or words */
	struct text raw_cat;   /* the file's own word */
	int64_t ts_ns;         /* relative to trace_info.base_ns + file's origin */
	int64_t dur_ns;        /* >= 0 */
	bool untimed;          /* device op with ts 0 and dur 0 */
	uint64_t corr;         /* NO_ID: none */
	uint64_t ext;          /* External id, NO_ID: none */
	int64_t seq;           /* Sequence number, NO_INT: none */
	int64_t fwd_tid;       /* Fwd thread id, NO_INT: none */
	struct text device, stream; /* {NULL,0}: unknown; device ops, mem: always a device */
	int64_t bytes;         /* copies, sets, and calls that copy (HIP); NO_INT: unknown */
	int64_t blocks;        /* product of the grid; NO_INT */
	struct text args;      /* raw JSON object of what a collective carries
	                        * (keys as in the file; integers of more than 15
	                        * digits as strings), {NULL,0} when it is none */
	/* CAT_MEM */
	int64_t allocated, reserved, delta; /* NO_INT: unknown; 2^64-n reads as -n */
	uint64_t addr;
	int64_t device_type;   /* 0 CPU, 1 CUDA, 6 HIP, ... */
};

/* The device where its maker left it out: the one of the process, and of a sample,
 * whose process is the host's, the first. */
static inline struct text event_default_device(const struct event *ev)
{
	return ev->pid.n && ev->cat != CAT_MEM ? ev->pid : TEXT("0");
}

/* What a file says of itself, known for sure only at its end. */
struct import_counts {
#define COUNT(name, words) int64_t name;
#include "counts.def"
#undef COUNT
};

struct device_info {
	char *id;              /* as text: "0" */
	char *name;
	int64_t sms, capacity_bytes; /* NO_INT: unknown */
};

struct trace_info {
	uint64_t hash;         /* XXH64 of the decoded bytes */
	char *path;            /* as given, or "stdin" */
	char *host;            /* host_name, or from the file name; NULL unknown */
	int64_t rank;          /* NO_INT: unknown */
	const char *rank_from; /* "option" "content" "name" or NULL */
	int64_t world_size;    /* NO_INT */
	int64_t base_ns;       /* unix ns of ts_ns 0 */
	char *torch;           /* versions, as one short text; NULL */
	char *dialect;         /* "kineto", "kineto 2021", "legacy autograd", "chrome" ... */
	bool with_stack, record_shapes, profile_memory, with_modules;
	struct device_info *device;
	size_t ndevice;
	char *dist;            /* raw JSON of distributedInfo, NULL */
	bool partial;
	char *why_partial;     /* one phrase, NULL */
	struct import_counts count;
};
void trace_info_init(struct trace_info *t);
void trace_info_release(struct trace_info *t);

/* The way in. Return -1 to stop (said). */
struct event_sink {
	int (*event)(void *arg, const struct event *ev);
	void *arg;
};

#endif
