/* pages.c - tables of all sizes, read back by SQLite. */
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db.h"
#include "mem.h"
#include "pages.h"
#include "row.h"
#include "say.h"

static char dir[] = "/tmp/tp-unit-XXXXXX";
static char path[64];

/* What a column holds in row n: every length of an integer, and both signs. */
static int64_t value_of(int64_t n)
{
	int64_t v = (int64_t)((uint64_t)n * UINT64_C(0x9e3779b97f4a7c15)) >> (n * 7 % 64);

	return n % 17 == 3 ? NO_INT : n % 17 == 4 ? INT64_MAX : n % 5 ? v : n % 3;
}

static void put(struct pages *p, enum bulk table, int64_t n, const char *text)
{
	struct row r;

	row_begin(&r);
	row_opt(&r, value_of(n));
	row_int(&r, -n);
	row_str(&r, text);
	assert_int_equal(pages_add(p, table, n * 1000003, &r), 0);
}

static void ask(struct db *db, const char *sql, int64_t want)
{
	int64_t got;

	assert_int_equal(db_int(db, sql, -1, &got), 0);
	if (got != want)
		fail_msg("%s: %" PRId64 ", not %" PRId64, sql, got, want);
}

static void make_empty(uint32_t root[BULK_COUNT])
{
	struct db db;
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(db_open(&db, path, DB_WRITE), 0);
	assert_int_equal(db_execf(&db, "PRAGMA page_size=%u; PRAGMA auto_vacuum=0", STORE_PAGE), 0);
	for (int t = 0; t < BULK_COUNT; t++) {
		assert_int_equal(db_execf(&db, "CREATE TABLE %s (id INTEGER PRIMARY KEY, v INTEGER,"
			" m INTEGER, t TEXT)", bulk_name[t]), 0);
		root[t] = (uint32_t)t + 2;
	}
	db_close(&db);
}

static void put_into(struct pages *p, const uint32_t root[BULK_COUNT])
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pages_into(p, fd, path, root), 0);
	close(fd);
}

static void check_rows(struct db *db, const char *table, int64_t n)
{
	sqlite3_stmt *st;
	char sql[96];
	int64_t i;

	snprintf(sql, sizeof sql, "SELECT id, v, m, length(t) FROM %s", table);
	st = db_prepare(db, sql);
	for (i = 1; i <= n; i++) {
		assert_int_equal(db_step(db, st), 1);
		assert_int_equal(sqlite3_column_int64(st, 0), i * 1000003);
		if (value_of(i) == NO_INT)
			assert_int_equal(sqlite3_column_type(st, 1), SQLITE_NULL);
		else
			assert_int_equal(sqlite3_column_int64(st, 1), value_of(i));
		assert_int_equal(sqlite3_column_int64(st, 2), -i);
	}
	assert_int_equal(db_step(db, st), 0);
	db_finish(&st);
	/* by key, from the root down */
	snprintf(sql, sizeof sql, "SELECT m FROM %s WHERE id = 1000003 * %" PRId64, table, n);
	ask(db, sql, n ? -n : -1);
}

/* No row, one leaf, a leaf and a row, two pages above leaves and their root. */
static void sizes(void **state)
{
	static const int64_t count[] = { 0, 1, 25, 26, 51, 14000, 15000, 40000 };
	char text[301];
	uint32_t root[BULK_COUNT];
	struct pages p;
	struct stat st;
	struct db db;

	(void)state;
	memset(text, 'x', 300);
	text[300] = 0;
	for (size_t i = 0; i < ARRAY_LEN(count); i++) {
		make_empty(root);
		assert_int_equal(pages_open(&p, dir), 0);
		for (int64_t n = 1; n <= count[i]; n++) {
			put(&p, BULK_HOST, n, text);
			if (n % 3 == 0)
				put(&p, BULK_IDLE, n / 3, n % 2 ? "" : "0");
		}
		put_into(&p, root);
		/* 40,000 rows are 12 MB */
		assert_int_equal(fstat(p.fd, &st), 0);
		assert_true(st.st_size < (off_t)5 << 20);
		pages_close(&p);
		assert_int_equal(db_open(&db, path, DB_READ), 0);
		ask(&db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check", 1);
		check_rows(&db, "host", count[i]);
		check_rows(&db, "idle", count[i] / 3);
		ask(&db, "SELECT count(*) FROM call", 0);
		db_close(&db);
	}
}

/* What came behind the mark is gone, whether it was written or still waited. */
static void back(void **state)
{
	static const int64_t before[] = { 0, 5, 3000, 30000 };
	uint32_t root[BULK_COUNT];
	struct pages p;
	struct db db;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(before); i++) {
		int64_t n, keep = before[i / 2];

		make_empty(root);
		assert_int_equal(pages_open(&p, dir), 0);
		for (n = 1; n <= keep; n++)
			put(&p, BULK_HOST, n, "a text of some length, to fill pages");
		pages_mark(&p);
		for (; n <= keep + (i % 2 ? 100000 : 50); n++)
			put(&p, BULK_HOST, n, "dropped");
		pages_back(&p);
		for (n = keep + 1; n <= keep + 700; n++)
			put(&p, BULK_HOST, n, "after");
		put_into(&p, root);
		pages_close(&p);
		assert_int_equal(db_open(&db, path, DB_READ), 0);
		ask(&db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check", 1);
		check_rows(&db, "host", keep + 700);
		ask(&db, "SELECT count(*) FROM host WHERE t = 'dropped'", 0);
		db_close(&db);
	}
}

/* SQLite leaves out the page at 1 GiB. */
static void lock_page(void **state)
{
	const uint32_t lock = (1u << 30) / STORE_PAGE + 1, near = lock - 40;
	const unsigned char size[4] = { (unsigned char)(near >> 24), (unsigned char)(near >> 16),
		(unsigned char)(near >> 8), (unsigned char)near };
	uint32_t root[BULK_COUNT];
	struct pages p;
	struct db db;
	int fd;

	(void)state;
	make_empty(root);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	/* sparse */
	if (ftruncate(fd, (off_t)near * STORE_PAGE) < 0 || pwrite(fd, size, 4, 28) != 4)
		skip();
	close(fd);
	assert_int_equal(pages_open(&p, dir), 0);
	for (int64_t n = 1; n <= 60000; n++)
		put(&p, BULK_DEV, n, "text");
	assert_true(p.n > 60);
	put_into(&p, root);
	pages_close(&p);
	assert_int_equal(db_open(&db, path, DB_READ), 0);
	check_rows(&db, "dev", 60000);
	db_close(&db);
}

static int set_up(void **state)
{
	(void)state;
	say_verbosity = -1;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/s.db", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(back),
		cmocka_unit_test(lock_page),
	};

	say_init("unit");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
