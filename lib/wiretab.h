/* wiretab.h - what a process of the job has named: texts, Python code objects and
 * stacks, by the ids of capwire.h.
 *
 * The newest WIRETAB_IDS ids of each sort are known; the capture library names again,
 * under a new id, what it has itself forgotten (it remembers fewer).  So the tables
 * stay as they are however long the job runs.  Who refers to an id that is not known
 * is counted in `unknown`: that part of a record is lost.
 *
 * Stacks are kept as paths of a tree, from the outermost frame inwards: two calls
 * from one line are one node, and stacks that begin alike share their nodes.  A
 * node is known by its number, 1, 2, ...; 0 is none.  What lies beyond
 * WIRETAB_NODES_MAX or WIRETAB_BYTES_MAX is counted in `lost` and is unknown. */
#ifndef TP_WIRETAB_H
#define TP_WIRETAB_H

#include "base.h"
#include "wire.h"

#define WIRETAB_IDS (1u << 18)        /* a power of two */
#define WIRETAB_NODES_MAX (1u << 20)
#define WIRETAB_BYTES_MAX (64u << 20) /* of all texts */

struct wiretab_text {
	uint32_t id, n, kernel_n;
	char *s;               /* malloc'd */
	char *kernel;          /* demangled, NULL: not asked for yet */
	bool mangled;          /* ... or there was no room for it: s will do */
};

struct wiretab_code {
	uint32_t id;
	uint32_t file_n;       /* of frame: the file's name */
	uint32_t func_at;      /* ... and where the function's begins */
	uint32_t frame_n;
	char *frame;           /* "file(first line): name", malloc'd */
	bool own;              /* the user's own code, as far as its path tells */
};

struct wiretab_node {
	uint32_t parent, code;
	int32_t line;
	uint32_t depth;        /* 1: outermost */
};

struct wiretab {
	struct wiretab_text *text;
	struct wiretab_code *code;
	struct wiretab_stack { uint32_t id, node; } *stack;
	size_t ntext, ncode, nstack;
	size_t bytes;
	struct wiretab_node *node;
	uint32_t *bucket;      /* nodes by hash, open addressing */
	size_t nnode, node_cap, nbucket;
	uint64_t lost, unknown;
};

void wiretab_init(struct wiretab *t);
void wiretab_release(struct wiretab *t);

/* CAP_TEXT, CAP_CODE, CAP_STACK.  An id that comes again means what it says now. */
void wiretab_text(struct wiretab *t, uint32_t id, struct text text);
void wiretab_code(struct wiretab *t, const struct cap_code *c);
void wiretab_stack(struct wiretab *t, uint32_t id, const struct cap_frame *frame,
	size_t n);

/* Texts are valid until one is added.  An unknown one reads WIRETAB_LOST and is
 * counted; so does 0, for which the library had no room and has counted it. */
#define WIRETAB_LOST "(name lost)"
struct text wiretab_text_of(struct wiretab *t, uint32_t id);
/* Demangled where there is room. */
struct text wiretab_kernel_of(struct wiretab *t, uint32_t id);
/* NULL: unknown, or its names are. */
const struct wiretab_code *wiretab_code_of(const struct wiretab *t, uint32_t code);
/* The innermost frame of a stack; 0: none, or unknown, which is counted. */
uint32_t wiretab_node_of(struct wiretab *t, uint32_t stack);

#endif
