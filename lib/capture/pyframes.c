/* pyframes.c - the calling thread's Python stack. */
#include "base.h"
#include "pyframes.h"

#include <stdatomic.h>

#include "capture.h"
#include "emit.h"
#include "pyapi.h"
#include "pyask.h"
#include "pycode.h"
#include "pyproof.h"
#include "pytable.h"
#include "pywalk.h"

enum how { HOW_OFF, HOW_READ, HOW_ASK };

static struct pyapi api;
static const struct pylayout *layout;
static _Atomic int how;

/* What is new and has to be sent is kept out of the path of what is not. */
#define RARE __attribute__((noinline, cold))

/* A string of a code object, copied to where there are CAPWIRE_TEXT_MAX bytes. */
static struct text copy_text(const char *code, unsigned at, char *to)
{
	return (struct text){ to, pystring_copy(layout, py_pointer(code, at), to,
		CAPWIRE_TEXT_MAX) };
}

/* A code object's id, sent when it is new. */
RARE static uint32_t code_id(const char *code, uint64_t key)
{
	char file[CAPWIRE_TEXT_MAX], name[CAPWIRE_TEXT_MAX];
	const uint32_t id = pytable_code(key);

	if (id)
		return id;
	return pytable_put_code(key, copy_text(code, layout->file, file),
		copy_text(code, layout->name, name), py_int(code, layout->first_line));
}

RARE static uint32_t send_stack(uint64_t key, const struct pyframe *at,
	const uint64_t *code_key, uint32_t n)
{
	struct cap_frame frame[CAPWIRE_DEPTH_MAX];
	uint32_t i;

	for (i = 0; i < n; i++) {
		frame[i].code = code_id(at[i].code, code_key[i]);
		frame[i].line = pycode_line(layout, at[i].code, at[i].at);
		if (!frame[i].code)
			return 0;
	}
	return pytable_put_stack(key, frame, n);
}

static uint32_t read_stack(void)
{
	struct pyframe at[CAPWIRE_DEPTH_MAX];
	uint64_t code_key[CAPWIRE_DEPTH_MAX], key = 0;
	const char *thread = api.thread_state();
	uint32_t n, i, id;

	if (!thread)
		return 0;
	n = pywalk(layout, thread, at, ARRAY_LEN(at));
	if (n == 0)
		return 0;
	for (i = 0; i < n; i++) {
		code_key[i] = pycode_key(layout, at[i].code) | 1;
		key = pykey_mix(key ^ code_key[i], (uint64_t)(uint32_t)at[i].at);
	}
	key |= 1;
	id = pytable_stack(key);
	return id || !pytable_room() ? id : send_stack(key, at, code_key, n);
}

uint32_t pyframes_stack(bool launch)
{
	const int now = atomic_load_explicit(&how, memory_order_acquire);

	if (now == HOW_OFF || (api.finalizing && api.finalizing()))
		return 0;
	if (now == HOW_READ)
		return read_stack();
	return launch ? pyask_stack(&api) : 0;
}

void pyframes_off(void)
{
	atomic_store_explicit(&how, HOW_OFF, memory_order_release);
}

/* The GIL may be held by a thread that waits for what this one holds: who wants
 * stacks all the same says so. */
static bool may_ask(void)
{
	const char *s = getenv("TP_PYTHON_ASK");

	return s && strcmp(s, "1") == 0;
}

int tp_capture_python(int py_hexversion)
{
	pyframes_off();
	if (py_hexversion == 0 || pyapi_find(&api) < 0)
		return -1;
	layout = pylayout_of(py_hexversion);
	if (layout && pyproof_run(&api, layout) == 0) {
		atomic_store_explicit(&how, HOW_READ, memory_order_release);
		return 0;
	}
	if (!may_ask())
		return -1;
	atomic_store_explicit(&how, HOW_ASK, memory_order_release);
	return 1;
}
