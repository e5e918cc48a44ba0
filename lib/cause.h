/* cause.h - the causes that tp-rank knows, read from share/causes.conf
 * (tp-causes(5) is the format's page).
 *
 * A cause takes rows that its conditions hold for; each row is taken by the
 * first cause in the file that wants it, so the order there decides.  What a
 * row charges is fixed by its kind (cause_charge), never by a cause. */
#ifndef TP_CAUSE_H
#define TP_CAUSE_H

#include "base.h"
#include "rank_cond.h"

#define CAUSES_MAX 128
#define CAUSE_CLAUSES_MAX 12
#define CAUSE_FILE_MAX (1u << 20)

struct cause_clause {
	char *kind;            /* "view2.site" */
	struct cond *cond;     /* NULL: every row of the kind */
	char *field;           /* `needs`: a field that some row must have */
};

enum cause_group { GROUP_ANCHOR, GROUP_ALL };
enum cause_way { WAY_LEAST, WAY_MOST };

struct cause {
	char *name;
	char *title, *why, *direction, *effort, *numerics, *clear, *raise, *code;
	struct cause_clause take[CAUSE_CLAUSES_MAX], see[CAUSE_CLAUSES_MAX],
		need[CAUSE_CLAUSES_MAX];
	size_t ntake, nsee, nneed;
	enum cause_group group;
	enum cause_way way;
	int64_t threshold_micro;
	char *part, *whole;    /* `measure`: part / whole of a row; NULL: its charge / wall */
};

struct causes {
	struct cause *cause;
	size_t n, cap;
};

/* 0, or -1 said ("FILE:LINE: what"). */
int causes_read(struct causes *c, const char *path) RESULT_USED;
int causes_parse(struct causes *c, struct text source, const char *name) RESULT_USED;
void causes_release(struct causes *c);

/* The field whose ns a row of this kind charges; NULL: evidence only. */
enum charge_of { CHARGE_IDLE, CHARGE_BUSY, CHARGE_RUN };
const char *cause_charge(struct text kind, enum charge_of *of);

#endif
