/* honest_lines.c - what records of tp-time say beyond the store's columns; see
 * honest.h. */
#include "base.h"
#include "honest.h"
#include "mem.h"
#include "num.h"
#include "rec.h"

#include <stdlib.h>

#define LINES_MAX 16 /* of one step; tp-time writes up to 3 */

static int line_field(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct honest_line *l = arg;

	if (type == REC_STR && text_is(key, "file") && !l->file)
		l->file = xmemdup0(value.s, value.n);
	else if (type == REC_STR && text_is(key, "func") && !l->func)
		l->func = xmemdup0(value.s, value.n);
	else if (type == REC_NUM && text_is(key, "line"))
		return num_int(value, 0, INT64_MAX, &l->line);
	else if (type == REC_NUM && text_is(key, "dur_ns"))
		return num_int(value, 0, INT64_MAX, &l->dur_ns);
	return 0;
}

static void line_free(struct honest_line *l)
{
	free(l->file);
	free(l->func);
}

static int line_each(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct honest_step *s = arg;
	struct honest_line l = { NULL, NULL, NO_INT, 0 };

	(void)key;
	if (type != REC_OBJ || s->nline == LINES_MAX)
		return 0;
	if (rec_each(value, line_field, &l) < 0 || !l.file) {
		line_free(&l);
		return 0;
	}
	s->line = xreallocarray(s->line, s->nline + 1, sizeof *s->line);
	s->line[s->nline++] = l;
	return 0;
}

void honest_step_lines(struct rec_parser *p, struct text record, struct honest_step *s)
{
	const struct rec_field *lines;
	const char *why;
	struct rec r;

	/* nearly all steps are ordinary: do not parse those */
	if (!record.s || !memmem(record.s, record.n, "\"lines\"", 7) ||
	    rec_parse(p, record, &r, &why) < 0)
		return;
	lines = rec_get(&r, "lines");
	if (lines && lines->type == REC_ARR && rec_each(lines->value, line_each, s) < 0)
		return;
}

char *honest_phase_func(struct rec_parser *p, struct text record)
{
	const char *why;
	struct text func;
	struct rec r;

	if (!record.s || rec_parse(p, record, &r, &why) < 0)
		return NULL;
	func = rec_text(&r, "func");
	return func.s ? xmemdup0(func.s, func.n) : NULL;
}

void honest_lines_free(struct honest_step *s)
{
	for (size_t i = 0; i < s->nline; i++)
		line_free(&s->line[i]);
	free(s->line);
}

static bool line_same(const struct honest_line *a, const char *file, int64_t line)
{
	return a->line == line && !strcmp(a->file, file);
}

static bool line_taken(const struct beat *beat, size_t n, const struct honest_line *l)
{
	for (size_t i = 0; i < n; i++)
		if (beat[i].file && line_same(l, beat[i].file, beat[i].line))
			return true;
	return false;
}

static bool is_member(const struct beat *b, const struct honest_step *s)
{
	return s->step >= b->first && (s->step - b->first) % b->every == 0;
}

/* In how many of the beat's steps, and for how long. */
static void line_weigh(const struct honest *h, const struct beat *b,
	const struct honest_line *l, int64_t *steps, int64_t *dur_ns)
{
	*steps = *dur_ns = 0;
	for (size_t i = 0; i < h->nstep; i++) {
		if (!h->step[i].nline || !is_member(b, &h->step[i]))
			continue;
		for (size_t k = 0; k < h->step[i].nline; k++)
			if (line_same(&h->step[i].line[k], l->file, l->line)) {
				++*steps;
				*dur_ns += h->step[i].line[k].dur_ns;
			}
	}
}

#define LOOKED_AT 8 /* steps of a beat whose lines are weighed: they repeat */

void beats_place(const struct honest *h, struct beat *beat, size_t n)
{
	for (size_t at = 0; at < n; at++) {
		struct beat *b = &beat[at];
		const struct honest_line *best = NULL;
		int64_t best_steps = 0, best_ns = 0;
		size_t looked = 0;

		for (size_t i = 0; i < h->nstep && looked < LOOKED_AT; i++) {
			if (!h->step[i].nline || !is_member(b, &h->step[i]))
				continue;
			looked++;
			for (size_t k = 0; k < h->step[i].nline; k++) {
				const struct honest_line *l = &h->step[i].line[k];
				int64_t steps, ns;

				if (line_taken(beat, at, l))
					continue;
				line_weigh(h, b, l, &steps, &ns);
				if (steps > best_steps || (steps == best_steps && ns > best_ns)) {
					best = l;
					best_steps = steps;
					best_ns = ns;
				}
			}
		}
		if (!best)
			continue;
		b->file = xstrdup(best->file);
		b->func = best->func ? xstrdup(best->func) : NULL;
		b->line = best->line;
	}
}
