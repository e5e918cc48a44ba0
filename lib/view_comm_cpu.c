/* view_comm_cpu.c - the communication of a CPU job.
 *
 * There is no kernel: a back end that works on the host notes each collective as
 * an annotation, on the thread that carries it out, from the moment that this
 * rank has come to it until it is done (measured with gloo: with a rank 20 ms
 * late, the annotation of the others is 20 ms long and its own is not). */
#include "base.h"
#include "view_comm_in.h"
#include "sorter.h"

#include <stdlib.h>

struct host_part {
	int64_t start_ns, end_ns, track, name;
	int64_t comm;          /* is it communication? */
};

static int part_order(const void *x, const void *y)
{
	const struct host_part *a = x, *b = y;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->comm != b->comm)
		return a->comm ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

/* c10d's operators hand a collective over or wait for it: no compute. */
static const char PARTS_SQL[] = "SELECT h.ts, h.dur, h.track, h.name, h.cat = ?4"
	" FROM host h CROSS JOIN name n ON n.id = ((h.id >> 40) << 40) + h.name"
	" WHERE h.id > ?1 AND h.id < ?2 AND (h.cat = ?3 AND n.text NOT GLOB 'c10d::*'"
	" AND n.text NOT GLOB '*c10d_functional::*' AND n.text <> 'record_param_comms'"
	" OR h.cat = ?4 AND (n.text GLOB 'gloo:*' OR n.text GLOB 'mpi:*'"
	" OR n.text GLOB 'ucc:*'))";

static int parts_sort(struct comm_scan *s, struct sorter *to)
{
	sqlite3_stmt *st = trace_prepare(&s->v->db, PARTS_SQL, s->ct->t);
	int rc;
	if (!st)
		return -1;
	sqlite3_bind_int(st, 3, CAT_CPU_OP);
	sqlite3_bind_int(st, 4, CAT_ANNOTATION);
	while ((rc = db_step(&s->v->db, st)) > 0) {
		struct host_part p = { .start_ns = sqlite3_column_int64(st, 0),
			.track = sqlite3_column_int64(st, 2),
			.name = sqlite3_column_int64(st, 3),
			.comm = sqlite3_column_int(st, 4) != 0 };
		p.end_ns = p.start_ns + sqlite3_column_int64(st, 1);
		if (sorter_add(to, &p) < 0) {
			rc = -1;
			break;
		}
	}
	db_finish(&st);
	return rc < 0 ? -1 : sorter_done(to);
}

static int part_take(struct comm_scan *s, const struct host_part *p)
{
	struct split_op x = { p->start_ns, p->end_ns, p->comm ? SPLIT_COMM :
		SPLIT_COMPUTE, (int)p->track, NO_ID, NULL };
	comm_scan_part(s, 0, &x);
	if (!p->comm)
		return 0;
	struct coll_info info;
	char *name = names_get(&s->names, p->name);
	if (!name)
		return -1;
	coll_identify(&info, (struct text){ NULL, 0 }, (struct text){ NULL, 0 },
		(struct text){ name, strlen(name) });
	free(name);
	struct comm_key key = { .name = p->name, .coll = info.op, .group_size = NO_INT };
	comm_scan_item(s, &key, &info, p->start_ns, p->end_ns);
	return 0;
}

#define SORT_BYTES (16 << 20) /* 400,000 records before anything spills */

int comm_scan_host(struct comm_scan *s)
{
	struct sorter sorter;
	struct sorter_iter it;
	const struct host_part *p;
	int rc = -1;
	if (s->v->device)
		return 0; /* it has none to choose */
	sorter_init(&sorter, sizeof *p, part_order, view_scratch_dir(), SORT_BYTES);
	if (parts_sort(s, &sorter) == 0 && sorter_first(&sorter, &it) == 0) {
		rc = 0;
		while (rc == 0 && (p = sorter_next(&it)))
			rc = part_take(s, p);
		if (it.failed)
			rc = -1;
		sorter_iter_release(&it);
	}
	sorter_release(&sorter);
	return rc;
}
