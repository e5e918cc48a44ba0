/* works.h - whose time the sums and averages over several ranks go over: decided in
 * one place, for the text of view 1 and for the report.
 *
 *	struct works all = { 0 };
 *	for each device, or process without one:
 *		works_add(&all, kind = work_of(unknown, unread, cpu), unread)
 *	work_counts(&all, kind), work_aside(&all, kind)
 *
 * Those with device work count.  Beside them a process of the CPU, or one whose
 * device was not recorded or not read, has only operators or nothing: its time is
 * neither a device's busy nor its idle.  It stands aside: it is listed and counted, and
 * is in no sum, average or comparison.  Where all are processes of the CPU, they count. */
#ifndef TP_WORKS_H
#define TP_WORKS_H

#include "base.h"
#include "buf.h"

enum work {
	WORK_DEVICE,    /* operations of a device */
	WORK_CPU,       /* neither these nor launches: operators alone */
	WORK_UNKNOWN,   /* the device worked, or may have: the trace does not hold it */
	WORK_KINDS
};
struct works { size_t n[WORK_KINDS], unread; };

/* unknown: work was launched, and nothing tells what the device did; unread: the trace was
 * cut short before its device's part; cpu: neither launches nor operations of a device. */
enum work work_of(bool unknown, bool unread, bool cpu);
void works_add(struct works *all, enum work own, bool unread);
bool work_counts(const struct works *all, enum work own);
bool work_aside(const struct works *all, enum work own);
size_t works_aside(const struct works *all); /* how many */
/* "1 of 4 traces has no device work (cut short before any)", when one is aside; `what`:
 * the plural of what was added. */
void works_words(struct buf *b, const struct works *all, const char *what);

#endif
