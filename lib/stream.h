/* stream.h - the toolkit's stream: head, records, end (tp-stream(5)).
 *
 * Reading:   struct stream *s = stream_open("-");
 *            while ((r = stream_next(s, &rec)) > 0) ...
 *            r < 0: failed, said.   stream_close(s) returns the status so far.
 * stream_next returns every record, head and end too; the bookkeeping is done
 * before it returns.  A head is checked (unknown major version: -1, said).  An
 * `end` is compared with what came.  A segment (head to end) is cut when its end
 * is missing, counts otherwise or says "complete":false, and when a line of it was no
 * record: each cut segment is warned of once, those of a head alone once a file, bad
 * lines once a file with the first one's place, and the status becomes ST_PARTIAL.
 * So is an input with no record at all.
 * Streams laid end to end are read as one after the other.  Blank lines, CR LF,
 * a byte order mark and a missing last newline are taken.
 *
 * Writing:   stream_writer_init, _head, _begin/_put per record, _end, _close.
 *
 * A filter:  while ((r = stream_next(s, &rec)) > 0)
 *                    if (!mine(&rec) && stream_relay(s, &w, &rec, argv) < 0) die
 *            stream_relay(s, &w, NULL, argv);
 * Memory: one line (REC_LINE_MAX at most) and the head. */
#ifndef TP_STREAM_H
#define TP_STREAM_H

#include "base.h"
#include "in.h"
#include "jw.h"
#include "out.h"
#include "rec.h"

#define TP_STREAM_MAJOR 1

struct stream; /* private */

/* NULL, said: it cannot be opened, or is something else that is known. */
struct stream *stream_open(const char *path) RESULT_USED;
/* Takes over an input of which the first n bytes were already read. */
struct stream *stream_adopt(struct in *in, const void *first, size_t n) RESULT_USED;
int stream_next(struct stream *s, struct rec *r) RESULT_USED; /* 1, 0, -1 */
/* The record just read cannot be used: counted and told as a bad line. */
void stream_reject(struct stream *s, const char *why);
/* When set, called before a read that would block: flush your output there. */
void stream_on_idle(struct stream *s, int (*fn)(void *), void *arg);
/* The head in force: {tp,...} as parsed; epoch_ns 0 with none. */
int64_t stream_epoch_ns(const struct stream *s);
struct text stream_head_text(const struct stream *s, const char *key); /* "host", "program" */
struct text stream_prov(const struct stream *s); /* raw JSON array, "[]" with none */
/* How the segment (head to end) stands: complete only after its whole end. */
bool stream_cut(const struct stream *s);
/* ST_OK or ST_PARTIAL over all segments; frees s. */
int stream_close(struct stream *s);

/* The face of output: -t text, -j plain NDJSON, -z LZ4; else a terminal gets
 * text and anything else LZ4. */
enum face { FACE_AUTO, FACE_TEXT, FACE_JSON, FACE_LZ4 };
enum face face_resolve(enum face wish, int fd);

struct stream_writer {
	struct out *out;
	struct buf line;
	struct jw jw;      /* fill between stream_begin and stream_put */
	uint64_t records;  /* since the head, without head and end */
	uint64_t dropped;  /* add to it what was lost here; goes into the end */
	bool warned;
	bool open;         /* a head was written and no end yet */
};
/* FACE_LZ4 wraps, every other face is plain lines. */
int stream_writer_init(struct stream_writer *w, int fd, enum face face) RESULT_USED;
/* prov: the input's raw JSON array or {NULL,0}; our own step is appended
 * {program, version, host, argv[]}; argv may be NULL. */
int stream_head(struct stream_writer *w, int64_t epoch_ns, struct text prov,
	char **argv) RESULT_USED;
/* Start a record of that kind: jw is inside the object, "kind" written. */
struct jw *stream_begin(struct stream_writer *w, const char *kind);
/* The same, where how it begins is ready made: {"kind":"...", and more members. */
struct jw *stream_begin_as(struct stream_writer *w, struct text begin);
/* A record that a reader would refuse (REC_LINE_MAX) is dropped: counted in the
 * end record, said once. */
int stream_put(struct stream_writer *w) RESULT_USED;
int stream_pass(struct stream_writer *w, struct text line) RESULT_USED; /* a record unchanged */
/* job_status < 0: none. */
int stream_end(struct stream_writer *w, bool complete, int job_status) RESULT_USED;
int stream_writer_flush(void *w) RESULT_USED;    /* fits stream_on_idle */
int stream_writer_close(struct stream_writer *w) RESULT_USED;
void stream_writer_abort(struct stream_writer *w); /* error path; cannot fail */

/* Pass on a record that the caller did not consume: a head becomes ours with
 * the input's epoch, host and unknown keys and one more step in prov; an end
 * counts what w wrote and repeats job_status; all else goes unchanged.  A head is
 * made up where the input has none, an incomplete end where it lacks one.
 * r NULL: the input has ended. */
int stream_relay(struct stream *s, struct stream_writer *w, const struct rec *r,
	char **argv) RESULT_USED;

#endif
