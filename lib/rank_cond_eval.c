/* rank_cond_eval.c - a condition asked of a row (rank_cond.h). */
#include "base.h"
#include "match.h"
#include "rank_cond_in.h"

/* Longer text than this is matched by its beginning: a kernel's name says what
 * it is there, and a regular expression over megabytes costs seconds. */
#define MATCH_MAX 4096

static bool ratio_micro(const struct rank_row *row, const char *part, const char *whole,
	int64_t *out)
{
	int64_t a, b;
	if (!row_int(row, part, &a) || !row_int(row, whole, &b) || b <= 0)
		return false;
	*out = scale(a, MICRO, b);
	return true;
}

bool cond_number(const struct rank_row *row, const char *field, int64_t *out)
{
	if (row_micro(row, field, out))
		return true;
	if (strcmp(field, "mean_ns") == 0)
		return ratio_micro(row, "time_ns", "count", out);
	if (strcmp(field, "fill") == 0)
		return ratio_micro(row, "blocks", "sms", out);
	if (strcmp(field, "in_run_share") == 0)
		return ratio_micro(row, "in_run_ns", "cost_ns", out);
	if (strcmp(field, "wait_share") == 0 && row->wait_permille != NO_NUM) {
		*out = row->wait_permille * (MICRO / 1000);
		return true;
	}
	return false;
}

/* The text of a field: lists one a line.  tmp keeps it. */
static struct text first_line(struct text t)
{
	const char *end = t.n ? memchr(t.s, '\n', t.n) : NULL;
	return end ? (struct text){ t.s, (size_t)(end - t.s) } : t;
}

/* The fields that rank_join worked out. */
static bool joined_text(const struct rank_row *row, const char *field, struct text *out)
{
	if (strcmp(field, "doing") == 0)
		*out = buf_text(&row->doing);
	else if (strcmp(field, "mostly") == 0)
		*out = first_line(buf_text(&row->doing));
	else if (strcmp(field, "copies") == 0)
		*out = buf_text(&row->copies);
	else if (strcmp(field, "ops") == 0)
		*out = buf_text(&row->ops);
	else if (strcmp(field, "loader") == 0)
		*out = row->loader ? (struct text){ row->loader, strlen(row->loader) } : TEXT("");
	else
		return false;
	return true;
}

static bool field_text(const struct rank_row *row, const char *field, struct buf *tmp,
	struct text *out)
{
	const struct rank_field *f = row_get(row, field);
	buf_reset(tmp);
	if (joined_text(row, field, out))
		return true;
	if (f && f->type == REC_ARR) {
		row_words(row, field, tmp);
		*out = buf_text(tmp);
	} else if (f) {
		*out = f->value;
	}
	return f != NULL;
}

static bool number_test(enum test_op op, int64_t a, int64_t b)
{
	switch (op) {
	case TEST_EQ: return a == b;
	case TEST_NE: return a != b;
	case TEST_LT: return a < b;
	case TEST_LE: return a <= b;
	case TEST_GT: return a > b;
	case TEST_GE: return a >= b;
	default: return false;
	}
}

static bool text_test(const struct part *p, struct text left)
{
	char head[MATCH_MAX + 1];
	if (p->op == TEST_EQ)
		return text_is(left, p->text);
	if (p->op == TEST_NE)
		return !text_is(left, p->text);
	if (!p->compiled)
		return false;
	size_t n = MIN(left.n, (size_t)MATCH_MAX);
	memcpy(head, left.s, n);
	head[n] = '\0';
	return match_finds(&p->regex, head) == (p->op == TEST_MATCH);
}

static bool set_test(const struct rank_row *row, const char *field)
{
	const struct rank_field *f = row_get(row, field);
	return f && f->value.n && !text_is(f->value, "false") && !text_is(f->value, "0") &&
		!text_is(f->value, "[]");
}

static bool part_test(const struct part *p, const struct rank_row *row, struct buf *tmp)
{
	int64_t a, b = p->number;
	struct text left = TEXT("");
	if (p->op == TEST_SET)
		return set_test(row, p->field);
	if (p->right == RIGHT_TEXT)
		return field_text(row, p->field, tmp, &left) && text_test(p, left);
	if (!cond_number(row, p->field, &a))
		return false;
	if (p->right == RIGHT_FIELD && !cond_number(row, p->text, &b))
		return false;
	return number_test(p->op, a, b);
}

bool cond_holds(const struct cond *c, const struct rank_row *row)
{
	bool stack[COND_MAX + 1] = { false };
	size_t n = 0;
	struct buf tmp = BUF_INIT;
	for (size_t i = 0; i < c->n; i++) {
		const struct part *p = &c->part[i];
		if (p->kind == PART_TEST) {
			stack[n++] = part_test(p, row, &tmp);
		} else if (p->kind == PART_NOT) {
			stack[n - 1] = !stack[n - 1];
		} else {
			n--;
			bool both = stack[n - 1] && stack[n], one = stack[n - 1] || stack[n];
			stack[n - 1] = p->kind == PART_AND ? both : one;
		}
	}
	buf_release(&tmp);
	return n == 1 && stack[0];
}
