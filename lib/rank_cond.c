/* rank_cond.c - see rank_cond.h. */
#include "base.h"
#include "rank_cond_in.h"

#include <ctype.h>
#include <stdlib.h>

#include "match.h"
#include "mem.h"
#include "num.h"

struct cond_reader {
	const char *at, *end;
	struct cond *c;
	enum part_kind wait[COND_MAX]; /* operators not yet put */
	size_t nwait;
	const char *why;
};

static const struct { const char *word; enum test_op op; } OPS[] = {
	{ "!~", TEST_UNLIKE }, { "!=", TEST_NE }, { "<=", TEST_LE }, { ">=", TEST_GE },
	{ "<", TEST_LT }, { ">", TEST_GT }, { "=", TEST_EQ }, { "~", TEST_MATCH },
};

static const struct { const char *word; int64_t times; } UNITS[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	{ "KB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 },
	{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "", 1 },
};

int cond_quantity(struct text t, int64_t *out)
{
	size_t n = 0;
	while (n < t.n && (isdigit((unsigned char)t.s[n]) || t.s[n] == '.' || t.s[n] == '-'))
		n++;
	struct text digits = { t.s, n }, unit = { t.s + n, t.n - n };
	int64_t micro;
	if (!n || num_scaled(digits, 6, &micro) != 0)
		return -1;
	if (text_is(unit, "%")) {
		*out = micro / 100;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(UNITS); i++)
		if (text_is(unit, UNITS[i].word))
			return __builtin_mul_overflow(micro, UNITS[i].times, out) ? -1 : 0;
	return -1;
}

static struct part *part_put(struct cond_reader *r, enum part_kind kind)
{
	if (r->c->n >= COND_MAX) {
		r->why = "condition too long";
		return NULL;
	}
	struct part *p = &r->c->part[r->c->n++];
	memset(p, 0, sizeof *p);
	p->kind = kind;
	return p;
}

static void skip_space(struct cond_reader *r)
{
	while (r->at < r->end && isspace((unsigned char)*r->at))
		r->at++;
}

static struct text word_next(struct cond_reader *r)
{
	skip_space(r);
	const char *from = r->at;
	while (r->at < r->end && (isalnum((unsigned char)*r->at) || strchr("_.%-", *r->at)))
		r->at++;
	return (struct text){ from, (size_t)(r->at - from) };
}

static bool word_take(struct cond_reader *r, const char *word)
{
	const char *from = r->at;
	struct text t = word_next(r);
	if (text_is(t, word))
		return true;
	r->at = from;
	return false;
}

static bool char_take(struct cond_reader *r, char c)
{
	skip_space(r);
	if (r->at >= r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static int quoted_read(struct cond_reader *r, struct part *p)
{
	const char *close = memchr(r->at, '"', (size_t)(r->end - r->at));
	if (!close) {
		r->why = "text not closed";
		return -1;
	}
	p->right = RIGHT_TEXT;
	p->text = xmemdup0(r->at, (size_t)(close - r->at));
	r->at = close + 1;
	return 0;
}

static int right_read(struct cond_reader *r, struct part *p)
{
	bool quoted = char_take(r, '"');
	if (quoted && quoted_read(r, p) != 0)
		return -1;
	if (p->op == TEST_MATCH || p->op == TEST_UNLIKE) {
		p->compiled = quoted && match_compile(&p->regex, p->text,
			REG_ICASE | REG_NEWLINE) == 0;
		if (!p->compiled)
			r->why = "not a \"regular expression\"";
		return p->compiled ? 0 : -1;
	}
	if (quoted)
		return 0;
	struct text t = word_next(r);
	if (cond_quantity(t, &p->number) == 0) {
		p->right = RIGHT_NUMBER;
		return 0;
	}
	if (!t.n || !isalpha((unsigned char)t.s[0])) {
		r->why = "a number, \"text\" or field expected behind the comparison";
		return -1;
	}
	p->right = RIGHT_FIELD;
	p->text = xmemdup0(t.s, t.n);
	return 0;
}

static int test_read(struct cond_reader *r)
{
	struct text field = word_next(r);
	if (!field.n || field.n >= FIELD_MAX || !isalpha((unsigned char)field.s[0]) ||
	    text_is(field, "and") || text_is(field, "or")) {
		r->why = "a field expected";
		return -1;
	}
	struct part *p = part_put(r, PART_TEST);
	if (!p)
		return -1;
	memcpy(p->field, field.s, field.n);
	skip_space(r);
	for (size_t i = 0; i < ARRAY_LEN(OPS); i++) {
		size_t n = strlen(OPS[i].word);
		if ((size_t)(r->end - r->at) >= n && memcmp(r->at, OPS[i].word, n) == 0) {
			r->at += n;
			p->op = OPS[i].op;
			return right_read(r, p);
		}
	}
	return 0; /* TEST_SET */
}

static int operator_wait(struct cond_reader *r, enum part_kind kind)
{
	if (r->nwait >= COND_MAX) {
		r->why = "condition too long";
		return -1;
	}
	r->wait[r->nwait++] = kind;
	return 0;
}

/* Waiting operators that bind at least as tight as kind go out first. */
static int operators_flush(struct cond_reader *r, enum part_kind kind)
{
	while (r->nwait && r->wait[r->nwait - 1] <= kind)
		if (!part_put(r, r->wait[--r->nwait]))
			return -1;
	return 0;
}

static int operand_read(struct cond_reader *r)
{
	for (;;) {
		if (word_take(r, "not")) {
			if (operator_wait(r, PART_NOT) != 0)
				return -1;
		} else if (char_take(r, '(')) {
			if (operator_wait(r, PART_PAREN) != 0)
				return -1;
		} else {
			return test_read(r);
		}
	}
}

static int parens_close(struct cond_reader *r)
{
	while (char_take(r, ')')) {
		if (operators_flush(r, PART_OR) != 0)
			return -1;
		if (!r->nwait) {
			r->why = "a ) too many";
			return -1;
		}
		r->nwait--;
	}
	return 0;
}

static int cond_read(struct cond_reader *r)
{
	for (;;) {
		if (operand_read(r) != 0 || parens_close(r) != 0)
			return -1;
		enum part_kind kind;
		if (word_take(r, "and"))
			kind = PART_AND;
		else if (word_take(r, "or"))
			kind = PART_OR;
		else
			break;
		if (operators_flush(r, kind) != 0 || operator_wait(r, kind) != 0)
			return -1;
	}
	skip_space(r);
	if (r->at < r->end) {
		r->why = "'and' or 'or' expected";
		return -1;
	}
	if (operators_flush(r, PART_OR) != 0)
		return -1;
	if (r->nwait)
		r->why = "a ( not closed";
	return r->nwait ? -1 : 0;
}

struct cond *cond_new(struct text source, const char **why)
{
	struct cond_reader r = { .at = source.s, .end = source.s + source.n };
	r.c = xcalloc(1, sizeof *r.c);
	if (cond_read(&r) == 0)
		return r.c;
	*why = r.why;
	cond_free(r.c);
	return NULL;
}

void cond_free(struct cond *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		if (c->part[i].compiled)
			regfree(&c->part[i].regex);
		free(c->part[i].text);
	}
	free(c);
}
