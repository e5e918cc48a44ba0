/* finish.c - pass 2, and the trace's own row. */
#include "base.h"
#include "load.h"

#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "rec.h"
#include "say.h"
#include "steps.h"

static const struct device_info *main_info(const struct load *l,
	const struct trace_info *info)
{
	const struct device *best = NULL;
	size_t i;

	for (i = 0; i < l->devices.n; i++)
		if (best == NULL || l->devices.item[i].ops > best->ops)
			best = &l->devices.item[i];
	for (i = 0; best && i < info->ndevice; i++)
		if (strcmp(info->device[i].id, best->idx) == 0)
			return &info->device[i];
	return info->ndevice ? &info->device[0] : NULL;
}

#define COUNT(name, words) ",?"
static const char trace_insert[] = "INSERT INTO trace VALUES"
	" (?,NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?"
#include "counts.def"
	")";
#undef COUNT

static void bind_counts(sqlite3_stmt *st, int at, const struct import_counts *c)
{
#define COUNT(name, words) sqlite3_bind_int64(st, at++, c->name);
#include "counts.def"
#undef COUNT
}

/* Raw JSON of the file, as a record of the stream would carry it. */
static void bind_json(sqlite3_stmt *st, int at, const char *json)
{
	struct buf b = BUF_INIT;

	if (json && rec_compact(&b, (struct text){ json, strlen(json) }) == 0)
		db_bind_copy(st, at, buf_text(&b));
	else
		sqlite3_bind_null(st, at);
	buf_release(&b);
}

static int put_trace(struct load *l, const struct trace_info *t, sqlite3_stmt *st,
	const char *hash)
{
	const struct device_info *d = main_info(l, t);
	int at = 1;

	sqlite3_bind_int64(st, at++, l->id);
	db_bind_str(st, at++, hash);
	db_bind_fixed(st, at++, t->path);
	db_bind_fixed(st, at++, t->host);
	db_bind_int(st, at++, t->rank);
	db_bind_str(st, at++, t->rank_from);
	db_bind_int(st, at++, t->world_size);
	sqlite3_bind_int64(st, at++, t->base_ns);
	db_bind_int(st, at++, l->first_ns);
	db_bind_int(st, at++, l->last_ns);
	db_bind_fixed(st, at++, t->torch);
	db_bind_fixed(st, at++, t->dialect);
	sqlite3_bind_int(st, at++, t->with_stack);
	sqlite3_bind_int(st, at++, t->record_shapes);
	sqlite3_bind_int(st, at++, t->profile_memory);
	bind_json(st, at++, t->dist);
	db_bind_fixed(st, at++, d ? d->name : NULL);
	db_bind_int(st, at++, d ? d->sms : NO_INT);
	db_bind_int(st, at++, d ? d->capacity_bytes : NO_INT);
	sqlite3_bind_int(st, at++, t->partial);
	db_bind_fixed(st, at++, t->why_partial);
	db_bind_str(st, at++, l->steps.rule);
	db_bind_str(st, at++, l->opt.scope);
	bind_counts(st, at, &t->count);
	return db_run(l->db, st);
}

/* What only the loader can know; the reader's counts stay. */
static void add_counts(struct load *l, struct trace_info *info)
{
	struct import_counts *c = &info->count;

	l->count.bad_utf8 = l->names.bad_utf8;
	l->count.name_overflow = l->names.overflow;
#define COUNT(name, words) c->name = MAX(c->name, l->count.name);
#include "counts.def"
#undef COUNT
}

/* 1 these bytes are in the scratch already. */
static int known_hash(struct load *l, const char *hash)
{
	int64_t n = 0;

	if (db_intf(l->db, 0, &n, "SELECT count(*) FROM trace WHERE hash = %Q", hash) < 0)
		return -1;
	return n > 0;
}

static int store_trace(struct load *l, struct trace_info *info, const char *hash)
{
	sqlite3_stmt *st;
	int rc;

	add_counts(l, info);
	if (steps_store(l) < 0 || tracks_store(&l->tracks) < 0
	    || devices_store(l, info) < 0)
		return -1;
	st = db_prepare(l->db, trace_insert);
	rc = st ? put_trace(l, info, st, hash) : -1;
	db_finish(&st);
	return rc;
}

/* What no room was kept for: the trace is a part of the file. */
static void note_beyond(const struct load *l, struct trace_info *info)
{
	struct buf b = BUF_INIT;

	if (l->tracks.beyond)
		buf_addf(&b, "%" PRId64 " events left out: more than %u threads and streams,"
			" or %u devices", l->tracks.beyond, TRACKS_MAX, TRACK_DEVICES_MAX);
	if (l->steps.beyond)
		buf_addf(&b, "%s%" PRId64 " steps left out: more than %u in all, or %u times"
			" the devices", b.len ? "; " : "", l->steps.beyond, MARKS_MAX,
			STEP_CELLS_MAX);
	if (l->beyond)
		buf_addf(&b, "%s%" PRId64 " events left out: with them all lengths are over"
			" 146 years", b.len ? "; " : "", l->beyond);
	if (info->base_ns > EPOCH_NS_MAX || info->base_ns < -EPOCH_NS_MAX) {
		buf_addf(&b, "%sno time of day: %" PRId64 " ns", b.len ? "; " : "",
			info->base_ns);
		info->base_ns = 0;
	}
	if (b.len == 0)
		return;
	if (info->why_partial)
		buf_addf(&b, "; %s", info->why_partial);
	free(info->why_partial);
	info->partial = true;
	info->why_partial = b.data;
}

static int refuse(struct load *l, const struct trace_info *info)
{
	(void)error("%s: its events lie %" PRId64 " ns apart, on %zu devices: no trace can",
		info->path, l->last_ns - l->first_ns, l->devices.n);
	return store_drop_trace(l->store, l->id) < 0 ? -1 : 2;
}

int load_finish(struct load *l, struct trace_info *info)
{
	char hash[17];
	int rc;

	snprintf(hash, sizeof hash, "%016" PRIx64, info->hash);
	rc = known_hash(l, hash);
	if (rc > 0 && store_drop_trace(l->store, l->id) < 0)
		return -1;
	if (rc != 0)
		return rc;
	say_progress("%s: linking", info->path);
	if (load_end_rows(l) < 0 || memory_check(l, info) < 0)
		return -1;
	devices_find(l);
	if (l->first_ns != NO_INT && l->last_ns - l->first_ns > SUM_MAX /
	    (int64_t)l->devices.n)
		return refuse(l, info);
	if (load_join(l) < 0)
		return -1;
	steps_choose(l);
	note_beyond(l, info);
	l->partial = info->partial;
	if (devs_measure(l) < 0 || load_issue(l) < 0 || devs_store(l) < 0)
		return -1;
	return store_trace(l, info, hash);
}
