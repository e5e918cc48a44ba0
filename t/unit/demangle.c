/* Names as C++ writes them, and what would grow without end. */
#include "unit.h"

#include <stdlib.h>

#include "demangle.h"
#include "frame.h"

static void is(const char *name, const char *want)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "before ");
	demangle(&b, text_of(name));
	assert_true(text_begins(buf_text(&b), "before "));
	assert_int_equal(b.len, strlen(want) + 7);
	assert_memory_equal(b.data + 7, want, strlen(want));
	buf_release(&b);
}

static void plain(void **state)
{
	(void)state;
	is("_Z3fooi", "foo(int)");
	is("_Z6kernelIfEvPT_i", "void kernel<float>(float*, int)");
	is("my_kernel", "my_kernel");
	is("_Znonsense", "_Znonsense");
	is("_Z", "_Z");
}

/* Many substitutions make no name large. */
static void many(void **state)
{
	struct buf name = BUF_INIT, want = BUF_INIT;

	(void)state;
	buf_adds(&name, "_Z1fP1A");
	buf_adds(&want, "f(A*");
	for (int i = 0; i < 200; i++) {
		buf_adds(&name, "S0_");
		buf_adds(&want, ", A*");
	}
	buf_adds(&want, ")");
	buf_add(&name, "", 1);
	buf_add(&want, "", 1);
	is(name.data, want.data);
	buf_release(&name);
	buf_release(&want);
}

/* One long identifier, thirteen times: 52 KB. */
static void long_one(void **state)
{
	char name[4097] = "_Z1f3900";
	size_t n = strlen(name);

	(void)state;
	memset(name + n, 'a', 3900);
	for (n += 3900; n < 3930 + 8; n += 2)
		memcpy(name + n, "S_", 3);
	is(name, name);
}

/* A<i, i>, then each level twice the one before: 2^levels. */
static void bomb(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_Z1f1AIiiE";
	size_t n = strlen(name);
	struct timespec from, to;

	(void)state;
	for (int i = 0; i < 30; i++)
		n += (size_t)snprintf(name + n, sizeof name - n, "S_IS%c_S%c_E", digits[i],
			digits[i]);
	clock_gettime(CLOCK_MONOTONIC, &from);
	is(name, name);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true(to.tv_sec - from.tv_sec < 10);
	is("_Z1fP1AS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_",
		"f(A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, A*, "
		"A*, A*, A*, A*, A*, A*, A*)");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(plain), cmocka_unit_test(many),
		cmocka_unit_test(long_one), cmocka_unit_test(bomb) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
