/* catalog.h - what a store holds, read for the views: traces in public order,
 * their devices, streams, steps and names, and one ordered scan of the device
 * ops.  Everything that is returned is owned by its struct and goes with its
 * _release.  All calls report with error() and return -1. */
#ifndef TP_CATALOG_H
#define TP_CATALOG_H

#include "event.h"

#include "store.h"

struct view_device {
	char *idx, *name;        /* "0"; NULL unknown */
	int64_t sms, capacity_bytes; /* NO_INT unknown */
	char *main_stream;
	int64_t ops;             /* device ops; 0: the trace only lists the device */
	bool busy_known;
};

/* Of one (device, stream): lowest first. */
struct view_track {
	char *pid, *tid, *device, *stream;
	int device_at;           /* in view_trace.device, -1: on no device */
	int stream_order;
};

struct view_trace {
	int64_t id;              /* the store's */
	int64_t number;          /* the public one: order of hash */
	char *path, *host, *device_name, *step_rule, *why_partial, *torch, *dialect;
	int64_t rank, world_size; /* NO_INT unknown */
	int64_t base_ns, first_ns, last_ns;
	int64_t sms, capacity_bytes;
	bool partial, with_stack;
	struct import_counts count;
	struct view_device *device; /* in order: numbers, then words */
	size_t ndevice;
	struct view_track *track; /* track[n - 1] of the store's n; gaps are zeroed */
	size_t ntrack;
};
/* Has steps and a split of its own: it ran something, or it stands for launches
 * of which no op is known. */
bool device_is_used(const struct view_device *d);
/* No launch and no device op: analysed on its operators. */
bool trace_is_cpu_job(const struct view_trace *t);
/* It was cut short before any device op, and has launches or names a device: what the
 * device did stands in the part that was not read. */
bool trace_device_unread(const struct view_trace *t);
/* What it is called that is analysed on its operators: "a CPU job". */
const char *trace_cpu_words(const struct view_trace *t);
/* Launches without any device op: what the device did is not known. */
bool trace_busy_unknown(const struct view_trace *t);

int catalog_load(struct db *db, struct view_trace **trace, size_t *n) RESULT_USED;
void catalog_release(struct view_trace *trace, size_t n);
void catalog_release_one(struct view_trace *t);

enum step_flag { STEP_EMPTY = 1, STEP_INCOMPLETE = 2, STEP_WHOLE = 4 };
struct view_step {
	int64_t idx;
	int64_t number;          /* N of ProfilerStep#N; NO_INT when the name has none */
	char *name;              /* NULL: the whole window */
	int64_t ts_ns, dur_ns, host_ts_ns, host_dur_ns;
	int64_t launches, lone;  /* NO_INT unknown */
	int flags;
	bool chosen;
};
struct view_steps {
	struct view_step *step;
	size_t n;
};
int steps_load(struct db *db, const struct view_trace *t, const char *device,
	struct view_steps *out) RESULT_USED;
void steps_release(struct view_steps *s);

/* The device ops of a trace, in order of start. */
struct dev_op {
	int64_t n, ts_ns, dur_ns;
	int64_t track, name;
	enum event_cat cat;
	uint64_t corr;
	int flags;
	/* only with DEV_FULL; 0 or NO_INT when the store has none */
	int64_t bytes, blocks, call, op, frame, how;
};
enum dev_flag { DEV_UNTIMED = 1, DEV_CUT = 2 };
enum dev_columns { DEV_SHORT, DEV_FULL }; /* short: without n and name too */
typedef int dev_fn(void *arg, const struct dev_op *op); /* 0, -1 said */
int dev_each(struct db *db, const struct view_trace *t, enum dev_columns columns,
	dev_fn *fn, void *arg) RESULT_USED;

/* Text of a name, malloc'd; "" when there is none. */
struct names {
	struct db *db;
	sqlite3_stmt *stmt, *frame;
	int64_t trace_id;
};
int names_open(struct names *n, struct db *db, const struct view_trace *t) RESULT_USED;
char *names_get(struct names *n, int64_t name) RESULT_USED; /* NULL, said */
/* A frame's file, line and function; 0 done (file NULL: none such), -1 said. */
struct anchor_text {
	char *file, *func;       /* malloc'd */
	int64_t line;
	const char *how;         /* "line" "function" "op" "other_thread", NULL */
};
int names_anchor(struct names *n, int64_t frame, int64_t how,
	struct anchor_text *out) RESULT_USED;
/* In order of file, then line; for sorting. */
int anchor_cmp(const struct anchor_text *a, const struct anchor_text *b);
void anchor_release(struct anchor_text *a);
void names_close(struct names *n);

/* A prepared statement; with t, ?1 and ?2 are the ids just outside the trace's
 * rows (id > ?1 AND id < ?2).  NULL said. */
sqlite3_stmt *trace_prepare(struct db *db, const char *sql,
	const struct view_trace *t) RESULT_USED;
int64_t column_int(sqlite3_stmt *st, int column); /* NO_INT for NULL */
char *column_str(sqlite3_stmt *st, int column);   /* malloc'd, NULL for NULL */

#endif
