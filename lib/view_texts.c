/* view_texts.c - see view_texts.h. */
#include "base.h"
#include "view_texts.h"

#include <stdlib.h>

#include "mem.h"
#include "store.h"

int texts_open(struct texts *t, struct db *db, const struct view_trace *trace)
{
	*t = (struct texts){ .db = db, .trace_id = trace->id };
	t->name = xcalloc(TEXTS_SLOTS, sizeof *t->name);
	t->frame = xcalloc(TEXTS_SLOTS, sizeof *t->frame);
	t->op = db_prepare(db, "SELECT name FROM dev WHERE id = ?1");
	return t->op ? names_open(&t->names, db, trace) : -1;
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
	db_finish(&t->op);
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
	if (!dev)
		return "";
	db_bind_int(t->op, 1, STORE_ID(t->trace_id, dev));
	int got = db_step(t->db, t->op);
	int64_t n = got > 0 ? sqlite3_column_int64(t->op, 0) : 0;
	sqlite3_reset(t->op);
	return got < 0 ? NULL : texts_name(t, n);
}
