/* rank_cond.h - the small condition language of share/causes.conf, over the
 * fields of one row (tp-causes(5)):
 *
 *	cause = "sync" and doing ~ "aten::(item|nonzero)" and not pageable
 *	blocks < sms and mean_ns >= 20us or how = "op"
 *
 * `or` binds least, then `and`, then `not`; parentheses group.  A comparison
 * has a field on its left and a number, a "text" or another field on its right;
 * a bare field is true when it is there and neither false, 0 nor empty.  A
 * comparison with an absent field is false.  Numbers take ns us ms s, KB MB GB
 * KiB MiB GiB and %.  ~ is a POSIX extended regular expression, ^ and $ match
 * at each line of a list, letters match in both cases.
 *
 * Compiled to postfix: no recursion, at most COND_MAX parts. */
#ifndef TP_RANK_COND_H
#define TP_RANK_COND_H

#include "base.h"
#include "rank_rows.h"

#define COND_MAX 64

struct cond; /* private */

/* NULL with *why (static text) set; nothing printed. */
struct cond *cond_new(struct text source, const char **why) RESULT_USED;
void cond_free(struct cond *c);
bool cond_holds(const struct cond *c, const struct rank_row *row);

/* A field of the row, or one worked out from it: mean_ns (time_ns over count),
 * in_run_share (in_run_ns over cost_ns, 0.5 is 50 %), fill (blocks over sms),
 * wait_share, doing, copies, mostly (the first of them).  Number in millionths. */
bool cond_number(const struct rank_row *row, const char *field, int64_t *out);
/* "1%" "20us" "3" "64KiB" in millionths; -1 when it is none. */
int cond_quantity(struct text t, int64_t *out) RESULT_USED;

#endif
