/* names.h - texts and threads as small numbers, while a trace is loaded.
 *
 * A name is made valid UTF-8, stored in the table `name` when it comes first,
 * and known by n, 1, 2, ...  What a name says by itself is worked out once a
 * name: flags, and for Python frames a row of `frame`.  At most NAMES_MAX names
 * or NAMES_BYTES of text are remembered; a name beyond that is stored at each
 * use, and counted. */
#ifndef TP_NAMES_H
#define TP_NAMES_H

#include <regex.h>

#include "base.h"
#include "buf.h"
#include "db.h"
#include "event.h"

#define NAMES_MAX 1000000u
#define NAMES_BYTES (32u << 20)
/* What a trace may have; an event of one more is counted and not kept.  No host
 * has more than 16 devices: what several hosts' traces merged into one can have. */
#define TRACKS_MAX 65536u              /* threads and streams */
#define TRACK_DEVICES_MAX 256u

enum name_flag {
	NAME_FRAME = 1,        /* a Python frame; its n is frame's n too */
	NAME_OWN = 2,          /* ... of the user's code */
	NAME_BACKWARD = 4,     /* ... that waits for the backward pass */
	NAME_STEP = 8,         /* ProfilerStep#... */
	NAME_OPTIMIZER = 16,   /* Optimizer.step#... */
	NAME_REGEX = 32,       /* --step-regex */
	NAME_LAUNCH = 64,      /* a call that puts work on a device */
	NAME_BEGIN_CAPTURE = 128, NAME_END_CAPTURE = 256, /* of a graph */
	NAME_LINE = 512,       /* a frame whose line is the executed one */
};

struct names {
	struct db *db;
	int64_t trace;
	const char *scope;     /* --scope, or NULL */
	const regex_t *regex;  /* --step-regex, or NULL */
	sqlite3_stmt *put, *put_frame;
	struct name_slot { uint32_t off, len, hash; uint16_t flags; } *name;
	uint32_t *bucket, nbucket;
	uint32_t n, cap;       /* names remembered: 1..n */
	uint32_t last;         /* names stored: 1..last */
	struct buf text, fixed;
	int64_t overflow;
	bool has_lines;        /* a NAME_LINE was among them */
	int64_t bad_utf8;      /* distinct names that had to be mended */
	uint64_t seed;
};

int names_init(struct names *v, struct db *db, int64_t trace) RESULT_USED;
void names_release(struct names *v);
/* n of the name, *flags what it says; -1 said. */
int64_t names_put(struct names *v, struct text t, unsigned *flags) RESULT_USED;
/* 0 for a name that is not remembered. */
unsigned names_flags(const struct names *v, int64_t n);
/* {NULL,0} for a name that is not remembered; valid until the next put. */
struct text names_text(const struct names *v, int64_t n);

/* A thread of the host (device empty) or a stream of a device. */
struct track {
	char *pid, *tid, *device, *stream; /* NULL: unknown */
	int64_t compute_ns;    /* sum of its kernels */
	int64_t ops;           /* device ops */
	uint32_t hash;
};

struct tracks {
	struct db *db;
	int64_t trace;
	struct track *track;   /* track[n - 1] */
	uint32_t n, cap;
	uint32_t *bucket, nbucket;
	uint32_t recent;       /* n of the last one asked for, 0 none */
	uint32_t device[TRACK_DEVICES_MAX]; /* the first track of each */
	uint32_t ndevice;
	int64_t beyond;        /* events that are of no track */
};

void tracks_init(struct tracks *v, struct db *db, int64_t trace);
void tracks_release(struct tracks *v);
/* n of the event's thread or stream, 1, 2, ...; 0: one too many, counted. */
uint32_t tracks_find(struct tracks *v, const struct event *ev);
int tracks_store(struct tracks *v) RESULT_USED;  /* the rows of `track` */

uint32_t text_hash(struct text t, uint64_t seed);

#endif
