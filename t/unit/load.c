/* The loader, driven with events made here: what file order and odd values do. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load.h"
#include "mem.h"
#include "say.h"

struct fixture {
	char dir[32], target[48];
	struct store store;
	struct load load;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof *f);
	const struct load_opt opt = { NULL, NULL };

	say_verbosity = -1;
	memcpy(f->dir, "/tmp/tp-unit.XXXXXX", 20);
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->target, sizeof f->target, "%s/s.db", f->dir);
	assert_int_equal(store_begin(&f->store, f->target), 0);
	assert_int_equal(load_begin(&f->load, &f->store, &opt), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (access(f->target, F_OK) != 0) {
		load_release(&f->load);
		store_abort(&f->store);
	}
	unlink(f->target);
	rmdir(f->dir);
	free(f);
	return 0;
}

static struct event event_of(enum event_cat cat, const char *name, int64_t ts, int64_t dur)
{
	struct event ev = { .cat = cat, .name = text_of(name), .pid = TEXT("1"),
		.tid = TEXT("1"), .ts_ns = ts, .dur_ns = dur, .corr = NO_ID, .ext = NO_ID,
		.seq = NO_INT, .fwd_tid = NO_INT, .bytes = NO_INT, .blocks = NO_INT,
		.allocated = NO_INT, .reserved = NO_INT, .delta = NO_INT,
		.addr = NO_ID, .device_type = NO_INT };

	if (cat_on_device(cat)) {
		ev.device = TEXT("0");
		ev.stream = TEXT("7");
	}
	return ev;
}

static void put(struct fixture *f, enum event_cat cat, const char *name, int64_t ts,
	int64_t dur, uint64_t corr)
{
	struct event ev = event_of(cat, name, ts, dur);

	ev.corr = corr;
	assert_int_equal(load_event(&f->load, &ev), 0);
}

/* rc of load_finish */
static int finish_trace(struct fixture *f, struct import_counts *count)
{
	struct trace_info info;
	int rc;

	trace_info_init(&info);
	info.path = xstrdup("t");
	info.hash = 7;
	rc = load_finish(&f->load, &info);
	*count = info.count;
	trace_info_release(&info);
	load_release(&f->load);
	assert_return_code(fcntl(STDIN_FILENO, F_GETFD), errno); /* it closed its own only */
	return rc;
}

static void finish(struct fixture *f, struct import_counts *count)
{
	assert_int_equal(finish_trace(f, count), 0);
	assert_int_equal(store_publish(&f->store), 0);
}

static int64_t ask(struct fixture *f, const char *sql)
{
	struct db db;
	int64_t v;

	assert_int_equal(store_open_ro(&db, f->target), 0);
	assert_int_equal(db_int(&db, sql, -1, &v), 0);
	db_close(&db);
	return v;
}

/* More stretches than are kept: the rest is sorted, and nothing is lost. */
static void test_backward(void **state)
{
	struct fixture *f = *state;
	struct import_counts c;
	int64_t i, n = 3 * RUNS_MAX;

	for (i = n; i > 0; i--)
		put(f, CAT_CPU_OP, "op", i * 10, 5, NO_ID);
	put(f, CAT_RUNTIME, "cudaLaunchKernel", n * 10 + 2, 1, 1);
	put(f, CAT_KERNEL, "k", n * 10 + 3, 1, 1);
	finish(f, &c);
	assert_int_equal(c.spilled, n - RUNS_MAX);
	assert_int_equal(ask(f, "SELECT count(*) FROM host"), n);
	assert_int_equal(ask(f, "SELECT count(*) FROM run"), RUNS_MAX + 1);
	assert_int_equal(ask(f, "SELECT count(*) FROM host a JOIN host b ON b.id = a.id + 1"
		" JOIN run r ON a.id & 0xffffffff >= r.first AND b.id & 0xffffffff <= r.last"
		" WHERE b.ts < a.ts"), 0);
	assert_int_equal(ask(f, "SELECT count(*) FROM dev WHERE op IS NOT NULL"), 1);
}

/* An op inside which two later ones of its stream lie is cut at the first. */
static void test_impossible(void **state)
{
	struct fixture *f = *state;
	struct import_counts c;

	put(f, CAT_KERNEL, "huge", 100, 9000, NO_ID);
	put(f, CAT_KERNEL, "a", 150, 10, NO_ID);
	put(f, CAT_KERNEL, "b", 400, 10, NO_ID);
	put(f, CAT_KERNEL, "c", 500, 100, NO_ID); /* overlaps the next in part: allowed */
	put(f, CAT_KERNEL, "d", 550, 100, NO_ID);
	finish(f, &c);
	assert_int_equal(c.impossible_ops, 1);
	assert_int_equal(ask(f, "SELECT dur FROM dev WHERE flags & 2"), 50);
	assert_int_equal(ask(f, "SELECT sum(dur) FROM dev"), 50 + 10 + 10 + 100 + 100);
}

/* One op inside another, as graph branches and dependent launches give: legal. */
static void test_possible(void **state)
{
	struct fixture *f = *state;
	struct import_counts c;

	put(f, CAT_KERNEL, "long", 100, 900, NO_ID);
	put(f, CAT_KERNEL, "inside", 150, 10, NO_ID);
	put(f, CAT_KERNEL, "after", 900, 200, NO_ID);
	finish(f, &c);
	assert_int_equal(c.impossible_ops, 0);
	assert_int_equal(ask(f, "SELECT sum(dur) FROM dev"), 1110);
}

/* Many ops to a call; a nested call of the same correlation is no launch more; a
 * correlation that is absent links nothing. */
static void test_join(void **state)
{
	struct fixture *f = *state;
	struct import_counts c;

	put(f, CAT_DRIVER, "cuLaunchKernel", 101, 2, 5);
	put(f, CAT_RUNTIME, "cudaLaunchKernel", 100, 9, 5);
	put(f, CAT_RUNTIME, "cudaGraphLaunch", 200, 9, 6);
	put(f, CAT_RUNTIME, "cudaLaunchKernel", 300, 9, 7);
	put(f, CAT_RUNTIME, "cudaLaunchKernel", 400, 9, NO_ID);
	put(f, CAT_KERNEL, "k", 110, 5, 5);
	put(f, CAT_KERNEL, "g1", 210, 5, 6);
	put(f, CAT_KERNEL, "g2", 220, 5, 6);
	put(f, CAT_KERNEL, "lost", 230, 5, 8);
	put(f, CAT_KERNEL, "none", 240, 5, NO_ID);
	put(f, CAT_KERNEL, "early", 190, 5, 6);
	finish(f, &c);
	assert_int_equal(c.linked_ops, 4);
	assert_int_equal(c.unlinked_ops, 2);
	assert_int_equal(c.launches, 3);
	assert_int_equal(c.lone_launches, 1);
	assert_int_equal(c.negative_delay, 1);
	assert_int_equal(c.worst_delay_ns, 10);
	assert_int_equal(ask(f, "SELECT issue_ts FROM dev WHERE ts = 110"), 100);
	assert_int_equal(ask(f, "SELECT max(ops) FROM call"), 3);
}

/* Launches between begin and end of a capture run later, if at all. */
static void test_capture(void **state)
{
	struct fixture *f = *state;
	struct import_counts c;

	put(f, CAT_RUNTIME, "cudaStreamBeginCapture", 100, 9, 1);
	put(f, CAT_RUNTIME, "cudaLaunchKernel", 200, 9, 2);
	put(f, CAT_RUNTIME, "cudaStreamEndCapture", 300, 9, 3);
	put(f, CAT_RUNTIME, "cudaLaunchKernel", 400, 9, 4);
	finish(f, &c);
	assert_int_equal(c.launches, 1);
	assert_int_equal(ask(f, "SELECT busy_known FROM device"), 0);
}

static void put_sample(struct fixture *f, int64_t ts, int64_t delta, int64_t total,
	uint64_t addr)
{
	struct event ev = event_of(CAT_MEM, "", ts, 0);

	ev.device = TEXT("0");
	ev.device_type = 1;
	ev.delta = delta;
	ev.allocated = total;
	ev.addr = addr;
	assert_int_equal(load_event(&f->load, &ev), 0);
}

static void test_memory(void **state)
{
	struct fixture *f = *state;
	struct import_counts c;

	put_sample(f, 100, 10, 10, 1);
	put_sample(f, 300, -10, 20, 1);  /* out of order; and 30 - 10 */
	put_sample(f, 200, 20, 30, 2);   /* the peak */
	put_sample(f, 400, 5, 99, 3);    /* no 25: a break, and the peak after all */
	put_sample(f, 500, -5, -7, 3);   /* cannot be */
	finish(f, &c);
	assert_int_equal(c.mem_breaks, 1);
	assert_int_equal(c.bad_totals, 1);
	assert_int_equal(ask(f, "SELECT count(*) FROM memory WHERE NOT ok"), 1);
	assert_int_equal(ask(f, "SELECT sum(bytes) FROM live"), 25);
	assert_int_equal(ask(f, "SELECT sum(count) FROM live"), 2);
}

/* Twice the same bytes in one go: the second leaves no row. */
static void test_twice(void **state)
{
	struct fixture *f = *state;
	const struct load_opt opt = { NULL, NULL };
	struct import_counts c;
	int i;

	put(f, CAT_CPU_OP, "op", 10, 5, NO_ID);
	assert_int_equal(finish_trace(f, &c), 0);
	assert_int_equal(load_begin(&f->load, &f->store, &opt), 0);
	for (i = 0; i < 100000; i++) /* more than waits in memory */
		put(f, CAT_CPU_OP, "op", 10 + i, 5, NO_ID);
	assert_int_equal(finish_trace(f, &c), 1);
	assert_int_equal(store_publish(&f->store), 0);
	assert_int_equal(ask(f, "SELECT count(*) FROM host"), 1);
	assert_int_equal(ask(f, "SELECT count(*) FROM name"), 1);
	assert_int_equal(ask(f, "SELECT count(*) FROM trace"), 1);
}

/* Names with bad bytes become one and the same valid text. */
static void test_names(void **state)
{
	struct fixture *f = *state;
	struct event ev = event_of(CAT_CPU_OP, "", 1, 1);
	struct import_counts c;

	ev.name = (struct text){ NULL, 0 };
	assert_int_equal(load_event(&f->load, &ev), 0);
	ev.name = TEXT("");
	assert_int_equal(load_event(&f->load, &ev), 0);
	ev.name = TEXT("a\xff");
	assert_int_equal(load_event(&f->load, &ev), 0);
	assert_int_equal(load_event(&f->load, &ev), 0);
	ev.name = TEXT("a\xef\xbf\xbd");
	assert_int_equal(load_event(&f->load, &ev), 0);
	ev.name = (struct text){ "b\0c", 3 };
	assert_int_equal(load_event(&f->load, &ev), 0);
	finish(f, &c);
	assert_int_equal(c.bad_utf8, 2);
	assert_int_equal(ask(f, "SELECT count(*) FROM name"), 3);
	assert_int_equal(ask(f, "SELECT count(*) FROM name WHERE text = 'b\xef\xbf\xbd" "c'"), 1);
}

#define CASE(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_backward), CASE(test_impossible), CASE(test_possible),
		CASE(test_join), CASE(test_capture), CASE(test_memory),
		CASE(test_twice), CASE(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
