/* opt.h - one option table a program: it feeds getopt_long, -h and the test
 * that compares -h with the page's synopsis.
 *
 * Every program has -h/--help (stdout, 0) and -V/--version (stdout, 0: "PROG
 * VERSION (stream 1, store 1) sqlite X lz4 Y yajl Z") without asking for them; a
 * bad option is one line and a usage line on stderr, status 2.  What is said of a
 * value has one form: --NAME 'VALUE': not WHAT IS TAKEN.
 *
 * Options may stand behind operands (of a command that is to be run: only before
 * it), -- ends them, short flags can be bundled, long forms are never abbreviated.
 * -h fits 24 lines of 80 columns when usage and what are shorter than 80, there are
 * at most 17 options, and no help line is longer than what remains beside the widest
 * "-x, --name ARG" (the unit test of a table: opt_help() into a buf). */
#ifndef TP_OPT_H
#define TP_OPT_H

#include "base.h"
#include "buf.h"
#include "say.h"

/* OPT_COUNT adds one each time; OPT_INT is 0 or more, OPT_POS 1 or more. */
enum opt_kind { OPT_FLAG, OPT_COUNT, OPT_STR, OPT_INT, OPT_POS, OPT_FN };
#define OPT_MAX 40    /* rows of a table */

struct opt {
	char letter;          /* 0: long form only */
	const char *name;     /* long form, required */
	const char *arg;      /* "FILE", or NULL for a flag */
	const char *help;     /* one line */
	enum opt_kind kind;
	void *to;             /* bool*, int*, const char**, int64_t*, or fn's arg */
	int (*fn)(void *to, const char *value); /* OPT_FN: 0, or -1 said */
};
#define OPT_END { 0, NULL, NULL, NULL, OPT_FLAG, NULL, NULL }

struct opt_page {
	const char *usage;    /* "tp-view1 [options] STORE" */
	const char *what;     /* one line: what it does */
	const char *example;  /* one line */
	const struct opt *opt;
	bool command;         /* the operands are a command with options of its own */
};

/* The faces of output, as every program has them; the last one given counts. */
#define OPT_FACES(face) \
	{ 't', "text", NULL, "text for a person", OPT_FN, &(face), opt_face_text }, \
	{ 'j', "json", NULL, "records as plain lines of JSON", OPT_FN, &(face), \
		opt_face_json }, \
	{ 'z', "lz4", NULL, "records in LZ4 frames", OPT_FN, &(face), opt_face_lz4 }
int opt_face_text(void *to, const char *value);
int opt_face_json(void *to, const char *value);
int opt_face_lz4(void *to, const char *value);
#define OPT_QUIET { 'q', "quiet", NULL, "no notes, only warnings and errors", OPT_FN, \
	&say_verbosity, opt_quiet }
int opt_quiet(void *to, const char *value);

/* Index of the first operand, behind which argv has operands alone: options that
 * stood there are moved.  Exits for -h, -V and a usage error. */
int opt_parse(const struct opt_page *page, int argc, char **argv);
void opt_usage_error(const struct opt_page *page, const char *fmt, ...)
	PRINTF_LIKE(2, 3) NORETURN;
/* What -h prints. */
void opt_help(const struct opt_page *page, struct buf *b);

#endif
