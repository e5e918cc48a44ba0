#include "base.h"
#include "capture/cuptilib.h"
#include "capture/emit.h"

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
#undef FIND
	return NULL;
}

/* CUPTI 12 counts its API versions 19, 20, ... 28; 13 says 130000 and up. */
static bool version_fits(uint32_t v)
{
	return (v >= 19 && v < 100) || (v >= 130000 && v < 140000);
}

/* 0; -1: this one does not fit, *why tells (at most `room` bytes). */
static int lib_take(void *lib, const char *name, char *why, size_t room)
{
	struct cuptilib c = { 0 };
	const char *missing = functions_find(lib, &c);

	if (missing) {
		snprintf(why, room, "%s has no %s", name, missing);
		return -1;
	}
	if (c.GetVersion(&c.version) != CUPTI_SUCCESS || !version_fits(c.version)) {
		snprintf(why, room, "%s is of version %" PRIu32 ", 12 or 13 is needed",
			name, c.version);
		return -1;
	}
	cuptilib = c;
	return 0;
}

static int name_try(const char *name, int flags, char *why, size_t room)
{
	void *lib = name && *name ? dlopen(name, RTLD_NOW | flags) : NULL;

	return lib ? lib_take(lib, name, why, room) : -1;
}

int cuptilib_open(void)
{
	static const char *const names[] = { "libcupti.so.13", "libcupti.so.12" };
	const char *home = getenv("CUDA_HOME");
	char why[256] = "not found (TP_CUPTI can name it)", path[4096];

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!name_try(names[i], RTLD_NOLOAD, why, sizeof why))
			return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!name_try(names[i], 0, why, sizeof why))
			return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/extras/CUPTI/lib64/%s",
			home && *home ? home : "/usr/local/cuda", names[i]);
		if (!name_try(path, 0, why, sizeof why))
			return 0;
	}
	if (!name_try(getenv("TP_CUPTI"), 0, why, sizeof why))
		return 0;
	emit_note("libcupti: %s: nothing is recorded", why);
	return -1;
}

const char *cuptilib_word(CUptiResult r)
{
	const char *word = NULL;

	if (cuptilib.GetResultString(r, &word) != CUPTI_SUCCESS || !word)
		return "unknown error";
	return word;
}
