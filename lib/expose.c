/* expose.c - see expose.h. */
#include "base.h"
#include "expose.h"
#include "mem.h"

#include <stdlib.h>

void expose_init(struct expose *e, void (*hidden)(void *, size_t, int64_t), void *arg)
{
	memset(e, 0, sizeof *e);
	e->hidden = hidden;
	e->arg = arg;
}

/* Length of the compute union before t; t is at or after the last stretch's
 * start, since what ended before it was closed when it began. */
static int64_t covered(const struct expose *e, int64_t t)
{
	if (!e->any || t <= e->seg_start_ns)
		return e->done_ns;
	return e->done_ns + MIN(t, e->seg_end_ns) - e->seg_start_ns;
}

static void close_until(struct expose *e, int64_t now_ns)
{
	size_t kept = 0;
	for (size_t i = 0; i < e->nopen; i++) {
		struct expose_open *o = &e->open[i];
		if (o->end_ns <= now_ns)
			e->hidden(e->arg, o->at, covered(e, o->end_ns) - o->covered_ns);
		else
			e->open[kept++] = *o;
	}
	e->nopen = kept;
}

void expose_compute(struct expose *e, int64_t start_ns, int64_t end_ns)
{
	close_until(e, start_ns);
	if (end_ns <= start_ns)
		return;
	if (e->any && start_ns <= e->seg_end_ns) {
		e->seg_end_ns = MAX(e->seg_end_ns, end_ns);
		return;
	}
	if (e->any)
		e->done_ns += e->seg_end_ns - e->seg_start_ns;
	e->any = true;
	e->seg_start_ns = start_ns;
	e->seg_end_ns = end_ns;
}

void expose_comm(struct expose *e, int64_t start_ns, int64_t end_ns, size_t at)
{
	close_until(e, start_ns);
	GROW(e->open, e->nopen, e->cap);
	e->open[e->nopen++] = (struct expose_open){ end_ns, covered(e, start_ns), at };
}

void expose_end(struct expose *e)
{
	close_until(e, INT64_MAX);
}

void expose_release(struct expose *e)
{
	free(e->open);
	memset(e, 0, sizeof *e);
}
