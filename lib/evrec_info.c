/* evrec_info.c - see evrec.h. */
#include "base.h"
#include "evrec.h"

#include "mem.h"
#include "num.h"
#include "say.h"

#define DEVICES_MAX 1024 /* no host has more; a bound on what a line can cost */

static const char *const rank_words[] = { "option", "content", "name" };

static const struct {
	const char *name;
	size_t at;
} counts[] = {
#define COUNT(name, words) { #name, offsetof(struct import_counts, name) },
#include "counts.def"
#undef COUNT
};

/* --- writing -------------------------------------------------------------- */

static void put_known(struct jw *jw, const char *key, int64_t n)
{
	if (n != NO_INT)
		jw_kint(jw, key, n);
}

static void put_device(struct jw *jw, const struct device_info *d)
{
	jw_open(jw, '{');
	jw_kstr(jw, "id", d->id);
	jw_kstr(jw, "name", d->name);
	put_known(jw, "sms", d->sms);
	put_known(jw, "capacity_bytes", d->capacity_bytes);
	jw_close(jw, '}');
}

/* `device` is what a reader of one device asks for; a second one makes a list. */
static void put_devices(struct jw *jw, const struct trace_info *t)
{
	size_t i;

	if (t->ndevice == 0)
		return;
	jw_key(jw, "device");
	put_device(jw, &t->device[0]);
	if (t->ndevice == 1)
		return;
	jw_key(jw, "devices");
	jw_open(jw, '[');
	for (i = 0; i < t->ndevice; i++)
		put_device(jw, &t->device[i]);
	jw_close(jw, ']');
}

static void put_dist(struct jw *jw, const char *dist)
{
	struct buf b = BUF_INIT;

	if (dist && rec_compact(&b, (struct text){ dist, strlen(dist) }) == 0) {
		jw_key(jw, "dist");
		jw_raw(jw, buf_text(&b));
	}
	buf_release(&b);
}

static void put_counts(struct jw *jw, const struct import_counts *c)
{
	int64_t n;
	size_t i;

	jw_key(jw, "import");
	jw_open(jw, '{');
	for (i = 0; i < ARRAY_LEN(counts); i++) {
		memcpy(&n, (const char *)c + counts[i].at, sizeof(n));
		jw_kint(jw, counts[i].name, n);
	}
	jw_close(jw, '}');
}

int evrec_put_info(struct stream_writer *w, const struct trace_info *t,
	int64_t epoch_add_ns)
{
	struct jw *jw = stream_begin(w, "run");
	char word[24];

	put_known(jw, "rank", t->rank);
	jw_kstr(jw, "rank_from", t->rank_from);
	put_known(jw, "world_size", t->world_size);
	if (epoch_add_ns) {
		snprintf(word, sizeof(word), "%" PRId64, epoch_add_ns);
		jw_kstr(jw, "epoch_add_ns", word);
	}
	snprintf(word, sizeof(word), "%016" PRIx64, t->hash);
	jw_kstr(jw, "content_hash", word);
	jw_kstr(jw, "path", t->path);
	jw_kstr(jw, "host", t->host);
	jw_kstr(jw, "torch", t->torch);
	jw_kstr(jw, "dialect", t->dialect);
	jw_kbool(jw, "with_stack", t->with_stack);
	jw_kbool(jw, "record_shapes", t->record_shapes);
	jw_kbool(jw, "profile_memory", t->profile_memory);
	jw_kbool(jw, "with_modules", t->with_modules);
	put_devices(jw, t);
	put_dist(jw, t->dist);
	jw_kbool(jw, "partial", t->partial);
	jw_kstr(jw, "why_partial", t->why_partial);
	put_counts(jw, &t->count);
	return stream_put(w);
}

/* --- reading -------------------------------------------------------------- */

static void set_text(char **to, struct text t)
{
	if (!t.s)
		return;
	free(*to);
	*to = xmemdup0(t.s, t.n);
}

static void set_flag(bool *to, const struct rec *r, const char *key)
{
	const struct rec_field *f = rec_get(r, key);

	if (f && f->type == REC_BOOL)
		*to = rec_true(r, key);
}

static int get_device_key(void *arg, struct text key, enum rec_type type,
	struct text value)
{
	struct device_info *d = arg;
	bool digits = type == REC_NUM || type == REC_STR;

	if (text_is(key, "id") && digits)
		set_text(&d->id, value);
	else if (text_is(key, "name") && type == REC_STR)
		set_text(&d->name, value);
	else if (text_is(key, "sms") && digits &&
		 num_int(value, 0, INT64_MAX, &d->sms) < 0)
		d->sms = NO_INT;
	else if (text_is(key, "capacity_bytes") && digits &&
		 num_int(value, 0, INT64_MAX, &d->capacity_bytes) < 0)
		d->capacity_bytes = NO_INT;
	return 0;
}

static int get_device(void *arg, struct text key, enum rec_type type,
	struct text value)
{
	struct trace_info *t = arg;
	struct device_info *d;

	(void)key;
	if (type != REC_OBJ || t->ndevice == DEVICES_MAX)
		return 0;
	t->device = xreallocarray(t->device, t->ndevice + 1, sizeof(*t->device));
	d = &t->device[t->ndevice++];
	*d = (struct device_info){ NULL, NULL, NO_INT, NO_INT };
	if (rec_each(value, get_device_key, d) < 0)
		return -1;
	if (!d->id)
		d->id = xstrdup("0");
	return 0;
}

static void get_devices(const struct rec *r, struct trace_info *t)
{
	const struct rec_field *all = rec_get(r, "devices"), *one = rec_get(r, "device");
	size_t i;

	if (!all && (!one || one->type != REC_OBJ))
		return;
	for (i = 0; i < t->ndevice; i++) {
		free(t->device[i].id);
		free(t->device[i].name);
	}
	t->ndevice = 0;
	/* a value that is not of this form is no device */
	if (all ? rec_each(all->value, get_device, t) < 0 :
	    get_device(t, TEXT(""), one->type, one->value) < 0)
		return;
}

static int get_count(void *arg, struct text key, enum rec_type type,
	struct text value)
{
	int64_t n;
	size_t i;

	if (type != REC_NUM && type != REC_STR)
		return 0;
	for (i = 0; i < ARRAY_LEN(counts); i++)
		if (text_is(key, counts[i].name) &&
		    num_int(value, INT64_MIN, INT64_MAX, &n) == 0)
			memcpy((char *)arg + counts[i].at, &n, sizeof(n));
	return 0;
}

static int get_hash(const struct rec *r, uint64_t *hash)
{
	struct text t = rec_text(r, "content_hash");
	uint64_t h = 0;
	const char *at;
	size_t i;

	if (!t.s)
		return 0;
	for (i = 0; i < t.n; i++) {
		at = t.s[i] ? strchr("0123456789abcdef", t.s[i]) : NULL;
		if (!at || t.n != 16)
			return error("run record: content_hash is not 16 hex digits");
		h = h << 4 | (uint64_t)(at - "0123456789abcdef");
	}
	*hash = h;
	return 0;
}

static void get_rank(const struct rec *r, struct trace_info *t)
{
	struct text from = rec_text(r, "rank_from");
	size_t i;

	/* what the user said stands */
	if (t->rank_from && strcmp(t->rank_from, "option") == 0)
		return;
	if (rec_int(r, "rank", &t->rank) < 0)
		return;
	t->rank_from = "content";
	for (i = 0; i < ARRAY_LEN(rank_words); i++)
		if (from.s && text_is(from, rank_words[i]))
			t->rank_from = rank_words[i];
}

static void get_words(const struct rec *r, struct trace_info *t)
{
	const struct rec_field *dist = rec_get(r, "dist");

	set_text(&t->path, rec_text(r, "path"));
	set_text(&t->host, rec_text(r, "host"));
	set_text(&t->torch, rec_text(r, "torch"));
	set_text(&t->dialect, rec_text(r, "dialect"));
	set_text(&t->why_partial, rec_text(r, "why_partial"));
	if (dist && dist->type == REC_OBJ)
		set_text(&t->dist, dist->value);
}

int evrec_get_info(const struct rec *r, struct trace_info *t, int64_t *epoch_add_ns)
{
	const struct rec_field *import = rec_get(r, "import");
	int64_t n;

	if (!text_is(r->kind, "run"))
		return 0;
	if (rec_get(r, "epoch_add_ns") && rec_int(r, "epoch_add_ns", epoch_add_ns) < 0)
		return error("run record: epoch_add_ns is no integer");
	if (get_hash(r, &t->hash) < 0)
		return -1;
	get_rank(r, t);
	if (rec_int(r, "world_size", &n) == 0)
		t->world_size = n;
	get_words(r, t);
	set_flag(&t->with_stack, r, "with_stack");
	set_flag(&t->record_shapes, r, "record_shapes");
	set_flag(&t->profile_memory, r, "profile_memory");
	set_flag(&t->with_modules, r, "with_modules");
	set_flag(&t->partial, r, "partial");
	get_devices(r, t);
	if (import && import->type == REC_OBJ &&
	    rec_each(import->value, get_count, &t->count) < 0)
		return error("run record: import is not readable");
	return 1;
}
