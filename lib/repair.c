/* repair.c - a tolerant scanner that writes strict JSON. */
#include "repair.h"

/* Longest key that the look-ahead behind a comma believes in. */
#define KEY_MAX 256
#define WORD_MAX 64

struct repair {
	const char *s;
	size_t n, at;
	bool last;
	size_t seen;           /* how far a string was looked for */
	bool more;             /* ran off the end: more bytes could decide */
	enum repair_after after;
	struct buf *out;
	int depth;
	char open[REPAIR_DEPTH_MAX + 1]; /* closers awaited */
	struct import_counts count;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static size_t skip_space(const struct repair *r, size_t p)
{
	while (p < r->n && is_space(r->s[p]))
		p++;
	return p;
}

/* At the end of the bytes: what would be there fits only if nothing must come. */
static bool fits_end(struct repair *r, bool end_fits)
{
	if (!r->last)
		r->more = true;
	return r->last && end_fits;
}

/* Is there a key with its colon at p (a quote)? */
static bool fits_key(struct repair *r, size_t p)
{
	size_t stop = MIN(r->n, p + 1 + KEY_MAX);

	for (size_t i = p + 1; i < stop; i++) {
		if (r->s[i] == '\\') {
			i++;
			continue;
		}
		if (r->s[i] != '"')
			continue;
		i = skip_space(r, i + 1);
		return i < r->n ? r->s[i] == ':' : fits_end(r, false);
	}
	return stop == r->n ? fits_end(r, false) : false;
}

static bool fits_value_start(char c)
{
	return c != 0 && (strchr("{[\"-+.tfnNIiT", c) || (c >= '0' && c <= '9'));
}

/* Behind a comma within a container (or, depth 0, behind the value). */
static bool fits_next(struct repair *r, size_t p, int depth)
{
	p = skip_space(r, p);
	if (p >= r->n)
		return fits_end(r, depth == 0);
	if (depth == 0 && r->after == AFTER_ELEMENT)
		return r->s[p] == '{' || r->s[p] == ']';
	if (depth == 0 || r->open[depth - 1] == '}')
		return r->s[p] == '}' || (r->s[p] == '"' && fits_key(r, p));
	return r->s[p] == ']' || fits_value_start(r->s[p]);
}

/* Does what begins at p fit behind a finished value in the open containers? */
static bool fits_after(struct repair *r, size_t p)
{
	int depth = r->depth;
	size_t q = skip_space(r, p);

	for (; q < r->n && depth > 0 && r->s[q] == r->open[depth - 1];
	     q = skip_space(r, q + 1))
		depth--;
	if (q >= r->n)
		return fits_end(r, depth == 0);
	if (r->s[q] == ',')
		return fits_next(r, q + 1, depth);
	if (depth == 0)
		return r->s[q] == (r->after == AFTER_ELEMENT ? ']' : '}') ||
		       (r->after == AFTER_ELEMENT && r->s[q] == '{');
	/* a forgotten comma, if there is white space and then a key */
	return q > p && r->s[q] == '"' && r->open[depth - 1] == '}' &&
	       fits_key(r, q);
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* Length of the escape at p (a backslash), 0 when JSON has none like it. */
static size_t escape_len(const struct repair *r, size_t p)
{
	size_t k = 2;

	if (p + 1 >= r->n || !r->s[p + 1])
		return 0;
	if (strchr("\"\\/bfnrt", r->s[p + 1]))
		return 2;
	if (r->s[p + 1] != 'u')
		return 0;
	while (k < 6 && p + k < r->n && is_hex(r->s[p + k]))
		k++;
	return k == 6 ? 6 : 0;
}

struct found {
	size_t end;            /* of the closing quote */
	bool literal;          /* backslashes mean themselves */
	bool quotes, control;
};

static bool closes(struct repair *r, size_t p, bool key)
{
	if (!key)
		return fits_after(r, p);
	p = skip_space(r, p);
	return p < r->n ? r->s[p] == ':' : fits_end(r, false);
}

/* Find where the string that opens at r->at ends. */
static int find_close(struct repair *r, bool key, struct found *f)
{
	*f = (struct found){ 0 };
	for (size_t i = r->at + 1; i < r->n; i++) {
		unsigned char c = (unsigned char)r->s[i];

		r->seen = i;
		if (c == '"') {
			if (closes(r, i + 1, key)) {
				f->end = i;
				return 0;
			}
			if (r->more)
				return -1;
			f->quotes = true;
		} else if (c == '\\') {
			size_t n = escape_len(r, i);
			bool quote = i + 1 < r->n && r->s[i + 1] == '"';

			/* "C:\tmp\": the structure says that it ends here */
			if (quote && closes(r, i + 2, key))
				n = 0;
			else if (quote && r->more)
				return -1;
			if (n == 0)
				f->literal = true;
			else if (!f->literal)
				i += n - 1;
		} else if (c < 0x20) {
			f->control = true;
		}
	}
	r->more = !r->last;
	return -1;
}

/* A string that had to swallow quotes to end, and a whole beginning of an event
 * with them, is one that lost its end. */
static bool swallows_event(const struct repair *r, const struct found *f)
{
	struct text t = { r->s + r->at, f->end - r->at };

	return f->quotes && repair_next_event(t, 1, SEEK_EVENT) < t.n;
}

/* A string found literal late: quotes behind backslashes before that point were
 * taken as escaped, which is what the writer of such strings did not do; they
 * are kept as text either way. */
static int put_string(struct repair *r, bool key)
{
	static const char hex[] = "0123456789abcdef";
	struct found f;

	if (find_close(r, key, &f) < 0 || swallows_event(r, &f))
		return -1;
	buf_addc(r->out, '"');
	for (size_t i = r->at + 1; i < f.end; i++) {
		unsigned char c = (unsigned char)r->s[i];

		if (c < 0x20) {
			char esc[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
			buf_add(r->out, esc, 6);
		} else if (c == '"') {
			buf_add(r->out, "\\\"", 2);
		} else if (c != '\\') {
			buf_addc(r->out, (char)c);
		} else if (f.literal) {
			buf_add(r->out, "\\\\", 2);
		} else {
			size_t n = escape_len(r, i);
			buf_add(r->out, r->s + i, n);
			i += n - 1;
		}
	}
	buf_addc(r->out, '"');
	r->count.bad_escapes += f.literal;
	r->count.bare_quotes += f.quotes && !f.literal;
	r->count.control_names += f.control;
	r->at = f.end + 1;
	return 0;
}

static bool is_number(const char *s, size_t n)
{
	size_t i = n > 0 && s[0] == '-', from = i;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	if (i == from || (s[from] == '0' && i > from + 1))
		return false;
	if (i < n && s[i] == '.') {
		from = ++i;
		while (i < n && s[i] >= '0' && s[i] <= '9')
			i++;
		if (i == from)
			return false;
	}
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		i += i < n && (s[i] == '-' || s[i] == '+');
		from = i;
		while (i < n && s[i] >= '0' && s[i] <= '9')
			i++;
		if (i == from)
			return false;
	}
	return i == n;
}

static int put_word(struct repair *r)
{
	const char *s = r->s + r->at;
	size_t n = 0, room = r->n - r->at;

	while (n < room && n <= WORD_MAX && !is_space(s[n]) &&
	       (unsigned char)s[n] >= 0x20 && !strchr(",:{}[]\"\\", s[n]))
		n++;
	if (n == room && !r->last)
		r->more = true;
	if (n == 0 || n > WORD_MAX || n == room)
		return -1;
	struct text w = { s, n };
	if (is_number(s, n) || text_is(w, "true") || text_is(w, "false") ||
	    text_is(w, "null")) {
		buf_add(r->out, s, n);
	} else if (text_is(w, "True") || text_is(w, "False")) {
		buf_adds(r->out, s[0] == 'T' ? "true" : "false");
	} else {
		buf_adds(r->out, "null");
		r->count.nonnumeric++;
	}
	r->at += n;
	return 0;
}

static int put_open(struct repair *r, char c)
{
	if (r->depth >= REPAIR_DEPTH_MAX)
		return -1;
	r->open[r->depth++] = c == '{' ? '}' : ']';
	buf_addc(r->out, c);
	r->at++;
	return 0;
}

/* Key, colon and white space up to the value. */
static int put_key(struct repair *r)
{
	if (r->s[r->at] != '"' || put_string(r, true) < 0)
		return -1;
	r->at = skip_space(r, r->at) + 1; /* put_string saw the colon */
	buf_addc(r->out, ':');
	return 0;
}

enum want { WANT_FIRST, WANT_ITEM, WANT_AFTER };

/* Between values: commas and closers.  *want is set to what comes next. */
static int put_after(struct repair *r, enum want *want)
{
	char c = r->s[r->at], close = r->open[r->depth - 1];

	if (c == close) {
		buf_addc(r->out, c);
		r->depth--;
		r->at++;
		return 0;
	}
	*want = WANT_ITEM;
	if (c == ',') {
		size_t p = r->at + 1;

		while (p < r->n && (is_space(r->s[p]) || r->s[p] == ','))
			p++;
		if (p >= r->n) {
			r->more = !r->last;
			return -1;
		}
		r->at = p;
		if (r->s[p] == close) {
			r->count.trailing_commas++;
			*want = WANT_AFTER;
			return 0;
		}
		buf_addc(r->out, ',');
		return 0;
	}
	if (c != '"' && c != '{' && c != '[')
		return -1;
	r->count.missing_commas++;
	buf_addc(r->out, ',');
	return 0;
}

static int put_item(struct repair *r, enum want *want)
{
	char c;

	if (r->depth > 0 && r->open[r->depth - 1] == '}') {
		if (put_key(r) < 0)
			return -1;
		r->at = skip_space(r, r->at);
		if (r->at >= r->n) {
			r->more = !r->last;
			return -1;
		}
	}
	c = r->s[r->at];
	*want = WANT_AFTER;
	if (c == '{' || c == '[') {
		*want = WANT_FIRST;
		return put_open(r, c);
	}
	return c == '"' ? put_string(r, false) : put_word(r);
}

enum repair_result repair_value(struct text in, bool last,
	enum repair_after after, struct buf *out, size_t *used,
	struct import_counts *count)
{
	struct repair r = { .s = in.s, .n = in.n, .last = last, .after = after,
		.out = out };
	size_t keep = out->len;
	enum want want = WANT_ITEM;
	int rc = 0;

	do {
		r.at = skip_space(&r, r.at);
		if (r.at >= r.n) {
			r.more = !last;
			rc = -1;
		} else if (want == WANT_FIRST && r.s[r.at] == r.open[r.depth - 1]) {
			want = WANT_AFTER;
			rc = put_after(&r, &want);
		} else if (want == WANT_AFTER) {
			rc = put_after(&r, &want);
		} else {
			rc = put_item(&r, &want);
		}
	} while (rc == 0 && r.depth > 0);
	if (rc < 0) {
		out->len = keep;
		*used = MAX(r.at, r.seen);
		return r.more ? REPAIR_MORE : REPAIR_BAD;
	}
	count->bad_escapes += r.count.bad_escapes;
	count->bare_quotes += r.count.bare_quotes;
	count->control_names += r.count.control_names;
	count->nonnumeric += r.count.nonnumeric;
	count->trailing_commas += r.count.trailing_commas;
	count->missing_commas += r.count.missing_commas;
	*used = r.at;
	return REPAIR_OK;
}
