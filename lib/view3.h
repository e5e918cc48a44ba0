/* view3.h - the parts of the kernel table that do not fit its program: sums by
 * class, the list of copies (view3_text.c has the text face too). */
#ifndef TP_VIEW3_H
#define TP_VIEW3_H

#include "kernels.h"

struct class_sum {
	const struct decomp_part *part;
	enum kernel_class class;
	struct op_sum sum;
};
struct view3 {
	struct view *view;
	struct kernels k;
	struct class_sum *class; /* by part, the largest own time first; none empty */
	size_t nclass;
	struct kernel_site **copy; /* by part, the most time first */
	size_t ncopy;
};
/* class and copy out of k. */
void view3_gather(struct view3 *t);
void view3_text(struct view3 *t);
void view3_release(struct view3 *t);

#endif
