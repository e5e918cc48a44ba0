/* sweep.c - three sorted sources and a stack for each thread. */
#include "base.h"
#include "sweep.h"

#include <stdlib.h>

#include "mem.h"

int sweep_init(struct sweep *w, struct load *l)
{
	memset(w, 0, sizeof *w);
	w->l = l;
	w->nthread = l->tracks.n + 1;
	w->thread = xcalloc(w->nthread, sizeof *w->thread);
	w->hosts = rows_hosts(l);
	w->samples = rows_samples(l);
	if (sorter_first(&l->call_time, &w->calls) == 0)
		return 0;
	sweep_release(w);
	return -1;
}

void sweep_release(struct sweep *w)
{
	size_t i;

	rows_free(w->hosts);
	rows_free(w->samples);
	if (w->calls.s)
		sorter_iter_release(&w->calls);
	for (i = 0; i < w->nthread; i++)
		free(w->thread[i].entry);
	free(w->thread);
	memset(w, 0, sizeof *w);
}

static void step_source(struct sweep *w, enum sweep_kind kind)
{
	switch (kind) {
	case SWEEP_HOST:
		w->host = rows_next(w->hosts, &w->failed);
		break;
	case SWEEP_CALL:
		w->call = sorter_next(&w->calls);
		w->failed |= w->calls.failed;
		break;
	case SWEEP_SAMPLE:
		w->sample = rows_next(w->samples, &w->failed);
		break;
	}
}

/* What begins together: the host's record first, since calls run inside it. */
static bool pick(const struct sweep *w, enum sweep_kind *kind, int64_t *ts)
{
	bool any = false;

	if (w->host) {
		*kind = SWEEP_HOST;
		*ts = w->host->ts;
		any = true;
	}
	if (w->call && (!any || w->call->ts < *ts)) {
		*kind = SWEEP_CALL;
		*ts = w->call->ts;
		any = true;
	}
	if (w->sample && (!any || w->sample->ts < *ts)) {
		*kind = SWEEP_SAMPLE;
		*ts = w->sample->ts;
		any = true;
	}
	return any;
}

static void pop_ended(struct sweep *w, struct thread *t, int64_t ts)
{
	while (t->n > 0 && !sweep_alive(&t->entry[t->n - 1], ts)) {
		t->n--;
		w->entries--;
	}
}

/* A record that begins together with one that is there, and ends later, goes
 * outside it: runs of equal times come in the file's order. */
static void push(struct sweep *w, struct thread *t, const struct entry *e)
{
	size_t at = t->n;

	if (t->n >= SWEEP_DEPTH_MAX || w->entries >= SWEEP_ENTRIES_MAX)
		return;
	GROW(t->entry, t->n, t->cap);
	while (at > 0 && t->entry[at - 1].ts == e->ts && t->entry[at - 1].end < e->end) {
		t->entry[at] = t->entry[at - 1];
		t->entry[at].node = 0;
		at--;
	}
	t->entry[at] = *e;
	t->n++;
	w->entries++;
	t->waits |= (e->flags & NAME_BACKWARD) != 0;
}

bool sweep_entry(const struct sweep *w, const struct sweep_item *it, struct entry *e)
{
	int64_t fwd = NO_INT;

	*e = (struct entry){ .seq = NO_INT };
	if (it->kind == SWEEP_HOST) {
		*e = (struct entry){ it->host->ts, it->host->ts + it->host->dur,
			it->host->seq, it->host->name, 0, 0, 0, it->host->cat };
		fwd = it->host->fwd;
	} else if (it->kind == SWEEP_CALL) {
		*e = (struct entry){ it->call->ts, it->call->ts + it->call->dur,
			NO_INT, it->call->name, 0, 0, 0, it->call->cat };
	} else {
		return false;
	}
	e->fwd = fwd > 0 && fwd <= INT32_MAX ? (int32_t)fwd : 0;
	e->flags = (uint16_t)names_flags(&w->l->names, e->name);
	return true;
}

static void push_last(struct sweep *w)
{
	struct entry e;

	if (sweep_entry(w, &w->last, &e) && e.end > e.ts)
		push(w, w->last.thread, &e);
}

int sweep_next(struct sweep *w, struct sweep_item *it)
{
	enum sweep_kind kind;
	int64_t ts;

	if (!w->begun) {
		w->begun = true;
		step_source(w, SWEEP_HOST);
		step_source(w, SWEEP_CALL);
		step_source(w, SWEEP_SAMPLE);
	} else if (w->last.thread) {
		push_last(w);
		step_source(w, w->last.kind);
	}
	w->last.thread = NULL;
	if (w->failed)
		return -1;
	if (!pick(w, &kind, &ts))
		return 0;
	it->kind = kind;
	it->ts = ts;
	it->host = w->host;
	it->call = w->call;
	it->sample = w->sample;
	it->track = kind == SWEEP_HOST ? w->host->track
		: kind == SWEEP_CALL ? w->call->track : w->sample->track;
	it->thread = &w->thread[it->track];
	pop_ended(w, it->thread, ts);
	w->last = *it;
	return 1;
}
