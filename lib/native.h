/* native.h - the starter's end of the capture library: engine cupti of tp-capture.
 *
 *	native_check()                  can the engine work here? -1 said: it cannot
 *	struct native n = NATIVE_INIT;  n.opt, n.out are set
 *	native_open(&n, private)        the socket; -1 said
 *	native_conf(&n, jw)             its part of the hook's configuration
 *	native_listen(&n, &job, &ears)  before the job is started: job_run() listens
 *	native_told(&n, record)         a run record of the hook's: ranks by process
 *	native_close(&n, status)        what is there still comes, then the ends
 *
 * Each process of the job that starts CUDA connects, sends (capwire.h), and
 * becomes a segment of its own once something happened in it.  What the library
 * wants told to a person is told once. */
#ifndef TP_NATIVE_H
#define TP_NATIVE_H

#include <regex.h>

#include "base.h"
#include "capout.h"
#include "job.h"
#include "jw.h"
#include "rec.h"

#define NATIVE_LINKS_MAX 1024
#define NATIVE_NOTES_MAX 32    /* different ones; the rest is left out */

struct native_link; /* private */

struct native_opt {
	bool lines, memory, operators;
	bool window;           /* the hook says when */
	const regex_t *step;   /* NVTX ranges that are steps, NULL none */
};

struct native {
	struct native_opt opt;
	struct capout out;
	const char *dir;       /* the private folder */
	int listen_fd, poll_fd;
	int spare_fd;          /* given up to turn away who calls when there are no more */
	struct native_link **link;
	size_t n, cap;
	struct native_process *told; /* by the hook */
	size_t ntold, cap_told;
	char *note[NATIVE_NOTES_MAX];
	size_t nnote;
	bool able;             /* the library is in the job's environment */
	int64_t hellos;        /* processes that started CUDA */
	int64_t events;
	int64_t torn;          /* of them, those that ended without a word */
	int64_t refused;       /* processes for which there was no room */
	bool gave_way;         /* to a tool of the user's, here or in a process */
	uint64_t dropped;      /* records, by the library for want of room */
	uint64_t missing;      /* records that were sent and did not come */
	uint64_t unknown;      /* names and frames that nobody told, or for which our
	                        * tables have no room */
	struct job_other other;
};
#define NATIVE_INIT { .listen_fd = -1, .poll_fd = -1, .spare_fd = -1 }

/* Before any job: -1 only where it is certain that nothing can be recorded: another
 * tool is set, our library is not there, no driver of CUDA is, or no device.  What a
 * job may bring (libcupti, a libcuda where there is a device) is left to the job.
 * Makes no CUDA context, but calls cuInit: for a process that does nothing else. */
int native_check(void) RESULT_USED;
int native_open(struct native *n, const char *private) RESULT_USED;
void native_conf(const struct native *n, struct jw *w);
/* Puts the library into the environment, which the job inherits; said where that
 * cannot be: the job then runs unrecorded. */
void native_listen(struct native *n, struct job *j, struct job_ears *ears);
void native_told(struct native *n, const struct rec *r);
/* -1: something failed (said).  Afterwards n.out.kept says what there is. */
int native_close(struct native *n, int job_status) RESULT_USED;

#endif
