/* kineto_info.c - what a trace says of itself, in any order, before or behind
 * its events. */
#include "kineto_doc.h"

#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "rec.h"
#include "say.h"

/* A device list longer than this is no machine's. */
#define DEVICES_MAX 1024

void doc_partial(struct doc *d, const char *fmt, ...)
{
	char why[160];
	va_list ap;

	d->info->partial = true;
	if (d->info->why_partial)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	d->info->why_partial = xstrdup(why);
}

void doc_bad_event(struct doc *d, const char *why)
{
	d->info->count.bad_events++;
	doc_partial(d, "events dropped: %s", why);
}

static int64_t int_of(struct text t)
{
	int64_t v;

	return num_int(t, INT64_MIN + 1, INT64_MAX, &v) == 0 ? v : NO_INT;
}

static void set_text(char **to, struct text t)
{
	free(*to);
	*to = t.n ? xmemdup0(t.s, t.n) : NULL;
}

static int dist_field(void *arg, struct text key, enum rec_type type, struct text v)
{
	struct trace_info *info = arg;

	if (type != REC_NUM && type != REC_STR)
		return 0;
	if (text_is(key, "world_size")) {
		info->world_size = int_of(v);
	} else if (text_is(key, "rank") && int_of(v) != NO_INT &&
		   !(info->rank_from && strcmp(info->rank_from, "option") == 0)) {
		info->rank = int_of(v);
		info->rank_from = "content";
	}
	return 0;
}

static int device_field(void *arg, struct text key, enum rec_type type, struct text v)
{
	struct device_info *dev = arg;

	if (type != REC_NUM && type != REC_STR)
		return 0;
	if (text_is(key, "id"))
		set_text(&dev->id, v);
	else if (text_is(key, "name"))
		set_text(&dev->name, v);
	else if (text_is(key, "numSms") || text_is(key, "multiProcessorCount"))
		dev->sms = int_of(v);
	else if (text_is(key, "totalGlobalMem"))
		dev->capacity_bytes = int_of(v);
	return 0;
}

static int device_item(void *arg, struct text key, enum rec_type type, struct text v)
{
	struct trace_info *info = arg;
	struct device_info dev = { NULL, NULL, NO_INT, NO_INT };

	(void)key;
	if (type != REC_OBJ || info->ndevice >= DEVICES_MAX)
		return 0;
	if (rec_each(v, device_field, &dev) < 0 || !dev.id) {
		free(dev.id);
		free(dev.name);
		return 0;
	}
	info->device = xreallocarray(info->device, info->ndevice + 1, sizeof dev);
	info->device[info->ndevice++] = dev;
	return 0;
}

static void member_json(struct doc *d, struct text value)
{
	struct trace_info *info = d->info;
	struct buf dist = BUF_INIT;

	if (strcmp(d->top, "distributedInfo") == 0) {
		/* as a stream carries it: the store is the same by either way */
		if (rec_each(value, dist_field, info) < 0 || rec_compact(&dist, value) < 0)
			set_text(&info->dist, (struct text){ NULL, 0 });
		else
			set_text(&info->dist, buf_text(&dist));
		buf_release(&dist);
	} else if (info->ndevice == 0 && rec_each(value, device_item, info) < 0) {
		note("%s: deviceProperties is no list, not used", info->path);
	}
}

/* "cuda_runtime 13000, cuda_driver 13000" in the order of the file. */
static void add_version(struct trace_info *info, const char *what, struct text v)
{
	struct buf b = BUF_INIT;

	if (v.n == 0 || v.n > 64 || (info->torch && strlen(info->torch) > 512))
		return;
	if (info->torch)
		buf_addf(&b, "%s, ", info->torch);
	buf_addf(&b, "%.*s ", (int)(strstr(what, "_version") - what), what);
	buf_add(&b, v.s, v.n);
	set_text(&info->torch, buf_text(&b));
	buf_release(&b);
}

void info_member(struct doc *d, struct text value, bool json)
{
	struct trace_info *info = d->info;
	bool yes = value.n > 0 && !text_is(value, "0");

	if (json) {
		member_json(d, value);
	} else if (strcmp(d->top, "baseTimeNanoseconds") == 0) {
		if (num_int(value, 0, INT64_MAX, &d->file_base_ns) < 0)
			note("%s: baseTimeNanoseconds is no time, taken as 0",
			     info->path);
	} else if (strcmp(d->top, "schemaVersion") == 0) {
		d->saw_kineto = true;
	} else if (strcmp(d->top, "host_name") == 0) {
		set_text(&info->host, value);
	} else if (strcmp(d->top, "with_stack") == 0) {
		info->with_stack = yes;
	} else if (strcmp(d->top, "record_shapes") == 0) {
		info->record_shapes = yes;
	} else if (strcmp(d->top, "profile_memory") == 0) {
		info->profile_memory = yes;
	} else if (strcmp(d->top, "with_modules") == 0) {
		info->with_modules = yes;
	} else if (strstr(d->top, "_version") && !strchr(d->top, '%')) {
		add_version(info, d->top, value);
	}
}

static const char *dialect_of(const struct doc *d)
{
	if (d->saw_old)
		return "kineto 2021";
	if (d->saw_string_ts)
		return "torch_npu";
	if (d->saw_kineto)
		return "kineto";
	return d->saw_legacy ? "legacy autograd" : "chrome";
}

static void finish_rank(struct trace_info *info)
{
	int64_t rank = name_rank(info->path);

	if (rank == NO_INT)
		return;
	if (info->rank == NO_INT) {
		info->rank = rank;
		info->rank_from = "name";
		note("%s: rank %" PRId64 " by its name, the content says none",
		     info->path, rank);
	} else if (info->rank != rank && strcmp(info->rank_from, "content") == 0) {
		note("%s: rank %" PRId64 " by its content, though its name says %"
		     PRId64, info->path, info->rank, rank);
	}
}

void info_finish(struct doc *d)
{
	struct trace_info *info = d->info;

	info->count.unmatched_ends += pairs_open(d->pairs);
	if (__builtin_add_overflow(d->file_base_ns, d->origin_ns, &info->base_ns)) {
		note("%s: baseTimeNanoseconds is out of range, taken as 0", info->path);
		info->base_ns = d->origin_ns;
	}
	if (!info->host)
		info->host = name_host(info->path);
	finish_rank(info);
	if (info->count.events > 0 && strcmp(dialect_of(d), "chrome") == 0)
		note("%s: a Chrome trace of another tool than torch.profiler: "
		     "its events are host events", info->path);
	set_text(&info->dialect, (struct text){ dialect_of(d), strlen(dialect_of(d)) });
}
