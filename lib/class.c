/* class.c - see class.h. */
#include "base.h"
#include "class.h"
#include "match.h"
#include "mem.h"
#include "path.h"
#include "say.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct class_rule {
	regex_t re;
	enum kernel_class class;
	bool on_op;
};
struct class_rules {
	struct class_rule *rule;
	size_t n, cap;
};

static const char *const names[] = {
#define X(e, n) n,
	CLASSES(X)
#undef X
};

const char *class_name(enum kernel_class c)
{
	return names[c];
}

static int class_parse(const char *word)
{
	for (int i = 0; i < CLASS_COUNT; i++)
		if (!strcmp(word, names[i]))
			return i;
	return -1;
}

/* Cut at the next tab; NULL when there is none. */
static char *field_cut(char **rest)
{
	char *field = *rest, *tab = strchr(field, '\t');

	if (!tab)
		return NULL;
	*tab = '\0';
	*rest = tab + 1;
	return field;
}

static int rule_add(struct class_rules *r, char *line)
{
	char *what = field_cut(&line), *class = what ? field_cut(&line) : NULL;
	struct class_rule rule;
	int c = class ? class_parse(class) : -1;

	if (c < 0 || (strcmp(what, "op") != 0 && strcmp(what, "kernel") != 0))
		return -1;
	if (match_compile(&rule.re, line, 0) != 0)
		return -1;
	rule.class = (enum kernel_class)c;
	rule.on_op = what[0] == 'o';
	GROW(r->rule, r->n, r->cap);
	r->rule[r->n++] = rule;
	return 0;
}

struct class_rules *class_rules_read(const char *path)
{
	struct class_rules *r;
	char *line = NULL;
	size_t cap = 0, number = 0;
	ssize_t n;
	FILE *f = fopen(path, "re");

	if (!f) {
		(void)error_errno("%s", path);
		return NULL;
	}
	r = xcalloc(1, sizeof *r);
	while ((n = getline(&line, &cap, f)) > 0) {
		number++;
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (line[0] == '\0' || line[0] == '#' || rule_add(r, line) == 0)
			continue;
		(void)error("%s:%zu: not op or kernel, a class and a regex", path, number);
		goto fail;
	}
	/* memory that getline() could not have is no ferror() */
	if (!feof(f)) {
		(void)error_errno("%s", path);
		goto fail;
	}
	free(line);
	fclose(f);
	return r;
fail:
	free(line);
	fclose(f);
	class_rules_close(r);
	return NULL;
}

struct class_rules *class_rules_open(void)
{
	char *path = path_share("kernel-classes.tsv");
	struct class_rules *r = path ? class_rules_read(path) : NULL;

	free(path);
	return r;
}

void class_rules_close(struct class_rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		regfree(&r->rule[i].re);
	free(r->rule);
	free(r);
}

/* Beyond this a name is template arguments that repeat its beginning; glibc's
 * matcher takes 0.1 ms and more on names of some kilobytes. */
#define NAME_LOOKED_AT 512

static void lower(char *out, const char *name)
{
	size_t n = 0;

	for (; n < NAME_LOOKED_AT && name[n]; n++)
		out[n] = (char)tolower((unsigned char)name[n]);
	out[n] = '\0';
}

static int rules_match(const struct class_rules *r, bool on_op, const char *name)
{
	char text[NAME_LOOKED_AT + 1];

	lower(text, name);
	for (size_t i = 0; i < r->n; i++)
		if (r->rule[i].on_op == on_op && match_finds(&r->rule[i].re, text))
			return (int)r->rule[i].class;
	return -1;
}

enum kernel_class class_find(const struct class_rules *r, enum event_cat cat,
	const char *op, const char *kernel)
{
	int c = -1;

	if (cat == CAT_COMM)
		return CLASS_COMMUNICATION;
	if (cat == CAT_MEMCPY)
		return CLASS_COPY;
	if (cat == CAT_MEMSET)
		return CLASS_MEMSET;
	if (cat == CAT_CPU_OP)
		return CLASS_OPERATOR;
	if (op && *op)
		c = rules_match(r, true, op);
	if (c < 0)
		c = rules_match(r, false, kernel);
	return c < 0 ? CLASS_OTHER : (enum kernel_class)c;
}
