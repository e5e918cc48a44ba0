/* tab.h - text for a person: aligned tables, bars, sparklines, into a buf.
 *
 *	struct tab *t = tab_new("lrw");
 *	tab_head(t, "kernel", "time", "where");
 *	tab_row(t, name, num_fmt_ns(n, ns), file); ...
 *	tab_put(t, &b, tab_width(1), isatty(1));  tab_free(t);
 *
 * Width is $COLUMNS, else the terminal's, else 80; text that is no terminal is
 * never cut (cut = false: a 'w' column wraps instead, at spaces, inside a word
 * only where one is wider than the column), on one a 'w' column ends in "...", or
 * loses the directories of a file:line that it holds: the line's number is never
 * cut.  A head without a row is not shown.
 * A table is wider than asked only when its 'l' and 'r' columns alone are.
 * UTF-8 display width is counted; cells are copied and shown by text_show(), so
 * that control bytes, ANSI sequences and direction marks arrive as words.
 * Colour only on a terminal, NO_COLOR and TERM=dumb honoured, and never alone
 * the carrier of a meaning. */
#ifndef TP_TAB_H
#define TP_TAB_H

#include "base.h"
#include "buf.h"

int tab_width(int fd);
bool tab_colour(int fd);

struct tab; /* private */
/* spec: one letter a column (at most 16): 'l' left, 'r' right, 'w' left and
 * takes what width is left (wraps or is cut). */
struct tab *tab_new(const char *spec);
void tab_head(struct tab *t, ...);               /* const char *, one a column */
void tab_row(struct tab *t, ...);                /* const char *, one a column; NULL = "" */
void tab_put(struct tab *t, struct buf *b, int width, bool cut);
void tab_free(struct tab *t);

/* A bar of `width` cells split in parts by their share: letters tell the parts
 * apart ("CCCCxx..."), so that it reads without colour.  Largest remainder:
 * cells add up to width (ties: the earlier part).  Negative values count as 0;
 * a sum of 0 gives spaces. */
struct tab_part { char letter; int64_t value; };
void tab_bar(struct buf *b, const struct tab_part *part, size_t n, int width);
/* A sparkline of n values in width cells, eight levels (UTF-8 blocks); each
 * cell shows the largest of its values; lo..hi is the scale.  Fewer values than
 * cells: one cell a value. */
void tab_spark(struct buf *b, const int64_t *v, size_t n, int width,
	int64_t lo, int64_t hi);

#endif
