/* capname.c - see capname.h. */
#include "base.h"
#include "capname.h"

#include "frame.h"
#include "num.h"

static const char *word(const char *const *words, size_t n, unsigned i, const char *other)
{
	return i < n && words[i] ? words[i] : other;
}

/* CUpti_ActivityMemoryKind */
static const char *memory_word(unsigned kind)
{
	static const char *const words[] = { "Unknown", "Pageable", "Pinned", "Device",
		"Array", "Managed", "Device Static", "Managed Static" };

	return word(words, ARRAY_LEN(words), kind, "Unknown");
}

bool capname_on_device(unsigned kind)
{
	return kind >= 3 && kind <= 7; /* from Device on in the list above */
}

struct text capname_copy(char words[CAPNAME_LEN], unsigned kind, unsigned from,
	unsigned to)
{
	/* CUpti_ActivityMemcpyKind */
	static const char *const kinds[] = { NULL, "HtoD", "DtoH", "HtoA", "AtoH",
		"AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP" };
	int n = snprintf(words, CAPNAME_LEN, "Memcpy %s (%s -> %s)",
		word(kinds, ARRAY_LEN(kinds), kind, "<unknown>"), memory_word(from),
		memory_word(to));

	return (struct text){ words, (size_t)n };
}

struct text capname_set(char words[CAPNAME_LEN], unsigned kind)
{
	int n = snprintf(words, CAPNAME_LEN, "Memset (%s)", memory_word(kind));

	return (struct text){ words, (size_t)n };
}

struct text capname_sync(unsigned type)
{
	/* CUpti_ActivitySynchronizationType */
	static const char *const types[] = { NULL, "Event Sync", "Stream Wait Event",
		"Stream Sync", "Context Sync" };
	const char *s = word(types, ARRAY_LEN(types), type, "<unknown>");

	return (struct text){ s, strlen(s) };
}

/* The length of name without `_v` and four or five digits. */
static size_t without_version(struct text name)
{
	size_t n = name.n;

	while (n > 0 && name.s[n - 1] >= '0' && name.s[n - 1] <= '9')
		n--;
	return name.n - n >= 4 && n > 2 && name.s[n - 1] == 'v' && name.s[n - 2] == '_' ?
		n - 2 : name.n;
}

struct text capname_runtime(struct text name)
{
	name.n = without_version(name);
	if (name.n > 5 && (text_ends(name, "_ptsz") || text_ends(name, "_ptds")))
		name.n -= 5;
	return name;
}

/* Where the first of the words that PyTorch adds begins; the whole without any. */
static size_t name_end(struct text range)
{
	static const char *const mark[] = { ", seq = ", ", op_id = ", ", sizes = " };

	for (size_t at = 0; at + 8 < range.n; at++)
		for (size_t i = 0; range.s[at] == ',' && i < ARRAY_LEN(mark); i++)
			if (text_begins((struct text){ range.s + at, range.n - at }, mark[i]))
				return at;
	return range.n;
}

bool capname_operator(struct text range, struct event *ev)
{
	size_t n = name_end(range), at = n + 8, digits = 0;
	struct text rest = { range.s + n, range.n - n };

	if (n == range.n || n == 0)
		return false;
	ev->name = (struct text){ range.s, n };
	if (!text_begins(rest, ", seq = "))
		return true;
	while (at + digits < range.n && range.s[at + digits] >= '0' &&
	    range.s[at + digits] <= '9')
		digits++;
	if (num_int((struct text){ range.s + at, digits }, 0, INT64_MAX, &ev->seq))
		ev->seq = NO_INT;
	return true;
}

bool capname_backward(struct text name)
{
	return text_begins(name, "autograd::engine::") || text_has(name, "Backward");
}
