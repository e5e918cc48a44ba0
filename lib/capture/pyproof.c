/* pyproof.c - a layout against Python's own word. */
#include "base.h"
#include "pyproof.h"

#include <fcntl.h>
#include <unistd.h>

#include "pycode.h"
#include "pywalk.h"

#define FRAMES_MIN 2
#define FRAMES_MAX 128
#define TEXT_MAX 4096

struct proof {
	const struct pyapi *a;
	const struct pylayout *l;
	int in, out;           /* a pipe of our own */
};

/* As much of a frame and of a code object as is looked at. */
static size_t frame_bytes(const struct pylayout *l)
{
	return l->is_object ? l->at + 4u : l->owner + 1u;
}

static size_t code_bytes(const struct pylayout *l)
{
	return l->is_object ? l->table + 8u : l->first_traceable + 4u;
}

/* Can these bytes be read?  The kernel tells when it is asked to write them. */
static bool readable(struct proof *p, const char *at, size_t n)
{
	char got[256];

	if (!at || n > sizeof got)
		return false;
	return write(p->in, at, n) == (ssize_t)n && read(p->out, got, n) == (ssize_t)n;
}

/* Is what lies at `string` this text? */
static bool is_text(struct proof *p, const char *string, pyobject *want)
{
	char got[TEXT_MAX];
	ssize_t n;
	size_t len;
	const char *s = p->a->as_utf8(want, &n);

	if (!s) { /* lone surrogates: Python has no UTF-8 for it either */
		p->a->error_clear();
		return string == want;
	}
	len = pystring_copy(p->l, string, got, sizeof got);
	return len <= (size_t)n && (len == (size_t)n || len > sizeof got - 4)
		&& memcmp(got, s, len) == 0;
}

static bool string_holds(struct proof *p, const char *utf8)
{
	pyobject *o = p->a->of_utf8(utf8, (ssize_t)strlen(utf8));
	bool good;

	if (!o) {
		p->a->error_clear();
		return false;
	}
	good = is_text(p, o, o);
	p->a->unref(o);
	return good;
}

/* Does the place `at` in this object hold its attribute? */
static bool is_attr(struct proof *p, pyobject *o, unsigned at, const char *name)
{
	pyobject *v = pyapi_get(p->a, o, name);
	bool good = v && py_pointer(o, at) == v;

	if (v)
		p->a->unref(v);
	return good;
}

static bool code_holds(struct proof *p, pyobject *code)
{
	const struct pyapi *a = p->a;
	const struct pylayout *l = p->l;
	pyobject *file = pyapi_get(a, code, "co_filename");
	pyobject *name = pyapi_name(a, code);
	bool good = file && name && readable(p, code, code_bytes(l))
		&& py_pointer(code, l->file) == file && py_pointer(code, l->name) == name
		&& py_int(code, l->first_line) == pyapi_int(a, code, "co_firstlineno", -1)
		&& is_attr(p, code, l->table,
			l->lines == PYLINE_NOTAB ? "co_lnotab" : "co_linetable")
		&& is_text(p, file, file) && is_text(p, name, name);

	if (file)
		a->unref(file);
	if (name)
		a->unref(name);
	return good;
}

/* One frame of Python's: is the frame at `at` that one? */
static bool frame_holds(struct proof *p, pyobject *frame, const struct pyframe *f)
{
	pyobject *code = pyapi_get(p->a, frame, "f_code");
	int64_t line = pyapi_int(p->a, frame, "f_lineno", -1);
	bool good = code && f->code == code && code_holds(p, code)
		&& f->at == pyapi_int(p->a, frame, "f_lasti", -1)
		&& (line == -1 || line == pycode_line(p->l, f->code, f->at));

	if (code)
		p->a->unref(code);
	return good;
}

/* The next frame at or outside *at that is a function's; false: not to be read. */
static bool next_frame(struct proof *p, const char **at, struct pyframe *f)
{
	const struct pylayout *l = p->l;
	const char *code;

	while (*at) {
		if (!readable(p, *at, frame_bytes(l)))
			return false;
		code = py_pointer(*at, l->code);
		/* of the interpreter's own frames the code may be anything */
		if ((l->is_object || (unsigned char)(*at)[l->owner] < PYFRAME_OF_LOOP)
		    && !readable(p, code, code_bytes(l)))
			return false;
		*f = pywalk_frame(l, *at);
		*at = py_pointer(*at, l->back);
		if (f->code)
			return true;
	}
	return false;
}

static bool frames_hold(struct proof *p)
{
	const struct pylayout *l = p->l;
	const char *state = p->a->thread_state(), *at, *loop;
	pyobject *frame = p->a->frame(), *outer;
	struct pyframe f;
	bool good = true;
	int n;

	if (!frame || !readable(p, state, l->frame + 8u))
		return false;
	loop = py_pointer(state, l->frame);
	if (l->by_cframe && !readable(p, loop, 16))
		return false;
	at = pywalk_first(l, state);
	p->a->ref(frame);
	for (n = 0; frame && good && n < FRAMES_MAX; n++) {
		good = next_frame(p, &at, &f) && frame_holds(p, frame, &f);
		outer = pyapi_get(p->a, frame, "f_back");
		p->a->unref(frame);
		frame = outer;
	}
	if (frame)
		p->a->unref(frame);
	else if (good && next_frame(p, &at, &f))
		return false;
	return good && n >= FRAMES_MIN;
}

int pyproof_run(const struct pyapi *a, const struct pylayout *l)
{
	/* of one, two and four bytes a character, and plain */
	static const char *const text[] = { "plain", "\xc3\xa9t\xc3\xa9",
		"\xe2\x82\xac and \xe6\xbc\xa2", "\xf0\x9d\x92\xb3 and \xc3\xa9" };
	struct proof p = { a, l, -1, -1 };
	bool good = true;
	int fd[2];
	size_t i;

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	p.out = fd[0];
	p.in = fd[1];
	for (i = 0; i < ARRAY_LEN(text) && good; i++)
		good = string_holds(&p, text[i]);
	good = good && frames_hold(&p);
	close(fd[0]);
	close(fd[1]);
	return good ? 0 : -1;
}
