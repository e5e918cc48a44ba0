/* import_report.c - the import report: what the reader repaired, dropped, flagged or
 * could not link. */
#include "base.h"
#include "ingest.h"

struct line {
	const char *name, *words;
	int64_t n;
	bool fault;            /* worth a line without -v */
};

/* Not a fault: what is counted for the record alone, or said in better words
 * below. */
static bool is_fault(const char *name)
{
	static const char *const quiet[] = { "events", "device_ops", "launches",
		"linked_ops", "unlinked_ops", "lone_launches", "flow_starts",
		"flow_ends", "meta_events", "spilled", "worst_delay_ns",
		"negative_delay", "untimed_ops", "trailing_bytes" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(quiet); i++)
		if (strcmp(quiet[i], name) == 0)
			return false;
	return true;
}

static void say_clocks(const struct trace_info *t)
{
	const struct import_counts *c = &t->count;

	if (c->negative_delay)
		note("%s: launch delays below 0: %" PRId64 " of %" PRId64 ", the worst"
			" -%" PRId64 " ns: host and device clocks differ by at"
			" least that", t->path, c->negative_delay, c->linked_ops,
			c->worst_delay_ns);
	if (c->untimed_ops)
		note("%s: device ops without times: %" PRId64 " of %" PRId64 ": busy is a"
			" lower bound", t->path, c->untimed_ops,
			c->device_ops);
}

static void say_limits(const struct trace_info *t, const char *step_rule)
{
	const struct import_counts *c = &t->count;

	if (t->dialect && strcmp(t->dialect, "legacy autograd") == 0)
		note("%s: a legacy autograd trace, without categories and rank:"
			" views that need them are limited", t->path);
	if (c->device_ops == 0 && c->launches > 0)
		note("%s: no device activity although %" PRId64 " launches were"
			" recorded: busy and idle are unknown (CUPTI not"
			" initialised or already taken, or counters not permitted)",
			t->path, c->launches);
	if (step_rule && strcmp(step_rule, "whole") == 0)
		note("%s: no step marks: the whole window counts as one (see"
			" --step-regex)", t->path);
}

void import_report(const struct trace_info *t, const char *step_rule, bool said)
{
#define COUNT(name, words) { #name, words, t->count.name, is_fault(#name) },
	const struct line line[] = {
#include "counts.def"
	};
#undef COUNT
	size_t i;

	if (t->partial && !said)
		warn("%s: %s", t->path, t->why_partial ? t->why_partial : "cut short");
	for (i = 0; i < ARRAY_LEN(line); i++)
		if (line[i].n && line[i].fault)
			note("%s: %" PRId64 " %s", t->path, line[i].n, line[i].words);
	say_clocks(t);
	say_limits(t, step_rule);
	for (i = 0; i < ARRAY_LEN(line); i++)
		if (line[i].n && !line[i].fault)
			info("%s: %" PRId64 " %s", t->path, line[i].n, line[i].words);
}
