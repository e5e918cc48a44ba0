#include "base.h"
#include "capwire.h"
#include "emit.h"
#include "nvtxname.h"
#include "texts.h"

#include <errno.h>
#include <stdlib.h>

static struct {
	_Atomic uint64_t hash;  /* 0: free */
	_Atomic(char *) s;      /* NULL: not yet, or no memory */
} table[NVTXNAME_MAX];

static void full(void)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		emit_note("more than %d registered NVTX strings: ranges of others are "
			"not recorded", NVTXNAME_MAX);
}

static void copy(size_t at, const char *s, size_t n)
{
	int error = errno;

	atomic_store_explicit(&table[at].s, strndup(s, n), memory_order_release);
	errno = error;
}

uintptr_t nvtxname_add(const char *s)
{
	size_t n = strnlen(s, CAPWIRE_TEXT_MAX);
	uint64_t hash = text_key(s, n).hash | 1;

	for (size_t i = 0; i < NVTXNAME_MAX; i++) {
		size_t at = (hash / 2 + i) % NVTXNAME_MAX;
		uint64_t seen = 0;

		if (atomic_compare_exchange_strong(&table[at].hash, &seen, hash))
			copy(at, s, n);
		else if (seen != hash)
			continue;
		return at + 1;
	}
	full();
	return 0;
}

uint32_t nvtxname_text(uintptr_t handle)
{
	const char *s = handle - 1 < NVTXNAME_MAX ?
		atomic_load_explicit(&table[handle - 1].s, memory_order_acquire) : NULL;

	return s ? emit_text(s, strlen(s)) : 0;
}
