/* view_texts.c - see view_texts.h. */
#include "base.h"
#include "view_texts.h"

#include <stdlib.h>

#include "mem.h"
#include "store.h"

int texts_open(struct texts *t, struct db *db, const struct view_trace *trace)
{
	*t = (struct texts){ 0 };
	t->name = xcalloc(TEXTS_SLOTS, sizeof *t->name);
	t->frame = xcalloc(TEXTS_SLOTS, sizeof *t->frame);
	if (near_open(&t->ops, db, trace, OPS_TABLE, OPS_COLUMNS) < 0)
		return -1;
	return names_open(&t->names, db, trace);
}

void texts_close(struct texts *t)
{
	for (size_t i = 0; t->name && i < TEXTS_SLOTS; i++) {
		free(t->name[i].text);
		anchor_release(&t->frame[i].at);
	}
	free(t->name);
	free(t->frame);
	t->name = NULL;
	t->frame = NULL;
	near_close(&t->ops);
	names_close(&t->names);
}

const char *texts_name(struct texts *t, int64_t n)
{
	struct texts_name *slot = &t->name[(uint64_t)n % TEXTS_SLOTS];
	if (!n)
		return "";
	if (slot->n != n) {
		char *text = names_get(&t->names, n);
		if (!text)
			return NULL;
		free(slot->text);
		*slot = (struct texts_name){ n, text };
	}
	return slot->text;
}

const struct anchor_text *texts_frame(struct texts *t, int64_t frame)
{
	struct texts_frame *slot = &t->frame[(uint64_t)frame % TEXTS_SLOTS];
	if (slot->n != frame) {
		struct anchor_text at = { 0 };
		if (names_anchor(&t->names, frame, 0, &at) < 0)
			return NULL;
		anchor_release(&slot->at);
		*slot = (struct texts_frame){ frame, at };
	}
	return &slot->at;
}

const char *texts_op(struct texts *t, int64_t dev)
{
	const int64_t *op = dev ? near_get(&t->ops, dev) : NULL;
	if (!dev)
		return "";
	return op ? texts_name(t, op[OP_NAME]) : NULL;
}
