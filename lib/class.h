/* class.h - which class of work a device op is, by rules that are data
 * (share/kernel-classes.tsv, which explains their form).
 *
 * A lookup runs regexes over names that can be kilobytes long: callers keep the
 * answer per name. */
#ifndef TP_CLASS_H
#define TP_CLASS_H

#include "event.h"

#define CLASSES(X) \
	X(CLASS_ATTENTION, "attention") \
	X(CLASS_GEMM, "gemm") \
	X(CLASS_CONVOLUTION, "convolution") \
	X(CLASS_COMMUNICATION, "communication") \
	X(CLASS_NORMALIZATION, "normalization") \
	X(CLASS_SOFTMAX, "softmax") \
	X(CLASS_REDUCTION, "reduction") \
	X(CLASS_ELEMENTWISE, "elementwise") \
	X(CLASS_INDEX, "index") \
	X(CLASS_OPTIMIZER, "optimizer") \
	X(CLASS_COPY, "copy") \
	X(CLASS_MEMSET, "memset") \
	X(CLASS_TRITON, "triton") \
	X(CLASS_OPERATOR, "operator") /* of a CPU job */ \
	X(CLASS_OTHER, "other")
enum kernel_class {
#define X(e, n) e,
	CLASSES(X)
#undef X
	CLASS_COUNT
};
const char *class_name(enum kernel_class c);

struct class_rules; /* private */
/* NULL said: the file is missing or a line is no rule. */
struct class_rules *class_rules_open(void) RESULT_USED;
struct class_rules *class_rules_read(const char *path) RESULT_USED;
void class_rules_close(struct class_rules *r);

/* op NULL or "" when no operator is known. */
enum kernel_class class_find(const struct class_rules *r, enum event_cat cat,
	const char *op, const char *kernel);

#endif
