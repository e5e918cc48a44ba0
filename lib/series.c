/* series.c - see series.h. */
#include "base.h"
#include "series.h"
#include "mem.h"
#include "num.h"
#include "pace.h"

#include <stdlib.h>

void series_init(struct series *s)
{
	*s = (struct series){ 0 };
}

void series_release(struct series *s)
{
	for (size_t i = 0; i < s->nplace; i++) {
		free(s->place[i].file);
		free(s->place[i].func);
	}
	free(s->place);
	free(s->wall_ns);
	free(s->device_ns);
	free(s->flags);
	*s = (struct series){ 0 };
}

/* A longer step is no step: with it the sums and deviations stay in 63 bits. */
#define WALL_MAX_NS (INT64_MAX / 1024) /* 104 days */

int series_add(struct series *s, int64_t step, int64_t wall_ns, int flags)
{
	size_t i = (size_t)step - 1;

	if (step < 1 || step > (int64_t)SERIES_MAX || wall_ns < 0 ||
	    wall_ns > WALL_MAX_NS)
		return -1;
	while (i >= s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 256;

		s->wall_ns = xreallocarray(s->wall_ns, cap, sizeof *s->wall_ns);
		s->device_ns = xreallocarray(s->device_ns, cap, sizeof *s->device_ns);
		s->flags = xreallocarray(s->flags, cap, 1);
		memset(s->wall_ns + s->cap, 0, (cap - s->cap) * sizeof *s->wall_ns);
		for (size_t k = s->cap; k < cap; k++)
			s->device_ns[k] = NO_INT;
		memset(s->flags + s->cap, 0, cap - s->cap);
		s->cap = cap;
	}
	s->n = MAX(s->n, i + 1);
	s->wall_ns[i] = MAX(s->wall_ns[i], wall_ns);
	s->flags[i] |= (unsigned char)(flags | WALL_SEEN);
	return 0;
}

void series_device(struct series *s, int64_t step, int64_t device_ns)
{
	if (device_ns >= 0 && device_ns <= WALL_MAX_NS)
		s->device_ns[step - 1] = MAX(s->device_ns[step - 1], device_ns);
}

void series_settle(struct series *s)
{
	s->ahead = pace_take(s->wall_ns, s->device_ns, s->n, s->wall_ns);
}

void series_place(struct series *s, int64_t step, struct text file, int64_t line,
	struct text func)
{
	if (s->nplace >= 65536)
		return;
	GROW(s->place, s->nplace, s->place_cap);
	s->place[s->nplace++] = (struct step_place){ step,
		xmemdup0(file.s, file.n), xmemdup0(func.s, func.n), line };
}

static int place_take(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct step_place *p = arg;

	if (text_is(key, "file") && type == REC_STR && !p->file)
		p->file = xmemdup0(value.s, value.n);
	else if (text_is(key, "func") && type == REC_STR && !p->func)
		p->func = xmemdup0(value.s, value.n);
	else if (text_is(key, "line") && type == REC_NUM &&
	    num_int(value, 0, INT32_MAX, &p->line))
		p->line = 0;
	return 0;
}

/* The first line of a long step's `lines`: where most of its time went. */
static int line_take(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct step_place *p = arg;

	(void)key;
	return p->file || type != REC_OBJ ? 0 : rec_each(value, place_take, p);
}

int series_take(struct series *s, const struct rec *r)
{
	const struct rec_field *lines = rec_get(r, "lines");
	struct step_place p = { 0 };
	int64_t step, wall_ns, device_ns;
	int flags;

	if (rec_int(r, "step", &step) || rec_int(r, "wall_ns", &wall_ns))
		return -1;
	flags = (rec_get(r, "compiled") ? WALL_COMPILED : 0) |
		(rec_get(r, "late") ? WALL_LATE : 0) |
		(rec_get(r, "last") ? WALL_LAST : 0) |
		(rec_get(r, "skipped") ? WALL_SKIPPED : 0);
	if (series_add(s, step, wall_ns, flags))
		return -1;
	if (rec_int(r, "device_ns", &device_ns) == 0)
		series_device(s, step, device_ns);
	if (lines && rec_each(lines->value, line_take, &p) == 0 && p.file)
		series_place(s, step, (struct text){ p.file, strlen(p.file) }, p.line,
			p.func ? (struct text){ p.func, strlen(p.func) } : TEXT("?"));
	free(p.file);
	free(p.func);
	return 0;
}
