/* load.h - a trace on its way into the store, in two passes.
 *
 *	load_begin(&l, &store, &opt);
 *	sink = (struct event_sink){ load_event, &l };   // pass 1, while it is read
 *	load_finish(&l, &info);                         // pass 2
 *	load_release(&l);                               // always
 *
 * Pass 1 keeps host records and memory samples in the file's order, noting the
 * sorted stretches; calls and device ops go to external sorters.  Pass 2 (finish.c) needs
 *   join.c    calls and device ops by correlation
 *   devs.c    device ops in order of time: impossible ones, drain points
 *   sweep.c   host records, calls and samples in one order of time, with each
 *             thread's stack;  anchor.c  who issued it, from that stack
 * Memory does not grow with the trace: every table of this module has a limit
 * (the names' and threads' in names.h, RUNS_MAX, MARKS_MAX, those of sweep.h,
 * anchor.h and live.h), and the sorters spill. */
#ifndef TP_LOAD_H
#define TP_LOAD_H

#include "base.h"
#include "event.h"
#include "names.h"
#include "sorter.h"
#include "store.h"

#define SORTER_BYTES (4u << 20)
#define RUNS_MAX 1024u        /* sorted stretches a table; the rest is sorted */
#define MARKS_MAX 1000000u    /* step marks of each rule */
#define STEP_CELLS_MAX (1u << 22) /* steps times devices: 128 MiB */

/* All lengths of a trace together, all its gaps on all its devices, and all sizes
 * that are ever added up: so no sum over a trace runs over, whatever it says. */
#define SUM_MAX (INT64_C(1) << 62)
#define TOTAL_MAX (INT64_C(1) << 60)   /* of a sample: 1 EiB */

struct load_opt {
	const char *scope;     /* --scope, NULL */
	const regex_t *step_regex;
};

/* A runtime or driver call. */
struct call {
	int64_t ts, dur, no;   /* no: order of arrival, the last word on ties */
	uint64_t corr;
	int64_t bytes;         /* what it copies, where the device op does not say */
	uint32_t name, track;
	int32_t ops;           /* device ops that it owns */
	uint16_t device;       /* 1 + index of struct devices, of its first op */
	uint8_t cat;
	bool nested;           /* an earlier call has this correlation */
};

/* A device op.  Its call is the one that sorts as (issue_ts, issue_dur,
 * issue_no); issue_ts NO_INT: none. */
struct dev {
	int64_t ts, dur, no, bytes, blocks, issue_ts, issue_dur, issue_no, coll;
	uint64_t corr;
	uint32_t name, track, issue_track;
	uint16_t device;       /* index of struct devices */
	uint8_t cat, flags;    /* DEV_UNTIMED, DEV_CUT */
};
enum { DEV_UNTIMED = 1, DEV_CUT = 2 };

/* A row of host or memory, as rows.c reads it back. */
struct host {
	int64_t n, ts, dur, ext, seq, fwd;
	uint32_t name, track;  /* name first: its differences are the small ones */
	uint64_t cat;
};
struct sample {
	int64_t n, ts, allocated, reserved, delta, addr, type;
	uint64_t track;
	char device[24];
};

/* Rows as they come, kept in a scratch file for pass 2, and their sorted
 * stretches. */
struct runs {
	const char *table, *dir;
	size_t size;           /* of a row */
	int fd;                /* -1: nothing written yet */
	unsigned char *wait;   /* packed rows that are not */
	size_t nwait;
	char *before;          /* the row that was packed last */
	int64_t bytes;         /* of the packed rows */
	struct run { int64_t first, last, off; } *run; /* n of the rows; where they lie */
	size_t n, cap;
	int64_t rows, last_ts;
	struct sorter late;    /* what came out of order beyond RUNS_MAX */
};

struct mark {
	int64_t ts, dur, name, idx;
};
struct marks {
	struct mark *item;
	size_t n, cap;
	int64_t beyond;        /* not kept */
};

/* The devices of the trace in order of their names. */
struct device {
	char *idx;
	char *main_stream;     /* NULL: no compute, all streams count */
	int64_t ops, compute_ns;
	int64_t *drain;        /* a boundary more than steps */
	int64_t *launches, *lone;
	int64_t *cover;        /* differences of the count of ops over a step */
};
struct devices {
	struct device *item;
	size_t n;
	uint16_t *of_track;    /* by track n - 1 */
};

/* The peak of a device's allocated bytes: n is the row that reaches it first. */
struct peak {
	char device[24];
	int64_t type, allocated, n;
};
struct peaks {
	struct peak *item;
	size_t n, cap;
};

/* The steps by the host's clock (steps.h). */
struct steps {
	struct mark *mark;     /* in order of time */
	int64_t *h;            /* n + 1 boundaries */
	size_t n;
	const char *rule;      /* trace.step_rule */
	bool whole;
	int64_t beyond;        /* not kept */
};

struct load {
	struct store *store;
	struct db *db;
	int64_t id;            /* the trace */
	struct load_opt opt;
	const char *dir;       /* whose directory takes the scratch files */
	struct names names;
	struct tracks tracks;
	sqlite3_stmt *put_coll;
	struct runs hosts, samples;
	struct sorter calls, devs;           /* by correlation */
	struct sorter call_time, dev_time;   /* by time, after join */
	struct sorter links, issues;         /* sweep.c to devs.c */
	struct marks profiler, regex, optimizer;
	struct devices devices;
	struct steps steps;
	struct peaks peaks;
	struct cut { int64_t n, dur; } *cut; /* impossible ops, by n */
	size_t ncut, capcut;
	struct lost *lost;     /* lost.h: why the devices were idle */
	bool partial;          /* events are missing, calls among them may be */
	int64_t ncall, ndev, ncoll;
	int64_t first_ns, last_ns;           /* NO_INT: nothing timed yet */
	int64_t sum_ns, sum_bytes;           /* of lengths, of sizes: at most SUM_MAX */
	int64_t beyond;                      /* events that would go beyond */
	struct import_counts count;          /* what is found here */
};

int load_begin(struct load *l, struct store *store, const struct load_opt *opt) RESULT_USED;
int load_event(void *load, const struct event *ev) RESULT_USED;
/* Adds the loader's counts to info->count, whose faults the reader found.
 * 1: the store's scratch has these bytes already and nothing was kept; 2: no trace
 * can be so, said, and nothing was kept. */
int load_finish(struct load *l, struct trace_info *info) RESULT_USED;
void load_release(struct load *l);

/* load_rows.c: the rows of host, memory, run */
void runs_init(struct runs *r, const char *table, size_t size, const char *dir);
void runs_release(struct runs *r);
/* Its i-th stretch, from its first row on; when load_end_rows() was called. */
void runs_open(const struct runs *r, size_t i, struct unpack *u, size_t window_bytes);
int load_put_host(struct load *l, const struct host *h) RESULT_USED;
int load_put_sample(struct load *l, const struct sample *s) RESULT_USED;
int load_end_rows(struct load *l) RESULT_USED;   /* then the runs are complete */

/* join.c */
int load_join(struct load *l) RESULT_USED;

/* devs.c */
int devs_measure(struct load *l) RESULT_USED;    /* cuts, drain points, links */
int devs_store(struct load *l) RESULT_USED;      /* the rows of dev, after the sweep */

/* devices.c */
void devices_find(struct load *l);
void devices_release(struct devices *v);
int devices_store(struct load *l, const struct trace_info *info) RESULT_USED;

/* issue.c: the sweep that fills call, live and what devs_store needs */
int load_issue(struct load *l) RESULT_USED;

/* check_memory.c: samples in order of time against each other; fills peaks, and
 * has their rows stored */
int memory_check(struct load *l, const struct trace_info *info) RESULT_USED;

static inline int cmp_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

#endif
