/* anchor.c - from a stack to a line. */
#include "base.h"
#include "anchor.h"

#include <stdlib.h>

#include "mem.h"

static bool is_op(const struct entry *e)
{
	return e->cat == CAT_CPU_OP && !(e->flags & NAME_STEP);
}

static bool is_range(const struct entry *e)
{
	return e->cat == CAT_ANNOTATION && !(e->flags & NAME_STEP);
}

int anchors_init(struct anchors *a, struct sweep *w)
{
	memset(a, 0, sizeof *a);
	a->w = w;
	a->forward = xcalloc(FORWARD_SLOTS, sizeof *a->forward);
	a->node = xcalloc(STACK_NODES_MAX * 2, sizeof *a->node);
	a->put_node = db_prepare(w->l->db, "INSERT INTO stack VALUES (?,?,?)");
	if (a->put_node)
		return 0;
	anchors_release(a);
	return -1;
}

void anchors_release(struct anchors *a)
{
	free(a->forward);
	free(a->node);
	db_finish(&a->put_node);
	memset(a, 0, sizeof *a);
}

/* The user's innermost frame alive on a thread, 0 for none.  At most one executed
 * line is alive at a time, and it is right wherever it lies among the frames. */
static uint32_t own_frame(const struct thread *t, int64_t ts)
{
	uint32_t innermost = 0;
	size_t i;

	for (i = t->n; i-- > 0;) {
		const struct entry *e = &t->entry[i];

		if (!(e->flags & NAME_OWN) || e->cat != CAT_PYTHON || !sweep_alive(e, ts))
			continue;
		if (e->flags & NAME_LINE)
			return e->name;
		innermost = innermost ? innermost : e->name;
	}
	return innermost;
}

static struct forward *slot_of(struct anchors *a, int64_t seq, uint32_t track)
{
	/* numbers of one thread follow each other: they never share a slot
	 * before all slots were used */
	return &a->forward[((uint64_t)seq + track * 7919u) % FORWARD_SLOTS];
}

static bool knows_track(struct anchors *a, uint32_t track)
{
	size_t i;

	for (i = 0; i < a->nforward_track; i++)
		if (a->forward_track[i] == track)
			return true;
	if (a->nforward_track == FORWARD_THREADS_MAX)
		return false;
	a->forward_track[a->nforward_track++] = track;
	return true;
}

static void see_wait(struct anchors *a, uint32_t track)
{
	size_t i;

	for (i = 0; i < a->nwaiting; i++)
		if (a->waiting[i] == track)
			return;
	if (a->nwaiting < WAITING_MAX)
		a->waiting[a->nwaiting++] = track;
}

void anchors_see(struct anchors *a, const struct sweep_item *it)
{
	const struct host *h = it->host;
	uint32_t frame;

	if (it->kind != SWEEP_HOST)
		return;
	if (h->cat == CAT_PYTHON && names_flags(&a->w->l->names, h->name) & NAME_BACKWARD)
		see_wait(a, h->track);
	if (h->cat != CAT_CPU_OP || h->seq == NO_INT || h->seq < 0 || h->fwd != NO_INT)
		return;
	frame = own_frame(it->thread, it->ts);
	if (frame == 0 || !knows_track(a, h->track))
		return;
	/* an operator that makes no node shows the next one's number: the last
	 * that has it is the one that made it */
	*slot_of(a, h->seq, h->track) = (struct forward){ h->seq, h->track, frame };
}

static uint32_t track_of(const struct anchors *a, int32_t fwd)
{
	size_t i;

	for (i = 0; i < a->nknown; i++)
		if (a->known[i].fwd == fwd)
			return a->known[i].track;
	return 0;
}

static void learn(struct anchors *a, int32_t fwd, uint32_t track)
{
	if (track_of(a, fwd) || a->nknown == FORWARD_THREADS_MAX)
		return;
	a->known[a->nknown].fwd = fwd;
	a->known[a->nknown++].track = track;
}

/* The frame of the forward operator of a backward one, 0 for none. */
static uint32_t forward_frame(struct anchors *a, const struct entry *e)
{
	const struct forward *f, *one = NULL;
	uint32_t known = track_of(a, e->fwd);
	size_t i, n = 0;

	for (i = 0; i < a->nforward_track; i++) {
		f = slot_of(a, e->seq, a->forward_track[i]);
		if (f->frame == 0 || f->seq != e->seq || f->track != a->forward_track[i])
			continue;
		if (f->track == known)
			return f->frame;
		one = f;
		n++;
	}
	if (n != 1)
		return 0;
	learn(a, e->fwd, one->track);
	return one->frame;
}

/* The frame of the thread that entered the backward pass last and is in it. */
static uint32_t waiting_frame(const struct anchors *a, uint32_t track, int64_t ts)
{
	int64_t latest = NO_INT;
	uint32_t frame = 0, f;
	size_t i, k;

	for (i = 0; i < a->nwaiting; i++) {
		const struct thread *t = &a->w->thread[a->waiting[i]];

		if (a->waiting[i] == track)
			continue;
		for (k = 0; k < t->n; k++)
			if (t->entry[k].flags & NAME_BACKWARD
			    && sweep_alive(&t->entry[k], ts))
				break;
		if (k == t->n || t->entry[k].ts <= latest)
			continue;
		f = own_frame(t, ts);
		if (f) {
			frame = f;
			latest = t->entry[k].ts;
		}
	}
	return frame;
}

/* One entry more of the way from the innermost outwards. */
static void look(struct anchors *a, const struct entry *e, struct anchor *r,
	uint32_t *range)
{
	if (e->cat == CAT_PYTHON && e->flags & NAME_OWN)
		r->frame = e->name;
	else if (r->op == 0 && is_op(e))
		r->op = e->name;
	else if (*range == 0 && is_range(e))
		*range = e->name;
	if (r->frame == 0 && e->fwd && e->seq != NO_INT)
		r->frame = forward_frame(a, e);
}

static struct anchor find(struct anchors *a, const struct sweep_item *it,
	const struct entry *self)
{
	const struct thread *t = it->thread;
	struct anchor r = { 0, 0, HOW_NONE };
	uint32_t range = 0;
	size_t i;

	if (self)
		look(a, self, &r, &range);
	for (i = t->n; i-- > 0 && r.frame == 0;)
		if (sweep_alive(&t->entry[i], it->ts))
			look(a, &t->entry[i], &r, &range);
	/* a function's own frame may have begun after its line was noted */
	if (a->w->l->names.has_lines && r.frame && i + 1 < t->n &&
	    r.frame == t->entry[i + 1].name)
		r.frame = own_frame(t, it->ts);
	/* operators outside the frame that was found */
	for (i++; r.op == 0 && i-- > 0;)
		if (sweep_alive(&t->entry[i], it->ts) && is_op(&t->entry[i]))
			r.op = t->entry[i].name;
	r.op = r.op ? r.op : range;
	if (r.frame) {
		r.how = names_flags(&a->w->l->names, r.frame) & NAME_LINE ? HOW_LINE
			: HOW_FUNCTION;
	} else if ((r.frame = waiting_frame(a, it->track, it->ts)) != 0) {
		r.how = HOW_OTHER_THREAD;
	} else if (r.op) {
		r.how = HOW_OP;
	}
	return r;
}

struct anchor anchors_find(struct anchors *a, const struct sweep_item *it)
{
	return find(a, it, NULL);
}

struct anchor anchors_within(struct anchors *a, const struct sweep_item *it)
{
	struct entry self;

	return find(a, it, sweep_entry(a->w, it, &self) ? &self : NULL);
}

/* A node of the chain, made and stored when it is new; 0 when the table is full. */
static int64_t node_of(struct anchors *a, uint32_t parent, uint32_t name)
{
	const uint32_t mask = STACK_NODES_MAX * 2 - 1;
	uint32_t at = (uint32_t)((parent * 0x9e3779b1u) ^ (name * 0x85ebca6bu));
	struct node *n;

	at ^= at >> 15;
	for (n = &a->node[at & mask]; n->id; n = &a->node[++at & mask])
		if (n->parent == parent && n->name == name)
			return n->id;
	if (a->nnode == STACK_NODES_MAX)
		return 0;
	*n = (struct node){ parent, name, ++a->nnode };
	sqlite3_bind_int64(a->put_node, 1, STORE_ID(a->w->l->id, n->id));
	sqlite3_bind_int64(a->put_node, 2, parent);
	sqlite3_bind_int64(a->put_node, 3, name);
	return db_run(a->w->l->db, a->put_node) < 0 ? -1 : (int64_t)n->id;
}

/* ProfilerStep#k would make each step's chains different ones. */
static bool in_chain(const struct entry *e, int64_t ts)
{
	return sweep_alive(e, ts) && !(e->flags & NAME_STEP)
		&& (e->cat == CAT_PYTHON || e->cat == CAT_CPU_OP
		    || e->cat == CAT_ANNOTATION);
}

int64_t anchors_stack(struct anchors *a, const struct sweep_item *it)
{
	struct thread *t = it->thread;
	int64_t node = 0;
	size_t i = t->n;

	while (i > 0 && t->entry[i - 1].node == 0)
		i--;
	if (i > 0)
		node = t->entry[i - 1].node;
	for (; i < t->n; i++) {
		if (!in_chain(&t->entry[i], it->ts))
			continue;
		node = node_of(a, (uint32_t)node, t->entry[i].name);
		if (node <= 0)
			return node;
		t->entry[i].node = (uint32_t)node;
	}
	return node;
}
