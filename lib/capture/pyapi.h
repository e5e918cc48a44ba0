/* pyapi.h - the calls of Python's own that the library makes, found in the
 * process at run time: it links to no libpython, and works where there is none. */
#ifndef TP_PYAPI_H
#define TP_PYAPI_H

#include "base.h"

typedef void pyobject;

struct pyapi {
	/* without the GIL */
	void *(*thread_state)(void);   /* this thread's, NULL: none */
	int (*finalizing)(void);       /* NULL where Python has none */
	int (*gil_take)(void);
	/* with it */
	void (*gil_leave)(int);
	pyobject *(*frame)(void);      /* the innermost, borrowed; NULL: none */
	pyobject *(*attr)(pyobject *, const char *);
	long (*as_long)(pyobject *);
	const char *(*as_utf8)(pyobject *, ssize_t *);
	pyobject *(*of_utf8)(const char *, ssize_t);
	void (*ref)(pyobject *);
	void (*unref)(pyobject *);
	void (*error_put_by)(pyobject **, pyobject **, pyobject **);
	void (*error_restore)(pyobject *, pyobject *, pyobject *);
	void (*error_clear)(void);
};

/* 0 and all is found, -1: this process has no Python, or an odd one. */
int pyapi_find(struct pyapi *a) RESULT_USED;

/* An integer attribute of o, or `none` where it has none or it is no integer.
 * With the GIL; leaves no exception behind. */
int64_t pyapi_int(const struct pyapi *a, pyobject *o, const char *name, int64_t none);
/* An attribute, a new reference, or NULL and no exception; None counts as none. */
pyobject *pyapi_get(const struct pyapi *a, pyobject *o, const char *name);
/* A code object's name: qualified where this Python has that (3.11). */
pyobject *pyapi_name(const struct pyapi *a, pyobject *code);

#endif
