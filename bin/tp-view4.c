/* tp-view4 - overlap and exposure: what communication costs, who waits for
 * whom.  See tp-view4(1). */
#include "base.h"
#include "face_comm.h"
#include "say.h"
#include "view_late.h"

#include <stdio.h>
#include <stdlib.h>

static struct view view = VIEW_INIT;

/* Bandwidth from the wire time where the ranks were matched (waiting for a late
 * rank is not the network's doing), else from the whole. */
static void bandwidth_put(struct jw *w, const struct comm_kind *k)
{
	bool wire = k->sized > 0 && k->sized_matched == k->sized;
	int64_t time = wire ? k->sized_wire_ns : k->timed_ns;
	int64_t n = k->key.group_size, num, den;
	if (k->sized == 0)
		return;
	jw_kint(w, "bytes", k->bytes);
	if (time <= 0)
		return;
	jw_kratio(w, "algbw_gbps", k->bytes, time, 3);
	if (n != NO_INT) {
		coll_bus_factor(k->key.coll, n, &num, &den);
		jw_kratio(w, "busbw_gbps", comm_scaled(k->bytes, num, den), time, 3);
	}
	jw_kstr(w, "bandwidth_from", wire ? "wire" : "total");
}

static int kind_put(struct view *v, const struct comm_trace *ct, struct names *names,
	size_t at)
{
	const struct comm_kind *k = &ct->comm.kind[at];
	struct anchor_text anchor;
	char item[48];
	char *name = names_get(names, k->key.name);
	char *op = k->key.op > 0 ? names_get(names, k->key.op) : NULL;
	snprintf(item, sizeof item, "%zu", at);
	if (!name || names_anchor(names, k->key.frame, k->key.how, &anchor) < 0) {
		free(name);
		free(op);
		return -1;
	}
	struct view_where where = { ct->t, ct->device[k->key.device].idx, NULL, item };
	struct jw *w = view_row(v, "view4.collective", &where);
	jw_kstr(w, "op", coll_name(k->key.coll));
	jw_kstr(w, "name", name);
	jw_kstr(w, "launched_by", op);
	jw_kstr(w, "group", *k->key.group ? k->key.group : NULL);
	if (k->key.group_size != NO_INT)
		jw_kint(w, "group_size", k->key.group_size);
	jw_kbool(w, "p2p", coll_is_p2p(k->key.coll));
	jw_kint(w, "count", (int64_t)k->count);
	jw_kint(w, "total_ns", k->total_ns);
	jw_kint(w, "hidden_ns", k->hidden_ns);
	jw_kint(w, "exposed_ns", k->total_ns - k->hidden_ns);
	jw_kint(w, "blocking", (int64_t)k->blocking);
	bandwidth_put(w, k);
	if (k->matched) {
		jw_kint(w, "matched", (int64_t)k->matched);
		jw_kint(w, "wait_ns", k->wait_ns);
		jw_kint(w, "wire_ns", k->wire_ns);
	}
	jw_kstr(w, "file", anchor.file);
	if (anchor.file)
		jw_kint(w, "line", anchor.line);
	jw_kstr(w, "func", anchor.func);
	jw_kstr(w, "how", anchor.how);
	free(name);
	free(op);
	anchor_release(&anchor);
	return view_put(v);
}

static int total_put(struct view *v, const struct comm_trace *ct, size_t d,
	const struct view_step *step, int64_t total_ns, int64_t exposed_ns)
{
	const struct comm_device *dev = &ct->device[d];
	struct view_where where = { ct->t, dev->idx, step, NULL };
	struct jw *w = view_row(v, "view4.total", &where);
	if (ct->cpu_job)
		jw_kbool(w, "cpu_job", true);
	if (!step) {
		jw_kint(w, "window_wall_ns", dev->wall_ns);
		jw_kint(w, "count", (int64_t)comm_device_count(ct, d));
	}
	jw_kint(w, "total_ns", total_ns);
	jw_kint(w, "hidden_ns", total_ns - exposed_ns);
	jw_kint(w, "exposed_ns", exposed_ns);
	return view_put(v);
}

static int totals_put(struct view *v, const struct comm_trace *ct)
{
	for (size_t d = 0; d < ct->ndevice; d++) {
		const struct comm_device *dev = &ct->device[d];
		if (!comm_wants_device(v, ct, d) || !dev->known)
			continue;
		if (total_put(v, ct, d, NULL, dev->total_ns, dev->exposed_ns) < 0)
			return -1;
		for (size_t i = 0; i < dev->steps.n; i++) {
			const struct span *s = &dev->span[i];
			if (dev->steps.step[i].chosen &&
			    !(dev->steps.step[i].flags & STEP_WHOLE) && total_put(v, ct, d,
			    &dev->steps.step[i], s->comm_ns, s->part_ns[SPLIT_COMM]) < 0)
				return -1;
		}
	}
	return 0;
}

static int rank_put(struct view *v, const struct comm_all *a, const struct comm_trace *ct)
{
	if (ct->run == SIZE_MAX || a->run[ct->run].nrank < 2)
		return 0;
	const struct arrive *run = &a->run[ct->run];
	const struct arrive_rank *r = &run->rank[ct->member];
	struct view_where where = { ct->t, NULL, NULL, NULL };
	struct jw *w = view_row(v, "view4.rank", &where);
	jw_kint(w, "run", (int64_t)ct->run + 1);
	jw_kint(w, "matched", (int64_t)r->matched);
	jw_kint(w, "ranks_missing", (int64_t)run->nshort);
	if (r->matched) {
		jw_kint(w, "wait_ns", r->wait_ns);
		jw_kint(w, "wire_ns", r->wire_ns);
		jw_kint(w, "came_last", (int64_t)r->last);
		jw_kint(w, "others_waited_ns", r->late_ns);
	}
	if (r->ends) {
		jw_kint(w, "clock_offset_ns", r->offset_ns);
		jw_kint(w, "clock_residual_ns", r->residual_ns);
		jw_kint(w, "clock_ends", (int64_t)r->ends);
	}
	return late_put(v, ct) < 0 ? -1 : view_put(v);
}

/* One collective on all its ranks: who came last, how long the others waited. */
static int arrival_put(struct view *v, const struct comm_all *a, size_t at, size_t n)
{
	const struct arrive *run = &a->run[at];
	const struct arrive_set *s = &run->set[n];
	const struct comm_trace *last = comm_member(a, at, s->last);
	const struct arrive_item *x = &run->rank[s->last].item[s->member[s->last]];
	const struct comm_key *key =
		&last->comm.kind[last->comm.item[x->at].kind].key;
	char item[48];
	snprintf(item, sizeof item, "run%zu.%zu", at + 1, n);
	struct view_where where = { NULL, NULL, NULL, item };
	struct jw *w = view_row(v, "view4.arrival", &where);
	jw_kint(w, "run", (int64_t)at + 1);
	jw_kstr(w, "op", coll_name(key->coll));
	jw_kstr(w, "group", *key->group ? key->group : NULL);
	if (s->by_seq)
		jw_kint(w, "seq", x->seq);
	jw_kstr(w, "matched_by", s->by_seq ? "sequence number" : "order");
	jw_kint(w, "ranks", (int64_t)s->ranks);
	jw_kint(w, "last_rank", run->rank[s->last].rank);
	jw_kint(w, "last_start_ns", s->last_start_ns - v->epoch_ns);
	jw_kint(w, "skew_ns", s->skew_ns);
	jw_kint(w, "wire_ns", s->wire_ns);
	jw_key(w, "waits");
	jw_open(w, '[');
	for (size_t r = 0; r < run->nrank; r++) {
		if (s->member[r] == SIZE_MAX)
			continue;
		jw_open(w, '{');
		jw_kint(w, "rank", run->rank[r].rank);
		jw_kint(w, "wait_ns", arrive_wait(run, s, r));
		jw_close(w, '}');
	}
	jw_close(w, ']');
	return view_put(v);
}

static int trace_put(struct view *v, const struct comm_all *a, const struct comm_trace *ct)
{
	struct names names;
	int status = names_open(&names, &v->db, ct->t);
	for (size_t i = 0; i < ct->comm.nkind && status == 0; i++)
		status = kind_put(v, ct, &names, i);
	names_close(&names);
	if (status == 0)
		status = totals_put(v, ct);
	return status < 0 ? -1 : rank_put(v, a, ct);
}

/* hidden + exposed = total holds by construction; what can break is that the
 * two sweeps disagree: exposed of all is at most the sum, total likewise. */
static int check(struct view *v, const struct comm_trace *ct)
{
	for (size_t d = 0; d < ct->ndevice && v->step_first == NO_INT; d++) {
		const struct comm_device *dev = &ct->device[d];
		int64_t exposed = 0, total = 0;
		struct view_where where = { ct->t, dev->idx, NULL, NULL };
		for (size_t i = 0; i < ct->comm.n; i++) {
			const struct comm_item *x = &ct->comm.item[i];
			if (ct->comm.kind[x->kind].key.device != d)
				continue;
			total += x->end_ns - x->start_ns;
			exposed += x->end_ns - x->start_ns - x->hidden_ns;
		}
		if (dev->exposed_ns > exposed)
			return view_unequal(v, &where, "exposed, union against sum",
				dev->exposed_ns, exposed);
		if (dev->total_ns - dev->exposed_ns > total - exposed)
			return view_unequal(v, &where, "hidden, union against sum",
				dev->total_ns - dev->exposed_ns, total - exposed);
	}
	return 0;
}

static int run(struct view *v)
{
	struct comm_all all;
	int status = comm_all_load(v, &all);
	for (size_t i = 0; i < all.n && status == 0; i++)
		status = check(v, &all.trace[i]);
	for (size_t i = 0; i < all.n && status == 0; i++)
		status = trace_put(v, &all, &all.trace[i]);
	for (size_t r = 0; r < all.nrun && status == 0; r++)
		for (size_t i = 0; i < all.run[r].nset && status == 0; i++)
			status = arrival_put(v, &all, r, i);
	if (status == 0)
		status = comm_skew_put(v, &all);
	if (status == 0 && v->as_text)
		status = comm_text(v, &all);
	comm_all_release(&all);
	return status;
}

int main(int argc, char **argv)
{
	static const struct opt opts[] = { VIEW_OPTS(view), OPT_END };
	static const struct opt_page page = {
		.usage = "tp-view4 [options] STORE",
		.what = "Overlap and exposure: per collective hidden and exposed, who came late.",
		.example = "tp-view4 -t store.db",
		.opt = opts,
	};
	return view_main(&view, &page, argc, argv, run);
}
