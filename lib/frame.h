/* frame.h - what a name says by itself: a Python frame of whom, a call that
 * launches, a wait for the backward pass.
 *
 * "path(41): func" is a frame; "path(42): func [line]" one that tp-capture put
 * in for a stretch in which a thread stood at that very line.  Built-ins,
 * "nn.Module: X", and generated code ("<string>", "<eval_with_key>.12(5): forward")
 * are not: nobody can open them. */
#ifndef TP_FRAME_H
#define TP_FRAME_H

#include "base.h"

struct frame {
	struct text file, func;
	int64_t line;
	bool own;              /* the user's code */
	bool line_known;       /* the line that was executed, not where func begins */
};

/* scope: a directory that says outright what is the user's, or NULL: then all
 * that is not an installed package, the standard library, torch, generated or
 * the toolkit's hook.  True and *f filled (slices of name) when it is a frame. */
bool frame_parse(struct text name, const char *scope, struct frame *f);

/* NAME_BACKWARD of names.h: the caller of the autograd engine waits here. */
unsigned frame_flags(struct text name);
/* NAME_LAUNCH, NAME_BEGIN_CAPTURE, NAME_END_CAPTURE of a runtime or driver call. */
unsigned call_flags(struct text name);

bool text_begins(struct text t, const char *with);
bool text_ends(struct text t, const char *with);
bool text_has(struct text t, const char *word);

#endif
