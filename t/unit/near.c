/* near.c, each.c - rows of a table asked for one by one, and all of them. */
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "each.h"
#include "near.h"

#define ROWS 20000

static char path[] = "/tmp/tp-unit-XXXXXX";
static struct db db;
static const struct view_trace trace = { .id = 2 }, none = { .id = 9 };

/* Row n of trace 2: every third is missing; v is NULL in every fifth. */
static int64_t value_of(int64_t n)
{
	return n < 1 || n > ROWS || n % 3 == 0 || n % 5 == 0 ? 0 : n * 7 + 1;
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	if (db_open(&db, path, DB_WRITE) < 0)
		return -1;
	/* rows of other traces on both sides, and an index in another order */
	return db_exec(&db, "CREATE TABLE tab (id INTEGER PRIMARY KEY, v INTEGER, w INTEGER);"
		"CREATE INDEX by_w ON tab (w, v);"
		"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
		" INSERT INTO tab SELECT (t << 40) + i, CASE WHEN i % 5 THEN i * 7 + 1 END, -i"
		" FROM n, (SELECT 1 AS t UNION SELECT 2 UNION SELECT 3) WHERE i % 3");
}

static int teardown(void **state)
{
	(void)state;
	db_close(&db);
	return unlink(path);
}

static void get(struct near *v, int64_t n)
{
	const int64_t *row = near_get(v, n);

	assert_non_null(row);
	if (row[0] != value_of(n))
		fail_msg("row %" PRId64 ": %" PRId64 ", not %" PRId64, n, row[0], value_of(n));
	assert_int_equal(row[1], n >= 1 && n <= ROWS && n % 3 ? -n : 0);
}

static void test_near(void **state)
{
	struct near v;
	uint64_t seed = 5;
	int64_t n = 0;

	(void)state;
	assert_int_equal(near_open(&v, &db, &trace, "tab", "v, w"), 0);
	for (int i = 0; i < 60000; i++) {
		/* on, back a little, on far, anywhere, the same again, outside */
		switch (dice(&seed) % 16) {
		case 0: n -= (int64_t)(dice(&seed) % 50); break;
		case 1: n += (int64_t)(dice(&seed) % 300); break;
		case 2: n = (int64_t)(dice(&seed) % ROWS); break;
		case 3: break;
		case 4: get(&v, ROWS + (int64_t)(dice(&seed) % 9000)); break;
		case 5: get(&v, -(int64_t)(dice(&seed) % 9000)); break;
		default: n += (int64_t)(dice(&seed) % 4);
		}
		n = n > ROWS ? 1 : n;
		get(&v, n);
	}
	near_close(&v);
}

struct seen {
	int64_t n, last, stop;
	struct near *other;
};

static int see(void *arg, sqlite3_value **v)
{
	struct seen *s = arg;
	int64_t n = sqlite3_value_int64(v[0]) - STORE_ID(2, 0);

	assert_true(n > s->last && n <= ROWS);
	assert_int_equal(value_int(v[1]), value_of(n) ? value_of(n) : NO_INT);
	if (s->other && n % 7 == 0)
		get(s->other, ROWS + 1 - n);
	s->last = n;
	return ++s->n == s->stop ? -1 : 0;
}

static void test_each(void **state)
{
	struct seen s = { 0 };
	struct near v;

	(void)state;
	assert_int_equal(near_open(&v, &db, &trace, "tab", "v, w"), 0);
	get(&v, 1); /* under way: the function can be made all the same */
	s.other = &v;
	assert_int_equal(trace_each(&db, &trace, "id, v", "tab", see, &s), 0);
	assert_int_equal(s.n, ROWS - ROWS / 3);
	s = (struct seen){ .stop = 10 };
	assert_int_equal(trace_each(&db, &trace, "id, v", "tab", see, &s), -1);
	assert_int_equal(s.n, 10);
	s = (struct seen){ 0 };
	assert_int_equal(trace_each(&db, &none, "id, v", "tab", see, &s), 0);
	assert_int_equal(s.n, 0);
	near_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_each),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
