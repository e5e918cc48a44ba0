#include "base.h"
#include "cuptilib.h"
#include "emit.h"

#include <dlfcn.h>

struct cuptilib cuptilib;

static void *symbol(void *lib, const char *name)
{
	return dlsym(lib, name);
}

/* Which function is missing; NULL: all are there. */
static const char *functions_find(void *lib, struct cuptilib *c)
{
	void *f;

#define FIND(name) \
	f = symbol(lib, "cupti" #name); \
	memcpy(&c->name, &f, sizeof f); \
	if (!f) \
		return "cupti" #name;
	CUPTI_FUNCTIONS(FIND)
#undef FIND
#define FIND(name) \
	f = symbol(lib, "cupti" #name); \
	memcpy(&c->name, &f, sizeof f);
	CUPTI_OPTIONAL(FIND)
	FIND(ActivityEnableAllSyncRecords)
#undef FIND
	return NULL;
}

/* Why there is none: of several reasons the first. */
struct reason {
	char words[256];
};

static void PRINTF_LIKE(2, 3) reason_keep(struct reason *r, const char *fmt, ...)
{
	va_list ap;

	if (r->words[0])
		return;
	va_start(ap, fmt);
	vsnprintf(r->words, sizeof r->words, fmt, ap);
	va_end(ap);
}

/* CUPTI 12 counts its API versions 19, 20, ... 28; 13 says 130000 and up. */
static bool version_fits(uint32_t v)
{
	return (v >= 19 && v < 100) || (v >= 130000 && v < 140000);
}

/* 0; -1: this one does not fit, why tells. */
static int lib_take(void *lib, const char *name, struct reason *why)
{
	struct cuptilib c = { 0 };
	const char *missing = functions_find(lib, &c);

	if (missing) {
		reason_keep(why, "%s has no %s", name, missing);
		return -1;
	}
	if (c.GetVersion(&c.version) != CUPTI_SUCCESS || !version_fits(c.version)) {
		reason_keep(why, "%s is of version %" PRIu32 ", 12 or 13 is needed",
			name, c.version);
		return -1;
	}
	cuptilib = c;
	return 0;
}

static int name_try(const char *name, int flags, struct reason *why)
{
	void *lib = name && *name ? dlopen(name, RTLD_NOW | flags) : NULL;

	return lib ? lib_take(lib, name, why) : -1;
}

int cuptilib_open(void)
{
	static const char *const names[] = { "libcupti.so.13", "libcupti.so.12" };
	const char *home = getenv("CUDA_HOME");
	struct reason why = { "" };
	char path[4096];

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!name_try(names[i], RTLD_NOLOAD, &why))
			return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!name_try(names[i], 0, &why))
			return 0;
	for (size_t i = 0; i < 2 * ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s/%s",
			home && *home ? home : "/usr/local/cuda",
			i % 2 ? "lib64" : "extras/CUPTI/lib64", names[i / 2]);
		if (!name_try(path, 0, &why))
			return 0;
	}
	if (!name_try(getenv("TP_CUPTI"), 0, &why))
		return 0;
	reason_keep(&why, "not found (TP_CUPTI can name it)");
	emit_note("libcupti: %s: nothing is recorded", why.words);
	return -1;
}

const char *cuptilib_word(CUptiResult r)
{
	const char *word = NULL;

	if (cuptilib.GetResultString(r, &word) != CUPTI_SUCCESS || !word)
		return "unknown error";
	return word;
}
