/* rank_rows.c - see rank_rows.h. */
#include "base.h"
#include "rank_rows.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "say.h"

void rank_rows_init(struct rank_rows *rows)
{
	memset(rows, 0, sizeof *rows);
}

int rank_view_of(struct text name)
{
	size_t at = 0;
	if (name.n > 3 && memcmp(name.s, "tp-", 3) == 0)
		at = 3;
	if (name.n < at + 5 || memcmp(name.s + at, "view", 4) != 0)
		return 0;
	char digit = name.s[at + 4];
	bool ends = at ? name.n == at + 5 : name.n > at + 5 && name.s[at + 5] == '.';
	return ends && digit >= '1' && digit <= '0' + RANK_VIEWS ? digit - '0' : 0;
}

static char *text_keep(char **at, struct text *t)
{
	char *to = *at;
	if (t->n)
		memcpy(to, t->s, t->n);
	to[t->n] = '\0';
	*at += t->n + 1;
	t->s = to;
	return to;
}

/* One block a row: the fields, then every text with a NUL behind it. */
static void row_fill(struct rank_row *row, const struct rec *r)
{
	size_t size = r->nfield * sizeof *row->field + r->kind.n + 1;
	for (size_t i = 0; i < r->nfield; i++)
		size += r->field[i].key.n + r->field[i].value.n + 2;
	row->block = xmalloc(size);
	row->field = (struct rank_field *)(void *)row->block;
	row->nfield = r->nfield;
	char *at = row->block + r->nfield * sizeof *row->field;
	for (size_t i = 0; i < r->nfield; i++) {
		row->field[i] = (struct rank_field){ r->field[i].key, r->field[i].value,
			r->field[i].type };
		text_keep(&at, &row->field[i].key);
		text_keep(&at, &row->field[i].value);
	}
	row->kind = r->kind;
	text_keep(&at, &row->kind);
}

void rank_rows_head(struct rank_rows *rows, struct text program, int64_t epoch_ns)
{
	GROW(rows->segment, rows->nsegment, rows->capsegment);
	rows->segment[rows->nsegment++] = epoch_ns;
	rows->seen[rank_view_of(program)] = true;
}

void rank_rows_epoch_add(struct rank_rows *rows, int64_t add_ns)
{
	if (!rows->nsegment)
		rank_rows_head(rows, TEXT(""), 0);
	int64_t *epoch = &rows->segment[rows->nsegment - 1];
	if (__builtin_add_overflow(*epoch, add_ns, epoch))
		*epoch = 0;
}

void rank_row_make(struct rank_row *row, const struct rec *r)
{
	memset(row, 0, sizeof *row);
	row_fill(row, r);
	row->view = rank_view_of(row->kind);
	row->unit = row->cause = -1;
	row->trace = row->rank = row->wait_permille = NO_NUM;
	(void)row_int(row, "trace", &row->trace);
	(void)row_int(row, "rank", &row->rank);
	row->key = row_text(row, "key");
	const struct rank_field *device = row_get(row, "device");
	row->device = device ? device->value : TEXT("");
}

int rank_rows_add(struct rank_rows *rows, const struct rec *r)
{
	int view = rank_view_of(r->kind);
	if (!view)
		return 0;
	if (!rows->nsegment)
		rank_rows_head(rows, TEXT(""), 0);
	rows->seen[view] = true;
	if (text_is(r->kind, "view5.sample"))
		return 1;
	if (rows->n + rows->losses.rows >= RANK_ROWS_MAX)
		return error("more than %u rows: take fewer ranks or traces at once",
			RANK_ROWS_MAX);
	if (text_is(r->kind, "view2.loss")) {
		rank_loss_add(&rows->losses, rows->nsegment - 1, r);
		return 1;
	}
	GROW(rows->row, rows->n, rows->cap);
	struct rank_row *row = &rows->row[rows->n++];
	rank_row_make(row, r);
	row->segment = rows->nsegment - 1;
	return 1;
}

static void losses_settle(struct rank_rows *rows)
{
	struct rank_row row;
	while (rank_loss_take(&rows->losses, &row)) {
		GROW(rows->row, rows->n, rows->cap);
		rows->row[rows->n++] = row;
	}
	rank_loss_release(&rows->losses);
}

int64_t scale(int64_t a, int64_t times, int64_t over)
{
	__extension__ typedef __int128 wide;
	wide n = (wide)a * times / over;
	return n > INT64_MAX ? INT64_MAX : n < -INT64_MAX ? -INT64_MAX : (int64_t)n;
}

int text_compare(struct text a, struct text b)
{
	size_t n = MIN(a.n, b.n);
	int order = n ? memcmp(a.s, b.s, n) : 0;
	return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int int_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int identity_compare(const struct rank_row *a, const struct rank_row *b)
{
	int order = int_compare(a->store, b->store);
	if (!order)
		order = text_compare(a->kind, b->kind);
	if (!order)
		order = int_compare(a->trace, b->trace);
	if (!order)
		order = int_compare(a->rank, b->rank);
	if (!order)
		order = text_compare(a->device, b->device);
	return order ? order : text_compare(a->key, b->key);
}

static int field_compare(struct text key, struct text value, enum rec_type type,
	const struct rank_field *f)
{
	int order = text_compare(key, f->key);
	if (!order)
		order = int_compare(type, f->type);
	return order ? order : text_compare(value, f->value);
}

static int fields_compare(const struct rank_row *a, const struct rank_row *b)
{
	int order = 0;
	for (size_t i = 0; i < MIN(a->nfield, b->nfield) && !order; i++)
		order = field_compare(a->field[i].key, a->field[i].value, a->field[i].type,
			&b->field[i]);
	return order ? order : int_compare((int64_t)a->nfield, (int64_t)b->nfield);
}

int rank_row_compare_rec(const struct rec *r, const struct rank_row *row)
{
	int order = 0;
	for (size_t i = 0; i < MIN(r->nfield, row->nfield) && !order; i++)
		order = field_compare(r->field[i].key, r->field[i].value, r->field[i].type,
			&row->field[i]);
	return order ? order : int_compare((int64_t)r->nfield, (int64_t)row->nfield);
}

int row_compare(const struct rank_row *a, const struct rank_row *b)
{
	int order = identity_compare(a, b);
	return order ? order : fields_compare(a, b);
}

static int row_order(const void *a, const void *b)
{
	return row_compare(a, b);
}

static int epoch_order(const void *a, const void *b)
{
	return int_compare(*(const int64_t *)a, *(const int64_t *)b);
}

static size_t epochs_of(const struct rank_rows *rows, int view, int64_t *out)
{
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (!view || rows->row[i].view == view)
			out[n++] = rows->row[i].epoch_ns;
	if (n)
		qsort(out, n, sizeof *out, epoch_order);
	size_t distinct = 0;
	for (size_t i = 0; i < n; i++)
		if (!distinct || out[distinct - 1] != out[i])
			out[distinct++] = out[i];
	return distinct;
}

/* Trace numbers restart in every store, so rows of several stores are told
 * apart by their head's epoch.  Where no view came with two of them there is
 * one store, whatever the epochs. */
static void stores_number(struct rank_rows *rows)
{
	int64_t *epoch = xcalloc(rows->n ? rows->n : 1, sizeof *epoch);
	bool several = false;
	for (int view = 1; view <= RANK_VIEWS; view++)
		several |= epochs_of(rows, view, epoch) > 1;
	size_t n = epochs_of(rows, 0, epoch);
	rows->epoch_ns = n ? epoch[0] : 0;
	rows->nstore = several ? (int)n : rows->n > 0;
	for (size_t i = 0; several && i < rows->n; i++) {
		int64_t *at = bsearch(&rows->row[i].epoch_ns, epoch, n, sizeof *epoch, epoch_order);
		rows->row[i].store = at ? (int)(at - epoch) : 0;
	}
	free(epoch);
}

void rank_row_release(struct rank_row *row)
{
	buf_release(&row->doing);
	buf_release(&row->copies);
	buf_release(&row->ops);
	free(row->block);
}

void rank_rows_settle(struct rank_rows *rows)
{
	losses_settle(rows);
	for (size_t i = 0; i < rows->n; i++)
		rows->row[i].epoch_ns = rows->segment[rows->row[i].segment];
	stores_number(rows);
	if (rows->n)
		qsort(rows->row, rows->n, sizeof *rows->row, row_order);
	size_t kept = 0;
	for (size_t i = 0; i < rows->n; i++) {
		struct rank_row *row = &rows->row[i], *last = kept ? &rows->row[kept - 1] : NULL;
		if (last && row->key.n && identity_compare(last, row) == 0) {
			if (fields_compare(last, row) != 0)
				rows->clashes++;
			rank_row_release(row);
			continue;
		}
		rows->row[kept++] = *row;
	}
	rows->n = kept;
}

void rank_rows_release(struct rank_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		rank_row_release(&rows->row[i]);
	rank_loss_release(&rows->losses);
	free(rows->row);
	free(rows->segment);
	rank_rows_init(rows);
}

bool row_is(const struct rank_row *r, const char *kind)
{
	return text_is(r->kind, kind);
}

const struct rank_field *row_get(const struct rank_row *r, const char *key)
{
	for (size_t i = r->nfield; i-- > 0;)
		if (text_is(r->field[i].key, key))
			return r->field[i].type == REC_NULL ? NULL : &r->field[i];
	return NULL;
}

struct text row_text(const struct rank_row *r, const char *key)
{
	const struct rank_field *f = row_get(r, key);
	return f && f->type == REC_STR ? f->value : (struct text){ NULL, 0 };
}

bool row_int(const struct rank_row *r, const char *key, int64_t *out)
{
	const struct rank_field *f = row_get(r, key);
	return f && (f->type == REC_NUM || f->type == REC_STR) &&
		num_int(f->value, INT64_MIN + 1, INT64_MAX, out) == 0;
}

int64_t row_num(const struct rank_row *r, const char *key)
{
	int64_t n = 0;
	(void)row_int(r, key, &n);
	return n;
}

int64_t row_ns(const struct rank_row *r, const char *key)
{
	int64_t ns = row_num(r, key);
	return ns < 0 ? 0 : MIN(ns, NS_MAX);
}

bool row_true(const struct rank_row *r, const char *key)
{
	const struct rank_field *f = row_get(r, key);
	return f && f->type == REC_BOOL && text_is(f->value, "true");
}

bool row_micro(const struct rank_row *r, const char *key, int64_t *out)
{
	const struct rank_field *f = row_get(r, key);
	if (!f || (f->type != REC_NUM && f->type != REC_STR))
		return false;
	if (num_scaled(f->value, 6, out) == 0)
		return true;
	int64_t whole;
	if (num_int(f->value, INT64_MIN + 1, INT64_MAX, &whole) != 0)
		return false;
	*out = whole < 0 ? INT64_MIN + 1 : INT64_MAX;
	return true;
}

static int word_add(void *arg, struct text key, enum rec_type type, struct text value)
{
	struct buf *b = arg;
	(void)key;
	if (type == REC_STR && value.n) {
		buf_add(b, value.s, value.n);
		buf_addc(b, '\n');
	}
	return 0;
}

static int words_add(void *arg, struct text key, enum rec_type type, struct text value)
{
	if (type == REC_OBJ)
		return rec_each(value, word_add, arg) == 0 ? 0 : -1;
	return word_add(arg, key, type, value);
}

void row_words(const struct rank_row *r, const char *key, struct buf *b)
{
	const struct rank_field *f = row_get(r, key);
	if (!f)
		return;
	if (f->type == REC_ARR)
		(void)!rec_each(f->value, words_add, b);
	else
		(void)word_add(b, f->key, f->type, f->value);
}

bool row_flag(const struct rank_row *r, const char *flag)
{
	struct buf words = BUF_INIT;
	row_words(r, "flags", &words);
	size_t n = strlen(flag);
	bool found = false;
	for (const char *at = words.data; at && *at && !found; at = strchr(at, '\n') + 1)
		found = strncmp(at, flag, n) == 0 && at[n] == '\n';
	buf_release(&words);
	return found;
}

static bool field_same(const struct rank_row *a, const struct rank_row *b, const char *key)
{
	const struct rank_field *fa = row_get(a, key), *fb = row_get(b, key);
	return (!fa && !fb) || (fa && fb && text_eq(fa->value, fb->value));
}

bool row_same_anchor(const struct rank_row *a, const struct rank_row *b)
{
	if (!field_same(a, b, "file") || !field_same(a, b, "line") || !field_same(a, b, "func"))
		return false;
	return row_get(a, "file") || field_same(a, b, "op");
}
