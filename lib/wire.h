/* wire.h - the bytes that the capture library sends (capwire.h), as checked
 * records.
 *
 *	wire_init(&w)
 *	while ((r = wire_read(&w, fd, fn, arg)) > 0) ...    a socket, not blocking
 *	wire_feed(&w, bytes, n, fn, arg)                    or bytes from elsewhere
 *	wire_release(&w)
 *
 * What is checked here is the layout: type, size, version, ids from 1, counts
 * within the record, and that a hello comes first and once.  Times, kinds and
 * lengths are as sent: whoever uses them looks (capevent.c).  The bytes come from
 * the job's process and may be anything: nothing of them is trusted. */
#ifndef TP_WIRE_H
#define TP_WIRE_H

#include "base.h"
#include "capwire.h"

struct wire_record {
	enum cap_type type;
	uint8_t flags;
	uint32_t tid;
	union {
		struct cap_hello hello;
		struct cap_text text;
		struct cap_code code;
		struct cap_stack stack;
		struct cap_call call;
		struct cap_op op;
		struct cap_range range;
		struct cap_mem mem;
		struct cap_overhead overhead;
		struct cap_device device;
		struct cap_step step;
		struct cap_dropped dropped;
		struct cap_note note;
		struct cap_bye bye;
	} as;
	struct text text;      /* of a text or a note; until fn returns */
	struct cap_frame frame[CAPWIRE_DEPTH_MAX]; /* of a stack: as.stack.n */
};

/* -1: the link is to be closed (said, or fn knows why). */
typedef int wire_fn(void *arg, const struct wire_record *r);

struct wire {
	char *bytes;           /* a record cut in two waits here */
	size_t n;
	uint64_t records;
	bool hello;
	const char *fault;     /* why it was closed: static words; NULL none */
	bool failed;
	struct wire_record rec;
};

void wire_init(struct wire *w);
/* 1 go on, also when nothing was there; 0 the other end has closed; -1 a fault,
 * the descriptor cannot be read (failed is set, said), or fn said so. */
int wire_read(struct wire *w, int fd, wire_fn *fn, void *arg) RESULT_USED;
int wire_feed(struct wire *w, const void *bytes, size_t n, wire_fn *fn,
	void *arg) RESULT_USED; /* 0, -1 */
void wire_release(struct wire *w);

#endif
