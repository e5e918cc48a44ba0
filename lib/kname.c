/* kname.c - see kname.h. */
#include "base.h"
#include "kname.h"
#include "mem.h"
#include "utf8.h"

#include <stdlib.h>

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Behind a bracketed group that opens at s; to the end when it never closes. */
static const char *skip_group(const char *s, char open, char close)
{
	int depth = 0;

	for (; *s; s++) {
		depth += *s == open;
		depth -= *s == close;
		if (!depth)
			return s + 1;
	}
	return s;
}

/* Words that tell nobody anything. */
static const char *skip_noise(const char *s)
{
	static const char *const noise[] = { "void ", "at::native::", "at::cuda::", "at::detail::",
		"c10::", "(anonymous namespace)::", "<unnamed>::", "::operator()() const",
		"::operator()", "binary_internal::",
		"unsigned int, ", ", unsigned int", " const", ", std::array<char*, 1ul>",
		", std::array<char*, 2ul>", ", std::array<char*, 3ul>",
		", std::array<char*, 4ul>", "TrivialOffsetCalculator<1>, " };

	for (size_t i = 0; i < ARRAY_LEN(noise); i++)
		if (starts(s, noise[i]))
			return s + strlen(noise[i]);
	if (starts(s, "::{lambda"))
		return skip_group(s + 2, '{', '}');
	if (*s == '(')
		return skip_group(s, '(', ')');
	return s;
}

char *kname_short(const char *name)
{
	struct buf b = BUF_INIT;
	const char *s = name;

	while (*s) {
		const char *next = skip_noise(s);

		if (next == s)
			buf_addc(&b, *s++);
		else
			s = next;
	}
	if (!b.len)
		buf_adds(&b, name);
	return b.data ? b.data : xstrdup("");
}

static char *kname_cut(const char *name)
{
	struct buf b = BUF_INIT;

	text_add_cut(&b, (struct text){ name, strlen(name) }, KNAME_MAX);
	return b.data ? b.data : xstrdup("");
}

static bool is_unique(char *const *name, size_t n, size_t at)
{
	for (size_t i = 0; i < n; i++)
		if (i != at && !strcmp(name[i], name[at]))
			return false;
	return true;
}

/* Where a form makes two names one, those two fall back to the next longer. */
static void keep_unique(char **form, char **longer, size_t n)
{
	bool *same = xcalloc(n + 1, sizeof *same);

	for (size_t i = 0; i < n; i++)
		same[i] = !is_unique(form, n, i);
	for (size_t i = 0; i < n; i++) {
		char *drop = same[i] ? form[i] : longer[i];

		if (same[i])
			form[i] = longer[i];
		free(drop);
	}
	free(same);
	free(longer);
}

#define UNIQUE_MAX 1000 /* a longer table is asked for with --all: whole names */

char **kname_all(struct kernel *const *k, size_t n, bool whole)
{
	char **name = xcalloc(n + 1, sizeof *name);
	char **brief, **cut;

	for (size_t i = 0; i < n; i++)
		name[i] = xstrdup(k[i]->name);
	if (whole || n > UNIQUE_MAX)
		return name;
	brief = xcalloc(n + 1, sizeof *brief);
	cut = xcalloc(n + 1, sizeof *cut);
	for (size_t i = 0; i < n; i++)
		brief[i] = k[i]->cat == CAT_KERNEL || k[i]->cat == CAT_COMM ?
			kname_short(name[i]) : xstrdup(name[i]);
	keep_unique(brief, name, n);
	for (size_t i = 0; i < n; i++)
		cut[i] = kname_cut(brief[i]);
	keep_unique(cut, brief, n);
	return cut;
}

const char *copy_direction(const char *name)
{
	static const struct { const char *part, *direction; } known[] = {
		{ "HtoD", "HtoD" }, { "DtoH", "DtoH" }, { "DtoD", "DtoD" },
		{ "PtoP", "PtoP" }, { "HtoH", "HtoH" }, { "HtoA", "HtoD" },
		{ "AtoH", "DtoH" }, { "HostToDevice", "HtoD" },
		{ "DeviceToHost", "DtoH" }, { "DeviceToDevice", "DtoD" },
		{ "HOST_TO_DEVICE", "HtoD" }, { "DEVICE_TO_HOST", "DtoH" },
		{ "DEVICE_TO_DEVICE", "DtoD" },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strstr(name, known[i].part))
			return known[i].direction;
	return NULL;
}

bool copy_is_pageable(const char *name)
{
	return strstr(name, "Pageable") != NULL;
}
