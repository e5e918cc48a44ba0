/* split.c - see split.h. */
#include "base.h"
#include "split.h"
#include "mem.h"

#include <stdlib.h>

void split_init(struct split *s, split_piece_fn *fn, void *arg)
{
	memset(s, 0, sizeof *s);
	s->piece = fn;
	s->arg = arg;
}

void split_release(struct split *s)
{
	for (int c = 0; c < SPLIT_CLASSES; c++)
		free(s->queue[c].op);
	memset(s, 0, sizeof *s);
}

/* Drop what has ended by now; the ends rise along a queue, so the first that
 * lives ends the search. */
static void queue_expire(struct split_queue *q, int64_t now_ns)
{
	while (q->first < q->n && q->op[q->first].end_ns <= now_ns)
		q->first++;
	if (q->first == q->n)
		q->first = q->n = 0;
}

/* Give [now, until) to its owners. */
static void split_advance(struct split *s, int64_t until_ns)
{
	while (s->now_ns < until_ns) {
		const struct split_op *owner = NULL;
		int64_t end_ns;

		for (int c = 0; c < SPLIT_CLASSES && !owner; c++) {
			struct split_queue *q = &s->queue[c];

			queue_expire(q, s->now_ns);
			if (q->n)
				owner = &q->op[q->first];
		}
		if (!owner) {
			s->now_ns = until_ns;
			return;
		}
		end_ns = MIN(owner->end_ns, until_ns);
		s->part_ns[owner->class] += end_ns - s->now_ns;
		if (s->piece)
			s->piece(s->arg, owner, s->now_ns, end_ns);
		s->now_ns = end_ns;
	}
}

/* Within a class, at equal starts. */
static bool op_outranks(const struct split_op *a, const struct split_op *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	if (a->stream != b->stream)
		return a->stream < b->stream;
	return a->corr < b->corr;
}

static bool outlasted(const struct split *s, const struct split_op *op)
{
	for (int c = 0; c < (int)op->class; c++) {
		const struct split_queue *q = &s->queue[c];

		if (q->n && q->op[q->n - 1].end_ns >= op->end_ns)
			return true;
	}
	return false;
}

/* Ends rise along the queue as ranks fall: an op that breaks this would own
 * nothing, or takes all from those behind it. */
static void queue_insert(struct split_queue *q, const struct split_op *op)
{
	size_t at = q->n, last;

	while (at > q->first && op_outranks(op, &q->op[at - 1]))
		at--;
	if (at > q->first && q->op[at - 1].end_ns >= op->end_ns)
		return;
	for (last = at; last < q->n && q->op[last].end_ns <= op->end_ns; last++)
		;
	if (last > at) {
		q->op[at++] = *op;
		memmove(&q->op[at], &q->op[last], (q->n - last) * sizeof *op);
		q->n -= last - at;
		return;
	}
	if (q->n == q->cap && q->first > q->cap / 2) {
		q->n -= q->first;
		at -= q->first;
		memmove(q->op, &q->op[q->first], q->n * sizeof *op);
		q->first = 0;
	}
	GROW(q->op, q->n, q->cap);
	memmove(&q->op[at + 1], &q->op[at], (q->n - at) * sizeof *op);
	q->op[at] = *op;
	q->n++;
}

static void union_add(int64_t *len_ns, int64_t *end_ns, const struct split_op *op)
{
	int64_t from_ns = MAX(*end_ns, op->start_ns);

	if (op->end_ns > from_ns) {
		*len_ns += op->end_ns - from_ns;
		*end_ns = op->end_ns;
	}
}

void split_add(struct split *s, const struct split_op *op)
{
	if (s->ops++ == 0) {
		s->first_ns = s->now_ns = op->start_ns;
		s->busy_end_ns = s->comm_end_ns = op->start_ns;
		s->last_ns = op->end_ns;
	}
	s->last_ns = MAX(s->last_ns, op->end_ns);
	split_advance(s, op->start_ns);
	union_add(&s->busy_ns, &s->busy_end_ns, op);
	if (op->class == SPLIT_COMM)
		union_add(&s->comm_ns, &s->comm_end_ns, op);
	for (int c = 0; c < SPLIT_CLASSES; c++)
		queue_expire(&s->queue[c], op->start_ns);
	if (op->end_ns > op->start_ns && !outlasted(s, op))
		queue_insert(&s->queue[op->class], op);
}

void split_end(struct split *s)
{
	split_advance(s, s->last_ns);
}

void spans_init(struct spans *v, struct span *span, size_t n)
{
	memset(v, 0, sizeof *v);
	v->span = span;
	v->n = n;
}

static int64_t overlap_ns(const struct span *p, int64_t start_ns, int64_t end_ns)
{
	int64_t len_ns = MIN(p->end_ns, end_ns) - MAX(p->start_ns, start_ns);

	return MAX(len_ns, 0);
}

/* The first span that does not end before start. */
static size_t cursor_to(struct span_cursor *cur, const struct spans *v, int64_t start_ns)
{
	while (cur->first < v->n && v->span[cur->first].end_ns <= start_ns)
		cur->first++;
	return cur->first;
}

/* Add the overlap to one counter of each span that [start, end) touches; the sum
 * over the chosen ones comes back. */
static int64_t spans_spread(struct spans *v, struct span_cursor *cur, size_t counter,
	int64_t start_ns, int64_t end_ns)
{
	size_t i = cursor_to(cur, v, start_ns);
	int64_t chosen_ns = 0;

	for (; i < v->n && v->span[i].start_ns < end_ns; i++) {
		char *span = (char *)&v->span[i];
		int64_t ns = overlap_ns(&v->span[i], start_ns, end_ns);

		*(int64_t *)(void *)(span + counter) += ns;
		chosen_ns += v->span[i].chosen ? ns : 0;
	}
	return chosen_ns;
}

int64_t spans_part(struct spans *v, enum split_class c, int64_t start_ns, int64_t end_ns)
{
	return spans_spread(v, &v->part,
		offsetof(struct span, part_ns) + (size_t)c * sizeof(int64_t),
		start_ns, end_ns);
}

static void spans_count(struct spans *v, const struct split_op *op)
{
	size_t i = cursor_to(&v->count, v, op->start_ns);

	for (; i < v->n && v->span[i].start_ns <= op->start_ns; i++)
		v->span[i].ops += op->start_ns < v->span[i].end_ns;
	for (; i < v->n && v->span[i].start_ns < op->end_ns; i++)
		v->span[i].ops++;
}

void spans_op(struct spans *v, const struct split *s, const struct split_op *op)
{
	int64_t from_ns = op->start_ns;

	spans_count(v, op);
	if (s->ops)
		from_ns = MAX(s->busy_end_ns, from_ns);
	if (from_ns < op->end_ns)
		(void)spans_spread(v, &v->busy, offsetof(struct span, busy_ns), from_ns, op->end_ns);
	if (op->class != SPLIT_COMM)
		return;
	from_ns = op->start_ns;
	if (s->ops)
		from_ns = MAX(s->comm_end_ns, from_ns);
	if (from_ns < op->end_ns)
		(void)spans_spread(v, &v->comm, offsetof(struct span, comm_ns), from_ns, op->end_ns);
}
