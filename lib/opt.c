/* opt.c - see opt.h. */
#include "base.h"

#include <getopt.h>
#include <lz4.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_version.h>

#include "num.h"
#include "opt.h"
#include "out.h"
#include "say.h"
#include "store.h"
#include "stream.h"

#define LONG_BASE 256 /* getopt's value of long option i; letters are below */

static const struct opt common[] = {
	{ 'h', "help", NULL, "show this and exit", OPT_FLAG, NULL, NULL },
	{ 'V', "version", NULL, "show versions and exit", OPT_FLAG, NULL, NULL },
	OPT_END
};

/* The page's own options with the common ones behind, and what getopt wants. */
struct table {
	const struct opt *row[OPT_MAX + 2];
	size_t n;
	char letters[2 * OPT_MAX + 8];
	struct option longs[OPT_MAX + 3];
};

void opt_usage_error(const struct opt_page *page, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	warn("%s", line);
	warn("usage: %s", page->usage);
	exit(say_fail_status);
}

static void table_add(struct table *t, const struct opt *opt)
{
	char *p = t->letters + strlen(t->letters);

	for (; opt->name && t->n < OPT_MAX + 2; opt++) {
		t->longs[t->n] = (struct option){ opt->name,
			opt->arg ? required_argument : no_argument, NULL,
			LONG_BASE + (int)t->n };
		t->row[t->n++] = opt;
		if (!opt->letter)
			continue;
		*p++ = opt->letter;
		if (opt->arg)
			*p++ = ':';
		*p = '\0';
	}
}

static void table_make(struct table *t, const struct opt_page *page)
{
	*t = (struct table){ .letters = ":" };
	if (page->command)
		memcpy(t->letters, "+:", 3);
	if (page->opt)
		table_add(t, page->opt);
	table_add(t, common);
}

static const struct opt *table_find(const struct table *t, int value)
{
	size_t i;

	if (value >= LONG_BASE)
		return t->row[value - LONG_BASE];
	for (i = 0; i < t->n; i++)
		if (t->row[i]->letter == value)
			return t->row[i];
	return NULL;
}

/* "-o, --output FILE" */
static void add_form(struct buf *b, const struct opt *o)
{
	if (o->letter)
		buf_addf(b, "  -%c, --%s", o->letter, o->name);
	else
		buf_addf(b, "      --%s", o->name);
	if (o->arg)
		buf_addf(b, " %s", o->arg);
}

void opt_help(const struct opt_page *page, struct buf *b)
{
	struct buf form = BUF_INIT;
	struct table t;
	size_t i, width = 0;

	table_make(&t, page);
	for (i = 0; i < t.n; i++) {
		buf_reset(&form);
		add_form(&form, t.row[i]);
		width = MAX(width, form.len);
	}
	buf_addf(b, "usage: %s\n%s\n\n", page->usage, page->what);
	for (i = 0; i < t.n; i++) {
		buf_reset(&form);
		add_form(&form, t.row[i]);
		buf_addf(b, "%-*s  %s\n", (int)width, form.data, t.row[i]->help);
	}
	if (page->example) /* 24 lines in all */
		buf_addf(b, "%sexample: %s\n", t.n < 19 ? "\n" : "", page->example);
	buf_addf(b, "See %.*s(1).\n", (int)strcspn(page->usage, " "), page->usage);
	buf_release(&form);
}

static void add_version(struct buf *b)
{
	int yajl = yajl_version();

	buf_addf(b, "%s %s (stream %d, store %d) sqlite %s lz4 %s yajl %d.%d.%d\n",
		say_prog(), TP_VERSION, TP_STREAM_MAJOR, STORE_VERSION,
		sqlite3_libversion(), LZ4_versionString(),
		yajl / 10000, yajl / 100 % 100, yajl % 100);
}

static void NORETURN show_and_exit(const struct opt_page *page, bool help)
{
	struct buf b = BUF_INIT;
	struct out *o = out_open(1, OUT_PLAIN);
	int r = -1;

	if (help)
		opt_help(page, &b);
	else
		add_version(&b);
	if (o) {
		r = out_write(o, b.data, b.len);
		if (out_close(o) < 0)
			r = -1;
	}
	buf_release(&b);
	exit(r < 0 ? say_fail_status : ST_OK);
}

int opt_face_text(void *to, const char *value)
{
	(void)value;
	*(enum face *)to = FACE_TEXT;
	return 0;
}

int opt_face_json(void *to, const char *value)
{
	(void)value;
	*(enum face *)to = FACE_JSON;
	return 0;
}

int opt_face_lz4(void *to, const char *value)
{
	(void)value;
	*(enum face *)to = FACE_LZ4;
	return 0;
}

int opt_quiet(void *to, const char *value)
{
	(void)value;
	*(int *)to = -1;
	return 0;
}

static void take(const struct opt_page *page, const struct opt *o, const char *value)
{
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->to = true;
		break;
	case OPT_COUNT:
		++*(int *)o->to;
		break;
	case OPT_STR:
		*(const char **)o->to = value;
		break;
	case OPT_INT:
	case OPT_POS:
		if (num_int((struct text){ value, strlen(value) }, o->kind == OPT_POS,
				INT64_MAX, o->to) < 0)
			opt_usage_error(page, "--%s '%s': not a number from %d",
				o->name, value, o->kind == OPT_POS);
		break;
	case OPT_FN:
		if (o->fn(o->to, value) == 0)
			break;
		warn("usage: %s", page->usage);
		exit(say_fail_status);
	}
}

/* getopt_long takes any unambiguous beginning of a name, so that a new option
 * would break old scripts; here only whole names count.  word: what it just took. */
static void check_whole_name(const struct opt_page *page, const struct table *t,
	const char *word)
{
	size_t i, n;

	if (strncmp(word, "--", 2) != 0 || !word[2])
		return;
	word += 2;
	n = strcspn(word, "=");
	for (i = 0; i < t->n; i++)
		if (strlen(t->row[i]->name) == n &&
		    memcmp(t->row[i]->name, word, n) == 0)
			return;
	opt_usage_error(page, "unknown option --%.*s", (int)MIN(n, 200), word);
}

static void NORETURN bad_option(const struct opt_page *page,
	const struct table *t, bool no_argument_given)
{
	const struct opt *o = table_find(t, optopt);

	if (!o)
		opt_usage_error(page, "unknown option -%c", optopt);
	if (no_argument_given)
		opt_usage_error(page, "--%s needs %s", o->name, o->arg);
	opt_usage_error(page, "--%s takes no argument", o->name);
}

/* The word that getopt just took; its value, if it stood apart, came behind it. */
static const char *word_taken(char **argv)
{
	return argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
}

int opt_parse(const struct opt_page *page, int argc, char **argv)
{
	const struct opt *o;
	struct table t;
	int c;

	table_make(&t, page);
	opterr = 0;
	optopt = '?';
	optind = 0; /* glibc: from the start, and anew the order that letters asks for */
	for (;;) {
		c = getopt_long(argc, argv, t.letters, t.longs, NULL);
		if (c < 0)
			return optind;
		if (c >= LONG_BASE || optopt >= LONG_BASE || optopt == 0)
			check_whole_name(page, &t, word_taken(argv));
		o = table_find(&t, c);
		if (!o) /* '?' or ':' */
			bad_option(page, &t, c == ':');
		if (o->to || o->kind == OPT_FN)
			take(page, o, optarg);
		else
			show_and_exit(page, o->letter == 'h');
	}
}
