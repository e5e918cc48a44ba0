/* dialect.c - tables of words. */
#include "dialect.h"

#include "mem.h"

#define KNOWN CF_KNOWN
static const struct cat_rule cat_rules[] = {
	{ "cpu_op", CAT_CPU_OP, KNOWN },
	{ "operator", CAT_CPU_OP, KNOWN | CF_OLD },
	{ "user_annotation", CAT_ANNOTATION, KNOWN },
	{ "user", CAT_ANNOTATION, KNOWN | CF_OLD },
	{ "python_function", CAT_PYTHON, KNOWN },
	{ "kernel", CAT_KERNEL, KNOWN },
	{ "mtia_ccp_events", CAT_KERNEL, KNOWN },
	{ "gpu_memcpy", CAT_MEMCPY, KNOWN },
	{ "memcpy", CAT_MEMCPY, KNOWN | CF_OLD },
	{ "gpu_memset", CAT_MEMSET, KNOWN },
	{ "memset", CAT_MEMSET, KNOWN | CF_OLD },
	{ "cuda_runtime", CAT_RUNTIME, KNOWN },
	{ "hip_runtime", CAT_RUNTIME, KNOWN },
	{ "runtime", CAT_RUNTIME, KNOWN | CF_OLD },
	{ "xpu_runtime", CAT_RUNTIME, KNOWN },
	{ "mtia_runtime", CAT_RUNTIME, KNOWN },
	{ "glow_runtime", CAT_RUNTIME, KNOWN },
	{ "privateuse1_runtime", CAT_RUNTIME, KNOWN },
	{ "cuda_driver", CAT_DRIVER, KNOWN },
	{ "xpu_driver", CAT_DRIVER, KNOWN },
	{ "privateuse1_driver", CAT_DRIVER, KNOWN },
	{ "cpu_instant_event", CAT_MEM, KNOWN },
	{ "cuda_sync", CAT_SYNC, KNOWN },
	{ "xpu_sync", CAT_SYNC, KNOWN },
	{ "gpu_user_annotation", CAT_GPU_ANNOTATION, KNOWN },
	{ "overhead", CAT_OVERHEAD, KNOWN },
	{ "hpu_op", CAT_CPU_OP, KNOWN },
	{ "cuda_event", CAT_OTHER, KNOWN },
	{ "collective_comm", CAT_OTHER, KNOWN },
	{ "mtia_insight", CAT_OTHER, KNOWN },
	{ "mtia_counters", CAT_OTHER, KNOWN | CF_SKIP },
	{ "hardware_counters", CAT_OTHER, KNOWN | CF_SKIP },
	{ "cuda_profiler_range", CAT_OTHER, KNOWN },
	{ "xpu_scope_profiler", CAT_OTHER, KNOWN },
	{ "trace", CAT_OTHER, CF_SKIP },
};
static const struct cat_rule cat_unknown = { "", CAT_OTHER, 0 };

static inline unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* Does s (n bytes) begin with the lower-case word? */
static bool begins(const char *s, size_t n, const char *word)
{
	size_t i = 0;

	for (; word[i]; i++)
		if (i >= n || lower(s[i]) != (unsigned char)word[i])
			return false;
	return true;
}

const struct cat_rule *cat_rule(struct text word)
{
	for (size_t i = 0; i < ARRAY_LEN(cat_rules); i++) {
		const struct cat_rule *r = &cat_rules[i];

		if (strlen(r->word) == word.n && begins(word.s, word.n, r->word))
			return r;
	}
	return &cat_unknown;
}

bool annotation_name(struct text t)
{
	return begins(t.s, t.n, "profilerstep#") ||
	       begins(t.s, t.n, "optimizer.step#") ||
	       begins(t.s, t.n, "optimizer.zero_grad#") ||
	       begins(t.s, t.n, "enumerate(dataloader)#");
}

/* '_' in a pattern is an underscore that may be absent: all_reduce, allreduce. */
static bool begins_op(const char *s, size_t n, const char *word)
{
	size_t i = 0;

	for (; *word; word++) {
		if (*word == '_' && (i >= n || s[i] != '_'))
			continue;
		if (i >= n || lower(s[i]) != (unsigned char)*word)
			return false;
		i++;
	}
	return true;
}

static bool in_identifier(char c)
{
	c = (char)lower(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool comm_name(struct text t)
{
	static const char *const library[] = {
		"nccl", "rccl", "oneccl", "msccl", "nvshmem", "deep_ep"
	};
	static const char *const operation[] = {
		"all_reduce", "all_gather", "all_to_all", "reduce_scatter",
		"sendrecv", "cross_device_reduce"
	};

	if (begins(t.s, t.n, "triton_"))
		return false;
	for (size_t i = 0; i < t.n; i++) {
		const char *s = t.s + i;

		if (!strchr("nromdasc", lower(*s)) || !*s)
			continue;
		if (i == 0 || !in_identifier(s[-1]))
			for (size_t k = 0; k < ARRAY_LEN(library); k++)
				if (begins_op(s, t.n - i, library[k]))
					return true;
		for (size_t k = 0; k < ARRAY_LEN(operation); k++)
			if (begins_op(s, t.n - i, operation[k]))
				return true;
	}
	return false;
}

static uint64_t name_hash(struct text t)
{
	uint64_t h = t.n * UINT64_C(0x9E3779B97F4A7C15), w;
	size_t i = 0;

	for (; i + 8 <= t.n; i += 8) {
		memcpy(&w, t.s + i, 8);
		h = (h ^ w) * UINT64_C(0xD6E8FEB86659FD93);
		h ^= h >> 32;
	}
	w = 0;
	if (i < t.n)
		memcpy(&w, t.s + i, t.n - i);
	h = (h ^ w) * UINT64_C(0xD6E8FEB86659FD93);
	return h ^ h >> 32;
}

bool comm_cached(struct comm_cache *c, struct text name)
{
	uint64_t h = name_hash(name) | 1;
	size_t at = h >> 1 & (ARRAY_LEN(c->slot) - 1);

	if (c->slot[at].hash != h) {
		c->slot[at].hash = h;
		c->slot[at].comm = comm_name(name);
	}
	return c->slot[at].comm;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* 1 to 6 digits; *end is what follows. */
static int64_t small_number(const char *s, const char **end)
{
	int64_t v = 0;
	int n = 0;

	for (; *s >= '0' && *s <= '9' && n < 7; s++, n++)
		v = v * 10 + (*s - '0');
	*end = s;
	return n == 0 || n > 6 ? NO_INT : v;
}

int64_t name_rank(const char *path)
{
	static const char *const word[] = { "rank", "worker" };
	const char *s = last_part(path), *end;
	size_t n = strlen(s);

	for (size_t w = 0; w < ARRAY_LEN(word); w++) {
		for (size_t i = 0; i < n; i++) {
			if (!begins(s + i, n - i, word[w]) ||
			    (i > 0 && in_identifier(s[i - 1]) && s[i - 1] != '_'))
				continue;
			const char *p = s + i + strlen(word[w]);
			if (*p == '-' || *p == '_')
				p++;
			int64_t v = small_number(p, &end);
			if (v != NO_INT)
				return v;
		}
	}
	return NO_INT;
}

char *name_host(const char *path)
{
	const char *s = last_part(path);
	const char *tail = strstr(s, ".pt.trace.json");
	const char *p = tail;

	if (!tail || begins(s, strlen(s), "rank") || begins(s, strlen(s), "worker"))
		return NULL;
	while (p > s && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p == tail || p == s || p[-1] != '.')
		return NULL;
	tail = --p;
	while (p > s && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p == tail || p <= s + 1 || p[-1] != '_')
		return NULL;
	return xmemdup0(s, (size_t)(p - 1 - s));
}
