/* arrive.h - the same collective on several ranks: who came last, who waited.
 *
 *	arrive_init(&a);
 *	arrive_rank(&a, rank, host)       once a rank; gives its index
 *	arrive_add(&a, index, &item)      its collectives in order of start
 *	arrive_match(&a);                 then a.set[0..nset) and a.rank[]
 *	arrive_release(&a);
 *
 * Items of one class (group, operation, size) are matched by sequence number
 * where the trace has one, else by order.  Windows do not begin at the same
 * collective on every rank, so an order is first shifted to where the ends fit
 * best: a collective ends on all its ranks at about the same moment.
 *
 * Clocks: ranks of one host (or of unknown hosts) share one; ranks of different
 * hosts are never compared on raw epochs: the offset is the median of the
 * differences of the ends of what was matched.  With nothing matched there is
 * no offset and no wait.
 *
 * Memory: about 70 bytes a collective, all of them at once. */
#ifndef TP_ARRIVE_H
#define TP_ARRIVE_H

#include "base.h"

struct arrive_item {
	int64_t start_ns, end_ns; /* unix ns on the rank's own clock */
	uint64_t class;           /* hash of group, operation, size */
	int64_t seq;              /* NO_INT: match by order */
	size_t need;              /* ranks of its group, 0 unknown: with fewer of
	                           * them here nobody can say who came last */
	size_t at;                /* the caller's */
};

struct arrive_rank {
	int64_t rank;
	const char *host;         /* NULL unknown */
	struct arrive_item *item;
	size_t n, cap;
	int64_t offset_ns;        /* what to take off its clock */
	int64_t residual_ns;      /* median distance of matched ends after that */
	size_t ends;              /* matched ends that say so */
	bool tied;                /* can be compared with the first rank */
	int64_t wait_ns, wire_ns; /* over its matched collectives */
	int64_t late_ns;          /* how long others waited for it, as the last */
	size_t matched, last;
};

/* One collective, on at least two ranks. */
struct arrive_set {
	size_t *member;           /* member[r]: item of rank r, SIZE_MAX none */
	size_t ranks, last;       /* how many; index of the rank that came last */
	int64_t last_start_ns, skew_ns, wire_ns; /* on the first rank's clock */
	bool by_seq;
};

struct arrive {
	struct arrive_rank *rank;
	size_t nrank, caprank;
	struct arrive_set *set;   /* in order of last start */
	size_t nset, capset;
	size_t nshort;            /* matched, but with ranks missing: not in set[] */
};
void arrive_init(struct arrive *a);
size_t arrive_rank(struct arrive *a, int64_t rank, const char *host);
void arrive_add(struct arrive *a, size_t rank, const struct arrive_item *item);
void arrive_match(struct arrive *a);
/* A member's share: until the last rank arrived, and from then to its end. */
int64_t arrive_wait(const struct arrive *a, const struct arrive_set *s, size_t rank);
int64_t arrive_wire(const struct arrive *a, const struct arrive_set *s, size_t rank);
void arrive_release(struct arrive *a);

#endif
