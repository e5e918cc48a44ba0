/* pyspan.c - see pyspan.h. */
#include "base.h"
#include "pyspan.h"

#include <stdlib.h>

#include "buf.h"
#include "event.h"
#include "mem.h"

void pyspan_init(struct pyspan *p, const struct wiretab *tab, pyspan_fn *fn, void *arg)
{
	*p = (struct pyspan){ .tab = tab, .fn = fn, .arg = arg };
}

void pyspan_release(struct pyspan *p)
{
	for (size_t i = 0; i < PYSPAN_THREADS; i++)
		free(p->thread[i]);
	memset(p->thread, 0, sizeof p->thread);
}

static const struct wiretab_node *node_at(const struct pyspan *p, uint32_t node)
{
	return &p->tab->node[node];
}

static int frame_put(struct pyspan *p, uint32_t tid, uint32_t node, int64_t start_ns,
	int64_t end_ns)
{
	const struct wiretab_code *c = wiretab_code_of(p->tab, node_at(p, node)->code);

	if (!c || end_ns <= start_ns)
		return 0;
	return p->fn(p->arg, tid, (struct text){ c->frame, c->frame_n }, start_ns, end_ns);
}

static int line_put(struct pyspan *p, uint32_t tid, uint32_t node, int64_t start_ns,
	int64_t end_ns)
{
	const struct wiretab_node *n = node_at(p, node);
	const struct wiretab_code *c = wiretab_code_of(p->tab, n->code);
	struct buf b = BUF_INIT;
	int r;

	if (!c || end_ns <= start_ns)
		return 0;
	buf_add(&b, c->frame, c->file_n);
	buf_addf(&b, "(%d): ", MAX(n->line, 0));
	buf_add(&b, c->frame + c->func_at, c->frame_n - c->func_at);
	buf_adds(&b, " [line]");
	r = p->fn(p->arg, tid, buf_text(&b), start_ns, end_ns);
	buf_release(&b);
	return r;
}

/* Frames from index `from` inwards end: the outer of two first, since of equal
 * intervals the first is taken as the outer one. */
static int frames_close(struct pyspan *p, struct pyspan_thread *t, uint32_t from,
	int64_t at_ns)
{
	for (uint32_t i = from; i < t->n; i++)
		if (frame_put(p, t->tid, t->node[i], t->start_ns[i], at_ns))
			return -1;
	t->n = MIN(t->n, from);
	return 0;
}

static int line_close(struct pyspan *p, struct pyspan_thread *t, int64_t at_ns)
{
	uint32_t node = t->line;

	t->line = 0;
	return node ? line_put(p, t->tid, node, t->line_ns, at_ns) : 0;
}

static int thread_end(struct pyspan *p, struct pyspan_thread *t)
{
	return frames_close(p, t, 0, t->end_ns) || line_close(p, t, t->end_ns) ? -1 : 0;
}

static struct pyspan_thread *thread_of(struct pyspan *p, uint32_t tid)
{
	struct pyspan_thread **slot = &p->thread[tid % PYSPAN_THREADS];

	if (!*slot)
		*slot = xcalloc(1, sizeof **slot);
	else if ((*slot)->tid == tid)
		return *slot;
	else if (thread_end(p, *slot))
		return NULL;
	(*slot)->tid = tid;
	(*slot)->end_ns = (*slot)->noted_ns = NO_INT;
	return *slot;
}

/* The nodes from the outermost frame to this one; how many. */
static uint32_t path_of(const struct pyspan *p, uint32_t node,
	uint32_t path[CAPWIRE_DEPTH_MAX])
{
	uint32_t n = MIN(node_at(p, node)->depth, CAPWIRE_DEPTH_MAX);

	for (uint32_t i = n; i-- > 0; node = node_at(p, node)->parent)
		path[i] = node;
	return n;
}

/* How many of the open frames are the same calls still: those whose callers all
 * stand at the line where they stood.  The last one may have moved on itself. */
static uint32_t frames_kept(const struct pyspan *p, const struct pyspan_thread *t,
	const uint32_t *path, uint32_t n)
{
	uint32_t i = 0;

	while (i < t->n && i < n && t->node[i] == path[i])
		i++;
	if (i < t->n && i < n && node_at(p, t->node[i])->code == node_at(p, path[i])->code)
		i++;
	return i;
}

static uint32_t own_node(const struct pyspan *p, const uint32_t *path, uint32_t n)
{
	while (n-- > 0) {
		const struct wiretab_code *c = wiretab_code_of(p->tab,
			node_at(p, path[n])->code);

		if (c && c->own)
			return path[n];
	}
	return 0;
}

int pyspan_call(struct pyspan *p, uint32_t tid, uint32_t node, int64_t start_ns,
	int64_t end_ns)
{
	struct pyspan_thread *t = thread_of(p, tid);
	uint32_t path[CAPWIRE_DEPTH_MAX] = { 0 }, n, kept, line;
	int64_t until, since;
	bool near;

	if (!t)
		return -1;
	n = path_of(p, node, path);
	kept = frames_kept(p, t, path, n);
	line = own_node(p, path, n);
	until = MIN(t->end_ns, start_ns);
	near = t->end_ns != NO_INT && t->end_ns <= start_ns &&
		start_ns - t->end_ns <= PYSPAN_GAP_NS;
	since = near ? MIN(MAX(t->end_ns, t->noted_ns), start_ns) : start_ns;
	if (frames_close(p, t, kept, until))
		return -1;
	if ((t->line != line || !near) && line_close(p, t, until))
		return -1;
	if (!t->line && line) {
		t->line = line;
		t->line_ns = since;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (i >= kept)
			t->start_ns[i] = since;
		t->node[i] = path[i];
	}
	t->n = n;
	t->end_ns = MAX(t->end_ns, end_ns);
	return 0;
}

int pyspan_noted(struct pyspan *p, uint32_t tid, int64_t end_ns)
{
	struct pyspan_thread *t = thread_of(p, tid);

	if (!t)
		return -1;
	t->noted_ns = MAX(t->noted_ns, end_ns);
	return line_close(p, t, t->end_ns);
}

int pyspan_end(struct pyspan *p)
{
	for (size_t i = 0; i < PYSPAN_THREADS; i++)
		if (p->thread[i] && thread_end(p, p->thread[i]))
			return -1;
	return 0;
}
