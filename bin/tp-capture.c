/* tp-capture - the profiled run: torch.profiler put into a job from outside, for
 * the steps of a window, or the capture library from its start. */
#include "base.h"
#include "folder.h"
#include "hookrec.h"
#include "job.h"
#include "native.h"
#include "match.h"
#include "opt.h"
#include "say.h"
#include "stream.h"
#include "tracesink.h"
#include "windowin.h"

#include <unistd.h>

static struct {
	const char *dir, *engine, *window, *step, *step_nvtx, *then;
	int64_t warmup;
	bool stacks, shapes, memory, no_lines, operators, check;
	enum face face;
} want = { .engine = "torch", .then = "continue", .warmup = -1 };

static regex_t step_nvtx;

static const struct opt options[] = {
	{ 'd', "dir", "DIR", "trace files go there; the job keeps its stdout",
		OPT_STR, &want.dir, NULL },
	{ 0, "engine", "NAME", "torch (torch.profiler, the default) or cupti",
		OPT_STR, &want.engine, NULL },
	{ 0, "window", "A[:B]", "these steps, from 1; stdin is not read",
		OPT_FN, &want.window, windowin_opt },
	{ 0, "warmup", "N", "steps before it that warm the profiler up", OPT_INT, &want.warmup, NULL },
	{ 0, "step", "RULE", "as for tp-time", OPT_FN, &want.step, hookrec_opt_rule },
	{ 0, "then", "WHAT", "after the window: continue (default) or stop", OPT_STR, &want.then, NULL },
	{ 0, "stacks", NULL, "Python stacks too: steps take up to twice as long",
		OPT_FLAG, &want.stacks, NULL },
	{ 0, "shapes", NULL, "the operators' shapes: some 10 % more", OPT_FLAG, &want.shapes, NULL },
	{ 0, "memory", NULL, "every allocation: some 10 % more", OPT_FLAG, &want.memory, NULL },
	{ 0, "no-lines", NULL, "no executing lines: 1 us a line less", OPT_FLAG, &want.no_lines, NULL },
	{ 0, "operators", NULL, "cupti: PyTorch's operators too, through NVTX",
		OPT_FLAG, &want.operators, NULL },
	{ 0, "step-nvtx", "RE", "cupti: NVTX ranges of such names are steps",
		OPT_STR, &want.step_nvtx, NULL },
	{ 0, "check", NULL, "cupti: run nothing; 125 where it cannot work here",
		OPT_FLAG, &want.check, NULL },
	OPT_FACES(want.face),
	OPT_QUIET,
	OPT_END
};

static const struct opt_page page = {
	.usage = "tp-capture [-d DIR] [options] -- COMMAND [ARG...]",
	.what = "Run a job with the profiler on for the steps of a window.",
	.example = "tp-time -- ./train | tp-window | tp-capture -d trace -- ./train",
	.opt = options,
	.command = true,
};

struct capture {
	struct job job;
	struct hookrec rec;
	struct stream_writer w;
	struct tracesink sink;
	struct native native;  /* engine cupti */
	struct windowin window;
	char **own;
	bool cupti, failed;
};

static int on_trace(void *arg, const struct rec *r)
{
	return tracesink_take(&((struct capture *)arg)->sink, r);
}

/* The steps of a profiled run are not the honest clock. */
static int on_record(void *arg, const struct rec *r)
{
	struct capture *c = arg;

	if (c->cupti)
		native_told(&c->native, r);
	return 0;
}

static int on_line(void *arg, struct hook_client *client, struct text line)
{
	return hookrec_line(&((struct capture *)arg)->rec, client, line);
}

static void hook_conf(struct jw *w, void *arg)
{
	struct capture *c = arg;
	const struct windowin *in = &c->window;

	jw_kint(w, "epoch_mono_ns", job_clock_ns());
	jw_kstr(w, "step", in->rule);
	if (c->cupti)
		native_conf(&c->native, w);
	if (!in->first_step)
		return; /* all of it */
	jw_key(w, "window");
	jw_open(w, '{');
	jw_kint(w, "first", in->first_step);
	jw_kint(w, "last", in->first_step + in->steps - 1);
	jw_kint(w, "warmup", in->warmup);
	jw_kstr(w, "dir", c->sink.work);
	jw_kstr(w, "then", want.then);
	jw_kbool(w, "lines", !want.no_lines);
	jw_kbool(w, "stacks", want.stacks);
	jw_kbool(w, "shapes", want.shapes);
	jw_kbool(w, "memory", want.memory);
	jw_close(w, '}');
}

/* 0, or -1 said: the window from --window, or from the stream on stdin. */
static int window_get(struct capture *c)
{
	struct windowin *in = &c->window;

	if (c->cupti && !want.window)
		*in = (struct windowin){ 0 };
	else if (want.window ? windowin_parse(in, want.window) :
	    windowin_read(in, "-", want.dir || c->sink.text ? NULL : &c->w, c->own))
		return -1;
	if (want.warmup >= 0)
		in->warmup = want.warmup;
	if (want.step || !in->rule)
		windowin_rule(in, want.step ? want.step : "auto");
	return 0;
}

/* Where what is recorded goes, and how it comes. */
static int place_open(struct capture *c)
{
	const struct native_opt opt = { !want.no_lines, want.memory, want.operators,
		want.window != NULL, want.step_nvtx ? &step_nvtx : NULL };

	if (!c->cupti)
		return tracesink_open(&c->sink, want.dir, c->job.link.dir);
	c->native.opt = opt;
	return native_open(&c->native, c->job.link.dir);
}

/* One line where nothing was recorded and nobody has said why. */
static void nothing_say(struct capture *c)
{
	if (c->cupti && (!want.window || !c->native.hellos || c->native.events))
		return;
	if (hookrec_verdict(&c->rec, hooklink_entered(&c->job.link)) && !c->cupti &&
	    !c->sink.traces && !c->rec.gave_way)
		note("nothing was recorded");
}

static int capture_run(struct capture *c, char **argv)
{
	struct job_ears ears = { .line = on_line, .arg = c };
	struct job_spec spec = { argv, !want.dir, !c->cupti && !want.window };

	hookrec_init(&c->rec, on_record, c);
	c->rec.trace = c->cupti ? NULL : on_trace;
	if (window_get(c) || job_open(&c->job) || place_open(c) ||
	    hooklink_conf(&c->job.link, hook_conf, c))
		return -1;
	if (c->cupti)
		native_listen(&c->native, &c->job, &ears);
	if (job_start(&c->job, &spec))
		return -1;
	if (c->job.exec_errno) {
		c->native.able = false; /* nobody wonders that it is not heard */
		return 0;
	}
	job_run(&c->job, &ears);
	nothing_say(c);
	job_say_end(&c->job);
	return 0;
}

static int output_open(struct capture *c)
{
	enum face face = want.face;

	c->sink.argv = c->own;
	c->native.out = (struct capout){ .dir = want.dir, .argv = c->own };
	if (want.dir)
		return 0;
	face = face_resolve(face, STDOUT_FILENO);
	c->sink.out = c->native.out.out = &c->w;
	c->sink.text = c->native.out.text = face == FACE_TEXT;
	return stream_writer_init(&c->w, STDOUT_FILENO, face);
}

/* The job's status; 125 where that is 0 and no trace is there, by nobody's choice. */
static int capture_close(struct capture *c, int code)
{
	bool had;

	if (c->cupti ? native_close(&c->native, code) : tracesink_close(&c->sink, code))
		c->failed = true;
	c->failed |= c->job.link.failed;
	had = c->rec.gave_way || (c->cupti ? c->native.gave_way || capout_had(&c->native.out) :
		c->sink.traces);
	if (code == 0 && (c->failed || !had))
		code = ST_OWN;
	job_close(&c->job);
	hookrec_release(&c->rec);
	windowin_release(&c->window);
	return code;
}

static void options_check(bool cupti)
{
	if (strcmp(want.then, "continue") != 0 && strcmp(want.then, "stop") != 0)
		opt_usage_error(&page, "--then '%s': not continue or stop", want.then);
	if (!cupti && strcmp(want.engine, "torch") != 0)
		opt_usage_error(&page, "--engine '%s': not torch or cupti (only one of"
			" them can have CUPTI)", want.engine);
	if (cupti && (want.stacks || want.shapes || (want.warmup >= 0 && !want.window)))
		opt_usage_error(&page, "--stacks, --shapes are of engine torch, --warmup of a window");
	if (!cupti && (want.operators || want.step_nvtx || want.check))
		opt_usage_error(&page, "--operators, --step-nvtx and --check are of engine cupti");
	if (want.step_nvtx && match_compile(&step_nvtx, want.step_nvtx, 0))
		opt_usage_error(&page, "--step-nvtx '%s': not a regular expression",
			want.step_nvtx);
}

int main(int argc, char **argv)
{
	struct capture c = { .own = argv, .native = NATIVE_INIT };
	int first, code;
	bool had;

	job_remember();
	say_fail_status = ST_OWN;
	say_init(argv[0]);
	first = opt_parse(&page, argc, argv);
	if (first >= argc && !want.check)
		opt_usage_error(&page, "no command given");
	c.cupti = strcmp(want.engine, "cupti") == 0;
	options_check(c.cupti);
	if (want.check)
		return native_check() ? ST_OWN : ST_OK;
	if (output_open(&c))
		return ST_OWN;
	had = want.dir && access(want.dir, F_OK) == 0;
	code = capture_close(&c, capture_run(&c, argv + first) ? ST_OWN : job_code(&c.job));
	if (want.dir && !had)
		folder_unmake(want.dir);
	return code;
}
