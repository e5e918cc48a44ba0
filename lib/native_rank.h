/* native_rank.h - which rank a process of the job is: what the hook says, else what
 * its launcher put into its environment. */
#ifndef TP_NATIVE_RANK_H
#define TP_NATIVE_RANK_H

#include "base.h"
#include "native.h"

struct native_process {
	int64_t pid;
	int64_t rank, world;   /* NO_INT: unknown */
	char *words;           /* "torch 2.11.0, python 3.12.3"; NULL */
};

/* What the hook told of it; NULL nothing. */
const struct native_process *native_rank_told(const struct native *n, int64_t pid);
/* From the environment that the process at the other end was started with. */
void native_rank_of_process(struct native_process *p, int socket_fd);
void native_rank_release(struct native *n);

#endif
