/* comm.h - the communication of one trace: every collective with its hidden
 * and exposed part, summed by kind.
 *
 *	comm_init(&c);
 *	comm_compute(&c, device, start, end) / comm_add(&c, device, ...)   in
 *		order of start, devices mixed as they come
 *	comm_done(&c);      hidden is known
 *	comm_sum(&c);       once wait_ns of the items is set: the kinds are summed
 *	comm_release(&c);
 *
 * Memory: 72 bytes a collective, COMM_MAX at most (300 MB); what is beyond is
 * counted, and the sums are not to be used then. */
#ifndef TP_COMM_H
#define TP_COMM_H

#include "coll.h"
#include "event.h"
#include "expose.h"

#define COMM_MAX (1u << 22)

struct comm_item {
	int64_t start_ns, end_ns, hidden_ns, bytes, seq;
	uint32_t kind;
	int32_t step;             /* the caller's, -1 none */
	int64_t wait_ns;          /* NO_INT: not matched; set by the caller */
};

/* What tells two kinds apart. */
struct comm_key {
	size_t device;            /* the caller's number */
	int64_t name, op, frame, how; /* ids of the store */
	enum coll_op coll;
	char group[64];
	int64_t group_size;
};

struct comm_kind {
	struct comm_key key;
	size_t count, matched, blocking; /* blocking: no compute ran beside it */
	int64_t total_ns, hidden_ns;
	int64_t bytes, timed_ns;  /* of those whose size is known */
	size_t sized;
	int64_t wait_ns, wire_ns; /* of those matched across ranks */
	int64_t sized_wire_ns;    /* wire of those matched whose size is known */
	size_t sized_matched;
};

struct comm {
	struct comm_kind *kind;
	size_t nkind, capkind, last;
	uint32_t *bucket;         /* by hash of the key: 1 + number of the kind */
	size_t nbucket;
	struct comm_item *item;   /* in order of start */
	size_t n, cap, beyond;
	struct expose *expose;    /* one a device */
	size_t ndevice;
};
void comm_init(struct comm *c);
void comm_compute(struct comm *c, size_t device, int64_t start_ns, int64_t end_ns);
/* The item's start, end, bytes, seq and step are the caller's. */
void comm_add(struct comm *c, const struct comm_key *key, const struct comm_item *item);
void comm_done(struct comm *c);
/* Once wait_ns of the items is set. */
void comm_sum(struct comm *c);
void comm_release(struct comm *c);

#endif
