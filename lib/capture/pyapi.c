/* pyapi.c - Python's own calls, found at run time. */
#include "base.h"
#include "pyapi.h"

#include <dlfcn.h>

int pyapi_find(struct pyapi *a)
{
	const struct { void *place; const char *name; bool needed; } call[] = {
		{ &a->thread_state, "PyGILState_GetThisThreadState", true },
		{ &a->finalizing, "Py_IsFinalizing", false },
		{ &a->finalizing, "_Py_IsFinalizing", false }, /* until 3.12 */
		{ &a->gil_take, "PyGILState_Ensure", true },
		{ &a->gil_leave, "PyGILState_Release", true },
		{ &a->frame, "PyEval_GetFrame", true },
		{ &a->attr, "PyObject_GetAttrString", true },
		{ &a->as_long, "PyLong_AsLong", true },
		{ &a->as_utf8, "PyUnicode_AsUTF8AndSize", true },
		{ &a->of_utf8, "PyUnicode_FromStringAndSize", true },
		{ &a->ref, "Py_IncRef", true },
		{ &a->unref, "Py_DecRef", true },
		{ &a->error_put_by, "PyErr_Fetch", true },
		{ &a->error_restore, "PyErr_Restore", true },
		{ &a->error_clear, "PyErr_Clear", true },
	};
	void *found;
	size_t i;

	for (i = 0; i < ARRAY_LEN(call); i++) {
		found = dlsym(RTLD_DEFAULT, call[i].name);
		if (!found && call[i].needed)
			return -1;
		if (found)
			memcpy(call[i].place, &found, sizeof found);
	}
	return 0;
}

int64_t pyapi_int(const struct pyapi *a, pyobject *o, const char *name, int64_t none)
{
	pyobject *v = a->attr(o, name);
	long n = v ? a->as_long(v) : -1;

	if (v)
		a->unref(v);
	if (n == -1) {
		/* no such thing, or -1 itself, which none of these attributes
		 * but an instruction not begun has */
		a->error_clear();
		return none;
	}
	return n;
}

pyobject *pyapi_get(const struct pyapi *a, pyobject *o, const char *name)
{
	static pyobject *none;
	void *found;
	pyobject *v = a->attr(o, name);

	if (!none && (found = dlsym(RTLD_DEFAULT, "_Py_NoneStruct")) != NULL)
		none = found;
	if (!v)
		a->error_clear();
	if (v && v == none) {
		a->unref(v);
		return NULL;
	}
	return v;
}

pyobject *pyapi_name(const struct pyapi *a, pyobject *code)
{
	pyobject *name = pyapi_get(a, code, "co_qualname");

	return name ? name : pyapi_get(a, code, "co_name");
}
