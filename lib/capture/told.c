/* What the hook tells: steps and ranges (capture.h). */
#include "base.h"
#include "capture.h"
#include "emit.h"
#include "state.h"

void tp_capture_step(int64_t number, int64_t start_ns, int64_t end_ns)
{
	struct cap_step *s = emit_on() && !emit_warming() ?
		emit_begin(CAP_STEP, sizeof *s, emit_tid()) : NULL;

	if (!s)
		return;
	*s = (struct cap_step){ start_ns, end_ns, number };
	emit_end(s);
}

void tp_capture_range(int kind, const char *name, int64_t start_ns, int64_t end_ns,
	const char *file, int line)
{
	struct capture_thread *t = &capture_self;
	uint32_t name_id, file_id;
	struct cap_range *r;

	if (!emit_on() || !emit_since(start_ns))
		return;
	capture_mark_end(t, start_ns);
	name_id = name ? emit_text(name, strnlen(name, CAPWIRE_TEXT_MAX + 1)) : 0;
	file_id = file ? emit_text(file, strnlen(file, CAPWIRE_TEXT_MAX + 1)) : 0;
	if (!end_ns) {
		t->mark.start_ns = start_ns;
		t->mark.kind = (uint32_t)kind;
		t->mark.name = name_id;
		t->mark.file = file_id;
		t->mark.line = line;
		return;
	}
	r = emit_begin(CAP_RANGE, sizeof *r, emit_tid());
	if (!r)
		return;
	*r = (struct cap_range){ .start_ns = start_ns, .end_ns = end_ns,
		.kind = (uint32_t)kind, .name = name_id, .line = line, .file = file_id,
		.seq = -1 };
	emit_end(r);
}
