/* hookrec.c - see hookrec.h. */
#include "base.h"
#include "hookrec.h"
#include "mem.h"
#include "say.h"

#include <stdlib.h>

/* One process of the job. */
struct process {
	struct hookrec *h;
	bool has_rank, refused, bye;
	int64_t rank;
};

void hookrec_init(struct hookrec *h, hookrec_fn *fn, void *arg)
{
	*h = (struct hookrec){ .fn = fn, .arg = arg, .parser = rec_parser_new() };
}

static void process_free(void *data)
{
	struct process *p = data;

	if (p->has_rank) {
		p->h->open_ranks--;
		if (!p->bye)
			p->h->torn_ranks++;
	}
	free(p);
}

static struct process *process_of(struct hookrec *h, struct hook_client *c)
{
	if (!c->data) {
		struct process *p = xcalloc(1, sizeof *p);

		p->h = h;
		c->data = p;
		c->data_free = process_free;
	}
	return c->data;
}

static bool rank_take(struct hookrec *h, int64_t rank)
{
	for (size_t i = 0; i < h->nrank; i++)
		if (h->rank[i] == rank)
			return false;
	GROW(h->rank, h->nrank, h->rank_cap);
	h->rank[h->nrank++] = rank;
	return true;
}

/* The first run record of a process says its rank. */
static void process_rank(struct hookrec *h, struct process *p, const struct rec *r)
{
	int64_t pid = 0;

	if (p->has_rank || p->refused || rec_int(r, "rank", &p->rank))
		return;
	if (rank_take(h, p->rank)) {
		p->has_rank = true;
		h->open_ranks++;
		return;
	}
	p->refused = true;
	if (rec_int(r, "pid", &pid) == 0 && h->refused++ == 0)
		warn("process %" PRId64 " makes steps as rank %" PRId64
			" too: only the first process of a rank is recorded",
			pid, p->rank);
}

static int control(struct hookrec *h, struct process *p, const struct rec *r)
{
	struct text words = rec_text(r, "text");
	int64_t dropped;

	if (text_is(r->kind, "tp_hello")) {
		h->hellos++;
	} else if (text_is(r->kind, "tp_note")) {
		note("%.*s", (int)words.n, words.s ? words.s : "");
	} else if (text_is(r->kind, "tp_off")) {
		h->faults++;
		warn("the hook switched itself off (the job goes on): %.*s",
			(int)words.n, words.s ? words.s : "");
	} else if (text_is(r->kind, "tp_bye")) {
		p->bye = true;
		if (rec_int(r, "dropped", &dropped) == 0 && dropped > 0)
			h->dropped += (uint64_t)dropped;
	} else if (text_is(r->kind, "tp_gave_way")) {
		h->gave_way++;
	} else if (text_is(r->kind, "tp_trace")) {
		return h->trace && !p->refused ? h->trace(h->arg, r) : 0;
	} else {
		return -1;
	}
	return 0;
}

static bool is_ours(struct text kind)
{
	return text_is(kind, "run") || text_is(kind, "startup") ||
		text_is(kind, "step");
}

int hookrec_line(void *hookrec, struct hook_client *c, struct text line)
{
	struct hookrec *h = hookrec;
	struct process *p = process_of(h, c);
	const char *why;
	struct rec r;

	if (rec_parse(h->parser, line, &r, &why)) {
		warn("the hook sent a line that is no record: %s", why);
		return -1;
	}
	if (r.kind.n > 3 && memcmp(r.kind.s, "tp_", 3) == 0)
		return control(h, p, &r);
	if (!is_ours(r.kind))
		return -1;
	if (text_is(r.kind, "run"))
		process_rank(h, p, &r);
	if (!p->has_rank)
		return 0;
	if (!h->deaf && h->fn(h->arg, &r))
		h->deaf = true;
	return 0;
}

bool hookrec_verdict(const struct hookrec *h, bool entered)
{
	if (h->nrank)
		return true;
	if (h->faults)
		return false; /* said */
	if (!entered)
		note("no Python process of the job could be entered (python -I, -E "
			"or -S, or none at all)");
	else if (!h->hellos)
		note("no Python process of the job imported torch");
	else
		note("the job made no steps: no optimizer step and no module "
			"call twice (--step says what a step is)");
	return false;
}

void hookrec_release(struct hookrec *h)
{
	rec_parser_free(h->parser);
	free(h->rank);
	*h = (struct hookrec){ 0 };
}

int hookrec_opt_rule(void *to, const char *words)
{
	const char *colon = strrchr(words, ':');

	if (strcmp(words, "auto") != 0 && strcmp(words, "optimizer") != 0 &&
	    strcmp(words, "forward") != 0 && (!colon || colon == words || !colon[1]))
		return error("--step '%s': not auto, optimizer, forward, FILE:LINE or"
			" MODULE:FUNC", words);
	*(const char **)to = words;
	return 0;
}
