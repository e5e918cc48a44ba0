/* cause.c - see cause.h. */
#include "base.h"
#include "cause.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "say.h"

struct cause_reader {
	struct causes *causes;
	struct cause *now;
	const char *name;
	size_t line;
};

static const struct { const char *kind, *field; enum charge_of of; } CHARGES[] = {
	{ "view2.site", "cost_ns", CHARGE_IDLE },
	{ "view3.kernel", "own_ns", CHARGE_BUSY },
	{ "view1.startup", "dur_ns", CHARGE_RUN },
	{ "view1.periodic", "cost_ns", CHARGE_RUN },
};

const char *cause_charge(struct text kind, enum charge_of *of)
{
	for (size_t i = 0; i < ARRAY_LEN(CHARGES); i++)
		if (text_is(kind, CHARGES[i].kind)) {
			*of = CHARGES[i].of;
			return CHARGES[i].field;
		}
	return NULL;
}

static int fault(const struct cause_reader *r, const char *what)
{
	return error("%s:%zu: %s", r->name, r->line, what);
}

static struct text trim(struct text t)
{
	while (t.n && isspace((unsigned char)*t.s)) {
		t.s++;
		t.n--;
	}
	while (t.n && isspace((unsigned char)t.s[t.n - 1]))
		t.n--;
	return t;
}

static struct text word_cut(struct text *t)
{
	size_t n = 0;
	while (n < t->n && !isspace((unsigned char)t->s[n]))
		n++;
	struct text word = { t->s, n };
	*t = trim((struct text){ t->s + n, t->n - n });
	return word;
}

static int clause_read(struct cause_reader *r, struct cause_clause *list, size_t *n, struct text t)
{
	if (*n >= CAUSE_CLAUSES_MAX)
		return fault(r, "too many clauses in one cause");
	struct cause_clause *clause = &list[(*n)++];
	struct text kind = word_cut(&t);
	bool condition = kind.n && kind.s[kind.n - 1] == ':';
	kind.n -= condition;
	clause->kind = xmemdup0(kind.s, kind.n);
	if (!rank_view_of(kind))
		return fault(r, "a row kind such as view2.site expected");
	if (condition) {
		const char *why = "no condition";
		clause->cond = cond_new(t, &why);
		return clause->cond ? 0 : fault(r, why);
	}
	if (t.n)
		clause->field = xmemdup0(t.s, t.n);
	return 0;
}

static int quantity_read(struct cause_reader *r, enum cause_way way, struct text t)
{
	r->now->way = way;
	return cond_quantity(t, &r->now->threshold_micro) == 0 ? 0 :
		fault(r, "a number such as 1% expected");
}

static int measure_read(struct cause_reader *r, struct text t)
{
	struct text part = word_cut(&t), slash = word_cut(&t);
	if (!part.n || !text_is(slash, "/") || !t.n)
		return fault(r, "measure FIELD / FIELD expected");
	free(r->now->part);
	free(r->now->whole);
	r->now->part = xmemdup0(part.s, part.n);
	r->now->whole = xmemdup0(t.s, t.n);
	return 0;
}

static int group_read(struct cause_reader *r, struct text t)
{
	r->now->group = text_is(t, "all") ? GROUP_ALL : GROUP_ANCHOR;
	if (!text_is(t, "all") && !text_is(t, "anchor"))
		return fault(r, "group anchor or group all expected");
	return 0;
}

static char **words_of(struct cause *c, struct text key)
{
	const struct { const char *key; char **to; } table[] = {
		{ "title", &c->title }, { "why", &c->why }, { "direction", &c->direction },
		{ "effort", &c->effort }, { "numerics", &c->numerics }, { "clear", &c->clear },
		{ "raise", &c->raise }, { "code", &c->code },
	};
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (text_is(key, table[i].key))
			return table[i].to;
	return NULL;
}

static int entry_read(struct cause_reader *r, struct text t)
{
	if (!r->now)
		return fault(r, "'cause NAME' expected first");
	struct text key = word_cut(&t);
	struct cause *c = r->now;
	char **words = words_of(c, key);
	if (words) {
		free(*words);
		*words = xmemdup0(t.s, t.n);
		return 0;
	}
	if (text_is(key, "take"))
		return clause_read(r, c->take, &c->ntake, t);
	if (text_is(key, "see"))
		return clause_read(r, c->see, &c->nsee, t);
	if (text_is(key, "needs"))
		return clause_read(r, c->need, &c->nneed, t);
	if (text_is(key, "group"))
		return group_read(r, t);
	if (text_is(key, "least"))
		return quantity_read(r, WAY_LEAST, t);
	if (text_is(key, "most"))
		return quantity_read(r, WAY_MOST, t);
	if (text_is(key, "measure"))
		return measure_read(r, t);
	return fault(r, "unknown word at the line's beginning");
}

static int cause_begin(struct cause_reader *r, struct text t)
{
	struct causes *list = r->causes;
	struct text word = word_cut(&t);
	if (!text_is(word, "cause") || !t.n)
		return fault(r, "'cause NAME' expected");
	if (list->n >= CAUSES_MAX)
		return fault(r, "too many causes");
	GROW(list->cause, list->n, list->cap);
	r->now = &list->cause[list->n++];
	memset(r->now, 0, sizeof *r->now);
	r->now->name = xmemdup0(t.s, t.n);
	r->now->threshold_micro = 10000;
	for (size_t i = 0; i + 1 < list->n; i++)
		if (strcmp(list->cause[i].name, r->now->name) == 0)
			return fault(r, "this name is taken by an earlier cause");
	return 0;
}

static int cause_check(struct cause_reader *r)
{
	const struct cause *c = r->now;
	if (!c)
		return 0;
	if (!c->ntake)
		return fault(r, "the cause above takes no rows");
	if (!c->title || !c->why || !c->direction || !c->effort || !c->numerics || !c->clear)
		return fault(r, "the cause above lacks one of title why direction "
			"effort numerics clear");
	return 0;
}

/* A logical line is a line and those behind it that begin with two tabs or
 * eight blanks. */
static struct text line_join(const char **at, const char *end, struct buf *b, size_t *lines)
{
	buf_reset(b);
	for (bool first = true; *at < end; first = false) {
		const char *nl = memchr(*at, '\n', (size_t)(end - *at));
		const char *stop = nl ? nl : end;
		struct text t = { *at, (size_t)(stop - *at) };
		bool more = (t.n > 2 && t.s[0] == '\t' && t.s[1] == '\t') ||
			(t.n > 8 && memcmp(t.s, "        ", 8) == 0);
		if (!first && !more)
			break;
		t = trim(t);
		if (b->len)
			buf_addc(b, ' ');
		buf_add(b, t.s, t.n);
		*at = nl ? nl + 1 : end;
		++*lines;
	}
	return buf_text(b);
}

int causes_parse(struct causes *c, struct text source, const char *name)
{
	struct cause_reader r = { .causes = c, .name = name };
	const char *at = source.s, *end = source.s + source.n;
	struct buf joined = BUF_INIT;
	size_t next = 1;
	int status = memchr(source.s, '\0', source.n) ? error("%s: not a text file", name) : 0;
	while (status == 0 && at < end) {
		bool indented = isspace((unsigned char)*at);
		size_t line = next;
		struct text t = line_join(&at, end, &joined, &next);
		if (!t.n || t.s[0] == '#')
			continue;
		if (!indented)
			status = cause_check(&r);
		r.line = line;
		if (status == 0)
			status = indented ? entry_read(&r, t) : cause_begin(&r, t);
	}
	if (status == 0)
		status = cause_check(&r);
	buf_release(&joined);
	return status;
}

int causes_read(struct causes *c, const char *path)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return error_errno("%s", path);
	struct buf b = BUF_INIT;
	char part[8192];
	size_t n;
	while ((n = fread(part, 1, sizeof part, f)) > 0 && b.len <= CAUSE_FILE_MAX)
		buf_add(&b, part, n);
	int status = 0;
	if (ferror(f))
		status = error_errno("%s", path);
	else if (b.len > CAUSE_FILE_MAX)
		status = error("%s: longer than %u bytes", path, CAUSE_FILE_MAX);
	fclose(f);
	if (status == 0)
		status = causes_parse(c, buf_text(&b), path);
	if (status == 0 && !c->n)
		status = error("%s: no cause in it", path);
	buf_release(&b);
	return status;
}

static void clauses_release(struct cause_clause *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].kind);
		free(list[i].field);
		cond_free(list[i].cond);
	}
}

void causes_release(struct causes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct cause *x = &c->cause[i];
		char *all[] = { x->name, x->title, x->why, x->direction, x->effort, x->numerics,
			x->clear, x->raise, x->code, x->part, x->whole };
		for (size_t k = 0; k < ARRAY_LEN(all); k++)
			free(all[k]);
		clauses_release(x->take, x->ntake);
		clauses_release(x->see, x->nsee);
		clauses_release(x->need, x->nneed);
	}
	free(c->cause);
	*c = (struct causes){ 0 };
}
