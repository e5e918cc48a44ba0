/* capwire.h - what the capture library (lib/capture, inside the job) sends to
 * tp-capture over a UNIX socket: records of fixed layout, in this machine's own
 * byte order.  Both ends are of one build; CAPWIRE_VERSION in the hello decides.
 *
 * The library keeps to what is cheap in the job: numbers, and each text once.
 * What they mean for a person (events, demangled names, frames as nested events)
 * is made by the receiver.
 *
 * A record is struct capwire_head, then the struct of its type, then `size - sizeof`
 * bytes of text where the struct ends in one.  size counts all of it, is a multiple
 * of 8 and at most CAPWIRE_MAX.  A receiver that meets anything else closes the link.
 *
 * Times are CLOCK_MONOTONIC ns, the hook's clock; CAP_HELLO carries what unix time
 * that is.  Ids of texts, stacks and codes count from 1 per process; 0 is none.
 * A text, code or stack comes before the first record that uses it. */
#ifndef TP_CAPWIRE_H
#define TP_CAPWIRE_H

#include "base.h"

#define CAPWIRE_VERSION 2
#define CAPWIRE_MAX 4096       /* bytes of a record, head included */
#define CAPWIRE_TEXT_MAX (CAPWIRE_MAX - 64)  /* longer names are cut, at a character */
#define CAPWIRE_DEPTH_MAX 128  /* frames of a stack, the innermost ones */
#define CAPWIRE_SOCKET "c"     /* its name in the private folder, beside the hook's */

enum cap_type {
	CAP_HELLO = 1, CAP_TEXT, CAP_CODE, CAP_STACK, CAP_CALL, CAP_OP, CAP_RANGE,
	CAP_MEM, CAP_OVERHEAD, CAP_DEVICE, CAP_STEP, CAP_DROPPED, CAP_NOTE, CAP_BYE,
	CAP_TYPES
};

struct capwire_head {
	uint16_t size;
	uint8_t type;          /* enum cap_type */
	uint8_t flags;         /* of the type */
	uint32_t tid;          /* the thread it belongs to (gettid), 0 none */
};

#define CAP_HELLO_PYTHON 1     /* flags: Python is in the process */
/* First of all, once. */
struct cap_hello {
	uint32_t version;      /* CAPWIRE_VERSION */
	uint32_t pid;
	int64_t mono_ns, unix_ns; /* one moment on both clocks */
	uint32_t cupti;        /* cuptiGetVersion, 0: none */
	uint32_t driver;       /* cuDriverGetVersion */
};
struct cap_text { uint32_t id, n; };     /* n bytes follow */
/* A Python code object: file and name are texts. */
struct cap_code { uint32_t id, file, name; int32_t first_line; };
/* n frames follow, the innermost first. */
struct cap_frame { uint32_t code; int32_t line; };
struct cap_stack { uint32_t id, n; };
/* A runtime or driver call, when it has returned. */
struct cap_call {
	int64_t start_ns, end_ns;
	uint32_t name;         /* text */
	uint32_t corr;
	uint32_t stack;        /* 0: none taken, or a thread without Python */
	uint32_t domain;       /* 0 runtime, 1 driver */
};
enum cap_op_kind { CAP_KERNEL, CAP_MEMCPY, CAP_MEMSET, CAP_SYNC };
#define CAP_OP_UNTIMED 1       /* flags: CUPTI gave no times */
#define CAP_OP_GRAPH 2         /* a node of a CUDA graph */
/* A device op; CAP_SYNC (context, stream, event synchronization) is on the host's
 * side but recorded by CUPTI with a stream. */
struct cap_op {
	int64_t start_ns, end_ns;
	uint32_t kind;         /* enum cap_op_kind */
	uint32_t name;         /* text, mangled; of a kernel alone */
	uint32_t corr, device, context, stream;
	int64_t bytes;         /* copies and sets, else -1 */
	int64_t blocks;        /* product of the grid, else -1 */
	uint8_t copy_kind, src_kind, dst_kind, sync_type; /* CUpti_... enums */
	uint32_t pad;
};
/* A range on a thread: an NVTX range, or one that the hook told of. */
enum cap_range_kind { CAP_RANGE_NVTX, CAP_RANGE_ANNOTATION, CAP_RANGE_OPERATOR,
	CAP_RANGE_FRAME };
#define CAP_RANGE_OPEN 1       /* flags: ended with the thread's next call, not by itself */
struct cap_range {
	int64_t start_ns, end_ns;
	uint32_t kind, name;
	uint32_t stack;        /* where it began; 0 none */
	int32_t line;          /* CAP_RANGE_FRAME: executing line in file `file` */
	uint32_t file;
	uint32_t pad;
	int64_t seq;           /* autograd's sequence number, -1 none */
};
/* An allocation or release of device memory through CUDA (not PyTorch's cache). */
struct cap_mem {
	int64_t at_ns;
	int64_t delta_bytes;
	uint64_t addr;
	uint32_t device, kind; /* CUpti_ActivityMemoryKind */
};
struct cap_overhead { int64_t start_ns, end_ns; uint32_t name, pad; };
struct cap_device {
	uint32_t id, name;
	int64_t sms, capacity_bytes;
};
/* A step that the hook marked: from its start to the next one's. */
struct cap_step { int64_t start_ns, end_ns; int64_t number; };
/* Since the last one: what the library could not keep. */
struct cap_dropped {
	uint64_t queue;        /* records for which there was no room */
	uint64_t cupti;        /* records that CUPTI says it dropped */
};
#define CAP_NOTE_TAKEN 1       /* flags: it says that CUPTI is another tool's: we give way */
/* One line for the person: a text follows as in cap_text. */
struct cap_note { uint32_t n, pad; };
#define CAP_BYE_EARLY 1        /* flags: recording ended before its time: CUPTI went to
                                * another, could not be asked for what it held, or a
                                * thread of the job stood still within a record */
struct cap_bye { uint64_t records; };    /* a proper end: so many came before it, the
                                          * hello and CAP_DROPPED counted */

#endif
