/* tab.c - see tab.h. */
#include "base.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mem.h"
#include "num.h"
#include "tab.h"
#include "utf8.h"

#define COLUMNS_MAX 16
#define GAP 2      /* spaces between columns */
#define WIDTH_MIN 12 /* of a 'w' column: below this, wrapping is unreadable */

struct row {
	char *cell[COLUMNS_MAX];
};

struct tab {
	char spec[COLUMNS_MAX + 1];
	size_t ncol;
	struct row *row;
	size_t nrow, cap;
	bool head;         /* row[0] is one */
};

int tab_width(int fd)
{
	const char *s = getenv("COLUMNS");
	struct winsize ws;
	int64_t n;

	if (s && num_int((struct text){ s, strlen(s) }, 20, 10000, &n) == 0)
		return (int)n;
	if (ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col >= 20)
		return ws.ws_col;
	return 80;
}

bool tab_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

struct tab *tab_new(const char *spec)
{
	struct tab *t = xcalloc(1, sizeof(*t));

	t->ncol = MIN(strlen(spec), COLUMNS_MAX);
	memcpy(t->spec, spec, t->ncol);
	return t;
}

void tab_free(struct tab *t)
{
	size_t i, c;

	if (!t)
		return;
	for (i = 0; i < t->nrow; i++)
		for (c = 0; c < t->ncol; c++)
			free(t->row[i].cell[c]);
	free(t->row);
	free(t);
}

static struct row *row_new(struct tab *t)
{
	GROW(t->row, t->nrow, t->cap);
	t->row[t->nrow] = (struct row){ { NULL } };
	return &t->row[t->nrow++];
}

static void row_fill(struct tab *t, va_list ap)
{
	struct row *r = row_new(t);
	struct buf b = BUF_INIT;
	const char *s;
	size_t c;

	for (c = 0; c < t->ncol; c++) {
		s = va_arg(ap, const char *);
		buf_reset(&b);
		if (s)
			text_show(&b, (struct text){ s, strlen(s) });
		r->cell[c] = xmemdup0(b.data ? b.data : "", b.len);
	}
	buf_release(&b);
}

void tab_head(struct tab *t, ...)
{
	va_list ap;

	t->head = t->nrow == 0;
	va_start(ap, t);
	row_fill(t, ap);
	va_end(ap);
}

void tab_row(struct tab *t, ...)
{
	va_list ap;

	va_start(ap, t);
	row_fill(t, ap);
	va_end(ap);
}

static struct text cell_text(const char *s)
{
	return (struct text){ s, s ? strlen(s) : 0 };
}

/* Widths as the cells want them; 'w' columns then share what the others leave. */
static void columns_measure(const struct tab *t, int width, int *col)
{
	int fixed = 0, nwide = 0, share;
	size_t i, c;

	for (c = 0; c < t->ncol; c++) {
		col[c] = 0;
		for (i = 0; i < t->nrow; i++)
			col[c] = MAX(col[c], text_width(cell_text(t->row[i].cell[c])));
		if (t->spec[c] == 'w')
			nwide++;
		else
			fixed += col[c];
	}
	if (!nwide)
		return;
	fixed += GAP * ((int)t->ncol - 1);
	share = MAX((width - fixed) / nwide, WIDTH_MIN);
	for (c = 0; c < t->ncol; c++)
		if (t->spec[c] == 'w')
			col[c] = MIN(col[c], share);
}

/* Bytes of t that fit into width cells, whole runes. */
static size_t text_fit(struct text t, int width)
{
	uint32_t rune;
	size_t i = 0, n;
	int w = 0;

	while (i < t.n) {
		n = utf8_next(t, i, &rune);
		w += rune_width(rune);
		if (w > width)
			break;
		i += n;
	}
	return i;
}

/* Take the first line off *t: up to the last space that fits, else what fits. */
static struct text line_take(struct text *t, int width)
{
	struct text line = *t;
	size_t n = text_fit(*t, width), at;

	if (n == 0 && t->n > 0)
		n = t->n; /* a rune wider than the column */
	if (n < t->n) {
		for (at = n; at > 0 && t->s[at] != ' ';)
			at--;
		if (at > 0)
			n = at;
	}
	line.n = n;
	while (n < t->n && t->s[n] == ' ')
		n++;
	*t = (struct text){ t->s + n, t->n - n };
	return line;
}

static void trim_right(struct buf *b, size_t from)
{
	while (b->len > from && b->data[b->len - 1] == ' ')
		b->len--;
}

static void add_spaces(struct buf *b, int n)
{
	while (n-- > 0)
		buf_addc(b, ' ');
}

static void add_cell(struct buf *b, struct text t, int width, char how)
{
	int pad = width - text_width(t);

	if (how == 'r')
		add_spaces(b, pad);
	buf_add(b, t.s, t.n);
	if (how != 'r')
		add_spaces(b, pad);
}

/* One line of a row from what is left of its cells; false: nothing is. */
static bool row_line(const struct tab *t, struct buf *b, struct text *left,
	const int *col)
{
	size_t c, from = b->len;
	bool more = false;
	struct text part;

	for (c = 0; c < t->ncol; c++) {
		if (c)
			add_spaces(b, GAP);
		if (t->spec[c] == 'w') {
			part = line_take(&left[c], col[c]);
		} else {
			part = left[c];
			left[c] = TEXT("");
		}
		add_cell(b, part, col[c], t->spec[c]);
		more = more || left[c].n;
	}
	trim_right(b, from);
	buf_addc(b, '\n');
	return more;
}

/* "dir/file.py:41", from its first byte to behind the line's number; empty when
 * there is none. */
static struct text place_find(struct text t)
{
	size_t from = 0, to;
	bool dot = false;

	for (size_t i = 0; i + 1 < t.n; i++) {
		if (t.s[i] == ' ') {
			from = i + 1;
			dot = false;
		}
		dot = dot || t.s[i] == '.';
		if (!dot || t.s[i] != ':' || t.s[i + 1] < '0' || t.s[i + 1] > '9')
			continue;
		for (to = i + 1; to < t.n && t.s[to] >= '0' && t.s[to] <= '9';)
			to++;
		return (struct text){ t.s + from, to - from };
	}
	return (struct text){ t.s, 0 };
}

/* What is left of t in width cells.  A place loses its directories first, then what
 * stands before it, and its line's number never. */
static void cell_cut(struct buf *b, struct text t, int width)
{
	struct text place = place_find(t), before = { t.s, (size_t)(place.s - t.s) };
	const char *slash = place.n ? memrchr(place.s, '/', place.n) : NULL;
	struct text rest = { place.s + place.n, t.n - before.n - place.n };
	int room;

	if (!place.n) {
		buf_add(b, t.s, text_fit(t, width - 3));
		buf_adds(b, "...");
		return;
	}
	if (slash && slash - place.s > 3)
		place = (struct text){ slash, (size_t)(place.s + place.n - slash) };
	else
		slash = NULL;
	room = width - text_width(place) - (slash ? 3 : 0) - text_width(before);
	if (room < text_width(rest))
		room -= 3; /* for the mark behind */
	if (room < 0) {
		room = MAX(width - text_width(place) - 3, 0);
		buf_add(b, before.s, text_fit(before, room));
		slash = place.s;
		rest.n = 0;
	} else {
		buf_add(b, before.s, before.n);
	}
	buf_adds(b, slash ? "..." : "");
	while (place.n > 1 && slash && (text_width(place) > width - 3 ||
	    ((unsigned char)place.s[0] & 0xc0) == 0x80))
		place = (struct text){ place.s + 1, place.n - 1 };
	buf_add(b, place.s, place.n);
	buf_add(b, rest.s, text_fit(rest, MAX(room, 0)));
	if (rest.n > text_fit(rest, MAX(room, 0)))
		buf_adds(b, "...");
}

static void row_put(const struct tab *t, const struct row *r, struct buf *b,
	const int *col, bool cut)
{
	struct text left[COLUMNS_MAX];
	struct buf shortened[COLUMNS_MAX] = { BUF_INIT };
	size_t c;

	for (c = 0; c < t->ncol; c++) {
		left[c] = cell_text(r->cell[c]);
		if (!cut || t->spec[c] != 'w' || text_width(left[c]) <= col[c])
			continue;
		HOLDS(left[c].s); /* it has a width */
		cell_cut(&shortened[c], left[c], col[c]);
		left[c] = buf_text(&shortened[c]);
	}
	while (row_line(t, b, left, col))
		;
	for (c = 0; c < t->ncol; c++)
		buf_release(&shortened[c]);
}

void tab_put(struct tab *t, struct buf *b, int width, bool cut)
{
	int col[COLUMNS_MAX];
	size_t i;

	if (t->head && t->nrow == 1)
		return; /* of nothing */
	columns_measure(t, width, col);
	for (i = 0; i < t->nrow; i++)
		row_put(t, &t->row[i], b, col, cut);
}
