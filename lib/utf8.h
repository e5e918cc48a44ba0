/* utf8.h - strict UTF-8 (no overlong forms, no surrogates, at most U+10FFFF):
 * check it, repair it, show it to a person.  No locale.
 *
 * Every name that is stored goes through text_fix_utf8(), whether it came from
 * a trace file or through a stream (jw.c uses the same repair), so that both
 * ways give the same store. */
#ifndef TP_UTF8_H
#define TP_UTF8_H

#include "base.h"
#include "buf.h"

/* utf8_next's word for bytes that are no rune. */
#define RUNE_BAD UINT32_MAX

/* Length of the rune at t.s[at] (at < t.n), and the rune.  Bytes that are none:
 * RUNE_BAD and the length of what one U+FFFD stands for (the longest beginning
 * of a rune, at least 1: as browsers and Python do). */
size_t utf8_next(struct text t, size_t at, uint32_t *rune);
bool utf8_valid(struct text t);

/* t with every bad sequence as U+FFFD; idempotent. */
void text_fix_utf8(struct buf *b, struct text t);
/* t for a person's eyes, on one line: control bytes as \x1b, C1 controls, line
 * and paragraph separators and marks that turn the direction of text as
 * \u202e, bad UTF-8 as U+FFFD.  Nothing else is changed. */
void text_show(struct buf *b, struct text t);

/* At most max bytes of t, whole runes; what is cut ends in "...". */
void text_add_cut(struct buf *b, struct text t, size_t max);

/* A rune that must not reach a terminal raw. */
bool rune_is_control(uint32_t rune);
int rune_width(uint32_t rune);                   /* cells: 0, 1 or 2 */
int text_width(struct text t);                   /* cells of t as it is */

#endif
