/* works.c - see works.h. */
#include "base.h"
#include "works.h"

enum work work_of(bool unknown, bool unread, bool cpu)
{
	return unknown || unread ? WORK_UNKNOWN : cpu ? WORK_CPU : WORK_DEVICE;
}

void works_add(struct works *all, enum work own, bool unread)
{
	all->n[own]++;
	all->unread += unread;
}

bool work_counts(const struct works *all, enum work own)
{
	return own == WORK_DEVICE ||
		(own == WORK_CPU && !all->n[WORK_DEVICE] && !all->n[WORK_UNKNOWN]);
}

bool work_aside(const struct works *all, enum work own)
{
	return own != WORK_DEVICE && all->n[WORK_DEVICE];
}

size_t works_aside(const struct works *all)
{
	return all->n[WORK_DEVICE] ? all->n[WORK_CPU] + all->n[WORK_UNKNOWN] : 0;
}

void works_words(struct buf *b, const struct works *all, const char *what)
{
	size_t aside = works_aside(all);

	buf_addf(b, "%zu of %zu %s %s no device work", aside, all->n[WORK_DEVICE] + aside, what,
		aside == 1 ? "has" : "have");
	if (all->unread == aside)
		buf_adds(b, " (cut short before any)");
	else if (all->unread)
		buf_addf(b, " (%zu cut short before any)", all->unread);
}
