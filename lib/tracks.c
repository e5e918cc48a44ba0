/* tracks.c - threads and streams as small numbers. */
#include "base.h"
#include "names.h"

#include <stdlib.h>

#include "mem.h"
#include "store.h"
#include "utf8.h"

void tracks_init(struct tracks *v, struct db *db, int64_t trace)
{
	memset(v, 0, sizeof *v);
	v->db = db;
	v->trace = trace;
	v->nbucket = 256;
	v->bucket = xcalloc(v->nbucket, sizeof *v->bucket);
}

void tracks_release(struct tracks *v)
{
	uint32_t i;

	for (i = 0; i < v->n; i++) {
		free(v->track[i].pid);
		free(v->track[i].tid);
		free(v->track[i].device);
		free(v->track[i].stream);
	}
	free(v->track);
	free(v->bucket);
	memset(v, 0, sizeof *v);
}

/* Longer words for a thread or stream are cut: TRACKS_MAX of them stay small. */
#define WORD_MAX 200

static bool same(const char *s, struct text t)
{
	t.n = MIN(t.n, WORD_MAX);
	return s ? t.s && strlen(s) == t.n && memcmp(s, t.s, t.n) == 0 : t.s == NULL;
}

/* A stream is its device and number: where a viewer draws it (pid, tid) can
 * change within a file. */
static bool is_of(const struct track *k, const struct event *ev)
{
	if (ev->device.s && ev->stream.s)
		return same(k->stream, ev->stream) && same(k->device, ev->device);
	return same(k->tid, ev->tid) && same(k->pid, ev->pid)
		&& same(k->device, ev->device) && same(k->stream, ev->stream);
}

static uint32_t hash_of(const struct event *ev)
{
	uint32_t h = text_hash(ev->device, 1) * 31 + text_hash(ev->stream, 2);

	if (ev->device.s && ev->stream.s)
		return h;
	return (h * 31 + text_hash(ev->pid, 3)) * 31 + text_hash(ev->tid, 4);
}

static void grow_buckets(struct tracks *v)
{
	uint32_t i, at;

	free(v->bucket);
	v->nbucket *= 2;
	v->bucket = xcalloc(v->nbucket, sizeof *v->bucket);
	for (i = 0; i < v->n; i++) {
		at = v->track[i].hash & (v->nbucket - 1);
		while (v->bucket[at])
			at = (at + 1) & (v->nbucket - 1);
		v->bucket[at] = i + 1;
	}
}

static char *keep(struct text t)
{
	struct buf b = BUF_INIT;

	if (t.s == NULL)
		return NULL;
	t.n = MIN(t.n, WORD_MAX);
	text_fix_utf8(&b, t);
	buf_adds(&b, "");
	return b.data;
}

/* Room for one more, on this device. */
static bool has_room(struct tracks *v, struct text device)
{
	uint32_t i;

	if (v->n >= TRACKS_MAX)
		return false;
	if (device.s == NULL)
		return true;
	for (i = 0; i < v->ndevice; i++)
		if (same(v->track[v->device[i] - 1].device, device))
			return true;
	if (v->ndevice == TRACK_DEVICES_MAX)
		return false;
	v->device[v->ndevice++] = v->n + 1;
	return true;
}

static uint32_t add(struct tracks *v, const struct event *ev, uint32_t hash)
{
	struct track *k;

	if (!has_room(v, ev->device)) {
		v->beyond++;
		return 0;
	}
	GROW(v->track, v->n, v->cap);
	k = &v->track[v->n++];
	memset(k, 0, sizeof *k);
	k->pid = keep(ev->pid);
	k->tid = keep(ev->tid);
	k->device = keep(ev->device);
	k->stream = keep(ev->stream);
	k->hash = hash;
	return v->n;
}

uint32_t tracks_find(struct tracks *v, const struct event *ev)
{
	uint32_t hash, at;

	if (v->recent && is_of(&v->track[v->recent - 1], ev))
		return v->recent;
	hash = hash_of(ev);
	at = hash & (v->nbucket - 1);
	while (v->bucket[at] && !is_of(&v->track[v->bucket[at] - 1], ev))
		at = (at + 1) & (v->nbucket - 1);
	if (v->bucket[at])
		return v->recent = v->bucket[at];
	v->recent = add(v, ev, hash);
	v->bucket[at] = v->recent;
	if (v->n > v->nbucket / 2)
		grow_buckets(v);
	return v->recent;
}

int tracks_store(struct tracks *v)
{
	sqlite3_stmt *st = db_prepare(v->db,
		"INSERT INTO track (id, pid, tid, device, stream) VALUES (?,?,?,?,?)");
	int rc = st ? 0 : -1;
	uint32_t i;

	for (i = 0; rc == 0 && i < v->n; i++) {
		sqlite3_bind_int64(st, 1, STORE_ID(v->trace, i + 1));
		db_bind_str(st, 2, v->track[i].pid);
		db_bind_str(st, 3, v->track[i].tid);
		db_bind_str(st, 4, v->track[i].device);
		db_bind_str(st, 5, v->track[i].stream);
		rc = db_run(v->db, st);
	}
	db_finish(&st);
	return rc;
}
