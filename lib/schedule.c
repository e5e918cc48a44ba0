/* schedule.c - see schedule.h. */
#include "base.h"
#include "schedule.h"

#include <stdlib.h>

#include "in.h"
#include "mem.h"
#include "num.h"
#include "say.h"

static int file_read(const char *path, struct buf *b)
{
	struct in *in = in_open(path);
	char part[8192];
	ssize_t n = -1;
	if (!in)
		return -1;
	while ((n = in_read(in, part, sizeof part)) > 0 && b->len <= SCHEDULE_FILE_MAX)
		buf_add(b, part, (size_t)n);
	const char *cut = in_cut(in);
	int status = n < 0 ? -1 : 0;
	if (status == 0 && cut)
		status = error("%s: %s", path, cut);
	if (status == 0 && b->len > SCHEDULE_FILE_MAX)
		status = error("%s: longer than %u bytes", path, SCHEDULE_FILE_MAX);
	in_close(in);
	return status;
}

static int phase_member(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct phase *p = arg;
	char **to = text_is(key, "name") ? &p->name : text_is(key, "kind") ? &p->kind :
		text_is(key, "runs_on") ? &p->runs_on : NULL;
	if (to && type == REC_STR) {
		free(*to);
		*to = xmemdup0(value.s, value.n);
	}
	if (text_is(key, "every") && (type == REC_NUM || type == REC_STR))
		return num_int(value, 1, INT64_MAX, &p->every);
	return 0;
}

static int phase_add(void *arg, struct text key, enum rec_type type, struct text value)
{
	static const char *const KINDS[] = { "one-off", "repeated", "periodic" };
	struct schedule *s = arg;
	(void)key;
	if (type != REC_OBJ || s->n >= SCHEDULE_PHASES_MAX)
		return -1;
	GROW(s->phase, s->n, s->cap);
	struct phase *p = &s->phase[s->n++];
	*p = (struct phase){ .every = NO_NUM };
	if (rec_each(value, phase_member, p) != 0 || !p->name || !*p->name || !p->kind)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (strcmp(p->kind, KINDS[i]) == 0)
			return 0;
	return -1;
}

int schedule_read(struct schedule *s, const char *path)
{
	struct buf b = BUF_INIT;
	struct rec rec;
	const char *why = NULL;
	int status = file_read(path, &b);
	struct rec_parser *parser = rec_parser_new();
	if (status == 0 && rec_parse(parser, buf_text(&b), &rec, &why) != 0)
		status = error("%s: %s", path, why ? why : "not a JSON object");
	if (status == 0) {
		const struct rec_field *phases = rec_get(&rec, "phases");
		if (!phases || phases->type != REC_ARR || rec_each(phases->value, phase_add,
			s) != 0)
			status = error("%s: phase %zu: \"phases\" is a list of objects with "
				"name and kind "
				"(one-off, repeated or periodic), every a whole number", path,
				s->n);
	}
	rec_parser_free(parser);
	buf_release(&b);
	return status;
}

static bool text_has(struct text t, const char *part)
{
	return t.n && memmem(t.s, t.n, part, strlen(part)) != NULL;
}

static bool phase_holds(const struct phase *p, const struct rank_row *row)
{
	int64_t every;
	if (text_is(row_text(row, "func"), p->name) || text_has(buf_text(&row->doing), p->name) ||
	    text_has(row_text(row, "phase"), p->name))
		return true;
	return row_is(row, "view1.periodic") && p->every != NO_NUM &&
		row_int(row, "every", &every) && every == p->every;
}

const struct phase *schedule_find(const struct schedule *s, const struct rank_row *row)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (phase_holds(&s->phase[i], row))
			return &s->phase[i];
	return NULL;
}

void schedule_release(struct schedule *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->phase[i].name);
		free(s->phase[i].kind);
		free(s->phase[i].runs_on);
	}
	free(s->phase);
	*s = (struct schedule){ 0 };
}
