/* Any bytes as what a person or tp-time hands over: a schedule, and a stream of
 * steps that a window is chosen from.  Byte 0 says which. */
#include "base.h"
#include "rank_rows.h"
#include "rec.h"
#include "schedule.h"
#include "stream.h"
#include "utf8.h"
#include "window.h"
#include "windowin.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* A path that has these bytes. */
static int file_of(const uint8_t *p, size_t n, char path[static 64])
{
	int fd = memfd_create("steps", MFD_CLOEXEC);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		__builtin_trap();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static void schedule(const char *path)
{
	struct schedule s = { 0 };
	struct rank_row row = { .kind = TEXT("view1.periodic") };

	if (schedule_read(&s, path) == 0) {
		for (size_t i = 0; i < s.n; i++)
			if (!s.phase[i].name || !s.phase[i].kind ||
			    (s.phase[i].every != NO_NUM && s.phase[i].every < 1))
				__builtin_trap();
		(void)schedule_find(&s, &row);
	}
	schedule_release(&s);
}

static void window_in(const char *path)
{
	struct windowin in;

	if (windowin_read(&in, path, NULL, NULL) == 0 &&
	    (in.first_step < 1 || in.steps < 1 || in.warmup < 0 || !in.rule))
		__builtin_trap();
	windowin_release(&in);
}

static void choose(const struct series *s)
{
	const struct window_want want = { 3, 2, { { 10, 10 } }, 1 };
	struct window w;
	struct buf b = BUF_INIT;
	struct jw jw;

	if (window_choose(s, &want, &w) == 0) {
		if (w.first_step < 1 || w.steps < 1 || w.warmup < 0 ||
		    (size_t)(w.first_step + w.steps - 1) > s->n)
			__builtin_trap();
		jw_init(&jw, &b);
		jw_open(&jw, '{');
		window_put(&w, s, &jw);
		jw_close(&jw, '}');
		window_text(&w, s, 80, &b);
		if (!utf8_valid(buf_text(&b)))
			__builtin_trap();
	}
	window_release(&w);
	buf_release(&b);
}

static void series(const uint8_t *p, size_t n)
{
	struct in *in = in_memory("steps", p, n);
	struct stream *stream = in ? stream_adopt(in, NULL, 0) : NULL;
	struct series s;
	struct rec r;
	int64_t step, wall_ns;

	series_init(&s);
	while (stream && stream_next(stream, &r) > 0)
		if (rec_int(&r, "step", &step) == 0 && step < 10000 &&
		    rec_int(&r, "wall_ns", &wall_ns) == 0 &&
		    series_add(&s, step, wall_ns, rec_true(&r, "compiled") ? WALL_COMPILED :
		    WALL_SEEN) == 0)
			series_place(&s, step, rec_text(&r, "file"), 1, rec_text(&r, "func"));
	choose(&s);
	series_release(&s);
	if (stream)
		(void)stream_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	char path[64];
	int fd;

	if (n == 0)
		return 0;
	if (p[0] % 3 == 2) {
		series(p + 1, n - 1);
		return 0;
	}
	fd = file_of(p + 1, n - 1, path);
	if (p[0] % 3 == 0)
		schedule(path);
	else
		window_in(path);
	close(fd);
	return 0;
}
