/* face_comm.c - see face_comm.h. */
#include "base.h"
#include "face_comm.h"
#include "mem.h"
#include "num.h"
#include "tab.h"
#include "view_late.h"

#include <stdio.h>
#include <stdlib.h>

const struct comm_trace *comm_member(const struct comm_all *a, size_t run, size_t m)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->trace[i].run == run && a->trace[i].member == m)
			return &a->trace[i];
	return NULL;
}

bool comm_wants_device(const struct view *v, const struct comm_trace *ct, size_t d)
{
	return ct->device[d].idx ? view_wants_device(v, ct->device[d].idx) : !v->device;
}

size_t comm_device_count(const struct comm_trace *ct, size_t device)
{
	size_t n = 0;
	for (size_t i = 0; i < ct->comm.nkind; i++)
		if (ct->comm.kind[i].key.device == device)
			n += ct->comm.kind[i].count;
	return n;
}

int64_t comm_scaled(int64_t bytes, int64_t num, int64_t den)
{
	return bytes / den * num + bytes % den * num / den;
}

/* The first device's steps: the host's marks are the same for all of them. */
static const struct view_step *step_number(const struct comm_trace *ct, int64_t number)
{
	for (size_t i = 0; ct->ndevice > 0 && i < ct->device[0].steps.n; i++) {
		const struct view_step *s = &ct->device[0].steps.step[i];
		if (s->number == number && s->chosen)
			return s;
	}
	return NULL;
}

static int skew_put(struct view *v, const struct comm_all *a, size_t at, int64_t number)
{
	const struct arrive *run = &a->run[at];
	int64_t first = INT64_MAX, last = INT64_MIN, late = NO_INT;
	size_t ranks = 0;
	for (size_t m = 0; m < run->nrank; m++) {
		const struct comm_trace *ct = comm_member(a, at, m);
		const struct view_step *s = step_number(ct, number);
		if (!s || !run->rank[m].tied)
			continue;
		int64_t start = ct->t->base_ns + s->host_ts_ns - run->rank[m].offset_ns;
		first = MIN(first, start);
		late = start > last ? run->rank[m].rank : late;
		last = MAX(last, start);
		ranks++;
	}
	if (ranks < 2)
		return 0;
	char item[64];
	snprintf(item, sizeof item, "run%zu.step%" PRId64, at + 1, number);
	struct view_where where = { NULL, NULL, NULL, item };
	struct jw *w = view_row(v, "view4.skew", &where);
	jw_kint(w, "run", (int64_t)at + 1);
	jw_kint(w, "step", number);
	jw_kint(w, "ranks", (int64_t)ranks);
	if (last > first)
		jw_kint(w, "late_rank", late);
	jw_kint(w, "skew_ns", last - first);
	return view_put(v);
}

int comm_skew_put(struct view *v, const struct comm_all *a)
{
	for (size_t at = 0; at < a->nrun; at++) {
		const struct comm_trace *ct = comm_member(a, at, 0);
		if (a->run[at].nrank < 2 || ct->ndevice == 0)
			continue;
		for (size_t i = 0; i < ct->device[0].steps.n; i++) {
			int64_t number = ct->device[0].steps.step[i].number;
			if (number != NO_INT && skew_put(v, a, at, number) < 0)
				return -1;
		}
	}
	return 0;
}

static void head_text(struct view *v, const struct comm_trace *ct, size_t d)
{
	const struct comm_device *dev = &ct->device[d];
	char total[NUM_LEN], share[NUM_LEN], hidden[NUM_LEN], out[NUM_LEN], of[NUM_LEN],
		wall[NUM_LEN];
	size_t n = comm_device_count(ct, d);
	view_add_place(&v->text, ct->t, dev->idx);
	if (ct->run != SIZE_MAX && ct->run > 0)
		buf_addf(&v->text, " (run %zu)", ct->run + 1);
	if (!dev->known) {
		buf_adds(&v->text, ": device activity unknown, so is communication\n");
		return;
	}
	if (n == 0 && dev->total_ns == 0) {
		if (ct->cpu_job)
			buf_addf(&v->text, ": %s%s communication\n", trace_cpu_words(ct->t),
				ct->t->partial ? ", no" : " without");
		else
			buf_adds(&v->text, ": no communication kernels\n");
		return;
	}
	buf_addf(&v->text, ": %s%s%zu collectives, %s (%s of %s from first op to last);\n"
		"  hidden %s, exposed %s (%s)\n",
		ct->cpu_job ? trace_cpu_words(ct->t) : "", ct->cpu_job ? ", " : "", n,
		num_fmt_ns(total, dev->total_ns),
		num_fmt_share(share, dev->total_ns, dev->wall_ns), num_fmt_ns(wall, dev->wall_ns),
		num_fmt_ns(hidden, dev->total_ns - dev->exposed_ns),
		num_fmt_ns(out, dev->exposed_ns),
		num_fmt_share(of, dev->exposed_ns, dev->wall_ns));
	struct tab_part part[] = {
		{ 'N', dev->exposed_ns }, { 'n', dev->total_ns - dev->exposed_ns },
		{ '.', MAX(0, dev->wall_ns - dev->total_ns) },
	};
	buf_adds(&v->text, "  [");
	tab_bar(&v->text, part, ARRAY_LEN(part), MIN(v->width, 80) - 4);
	buf_adds(&v->text, "]\n");
}

struct ordered { const struct comm_trace *ct; size_t at; };

static int64_t exposed_of(const struct ordered *o)
{
	const struct comm_kind *k = &o->ct->comm.kind[o->at];
	return k->total_ns - k->hidden_ns;
}

static int kind_order(const void *x, const void *y)
{
	const struct ordered *a = x, *b = y;
	int64_t p = exposed_of(a), q = exposed_of(b);
	if (p != q)
		return p < q ? 1 : -1;
	if (a->ct != b->ct)
		return a->ct < b->ct ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static void bandwidth_text(char *out, const struct comm_kind *k)
{
	struct buf b = BUF_INIT;
	bool wire = k->sized > 0 && k->sized_matched == k->sized;
	int64_t time = wire ? k->sized_wire_ns : k->timed_ns, num, den;
	if (k->sized == 0 || time <= 0 || k->key.group_size == NO_INT) {
		buf_adds(&b, "unknown");
	} else {
		coll_bus_factor(k->key.coll, k->key.group_size, &num, &den);
		num_add_ratio(&b, comm_scaled(k->bytes, num, den), time, 1);
		buf_adds(&b, " GB/s");
	}
	snprintf(out, NUM_LEN, "%s", b.data);
	buf_release(&b);
}

static void place_short(char *out, const struct comm_trace *ct, size_t device)
{
	char rank[NUM_LEN] = "-";
	if (ct->t->rank != NO_INT)
		snprintf(rank, sizeof rank, "%" PRId64, ct->t->rank);
	if (ct->cpu_job)
		snprintf(out, 2 * NUM_LEN, "%s/cpu", rank);
	else
		snprintf(out, 2 * NUM_LEN, "%s/%.20s", rank, ct->device[device].idx);
}

static int kind_row(struct view *v, struct tab *tab, const struct ordered *o)
{
	const struct comm_kind *k = &o->ct->comm.kind[o->at];
	char place[2 * NUM_LEN], n[NUM_LEN], total[NUM_LEN], exposed[NUM_LEN], bus[NUM_LEN];
	struct names names;
	struct anchor_text anchor = { NULL, NULL, 0, NULL };
	struct buf where = BUF_INIT;
	if (names_open(&names, &v->db, o->ct->t) < 0)
		return -1;
	char *name = names_get(&names, k->key.name);
	if (!name || names_anchor(&names, k->key.frame, k->key.how, &anchor) < 0) {
		free(name);
		names_close(&names);
		return -1;
	}
	if (anchor.file)
		buf_addf(&where, "%s:%" PRId64 " (%s)", anchor.file, anchor.line,
			anchor.func ? anchor.func : "?");
	else /* without its template and arguments */
		buf_add(&where, name, strcspn(name, "(<"));
	if (k->blocking == k->count)
		buf_adds(&where, ", blocking");
	place_short(place, o->ct, k->key.device);
	bandwidth_text(bus, k);
	tab_row(tab, place, coll_name(k->key.coll), num_fmt_count(n, (int64_t)k->count),
		num_fmt_ns(total, k->total_ns), num_fmt_ns(exposed, exposed_of(o)), bus,
		where.data);
	buf_release(&where);
	anchor_release(&anchor);
	names_close(&names);
	free(name);
	return 0;
}

static int kinds_text(struct view *v, const struct comm_all *a)
{
	struct ordered *o = NULL;
	size_t n = 0, cap = 0;
	int status = 0;
	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < a->trace[i].comm.nkind; k++) {
			GROW(o, n, cap);
			o[n++] = (struct ordered){ &a->trace[i], k };
		}
	}
	if (n == 0)
		return 0;
	qsort(o, n, sizeof *o, kind_order);
	struct tab *tab = tab_new("llrrrrw");
	tab_head(tab, "rank/dev", "collective", "count", "time", "exposed", "busbw", "where");
	for (size_t i = 0; i < view_rows(v, n) && status == 0; i++)
		status = kind_row(v, tab, &o[i]);
	buf_adds(&v->text, "\n");
	tab_put(tab, &v->text, v->width, v->cut);
	tab_free(tab);
	view_add_rest(v, view_rows(v, n), n);
	free(o);
	return status;
}

static void run_text(struct view *v, const struct comm_all *a, size_t at)
{
	const struct arrive *run = &a->run[at];
	if (run->nrank < 2)
		return;
	struct tab *tab = tab_new("rrrrrrl");
	buf_addf(&v->text, "\nrun %zu: %zu ranks, %zu collectives matched on all of them",
		at + 1, run->nrank, run->nset);
	if (run->nshort)
		buf_addf(&v->text, ", %zu where ranks are missing in the store", run->nshort);
	buf_adds(&v->text, "\n");
	tab_head(tab, "rank", "matched", "wait", "wire", "came last", "others waited", "clock");
	for (size_t r = 0; r < run->nrank; r++) {
		const struct arrive_rank *k = &run->rank[r];
		char id[NUM_LEN], n[NUM_LEN], wait[NUM_LEN], wire[NUM_LEN], last[NUM_LEN],
			late[NUM_LEN], res[NUM_LEN], clock[2 * NUM_LEN] = "";
		snprintf(id, sizeof id, "%" PRId64, k->rank);
		if (k->ends)
			snprintf(clock, sizeof clock, "ends within %s",
				num_fmt_ns(res, k->residual_ns));
		tab_row(tab, id, num_fmt_count(n, (int64_t)k->matched),
			num_fmt_ns(wait, k->wait_ns), num_fmt_ns(wire, k->wire_ns),
			num_fmt_count(last, (int64_t)k->last), num_fmt_ns(late, k->late_ns),
			r == 0 ? "reference" : k->tied ? clock : "not comparable");
	}
	if (run->nset > 0)
		tab_put(tab, &v->text, v->width, v->cut);
	tab_free(tab);
}

/* First of all: is it the network, or a rank? */
static int verdict_text(struct view *v, const struct comm_all *a, size_t at)
{
	struct buf *b = &v->text;
	const struct arrive *run = &a->run[at];
	const struct arrive_rank *late = &run->rank[0];
	int64_t wait = 0, wire = 0;
	char w[NUM_LEN], x[NUM_LEN];
	if (run->nset == 0)
		return 0;
	for (size_t r = 0; r < run->nrank; r++) {
		wait += run->rank[r].wait_ns;
		wire += run->rank[r].wire_ns;
		if (run->rank[r].late_ns > late->late_ns)
			late = &run->rank[r];
	}
	buf_addf(b, "run %zu: of the matched time %s is waiting for the last rank, %s the wire",
		at + 1, num_fmt_ns(w, wait), num_fmt_ns(x, wire));
	/* Half of all waiting is for one rank: it has a name. */
	bool named = wait > wire && late->late_ns * 2 > wait;
	if (named)
		buf_addf(b, "\nlate rank: %" PRId64 ", the others waited %s for it",
			late->rank, num_fmt_ns(w, late->late_ns));
	buf_adds(b, "\n");
	return named ? late_text(v, comm_member(a, at, (size_t)(late - run->rank))) : 0;
}

/* Devices that the trace only lists (the host's other GPUs) are not shown. */
static void trace_text(struct view *v, const struct comm_trace *ct)
{
	bool shown = false;
	for (size_t d = 0; d < ct->ndevice; d++) {
		if (!comm_wants_device(v, ct, d) ||
		    (ct->device[d].ops == 0 && ct->device[d].known))
			continue;
		head_text(v, ct, d);
		shown = true;
	}
	if (!shown) {
		view_add_place(&v->text, ct->t, NULL);
		buf_adds(&v->text, ": no device work\n");
	}
}

int comm_text(struct view *v, const struct comm_all *a)
{
	size_t n = 0;
	for (size_t r = 0; r < a->nrun; r++)
		if (verdict_text(v, a, r) < 0)
			return -1;
	for (size_t i = 0; i < a->n; i++) {
		trace_text(v, &a->trace[i]);
		n += a->trace[i].comm.n;
	}
	if (n > 0)
		buf_adds(&v->text, "  (N exposed, n hidden behind compute, . no communication)\n");
	if (kinds_text(v, a) < 0)
		return -1;
	for (size_t r = 0; r < a->nrun; r++)
		run_text(v, a, r);
	buf_addf(&v->text, "\nadds up: hidden + exposed = time for each of %zu collectives;"
		" wait + wire = time where matched\n", n);
	return 0;
}
