/* Any text as each kind of number: an accepted integer reads back the same. */
#include "base.h"
#include "num.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct text t = { (const char *)p, n };
	int64_t a = 0, b = 0;
	char out[NUM_LEN];

	if (num_int(t, INT64_MIN, INT64_MAX, &a) == 0 &&
	    (num_scaled(t, 0, &b) < 0 || a != b))
		__builtin_trap();
	if (num_scaled(t, 3, &a) == 0) {
		num_fmt_ns(out, a);
		num_fmt_bytes(out, a);
		num_fmt_gib(out, a);
		num_fmt_count(out, a);
		num_fmt_share(out, a, b);
	}
	if (num_range(t, &a, &b) == 0 && (a < 0 || a > b))
		__builtin_trap();
	if (num_bytes(t, INT64_C(1) << 30, &a) == 0 && a < 0)
		__builtin_trap();
	return 0;
}
