/* trait.c - names that matter to lost time. */
#include "base.h"
#include "trait.h"

static bool begins(struct text t, const char *with)
{
	size_t n = strlen(with);
	return t.n >= n && memcmp(t.s, with, n) == 0;
}

static bool ends(struct text t, const char *with)
{
	size_t n = strlen(with);
	return t.n >= n && memcmp(t.s + t.n - n, with, n) == 0;
}

static bool holds(struct text t, const char *part)
{
	return memmem(t.s, t.n, part, strlen(part)) != NULL;
}

/* "_v2", "_v11060", "_ptsz", "_ptds", "_spt" behind a call's name. */
static struct text suffixes_cut(struct text t)
{
	for (;;) {
		size_t n = t.n;
		while (n && t.s[n - 1] >= '0' && t.s[n - 1] <= '9')
			n--;
		if (n < t.n && n > 1 && t.s[n - 1] == 'v' && t.s[n - 2] == '_')
			t.n = n - 2;
		else if (ends(t, "_ptsz") || ends(t, "_ptds"))
			t.n -= 5;
		else if (ends(t, "_spt"))
			t.n -= 4;
		else
			return t;
	}
}

/* The call without its vendor: "MemcpyAsync" of cudaMemcpyAsync, "MemAlloc" of
 * cuMemAlloc; empty when it is of no vendor we know. */
static struct text vendor_cut(struct text t)
{
	static const char *const vendor[] = { "cuda", "cu", "hip" };
	for (size_t i = 0; i < ARRAY_LEN(vendor); i++)
		if (begins(t, vendor[i])) {
			size_t n = strlen(vendor[i]);
			return (struct text){ t.s + n, t.n - n };
		}
	return (struct text){ t.s, 0 };
}

static unsigned call_traits(struct text name)
{
	static const char *const alloc[] = {
		"Malloc", "Free", "HostAlloc", "HostFree", "HostMalloc", "HostRegister",
		"HostUnregister", "ExtMalloc", "MemAlloc", "MemFree", "MemHostAlloc",
		"MemCreate", "MemMap", "MemUnmap", "MemRelease", "MemSetAccess",
		"MemAddress",
	};
	if (ends(suffixes_cut(name), "Synchronize"))
		return TRAIT_WAIT;
	struct text call = vendor_cut(name);
	if (!call.n)
		return 0;
	if (begins(call, "Memcpy"))
		return holds(call, "Async") ? TRAIT_ASYNC_COPY : TRAIT_WAIT;
	for (size_t i = 0; i < ARRAY_LEN(alloc); i++)
		if (begins(call, alloc[i]))
			return TRAIT_ALLOC;
	return 0;
}

/* "torch/utils/data/..." at the beginning or behind a slash, up to the "(LINE)". */
static bool path_has(struct text frame, const char *dir)
{
	for (size_t i = 0; i < frame.n && frame.s[i] != '('; i++)
		if (i == 0 || frame.s[i - 1] == '/') {
			struct text rest = { frame.s + i, frame.n - i };
			if (begins(rest, dir))
				return true;
		}
	return false;
}

static unsigned overhead_traits(struct text name)
{
	static const char *const profiler[] = {
		"Buffer Flush", "Activity Buffer Request", "Instrumentation", "Resource",
	};
	static const char *const load[] = {
		"Lazy Function Loading", "Runtime Triggered Module Loading", "Driver Compiler",
	};
	for (size_t i = 0; i < ARRAY_LEN(profiler); i++)
		if (text_is(name, profiler[i]))
			return TRAIT_PROFILER;
	for (size_t i = 0; i < ARRAY_LEN(load); i++)
		if (text_is(name, load[i]))
			return TRAIT_LOAD;
	return 0;
}

static unsigned range_traits(struct text name)
{
	if (begins(name, "ProfilerStep"))
		return TRAIT_STEP;
	if (begins(name, "enumerate(DataLoader)") ||
	    path_has(name, "torch/utils/data/") || path_has(name, "torchdata/"))
		return TRAIT_INPUT;
	return 0;
}

unsigned trait_of(struct text name)
{
	unsigned traits = call_traits(name) | range_traits(name) | overhead_traits(name);
	if (begins(name, "Memcpy") && holds(name, "Pageable"))
		traits |= TRAIT_PAGEABLE;
	return traits;
}

unsigned trait_mask(enum event_cat cat)
{
	switch (cat) {
	case CAT_RUNTIME:
	case CAT_DRIVER:
		return TRAIT_WAIT | TRAIT_ASYNC_COPY | TRAIT_ALLOC;
	case CAT_ANNOTATION:
	case CAT_CPU_OP: /* 2021's files have annotations as operators */
	case CAT_OTHER:
		return TRAIT_INPUT | TRAIT_STEP;
	case CAT_PYTHON:
		return TRAIT_INPUT;
	case CAT_OVERHEAD:
		return TRAIT_PROFILER | TRAIT_LOAD;
	case CAT_MEMCPY:
		return TRAIT_PAGEABLE;
	default:
		return 0;
	}
}
