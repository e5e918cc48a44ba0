/* kineto_doc.h - the inside of the Chrome-trace reader, shared by its parts:
 *	kineto.c        bytes in, the parser fed and restarted, repairs
 *	kineto_doc.c    the parser's callbacks: where in the document we are
 *	kineto_scan.c   the fast way through an event, calling those callbacks
 *	kineto_event.c  the values of one event -> struct event -> the sink
 *	kineto_pair.c   B and E events paired
 *	kineto_info.c   what the document says of itself
 * Nothing else includes this. */
#ifndef TP_KINETO_DOC_H
#define TP_KINETO_DOC_H

#include <yajl/yajl_parse.h>

#include "buf.h"
#include "dialect.h"
#include "event.h"
#include "jw.h"
#include "kineto_key.h"

/* Real events are 200 bytes to 200 KB (shapes of a fused optimizer); beyond
 * these an event is dropped and counted. */
#ifndef UNIT_MAX /* the fuzzer builds with small ones */
#define UNIT_MAX (4u << 20)
#endif
#define STRING_MAX (1u << 20)
#define DEPTH_MAX 64

struct pairs;

/* A value kept whole as JSON text while the parser walks through it. */
struct capture {
	struct buf text;
	struct jw jw;
	int depth;             /* of the document outside it; 0: none */
};

struct doc {
	yajl_handle parser;
	const struct event_sink *sink;
	struct trace_info *info;
	struct key_table keys;
	struct comm_cache comm;
	struct pairs *pairs;

	/* where */
	int depth;             /* open containers */
	int event_depth;       /* depth inside an event; 0: not among them */
	bool array_form;       /* the document is the array itself */
	bool events_seen, done;
	char top[32];          /* key of the document's member */
	/* the bytes being fed; -1 as start: not of the file (rewritten text) */
	const char *chunk;
	size_t chunk_n;
	int64_t chunk_at;
	int64_t unit_at;       /* behind the last whole event or member */
	bool fresh;            /* nothing is before it: no comma is due */
	uint64_t tokens;

	/* the event in progress */
	bool in_args;
	enum kineto_key key;
	uint64_t seen, quoted; /* sets of keys; quoted: a string */
	struct text value[K_COUNT];
	int64_t blocks;
	char *arena;           /* UNIT_MAX: what does not lie in the chunk */
	size_t arena_n;
	struct capture capture;
	struct buf args;

	/* the trace */
	bool stop;             /* the sink said so */
	bool have_origin;
	int64_t origin_ns, file_base_ns;
	const struct cat_rule *rule;  /* of last_cat */
	char last_cat[48];
	bool saw_kineto, saw_old, saw_legacy, saw_string_ts, saw_other;
};

extern const yajl_callbacks doc_callbacks;

void doc_init(struct doc *d, const struct event_sink *sink, struct trace_info *info);
void doc_release(struct doc *d);
/* Forget the position, for a new parser. */
void doc_rewind(struct doc *d);
/* The value of a key of ours; it stays where it is until the event is at its end. */
static inline void doc_set(struct doc *d, enum kineto_key k, struct text value, bool quoted)
{
	if (d->seen & K_BIT(k))
		d->info->count.dup_keys++;
	d->seen |= K_BIT(k);
	d->quoted = (d->quoted & ~K_BIT(k)) | (uint64_t)quoted << k;
	d->value[k] = value;
}
/* The chunk goes away: bring what the event in progress needs to safety. */
int doc_keep(struct doc *d) RESULT_USED;
static inline bool doc_in_events(const struct doc *d) { return d->event_depth > 0; }
static inline bool doc_in_event(const struct doc *d)
{
	return d->event_depth > 0 && d->depth >= d->event_depth;
}
static inline bool doc_between_events(const struct doc *d)
{
	return d->event_depth > 0 && d->depth == d->event_depth - 1;
}

/* One event at **at, an opening brace.  SCAN_EVENT: it is done, and *at behind
 * it.  SCAN_ODD: it has what only yajl can tell; SCAN_CUT: it goes on behind
 * `end`; with both nothing has happened.  SCAN_STOP: the sink stopped.
 * TOKEN_PAD zero bytes follow the text; d->chunk is set. */
enum scan_result { SCAN_EVENT, SCAN_ODD, SCAN_CUT, SCAN_STOP };
enum scan_result scan_event(struct doc *d, const char **at, const char *end) RESULT_USED;
/* Where the value at p seems to end, by its brackets; NULL: not before `end`. */
const char *scan_event_end(const char *p, const char *end);

/* An event was lost; the file is partial. */
void doc_partial(struct doc *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
void doc_bad_event(struct doc *d, const char *why);

/* One event is whole: 0, or -1 when the sink stopped. */
int event_finish(struct doc *d) RESULT_USED;
/* Send it: counted here. */
int event_emit(struct doc *d, const struct event *ev) RESULT_USED;

struct pairs *pairs_new(void);
void pairs_free(struct pairs *p);
/* A B event; false: too many are open, not taken. */
bool pairs_begin(struct pairs *p, const struct event *ev);
/* The E for it: the innermost open one of the same thread (and name, if it has
 * one) into *ev, its slices valid until the next call; false: none. */
bool pairs_end(struct pairs *p, const struct event *end, struct event *ev);
int64_t pairs_open(const struct pairs *p);

/* A scalar member of the document, or (json) a captured one. */
void info_member(struct doc *d, struct text value, bool json);
/* At the end: base, rank, host, dialect. */
void info_finish(struct doc *d);

#endif
