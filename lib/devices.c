/* devices.c - the devices of a trace: those with work on them, and those that the
 * file only lists. */
#include "base.h"
#include "load.h"

#include <stdlib.h>

#include "mem.h"

static int device_by_name(const void *pa, const void *pb)
{
	const struct device *a = pa, *b = pb;

	return strcmp(a->idx, b->idx);
}

static int name_against(const void *name, const void *item)
{
	return strcmp(name, ((const struct device *)item)->idx);
}

/* In v sorted by name. */
static struct device *find(const struct devices *v, const char *idx)
{
	return v->n ? bsearch(idx, v->item, v->n, sizeof *v->item, name_against) : NULL;
}

static void add(struct devices *v, size_t *cap, const char *idx)
{
	GROW(v->item, v->n, *cap);
	memset(&v->item[v->n], 0, sizeof v->item[0]);
	v->item[v->n++].idx = xstrdup(idx);
}

/* Every stream names its device: sort, keep one of each name.  Asking for each
 * whether it is there already takes minutes with 65000 of them. */
static void sort_names(struct devices *v)
{
	size_t i, n = 0;

	qsort(v->item, v->n, sizeof *v->item, device_by_name);
	for (i = 0; i < v->n; i++) {
		if (n > 0 && strcmp(v->item[n - 1].idx, v->item[i].idx) == 0)
			free(v->item[i].idx);
		else
			v->item[n++] = v->item[i];
	}
	v->n = n;
}

/* A main stream is one number on one device; several tracks never share it. */
static void choose_main(struct device *d, const struct track *k)
{
	if (k->compute_ns <= 0 || k->stream == NULL)
		return;
	if (d->main_stream && (k->compute_ns < d->compute_ns
		|| (k->compute_ns == d->compute_ns
		    && strcmp(k->stream, d->main_stream) > 0)))
		return;
	free(d->main_stream);
	d->main_stream = xstrdup(k->stream);
	d->compute_ns = k->compute_ns;
}

static bool has_work(const struct track *k)
{
	return k->ops > 0 && k->device;
}

void devices_find(struct load *l)
{
	struct devices *v = &l->devices;
	size_t cap = 0, i;
	struct device *d;

	for (i = 0; i < l->tracks.n; i++)
		if (has_work(&l->tracks.track[i]))
			add(v, &cap, l->tracks.track[i].device);
	/* a job without device work has its steps under the device '' */
	if (v->n == 0)
		add(v, &cap, "");
	sort_names(v);
	v->of_track = xcalloc(l->tracks.n + 1, sizeof *v->of_track);
	for (i = 0; i < l->tracks.n; i++) {
		if (!has_work(&l->tracks.track[i]))
			continue;
		d = find(v, l->tracks.track[i].device);
		if (d == NULL)
			continue;
		v->of_track[i] = (uint16_t)(d - v->item);
		d->ops += l->tracks.track[i].ops;
		choose_main(d, &l->tracks.track[i]);
	}
}

void devices_release(struct devices *v)
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		free(v->item[i].idx);
		free(v->item[i].main_stream);
		free(v->item[i].drain);
		free(v->item[i].launches);
		free(v->item[i].lone);
		free(v->item[i].cover);
	}
	free(v->item);
	free(v->of_track);
	memset(v, 0, sizeof *v);
}

/* What the file says of a device.  ROCm files can list device 0 alone while the
 * work is on device 2: one listed device stands for the others. */
static const struct device_info *info_of(const struct trace_info *info, const char *idx)
{
	size_t i;

	for (i = 0; i < info->ndevice; i++)
		if (strcmp(info->device[i].id, idx) == 0)
			return &info->device[i];
	return info->ndevice == 1 ? &info->device[0] : NULL;
}

struct put {
	sqlite3_stmt *st;
	int64_t n;
	bool unknown;          /* launches, but no device op */
};

static int put_device(struct load *l, struct put *p, const char *idx,
	const struct device_info *info)
{
	const struct device *d = find(&l->devices, idx);

	sqlite3_bind_int64(p->st, 1, STORE_ID(l->id, ++p->n));
	db_bind_str(p->st, 2, idx);
	db_bind_fixed(p->st, 3, info ? info->name : NULL);
	db_bind_int(p->st, 4, info ? info->sms : NO_INT);
	db_bind_int(p->st, 5, info ? info->capacity_bytes : NO_INT);
	db_bind_str(p->st, 6, d ? d->main_stream : NULL);
	sqlite3_bind_int64(p->st, 7, d ? d->ops : 0);
	sqlite3_bind_int(p->st, 8, !(p->unknown && *idx == '\0'));
	return db_run(l->db, p->st);
}

/* Devices of the memory samples come in as well: their headroom needs the
 * capacity. */
static int put_sampled(struct load *l, struct put *p, const struct trace_info *info)
{
	size_t i, k;
	const struct peak *m;
	int rc = 0;

	for (i = 0; rc == 0 && i < l->peaks.n; i++) {
		m = &l->peaks.item[i];
		if (m->type == 0 || m->device[0] == '\0' || find(&l->devices, m->device))
			continue;
		for (k = 0; k < info->ndevice; k++)
			if (strcmp(info->device[k].id, m->device) == 0)
				break;
		if (k == info->ndevice)
			rc = put_device(l, p, m->device, info_of(info, m->device));
	}
	return rc;
}

static int put_all(struct load *l, struct put *p, const struct trace_info *info)
{
	const struct devices *v = &l->devices;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < v->n; i++)
		if (*v->item[i].idx || p->unknown)
			rc = put_device(l, p, v->item[i].idx, info_of(info, v->item[i].idx));
	for (i = 0; rc == 0 && i < info->ndevice; i++)
		if (find(v, info->device[i].id) == NULL)
			rc = put_device(l, p, info->device[i].id, &info->device[i]);
	return rc < 0 ? -1 : put_sampled(l, p, info);
}

int devices_store(struct load *l, const struct trace_info *info)
{
	struct put p = { .unknown = l->count.device_ops == 0 && l->count.launches > 0 };
	int rc;

	p.st = db_prepare(l->db, "INSERT INTO device VALUES (?,?,?,?,?,?,?,?)");
	if (p.st == NULL)
		return -1;
	rc = put_all(l, &p, info);
	db_finish(&p.st);
	return rc;
}
