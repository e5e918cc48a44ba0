/* coll.c - see coll.h. */
#include "base.h"
#include "coll.h"
#include "event.h"
#include "num.h"
#include "rec.h"

#include <stdio.h>
#include <strings.h>

static const struct {
	const char *name;
	char factor;
} ops[COLL_OP_COUNT] = {
#define X(e, n, f) [e] = { n, f },
	COLL_OPS(X)
#undef X
};

const char *coll_name(enum coll_op op)
{
	return ops[op].name;
}

/* Words by which names tell the operation, most telling first: "all_reduce"
 * before "reduce".  Compared without case, "_" and "-". */
static const struct {
	const char *word;
	enum coll_op op;
} words[] = {
	{ "allreduce", COLL_ALL_REDUCE }, { "crossdevicereduce", COLL_ALL_REDUCE },
	{ "reducescatter", COLL_REDUCE_SCATTER }, { "allgather", COLL_ALL_GATHER },
	{ "alltoall", COLL_ALL_TO_ALL }, { "broadcast", COLL_BROADCAST },
	{ "barrier", COLL_BARRIER }, { "sendrecv", COLL_SEND_RECV },
	{ "coalesced", COLL_GROUPED }, { "generic", COLL_GROUPED },
	{ "group", COLL_GROUPED }, { "isend", COLL_SEND }, { "irecv", COLL_RECV },
	{ "send", COLL_SEND }, { "recv", COLL_RECV }, { "scatter", COLL_SCATTER },
	{ "gather", COLL_GATHER }, { "reduce", COLL_REDUCE },
};

static enum coll_op op_of(struct text name)
{
	char flat[256];
	size_t n = 0;
	for (size_t i = 0; i < name.n && n + 1 < sizeof flat; i++)
		if (name.s[i] != '_' && name.s[i] != '-')
			flat[n++] = name.s[i];
	flat[n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasestr(flat, words[i].word))
			return words[i].op;
	return COLL_OTHER;
}

/* Bytes of an element; the words of c10::ScalarType and of NCCL's enums. */
static int64_t dtype_size(struct text t)
{
	static const struct {
		const char *word;
		int64_t size;
	} sizes[] = {
		{ "Float8", 1 }, { "BFloat16", 2 }, { "ComplexDouble", 16 },
		{ "ComplexFloat", 8 }, { "ComplexHalf", 4 }, { "Float", 4 },
		{ "Double", 8 }, { "Half", 2 }, { "Long", 8 }, { "Int8", 1 },
		{ "Int16", 2 }, { "Int32", 4 }, { "Int64", 8 }, { "UInt8", 1 },
		{ "UInt16", 2 }, { "UInt32", 4 }, { "UInt64", 8 }, { "Int", 4 },
		{ "Short", 2 }, { "Char", 1 }, { "Byte", 1 }, { "Bool", 1 },
	};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		size_t n = strlen(sizes[i].word);
		/* Float8_e4m3fn and kin carry a suffix; the rest must be whole. */
		bool prefix = i == 0 && t.n >= n;
		if ((prefix || t.n == n) && strncasecmp(t.s, sizes[i].word, n) == 0)
			return sizes[i].size;
	}
	return NO_INT;
}

/* No job has 16 million ranks, no device 16 TiB: what a broken trace says beyond
 * is unknown, and the products of the bus bandwidth stay within an int64. */
#define GROUP_MAX (INT64_C(1) << 24)
#define BYTES_MAX (INT64_C(1) << 44)

struct args {
	struct coll_info *c;
	int64_t in, out, size;
	bool named;
};

static int args_field(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct args *a = arg;
	int64_t n = NO_INT;
	if ((type == REC_NUM || type == REC_STR) && num_int(value, 0, INT64_MAX, &n) < 0)
		n = NO_INT;
	if (text_is(key, "Collective name") && type == REC_STR) {
		a->c->op = op_of(value);
		a->named = value.n > 0;
	} else if (text_is(key, "In msg nelems")) {
		a->in = n;
	} else if (text_is(key, "Out msg nelems")) {
		a->out = n;
	} else if (text_is(key, "dtype") && type == REC_STR) {
		a->size = dtype_size(value);
	} else if (text_is(key, "Group size")) {
		a->c->group_size = n <= GROUP_MAX ? n : NO_INT;
	} else if (text_is(key, "Seq")) {
		a->c->seq = n;
	} else if (text_is(key, "Process Group Name") && type == REC_STR) {
		snprintf(a->c->group, sizeof a->c->group, "%.*s", (int)MIN(value.n, 63), value.s);
	}
	return 0;
}

void coll_identify(struct coll_info *c, struct text args, struct text op,
	struct text kernel)
{
	struct args a = { c, NO_INT, NO_INT, NO_INT, false };
	*c = (struct coll_info){ COLL_OTHER, "", NO_INT, NO_INT, NO_INT };
	if (args.s && rec_each(args, args_field, &a) == 0) {
		int64_t nelems = MAX(a.in, a.out); /* NO_INT is the least */
		if (nelems != NO_INT && a.size != NO_INT && nelems <= BYTES_MAX / a.size)
			c->bytes = nelems * a.size;
	}
	if (!a.named || c->op == COLL_OTHER)
		c->op = op_of(op);
	if (c->op == COLL_OTHER)
		c->op = op_of(kernel);
}

void coll_bus_factor(enum coll_op op, int64_t n, int64_t *num, int64_t *den)
{
	*num = *den = 1;
	if (n < 2 || ops[op].factor == '1')
		return;
	*num = (ops[op].factor == 'r' ? 2 : 1) * (n - 1);
	*den = n;
}
