/* token.c - a validating tokenizer for values. */
#include "base.h"
#include "token.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits are half of a trace's numbers' cost when taken one by one. */
static inline bool digits(const char **p)
{
	const char *from = *p;

#ifdef __SSE2__
	for (;;) {
		__m128i w = _mm_sub_epi8(_mm_loadu_si128((const void *)*p), _mm_set1_epi8('0'));
		__m128i is = _mm_cmpeq_epi8(_mm_min_epu8(w, _mm_set1_epi8(9)), w);
		unsigned other = (unsigned)_mm_movemask_epi8(is) ^ 0xffff;

		if (other) {
			*p += __builtin_ctz(other);
			break;
		}
		*p += 16;
	}
#else
	while (is_digit(**p))
		++*p;
#endif
	return *p > from;
}

bool token_number(const char **p)
{
	if (**p == '-')
		++*p;
	if (**p == '0')
		++*p;
	else if (!digits(p))
		return false;
	if (**p == '.') {
		++*p;
		if (!digits(p))
			return false;
	}
	if (**p == 'e' || **p == 'E') {
		++*p;
		if (**p == '-' || **p == '+')
			++*p;
		return digits(p);
	}
	return true;
}

bool token_literal(const char **p)
{
	const char *w = **p == 't' ? "true" : **p == 'f' ? "false" : "null";

	for (; *w; w++, ++*p)
		if (**p != *w)
			return false;
	return true;
}

static bool skip_string(const char **p)
{
	for (;;) {
		*p = plain_end(*p);
		if (**p == '"')
			break;
		if (**p != '\\' || !*++*p || !strchr("\"\\/bfnrt", **p))
			return false;
		++*p;
	}
	++*p;
	return true;
}

static inline bool scalar(const char **p, const yajl_callbacks *tell, void *arg)
{
	const char *from = *p;
	struct text t;

	if (*from == '"') {
		++*p;
		if (!tell)
			return skip_string(p);
		return token_string(p, &t) &&
			tell->yajl_string(arg, (const unsigned char *)t.s, t.n);
	}
	if (is_digit(*from) || *from == '-')
		return token_number(p) &&
			(!tell || tell->yajl_number(arg, from, (size_t)(*p - from)));
	if (!token_literal(p))
		return false;
	if (!tell)
		return true;
	return *from == 'n' ? tell->yajl_null(arg) : tell->yajl_boolean(arg, *from == 't');
}

static inline bool opened(bool map, const yajl_callbacks *tell, void *arg)
{
	return !tell || (map ? tell->yajl_start_map(arg) : tell->yajl_start_array(arg));
}

static inline bool closed(bool map, const yajl_callbacks *tell, void *arg)
{
	return !tell || (map ? tell->yajl_end_map(arg) : tell->yajl_end_array(arg));
}

/* What stands before a value: a comma behind another one, a key in an object. */
static inline bool before_value(const char **p, bool fresh, bool map,
	const yajl_callbacks *tell, void *arg)
{
	struct text t;

	if (!fresh) {
		if (**p != ',')
			return false;
		*p = blanks_end(*p + 1);
	}
	if (!map)
		return true;
	return token_key(p, &t) && (!tell ||
		tell->yajl_map_key(arg, (const unsigned char *)t.s, t.n));
}

static inline bool container(const char **p, const yajl_callbacks *tell, void *arg)
{
	uint64_t maps = *(*p)++ == '{'; /* a bit a level, the innermost lowest */
	bool fresh = true;              /* just opened */
	int depth = 1;

	while (depth > 0) {
		*p = blanks_end(*p);
		if (**p == (maps & 1 ? '}' : ']')) {
			++*p;
			if (!closed(maps & 1, tell, arg))
				return false;
			maps >>= 1;
			depth--;
			fresh = false;
			continue;
		}
		if (!before_value(p, fresh, maps & 1, tell, arg))
			return false;
		fresh = **p == '{' || **p == '[';
		if (!fresh) {
			if (!scalar(p, tell, arg))
				return false;
			continue;
		}
		if (depth++ == TOKEN_DEPTH_MAX || !opened(**p == '{', tell, arg))
			return false;
		maps = maps << 1 | (*(*p)++ == '{');
	}
	return true;
}

/* Two of each, so that who is told nothing pays nothing. */
bool token_scalar(const char **p, const yajl_callbacks *tell, void *arg)
{
	return tell ? scalar(p, tell, arg) : scalar(p, NULL, NULL);
}

bool token_container(const char **p, const yajl_callbacks *tell, void *arg)
{
	return tell ? container(p, tell, arg) : container(p, NULL, NULL);
}
