/* view_comm.c - see view_comm.h. */
#include "base.h"
#include "view_comm_in.h"
#include "view_late.h"
#include "in.h"
#include "mem.h"
#include "say.h"

#include <stdlib.h>

static void piece_take(void *arg, const struct split_op *op, int64_t start_ns,
	int64_t end_ns)
{
	struct span_sink *s = arg;
	spans_part(s->spans, op->class, start_ns, end_ns);
}

static int64_t step_start(const struct view *v, const struct view_step *s)
{
	return v->clock == CLOCK_HOST ? s->host_ts_ns : s->ts_ns;
}

static int64_t step_end(const struct view *v, const struct view_step *s)
{
	return v->clock == CLOCK_HOST ? s->host_ts_ns + s->host_dur_ns :
		s->ts_ns + s->dur_ns;
}

static int device_open(struct comm_scan *s, size_t d)
{
	struct comm_device *dev = &s->ct->device[d];
	dev->idx = s->ct->cpu_job ? NULL : s->ct->t->device[d].idx;
	dev->known = s->ct->cpu_job || s->ct->t->device[d].busy_known;
	if (view_steps(s->v, s->ct->t, dev->idx ? dev->idx : "", &dev->steps) < 0)
		return -1;
	dev->span = xcalloc(dev->steps.n + 1, sizeof *dev->span);
	for (size_t i = 0; i < dev->steps.n; i++) {
		dev->span[i].start_ns = step_start(s->v, &dev->steps.step[i]);
		dev->span[i].end_ns = step_end(s->v, &dev->steps.step[i]);
	}
	spans_init(&s->spans[d], dev->span, dev->steps.n);
	s->sink[d].spans = &s->spans[d];
	split_init(&s->split[d], piece_take, &s->sink[d]);
	return 0;
}

/* The step that holds the collective's start; steps are few and in order. */
static int32_t step_of(const struct comm_device *d, int64_t start_ns)
{
	for (size_t i = 0; i < d->steps.n; i++)
		if (start_ns >= d->span[i].start_ns && start_ns < d->span[i].end_ns)
			return (int32_t)i;
	return -1;
}

/* The names around the call, the innermost four: c10d's operator and the
 * annotation inside it say what a bare ncclDevKernel_SendRecv was. */
static int stack_read(struct comm_scan *s, int64_t call)
{
	int64_t base = s->ct->t->id << STORE_N_BITS;
	if (call == s->stack_call)
		return 0;
	buf_reset(&s->stack_text);
	buf_adds(&s->stack_text, "");
	s->stack_call = call;
	sqlite3_reset(s->up);
	sqlite3_bind_int64(s->up, 1, base);
	sqlite3_bind_int64(s->up, 2, base + call);
	int rc;
	while ((rc = db_step(&s->v->db, s->up)) > 0) {
		char *name = names_get(&s->names, sqlite3_column_int64(s->up, 0));
		if (!name)
			return -1;
		buf_adds(&s->stack_text, name);
		buf_addc(&s->stack_text, ' ');
		free(name);
	}
	return rc;
}

static int identify(struct comm_scan *s, const struct dev_op *op, struct coll_info *info)
{
	struct text args = { NULL, 0 };
	sqlite3_reset(s->args);
	sqlite3_bind_int64(s->args, 1, (s->ct->t->id << STORE_N_BITS) + op->n);
	int rc = db_step(&s->v->db, s->args);
	if (rc > 0) {
		args.s = db_column_str(s->args, 0);
		args.n = (size_t)sqlite3_column_bytes(s->args, 0);
	}
	if (rc < 0 || stack_read(s, op->call == NO_INT ? 0 : op->call) < 0)
		return -1;
	char *kernel = names_get(&s->names, op->name);
	if (!kernel)
		return -1;
	coll_identify(info, args, buf_text(&s->stack_text),
		(struct text){ kernel, strlen(kernel) });
	free(kernel);
	return 0;
}

void comm_scan_part(struct comm_scan *s, size_t d, const struct split_op *x)
{
	spans_op(&s->spans[d], &s->split[d], x);
	split_add(&s->split[d], x);
	if (x->class == SPLIT_COMPUTE)
		comm_compute(&s->ct->comm, d, x->start_ns, x->end_ns);
}

void comm_scan_item(struct comm_scan *s, const struct comm_key *key,
	const struct coll_info *info, int64_t start_ns, int64_t end_ns)
{
	const struct comm_device *dev = &s->ct->device[key->device];
	int32_t step = step_of(dev, start_ns);
	if (s->v->step_first != NO_INT && (step < 0 || !dev->steps.step[step].chosen))
		return;
	struct comm_item item = { .start_ns = start_ns, .end_ns = end_ns,
		.bytes = info->bytes, .seq = info->seq, .step = step };
	comm_add(&s->ct->comm, key, &item);
}

static int comm_op(struct comm_scan *s, size_t d, const struct dev_op *op)
{
	struct coll_info info;
	if (identify(s, op, &info) < 0)
		return -1;
	struct comm_key key = { .device = d, .name = op->name, .op = op->op,
		.frame = op->frame, .how = op->how, .coll = info.op,
		.group_size = info.group_size };
	memcpy(key.group, info.group, sizeof key.group);
	comm_scan_item(s, &key, &info, op->ts_ns, op->ts_ns + op->dur_ns);
	return 0;
}

static int op_take(void *arg, const struct dev_op *op)
{
	struct comm_scan *s = arg;
	if (op->track < 1 || (size_t)op->track > s->ct->t->ntrack)
		return 0;
	const struct view_track *k = &s->ct->t->track[op->track - 1];
	if (k->device_at < 0 || !view_wants_device(s->v, k->device))
		return 0;
	size_t d = (size_t)k->device_at;
	struct split_op x = { op->ts_ns, op->ts_ns + op->dur_ns,
		cat_is_copy(op->cat) ? SPLIT_COPY :
			op->cat == CAT_COMM ? SPLIT_COMM : SPLIT_COMPUTE,
		k->stream_order, op->corr, NULL };
	comm_scan_part(s, d, &x);
	return op->cat == CAT_COMM ? comm_op(s, d, op) : 0;
}

static void device_close(struct comm_scan *s, size_t d)
{
	struct comm_device *dev = &s->ct->device[d];
	split_end(&s->split[d]);
	dev->total_ns = s->split[d].comm_ns;
	dev->exposed_ns = s->split[d].part_ns[SPLIT_COMM];
	dev->ops = s->split[d].ops;
	dev->wall_ns = s->split[d].last_ns - s->split[d].first_ns;
	split_release(&s->split[d]);
}

static const char ARGS_SQL[] = "SELECT args FROM coll WHERE id = ?1";
static const char UP_SQL[] = "WITH RECURSIVE up(parent, name, depth) AS ("
	"SELECT s.parent, s.name, 1 FROM call c JOIN stack s ON s.id = ?1 + c.stack"
	" WHERE c.id = ?2 UNION ALL SELECT s.parent, s.name, up.depth + 1"
	" FROM up JOIN stack s ON s.id = ?1 + up.parent"
	" WHERE up.parent > 0 AND up.depth < 4) SELECT name FROM up";

static int trace_load(struct view *v, struct comm_trace *ct, const struct view_trace *t)
{
	size_t n = trace_is_cpu_job(t) ? 1 : t->ndevice;
	struct comm_scan s = { .v = v, .ct = ct, .split = xcalloc(n + 1, sizeof *s.split),
		.spans = xcalloc(n + 1, sizeof *s.spans),
		.sink = xcalloc(n + 1, sizeof *s.sink), .stack_call = NO_INT,
		.stack_text = BUF_INIT };
	ct->t = t;
	ct->cpu_job = trace_is_cpu_job(t);
	ct->ndevice = n;
	ct->run = SIZE_MAX;
	ct->device = xcalloc(n + 1, sizeof *ct->device);
	comm_init(&ct->comm);
	int status = names_open(&s.names, &v->db, t);
	if (status == 0 && (!(s.args = trace_prepare(&v->db, ARGS_SQL, NULL)) ||
	    !(s.up = trace_prepare(&v->db, UP_SQL, NULL))))
		status = -1;
	for (size_t d = 0; d < n && status == 0; d++)
		status = device_open(&s, d);
	if (status == 0)
		status = ct->cpu_job ? comm_scan_host(&s) :
			dev_each(&s.v->db, s.ct->t, DEV_FULL, op_take, &s);
	for (size_t d = 0; d < n; d++)
		device_close(&s, d);
	comm_done(&ct->comm);
	if (status == 0 && ct->comm.beyond)
		status = error("%s: a trace with %zu collectives more than the %u that fit",
			v->store, ct->comm.beyond, COMM_MAX);
	sqlite3_finalize(s.args);
	sqlite3_finalize(s.up);
	buf_release(&s.stack_text);
	names_close(&s.names);
	free(s.split);
	free(s.spans);
	free(s.sink);
	return status;
}

static bool overlap(const struct view_trace *a, const struct view_trace *b)
{
	return a->base_ns + a->first_ns < b->base_ns + b->last_ns &&
		b->base_ns + b->first_ns < a->base_ns + a->last_ns;
}

/* Could `ct` be of the run that the members of `run` make? */
static bool fits(const struct comm_all *a, const struct comm_trace *ct, size_t run)
{
	bool near = false;
	for (const struct comm_trace *x = a->trace; x < a->trace + a->n; x++) {
		if (x->run != run)
			continue;
		if (x->t->rank == ct->t->rank)
			return false;
		near |= overlap(x->t, ct->t);
	}
	return near;
}

static uint64_t class_of(const struct comm_key *key, const struct comm_item *item)
{
	struct hash h;
	hash_init(&h);
	hash_add(&h, key->group, strlen(key->group));
	if (item->seq == NO_INT) {
		hash_add(&h, &key->coll, sizeof key->coll);
		hash_add(&h, &item->bytes, sizeof item->bytes);
	}
	return hash_value(&h);
}

static void items_add(struct arrive *run, const struct comm_trace *ct)
{
	for (size_t i = 0; i < ct->comm.n; i++) {
		const struct comm_item *x = &ct->comm.item[i];
		const struct comm_key *key = &ct->comm.kind[x->kind].key;
		int64_t need = key->group_size != NO_INT ? key->group_size :
			ct->t->world_size;
		if (coll_is_p2p(key->coll))
			continue;
		struct arrive_item item = { ct->t->base_ns + x->start_ns,
			ct->t->base_ns + x->end_ns, class_of(key, x), x->seq,
			need > 0 ? (size_t)need : 0, i };
		arrive_add(run, ct->member, &item);
	}
}

static void runs_make(struct comm_all *a)
{
	for (struct comm_trace *ct = a->trace; ct < a->trace + a->n; ct++) {
		size_t run = 0;
		if (ct->t->rank == NO_INT)
			continue;
		while (run < a->nrun && !fits(a, ct, run))
			run++;
		if (run == a->nrun) {
			a->run = xreallocarray(a->run, a->nrun + 1, sizeof *a->run);
			arrive_init(&a->run[a->nrun++]);
		}
		ct->run = run;
		ct->member = arrive_rank(&a->run[run], ct->t->rank, ct->t->host);
		items_add(&a->run[run], ct);
	}
}

static void waits_take(struct comm_all *a)
{
	for (struct comm_trace *ct = a->trace; ct < a->trace + a->n; ct++) {
		if (ct->run == SIZE_MAX)
			continue;
		const struct arrive *run = &a->run[ct->run];
		for (size_t i = 0; i < run->nset; i++) {
			const struct arrive_set *s = &run->set[i];
			size_t m = s->member[ct->member];
			if (m != SIZE_MAX)
				ct->comm.item[run->rank[ct->member].item[m].at].wait_ns =
					arrive_wait(run, s, ct->member);
		}
	}
}

static int trace_order(const void *x, const void *y)
{
	const struct view_trace *a = ((const struct comm_trace *)x)->t;
	const struct view_trace *b = ((const struct comm_trace *)y)->t;
	int64_t p = a->base_ns + a->first_ns, q = b->base_ns + b->first_ns;
	if (a->rank != b->rank && (a->rank == NO_INT || b->rank == NO_INT))
		return a->rank == NO_INT ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

int comm_all_load(struct view *v, struct comm_all *a)
{
	memset(a, 0, sizeof *a);
	a->trace = xcalloc(v->ntrace + 1, sizeof *a->trace);
	for (size_t i = 0; i < v->ntrace; i++) {
		a->n++;
		if (trace_load(v, &a->trace[i], &v->trace[i]) < 0)
			return -1;
	}
	if (a->n > 1)
		qsort(a->trace, a->n, sizeof *a->trace, trace_order);
	runs_make(a);
	for (size_t i = 0; i < a->nrun; i++)
		arrive_match(&a->run[i]);
	waits_take(a);
	for (size_t i = 0; i < a->n; i++)
		comm_sum(&a->trace[i].comm);
	return late_find(v, a);
}

void comm_all_release(struct comm_all *a)
{
	for (struct comm_trace *ct = a->trace; ct < a->trace + a->n; ct++) {
		for (size_t d = 0; d < ct->ndevice; d++) {
			steps_release(&ct->device[d].steps);
			free(ct->device[d].span);
		}
		free(ct->device);
		comm_release(&ct->comm);
	}
	for (size_t i = 0; i < a->nrun; i++)
		arrive_release(&a->run[i]);
	free(a->run);
	free(a->trace);
	memset(a, 0, sizeof *a);
}
