/* pyask.c - asking Python for the stack. */
#include "base.h"
#include "pyask.h"

#include "capwire.h"
#include "pycode.h"
#include "pytable.h"

static struct text text_of_string(const struct pyapi *a, pyobject *string)
{
	ssize_t n = 0;
	const char *s = string ? a->as_utf8(string, &n) : NULL;

	if (string && !s)
		a->error_clear();
	return (struct text){ s, s ? (size_t)n : 0 };
}

static uint32_t code_id(const struct pyapi *a, pyobject *code)
{
	const uint64_t key = pykey_mix((uint64_t)(uintptr_t)code, 1) | 1;
	uint32_t id = pytable_code(key);
	pyobject *file, *name;

	if (id)
		return id;
	file = pyapi_get(a, code, "co_filename");
	name = pyapi_name(a, code);
	id = pytable_put_code(key, text_of_string(a, file), text_of_string(a, name),
		(int32_t)pyapi_int(a, code, "co_firstlineno", 0));
	if (id)
		a->ref(code); /* for good: another may not come to lie in its place */
	if (file)
		a->unref(file);
	if (name)
		a->unref(name);
	return id;
}

/* The frames as ids and lines: how many; 0 also where one has no id. */
static uint32_t ask(const struct pyapi *a, struct cap_frame *at, uint64_t *key)
{
	pyobject *frame = a->frame(), *outer, *code;
	bool known = true;
	uint32_t n = 0;

	if (frame)
		a->ref(frame);
	while (frame && known && n < CAPWIRE_DEPTH_MAX) {
		code = pyapi_get(a, frame, "f_code");
		at[n].line = (int32_t)pyapi_int(a, frame, "f_lineno", 0);
		at[n].code = code ? code_id(a, code) : 0;
		known = at[n].code != 0;
		*key = pykey_mix(*key ^ at[n].code, (uint32_t)at[n].line);
		n++;
		outer = pyapi_get(a, frame, "f_back");
		if (code)
			a->unref(code);
		a->unref(frame);
		frame = outer;
	}
	if (frame)
		a->unref(frame);
	return known ? n : 0;
}

uint32_t pyask_stack(const struct pyapi *a)
{
	struct cap_frame at[CAPWIRE_DEPTH_MAX];
	pyobject *type, *value, *trace;
	uint64_t key = 2;
	uint32_t n, id = 0;
	int gil;

	/* a thread that Python does not know has no frames, and would get a state */
	if (!a->thread_state())
		return 0;
	gil = a->gil_take();
	a->error_put_by(&type, &value, &trace);
	n = ask(a, at, &key);
	if (n > 0 && (id = pytable_stack(key | 1)) == 0)
		id = pytable_put_stack(key | 1, at, n);
	a->error_restore(type, value, trace);
	a->gil_leave(gil);
	return id;
}
