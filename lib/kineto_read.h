/* kineto_read.h - the reader's buffer and parser, shared by kineto.c (the loop)
 * and kineto_mend.c (what to do where the parser refuses).
 *
 * The buffer always holds the text since the last whole event (or member of the
 * document), so that when the parser refuses, that one can be rewritten from its
 * beginning and handed to a new parser that a prefix has put in the same place. */
#ifndef TP_KINETO_READ_H
#define TP_KINETO_READ_H

#include "in.h"
#include "kineto_doc.h"

/* 128 KiB at a time stay in the second-level cache while the parser and the
 * hash go over them. */
#ifndef CHUNK
#define CHUNK (128u << 10)
#endif
#define BUFFER (UNIT_MAX + 2 * CHUNK)
/* What may be scanned in vain, in all, before we believe that this is no trace
 * with faults but noise: a second of work. */
#define WASTE_MAX (INT64_C(1) << 28)

struct reader {
	struct in *in;
	struct doc d;
	struct hash hash;
	char *bytes;
	size_t n, fed;
	int64_t at;            /* offset in the input of bytes[0] */
	bool end;
	bool careful;          /* every event to yajl */
	bool lost;             /* a member larger than UNIT_MAX: its text is gone */
	uint64_t idle_tokens, idle_bytes;
	int64_t waste;
	int64_t mended_at;     /* offset in the input behind the last repair */
	struct buf out;        /* rewritten text */
};

enum step { STEP_FAIL = -1, STEP_END, STEP_ON };

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline size_t unit_at(const struct reader *r)
{
	return (size_t)r->d.unit_at;
}

/* The text before p is done with: feed from there. */
static inline void go_on_at(struct reader *r, size_t p)
{
	r->fed = p;
	r->d.unit_at = (int64_t)p;
}

/* More bytes behind what is kept, from `keep` on, which moves to the front.
 * 1, 0 at the end, -1. */
int reader_fill(struct reader *r, size_t keep) RESULT_USED;
/* A new parser, put in its place by a prefix. */
void reader_restart(struct reader *r, const char *prefix);
void reader_restart_events(struct reader *r);
/* Give the parser text that is not in the buffer. */
yajl_status reader_feed_aside(struct reader *r, const char *s, size_t n);
enum step reader_cut_short(struct reader *r);

/* kineto_read(); careful: without the scanner.  Tests hold one against the other. */
int kineto_read_carefully(struct in *in, const void *first, size_t n,
	const struct event_sink *sink, struct trace_info *info, bool careful) RESULT_USED;

/* The parser refused, or a callback did: repair, or drop and go on. */
enum step mend(struct reader *r) RESULT_USED;
/* Skip events until one begins, or the array ends, at or behind p. */
enum step mend_resync(struct reader *r, size_t p) RESULT_USED;
/* A part of the document that cannot be read: look for the events behind it. */
enum step mend_find_events(struct reader *r, size_t p) RESULT_USED;

#endif
