/* repair_next.c - find the next event behind one that cannot be read. */
#include "repair.h"

static size_t skip_space(struct text in, size_t p)
{
	while (p < in.n && strchr(" \n\t\r", in.s[p]) && in.s[p])
		p++;
	return p;
}

/* Is one of these keys at p? */
static bool key_at(struct text in, size_t p, const char *const *key)
{
	for (p = skip_space(in, p); p < in.n && in.s[p] == '"' && *key; key++) {
		size_t n = strlen(*key);

		if (p + n + 1 < in.n && memcmp(in.s + p + 1, *key, n) == 0 &&
		    in.s[p + 1 + n] == '"')
			return true;
	}
	return false;
}

static bool event_at(struct text in, size_t p)
{
	static const char *const key[] = {
		"ph", "cat", "name", "pid", "tid", "ts", "args", "id", "dur", NULL
	};
	size_t before = p;

	while (before > 0 && strchr(" \n\t\r", in.s[before - 1]) && in.s[before - 1])
		before--;
	return before > 0 && in.s[before - 1] && strchr(",}[", in.s[before - 1]) &&
	       key_at(in, p + 1, key);
}

/* A bracket ends the events if a member of the document that real traces have
 * there follows, or the end of it; any other may stand within an event. */
static bool events_end_at(struct text in, size_t p, bool last)
{
	static const char *const key[] = {
		"traceName", "displayTimeUnit", "baseTimeNanoseconds",
		"distributedInfo", "deviceProperties", "schemaVersion",
		"metadata", "otherData", "trace_id", "host_name", NULL
	};

	p = skip_space(in, p + 1);
	if (p < in.n && in.s[p] == ',')
		return key_at(in, p + 1, key);
	return last && p < in.n && in.s[p] == '}' && skip_space(in, p + 1) == in.n;
}

size_t repair_next_event(struct text in, size_t from, enum repair_seek seek)
{
	for (size_t p = from; p < in.n; p++)
		if ((in.s[p] == '{' && event_at(in, p)) ||
		    (seek != SEEK_EVENT && in.s[p] == ']' &&
		     events_end_at(in, p, seek == SEEK_LAST)))
			return p;
	return in.n;
}
