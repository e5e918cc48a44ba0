/* frame.c - reading names. */
#include "base.h"
#include "frame.h"

#include "names.h"
#include "num.h"

bool text_begins(struct text t, const char *with)
{
	size_t n = strlen(with);

	return t.n >= n && memcmp(t.s, with, n) == 0;
}

bool text_ends(struct text t, const char *with)
{
	size_t n = strlen(with);

	return t.n >= n && memcmp(t.s + t.n - n, with, n) == 0;
}

bool text_has(struct text t, const char *word)
{
	return t.n > 0 && memmem(t.s, t.n, word, strlen(word)) != NULL;
}

static const char *const std_module[] = {
#define X(name) #name,
#include "pystd.def"
#undef X
};

/* Packages whose path arrives without its site-packages/, which torch.profiler
 * strips (it is in sys.path): without them a library would pass as the user's. */
static const char *const package[] = {
#define X(name) #name,
#include "pypackage.def"
#undef X
};

/* What follows "torch/" in a path of a torch that was built from source. */
static const char *const torch_part[] = {
	"_C", "_compile.py", "_decomp", "_dynamo", "_functorch",
	"_higher_order_ops", "_inductor", "_library", "_ops.py", "_prims",
	"_prims_common", "_refs", "_subclasses", "_tensor.py", "_utils.py",
	"amp", "ao", "autograd", "backends", "compiler", "cuda", "distributed",
	"distributions", "export", "functional.py", "fx", "jit", "library.py",
	"linalg", "multiprocessing", "nested", "nn", "onnx", "optim",
	"overrides.py", "profiler", "random.py", "serialization.py", "sparse",
	"storage.py", "utils", "xpu", "__init__.py",
};

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

/* The part of a path up to the next slash. */
static struct text first_part(struct text path)
{
	size_t i = 0;

	while (i < path.n && !is_slash(path.s[i]))
		i++;
	return (struct text){ path.s, i };
}

static struct text behind(struct text path, struct text part)
{
	size_t skip = MIN(part.n + 1, path.n);

	return (struct text){ path.s + skip, path.n - skip };
}

static bool is_one_of(struct text word, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (text_is(word, list[i]))
			return true;
	return false;
}

static bool is_module(struct text part, const char *const *list, size_t n)
{
	if (text_ends(part, ".py"))
		part.n -= 3;
	return is_one_of(part, list, n);
}

static bool is_std(struct text part)
{
	return is_module(part, std_module, ARRAY_LEN(std_module));
}

static bool is_lib(struct text part)
{
	return text_is(part, "lib") || text_is(part, "Lib") || text_is(part, "lib64");
}

/* One part of a path and what follows: does it say that the file is not the
 * user's? */
static bool part_is_foreign(struct text part, struct text rest, bool first)
{
	struct text next = first_part(rest);

	if (text_is(part, "site-packages") || text_is(part, "dist-packages")
	    || text_begins(part, "torchinductor_"))
		return true;
	if (text_is(part, "torch") && rest.n > 0)
		return first || is_one_of(next, torch_part, ARRAY_LEN(torch_part));
	if (is_lib(part))
		return text_begins(next, "python3") || (!first && is_std(next));
	return first && (is_std(part)
		|| is_module(part, package, ARRAY_LEN(package)));
}

static bool is_hook(struct text file)
{
	return text_ends(file, "/share/tp/hook.py") || text_is(file, "tp_hook.py")
		|| text_ends(file, "/tp_hook.py");
}

static bool is_foreign(struct text file)
{
	struct text rest = file, part;
	bool first = true;

	if (text_begins(file, "<frozen") || is_hook(file))
		return true;
	while (rest.n > 0) {
		part = first_part(rest);
		rest = behind(rest, part);
		if (part_is_foreign(part, rest, first))
			return true;
		first = false;
	}
	return false;
}

static bool is_within(struct text file, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && is_slash(dir[n - 1]))
		n--;
	return file.n > n && memcmp(file.s, dir, n) == 0
		&& (is_slash(file.s[n]) || is_slash(dir[n - 1]));
}

/* What has no file behind it.  A notebook's cell and python's stdin have none
 * either, but they are where the user's code is. */
static bool is_code(struct text file)
{
	if (file.n == 0 || file.s[0] != '<')
		return file.n > 0;
	return text_begins(file, "<frozen ") || text_begins(file, "<ipython-input-")
		|| text_is(file, "<stdin>");
}

/* The last "(digits): ": a path can hold one too, a function's name can't. */
static bool split_name(struct text name, struct frame *f)
{
	size_t close = name.n, open;

	while (close-- > 2) {
		if (name.s[close] != ')' || close + 2 >= name.n
		    || name.s[close + 1] != ':' || name.s[close + 2] != ' ')
			continue;
		open = close;
		while (open > 0 && name.s[open - 1] >= '0' && name.s[open - 1] <= '9')
			open--;
		if (open == 0 || open == close || name.s[open - 1] != '(')
			continue;
		f->file = (struct text){ name.s, open - 1 };
		f->func = (struct text){ name.s + close + 3, name.n - close - 3 };
		return num_int((struct text){ name.s + open, close - open }, 0,
			INT32_MAX, &f->line) == 0;
	}
	return false;
}

#define LINE_MARK " [line]" /* tp_hook/lines.py */

bool frame_parse(struct text name, const char *scope, struct frame *f)
{
	if (!split_name(name, f) || !is_code(f->file))
		return false;
	f->line_known = text_ends(f->func, LINE_MARK);
	if (f->line_known)
		f->func.n -= sizeof LINE_MARK - 1;
	f->own = scope ? is_within(f->file, scope) : !is_foreign(f->file);
	return true;
}

/* A custom autograd function has a method `backward` as well, and runs inside
 * the engine instead of waiting for it: only torch's own entries count. */
unsigned frame_flags(struct text name)
{
	struct frame f;

	if (text_has(name, "run_backward"))
		return NAME_BACKWARD;
	if (!split_name(name, &f))
		return 0;
	if ((text_is(f.func, "backward") || text_is(f.func, "grad"))
	    && (text_ends(f.file, "torch/_tensor.py")
		|| text_ends(f.file, "torch/autograd/__init__.py")))
		return NAME_BACKWARD;
	return 0;
}

unsigned call_flags(struct text name)
{
	static const char *const launch[] = { "LaunchKernel", "KernelLaunch",
		"GraphLaunch", "LaunchCooperative", "EnqueueUSMMem" };
	static const char *const copy[] = { "cudaMem", "cuMem", "hipMem" };
	size_t i, n;

	if (text_has(name, "StreamBeginCapture"))
		return NAME_BEGIN_CAPTURE;
	if (text_has(name, "StreamEndCapture"))
		return NAME_END_CAPTURE;
	for (i = 0; i < ARRAY_LEN(launch); i++)
		if (text_has(name, launch[i]))
			return NAME_LAUNCH;
	for (i = 0; i < ARRAY_LEN(copy); i++) {
		n = strlen(copy[i]);
		if (text_begins(name, copy[i]) && name.n >= n + 3
		    && (memcmp(name.s + n, "cpy", 3) == 0
			|| memcmp(name.s + n, "set", 3) == 0))
			return NAME_LAUNCH;
	}
	return 0;
}
