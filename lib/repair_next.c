/* repair_next.c - find the next event behind one that cannot be read. */
#include "repair.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool event_key_at(struct text in, size_t p)
{
	static const char *const key[] = {
		"ph", "cat", "name", "pid", "tid", "ts", "args", "id", "dur"
	};

	while (p < in.n && is_space(in.s[p]))
		p++;
	for (size_t k = 0; p < in.n && in.s[p] == '"' && k < ARRAY_LEN(key); k++) {
		size_t n = strlen(key[k]);

		if (p + n + 1 < in.n && memcmp(in.s + p + 1, key[k], n) == 0 &&
		    in.s[p + 1 + n] == '"')
			return true;
	}
	return false;
}

size_t repair_next_event(struct text in, size_t from)
{
	for (size_t p = from; p < in.n; p++) {
		const char *brace = memchr(in.s + p, '{', in.n - p);

		if (!brace)
			return in.n;
		p = (size_t)(brace - in.s);
		size_t before = p;
		while (before > 0 && is_space(in.s[before - 1]))
			before--;
		if (before > 0 && strchr(",}[", in.s[before - 1]) &&
		    in.s[before - 1] && event_key_at(in, p + 1))
			return p;
	}
	return in.n;
}
