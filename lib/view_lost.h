/* view_lost.h - inside of tp-view2: rows and text of the accounts of lost time.
 *
 *	lost_part_begin(&p, view, decomp, part);   for each device
 *	lost_read(...)                             losses go out as they come
 *	lost_part_check(&p); lost_part_put(&p); lost_part_text(&p);
 *	lost_part_release(&p);                     always */
#ifndef TP_VIEW_LOST_H
#define TP_VIEW_LOST_H

#include "decompose.h"
#include "lost_read.h"
#include "view_texts.h"

/* A loss that comes again in other steps: the k-th of its kind in each. */
struct lost_group {
	bool is_run;
	enum idle_cause cause;
	int64_t frame, op, k;  /* k < 0: counts those of one step */
	size_t step;           /* the last it was seen in */
	int64_t times, cost_ns, kernel_ns;
	struct { size_t step; int64_t offset_ns; } at[4]; /* the first few */
	int64_t longest_ns, after; /* dev row behind the longest */
	struct tally doing;
};

struct lost_part {
	struct view *view;
	const struct decomp *decomp;
	const struct decomp_part *part;
	struct account_step *step;
	struct lost_device *device;
	struct texts *texts;
	int64_t losses[2], loss_ns[2]; /* gaps, runs */
	struct lost_group *group;
	size_t ngroup, capgroup;
	uint32_t *bucket;      /* 1 + group */
	size_t nbucket;
};

void lost_part_begin(struct lost_part *p, struct texts *texts, struct lost_device *d);
int lost_part_check(const struct lost_part *p) RESULT_USED;
int lost_part_put(struct lost_part *p) RESULT_USED;
int lost_part_text(struct lost_part *p) RESULT_USED;
void lost_part_release(struct lost_part *p);
/* Chosen steps that are not empty and are complete, or are not; their walls are
 * added to *wall_ns. */
int64_t lost_part_steps(const struct lost_part *p, bool incomplete, int64_t *wall_ns);

/* view_lost_group.c: for the text; 0, or nothing more is taken in once it is full */
#define LOST_GROUPS_MAX 65536u
void lost_groups_add(struct lost_part *p, const struct loss *l, int64_t offset_ns);
/* Most costly first. */
void lost_groups_sort(struct lost_part *p);

/* Where: "train.py:41 (step)", "op aten::mm", "" when nothing is known. */
int lost_place(struct texts *t, int64_t frame, int64_t op, struct buf *b) RESULT_USED;

#endif
