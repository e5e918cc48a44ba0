/* schedule.h - records/execution_schedule.json: a file that a person writes,
 * naming the phases of the job, so that waits are named by them:
 *
 *	{"phases": [
 *	  {"name": "evaluate", "kind": "periodic", "every": 10, "runs_on": "device"},
 *	  {"name": "load", "kind": "repeated", "runs_on": "host"}]}
 *
 * kind: one-off, repeated or periodic.  A row belongs to the first phase whose
 * name is its function, or occurs in what it did, its phase or its name; a
 * periodic row also to the one periodic phase with its `every`. */
#ifndef TP_SCHEDULE_H
#define TP_SCHEDULE_H

#include "rank_rows.h"

#define SCHEDULE_FILE_MAX (1u << 20)
#define SCHEDULE_PHASES_MAX 256

struct phase {
	char *name, *kind, *runs_on; /* runs_on NULL: not said */
	int64_t every;               /* NO_NUM: not said */
};
struct schedule {
	struct phase *phase;
	size_t n, cap;
};

int schedule_read(struct schedule *s, const char *path) RESULT_USED; /* -1 said */
const struct phase *schedule_find(const struct schedule *s, const struct rank_row *row);
void schedule_release(struct schedule *s);

#endif
