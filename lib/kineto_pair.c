/* kineto_pair.c - B and E events, paired per thread.
 *
 * Open ones wait in a table of stacks by a hash of pid and tid.  Merged traces
 * of other tools have some ten open at once; what a broken file leaves open is
 * bounded: OPEN_MAX a stack (a scan of one stack an event at worst) and
 * OPEN_BYTES in all. */
#include "kineto_doc.h"

#include <stdlib.h>

#include "mem.h"

#define STACKS 256
#define OPEN_MAX 512
#define OPEN_BYTES (64u << 20)

struct open_event {
	struct event ev;
	char *bytes;           /* what its slices point into */
	size_t size;
};

struct pairs {
	struct stack { struct open_event *item; size_t n, cap; } stack[STACKS];
	size_t bytes;
	char *given;           /* bytes of the event handed out last */
	int64_t open;
};

struct pairs *pairs_new(void)
{
	return xcalloc(1, sizeof(struct pairs));
}

void pairs_free(struct pairs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < STACKS; i++) {
		for (size_t k = 0; k < p->stack[i].n; k++)
			free(p->stack[i].item[k].bytes);
		free(p->stack[i].item);
	}
	free(p->given);
	free(p);
}

static struct stack *stack_of(struct pairs *p, const struct event *ev)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < ev->pid.n; i++)
		h = (h ^ (unsigned char)ev->pid.s[i]) * 16777619u;
	h *= 31;
	for (size_t i = 0; i < ev->tid.n; i++)
		h = (h ^ (unsigned char)ev->tid.s[i]) * 16777619u;
	return &p->stack[(h ^ h >> 16) % STACKS];
}

/* The slices of an event, to be moved to memory of its own. */
static size_t event_slices(struct event *ev, struct text *slice[7])
{
	struct text *all[7] = { &ev->name, &ev->pid, &ev->tid, &ev->raw_cat,
		&ev->device, &ev->stream, &ev->args };
	size_t size = 0;

	for (int i = 0; i < 7; i++) {
		slice[i] = all[i];
		size += all[i]->n;
	}
	return size;
}

bool pairs_begin(struct pairs *p, const struct event *ev)
{
	struct stack *s = stack_of(p, ev);
	struct open_event o = { .ev = *ev };
	struct text *slice[7];
	size_t at = 0;

	o.size = event_slices(&o.ev, slice);
	if (s->n >= OPEN_MAX || o.size > OPEN_BYTES - p->bytes)
		return false;
	o.bytes = xmalloc(o.size + 1);
	for (int i = 0; i < 7; i++) {
		if (!slice[i]->s)
			continue;
		memcpy(o.bytes + at, slice[i]->s, slice[i]->n);
		slice[i]->s = o.bytes + at;
		at += slice[i]->n;
	}
	GROW(s->item, s->n, s->cap);
	s->item[s->n++] = o;
	p->bytes += o.size;
	p->open++;
	return true;
}

bool pairs_end(struct pairs *p, const struct event *end, struct event *ev)
{
	struct stack *s = stack_of(p, end);

	for (size_t i = s->n; i-- > 0;) {
		struct open_event *o = &s->item[i];

		if (!text_eq(o->ev.pid, end->pid) || !text_eq(o->ev.tid, end->tid) ||
		    (end->name.n > 0 && !text_eq(o->ev.name, end->name)))
			continue;
		free(p->given);
		p->given = o->bytes;
		p->bytes -= o->size;
		p->open--;
		*ev = o->ev;
		s->n--;
		memmove(o, o + 1, (s->n - i) * sizeof *o);
		return true;
	}
	return false;
}

int64_t pairs_open(const struct pairs *p)
{
	return p->open;
}
