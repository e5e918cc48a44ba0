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

static void row_put(const struct tab *t, const struct row *r, struct buf *b,
	const int *col, bool cut)
{
	struct text left[COLUMNS_MAX];
	struct buf shortened[COLUMNS_MAX] = { BUF_INIT };
	size_t c, n;

	for (c = 0; c < t->ncol; c++) {
		left[c] = cell_text(r->cell[c]);
		if (!cut || t->spec[c] != 'w' || text_width(left[c]) <= col[c])
			continue;
		n = text_fit(left[c], col[c] - 3);
		HOLDS(left[c].s); /* it has a width */
		buf_add(&shortened[c], left[c].s, n);
		buf_adds(&shortened[c], "...");
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

	columns_measure(t, width, col);
	for (i = 0; i < t->nrow; i++)
		row_put(t, &t->row[i], b, col, cut);
}
