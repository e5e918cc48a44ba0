/* rec_scan.c - the tokens of a plain record. */
#include "base.h"
#include "rec_scan.h"

#include "line.h"
#include "token.h"

_Static_assert(LINE_PAD >= TOKEN_PAD, "a line of line.h has the padding");
_Static_assert(REC_GUESS_BYTES + 5 <= TOKEN_PAD, "a guess is not read past the padding");

/* A value behind its key; false: left to yajl. */
static inline bool scan_value(const char **at, struct rec_field *f)
{
	const char *from = *at;
	bool ok;

	switch (*from) {
	case '"':
		++*at;
		f->type = REC_STR;
		return token_string(at, &f->value);
	case '{':
	case '[':
		f->type = *from == '{' ? REC_OBJ : REC_ARR;
		ok = token_container(at, NULL, NULL);
		break;
	case 't':
	case 'f':
	case 'n':
		f->type = *from == 'n' ? REC_NULL : REC_BOOL;
		ok = token_literal(at);
		break;
	default:
		f->type = REC_NUM;
		ok = token_number(at);
	}
	f->value = (struct text){ from, (size_t)(*at - from) };
	return ok;
}

/* "KEY": and no blank, as the guess has it. */
static inline bool is_guess(const char *at, const struct rec_guess *g)
{
	return g->n && at[0] == '"' && bytes_eq(at + 1, g->key, g->n)
		&& at[g->n + 1] == '"' && at[g->n + 2] == ':'
		&& (unsigned char)at[g->n + 3] > ' ';
}

static bool scan_key(const char **at, struct rec_guess *g, struct text *key)
{
	if (g && is_guess(*at, g)) {
		*key = (struct text){ *at + 1, g->n };
		*at += g->n + 3;
		return true;
	}
	if (!token_key(at, key))
		return false;
	if (g) {
		g->n = key->n <= REC_GUESS_BYTES ? (unsigned char)key->n : 0;
		memcpy(g->key, key->s, g->n);
	}
	return true;
}

bool rec_scan(struct rec_scan *s, const char *line, size_t n, struct rec_field *field,
	size_t *nfield)
{
	const char *at = blanks_end(line), *end = line + n;
	size_t i = 0;

	if (*at++ != '{')
		return false;
	do {
		struct rec_guess *g = i < REC_GUESSES ? &s->guess[i] : NULL;

		if (i == REC_KEYS_MAX || !scan_key(&at, g, &field[i].key)
		    || !scan_value(&at, &field[i]))
			return false;
		i++;
		at = blanks_end(at);
	} while (*at == ',' && at++);
	*nfield = i;
	return *at == '}' && blanks_end(at + 1) == end;
}
