/* rank_cond_in.h - inside of rank_cond: rank_cond.c compiles a condition,
 * rank_cond_eval.c asks it of a row. */
#ifndef TP_RANK_COND_IN_H
#define TP_RANK_COND_IN_H

#include <regex.h>

#include "rank_cond.h"

#define FIELD_MAX 48
#define MICRO 1000000

enum part_kind { PART_TEST, PART_NOT, PART_AND, PART_OR, PART_PAREN };
enum test_op { TEST_SET, TEST_EQ, TEST_NE, TEST_LT, TEST_LE, TEST_GT, TEST_GE, TEST_MATCH,
	TEST_UNLIKE };
enum right_kind { RIGHT_NUMBER, RIGHT_TEXT, RIGHT_FIELD };

struct part {
	enum part_kind kind;
	enum test_op op;
	char field[FIELD_MAX];
	enum right_kind right;
	int64_t number;
	char *text;            /* RIGHT_TEXT, RIGHT_FIELD */
	regex_t regex;
	bool compiled;
};

struct cond {
	struct part part[COND_MAX];
	size_t n;
};

#endif
