/* tp-time - the honest clock: runs a job with no profiler on and records every
 * step, the startup, and memory. */
#include "base.h"
#include "hookrec.h"
#include "job.h"
#include "opt.h"
#include "path.h"
#include "say.h"
#include "stream.h"
#include "timetext.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
	const char *out, *step;
	int64_t steps;
	enum face face;
} want = { .step = "auto" };

static const struct opt options[] = {
	{ 'o', "output", "FILE", "write there; the job keeps its stdout",
		OPT_STR, &want.out, NULL },
	{ 0, "step", "RULE", "auto, optimizer, forward, FILE:LINE, MODULE:FUNC",
		OPT_FN, &want.step, hookrec_opt_rule },
	{ 0, "steps", "N", "end the job after N steps", OPT_POS, &want.steps, NULL },
	OPT_FACES(want.face),
	OPT_QUIET,
	OPT_END
};

static const struct opt_page page = {
	.usage = "tp-time [options] -- COMMAND [ARG...]",
	.what = "Run a PyTorch job and record every step, its startup and memory.",
	.example = "tp-time -o steps.ndjson.lz4 -- python train.py",
	.opt = options,
	.command = true,
};

struct timing {
	struct job job;
	struct hookrec rec;
	struct stream_writer w;
	struct timetext face;
	bool text;
	bool failed;       /* by us; a reader that went away is none of it */
};

/* Records stop; the job does not. */
static int output_lost(struct timing *t)
{
	if (errno != EPIPE)
		t->failed = true;
	t->rec.deaf = true;
	return -1;
}

static int on_record(void *arg, const struct rec *r)
{
	struct timing *t = arg;
	int got = t->text ? timetext_put(&t->face, t->w.out, r) :
		stream_pass(&t->w, r->line);

	return got ? output_lost(t) : 0;
}

static int on_line(void *arg, struct hook_client *c, struct text line)
{
	return hookrec_line(&((struct timing *)arg)->rec, c, line);
}

static int on_idle(void *arg)
{
	struct timing *t = arg;

	if (!t->rec.deaf && stream_writer_flush(&t->w))
		output_lost(t);
	return 0;
}

static void hook_conf(struct jw *w, void *arg)
{
	int64_t *epoch_mono_ns = arg;

	jw_kint(w, "epoch_mono_ns", *epoch_mono_ns);
	jw_kstr(w, "step", want.step);
	if (want.steps)
		jw_kint(w, "stop_after", want.steps);
	jw_kbool(w, "timed", true);
	jw_kbool(w, "profilers_off", true);
}

static int write_run(struct timing *t, char **argv)
{
	struct jw *w = stream_begin(&t->w, "run");
	char *cwd = getcwd(NULL, 0);

	if (!cwd && errno == ENOMEM)
		die("out of memory");
	jw_key(w, "argv");
	jw_open(w, '[');
	for (; *argv; argv++)
		jw_str(w, *argv);
	jw_close(w, ']');
	jw_kstr(w, "cwd", cwd);
	free(cwd);
	return stream_put(&t->w);
}

static int write_head(struct timing *t, int64_t epoch_ns, char **own, char **argv)
{
	if (t->text)
		return 0;
	if (stream_head(&t->w, epoch_ns, (struct text){ NULL, 0 }, own) ||
	    write_run(t, argv))
		return -1;
	return stream_writer_flush(&t->w);
}

/* Complete: every rank that made steps ended properly, so none is missing. */
static int write_end(struct timing *t)
{
	bool whole = !t->rec.torn_ranks && !t->rec.open_ranks &&
		!t->rec.dropped && !t->rec.faults && !t->job.link.failed;

	t->w.dropped += t->rec.dropped;
	return t->text ? timetext_end(&t->face, t->w.out) :
		stream_end(&t->w, whole, job_code(&t->job));
}

static int output_open(struct timing *t, struct draft *d)
{
	enum face face = want.face;
	int fd = STDOUT_FILENO;

	timetext_init(&t->face);
	if (want.out) {
		if (draft_open(d, want.out))
			return -1;
		fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 3);
		if (fd < 0) {
			error_errno("%s", want.out);
			draft_abort(d);
			return -1;
		}
	}
	/* a file is data whatever the terminal */
	if (!want.out || face != FACE_AUTO)
		face = face_resolve(face, fd);
	t->text = face == FACE_TEXT;
	return stream_writer_init(&t->w, fd, face == FACE_AUTO ? FACE_LZ4 : face);
}

/* 0, or -1: the job was not started. */
static int run(struct timing *t, char **own, char **argv)
{
	struct job_ears ears = { .line = on_line, .idle = on_idle, .arg = t };
	struct job_spec spec = { argv, !want.out, false };
	int64_t mono_ns = job_clock_ns(), unix_ns = job_unix_ns();

	hookrec_init(&t->rec, on_record, t);
	if (job_open(&t->job) || hooklink_conf(&t->job.link, hook_conf, &mono_ns))
		return -1;
	/* nowhere to write to: not started; a reader gone by now is gone later */
	if (write_head(t, unix_ns, own, argv) && (output_lost(t), t->failed))
		return -1;
	if (job_start(&t->job, &spec))
		return -1;
	if (!t->job.exec_errno) {
		job_run(&t->job, &ears);
		hookrec_verdict(&t->rec, hooklink_entered(&t->job.link));
	}
	job_say_end(&t->job);
	return 0;
}

static void output_close(struct timing *t, struct draft *d)
{
	if (!t->rec.deaf && write_end(t))
		output_lost(t);
	if (t->rec.deaf)
		stream_writer_abort(&t->w);
	else if (stream_writer_close(&t->w))
		output_lost(t);
	if (!want.out)
		return;
	if (t->rec.deaf || t->job.exec_errno)
		draft_abort(d);
	else if (draft_commit(d))
		t->failed = true;
}

int main(int argc, char **argv)
{
	struct timing t = { .text = false };
	struct draft d;
	int first, code = ST_OWN;

	job_remember();
	say_fail_status = ST_OWN;
	say_init(argv[0]);
	first = opt_parse(&page, argc, argv);
	if (first >= argc)
		opt_usage_error(&page, "no command given");
	if (output_open(&t, &d))
		return ST_OWN;
	if (run(&t, argv, argv + first) == 0) {
		output_close(&t, &d);
		code = job_code(&t.job);
	} else {
		stream_writer_abort(&t.w);
		if (want.out)
			draft_abort(&d);
	}
	t.failed |= t.job.link.failed;
	job_close(&t.job);
	hookrec_release(&t.rec);
	timetext_release(&t.face);
	return t.failed && code == 0 ? ST_OWN : code;
}
