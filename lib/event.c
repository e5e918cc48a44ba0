/* event.c - category names, and the ownership of trace_info. */
#include "event.h"

#include <stdlib.h>

static const struct text cat_word[CAT_COUNT] = {
#define X(e, n, d, k) [e] = { n, sizeof(n) - 1 },
	EVENT_CATS(X)
#undef X
};

const char *cat_name(enum event_cat c)
{
	return (unsigned)c < CAT_COUNT ? cat_word[c].s : "other";
}

int cat_parse(struct text name)
{
	for (int c = 0; c < CAT_COUNT; c++)
		if (text_eq(name, cat_word[c]))
			return c;
	return -1;
}

void trace_info_init(struct trace_info *t)
{
	memset(t, 0, sizeof *t);
	t->rank = NO_INT;
	t->world_size = NO_INT;
}

void trace_info_release(struct trace_info *t)
{
	for (size_t i = 0; i < t->ndevice; i++) {
		free(t->device[i].id);
		free(t->device[i].name);
	}
	free(t->device);
	free(t->path);
	free(t->host);
	free(t->torch);
	free(t->dialect);
	free(t->dist);
	free(t->why_partial);
	trace_info_init(t);
}
