/* binds.c - see binds.h. */
#include "base.h"
#include "binds.h"

int64_t ratio_of(int64_t ns, struct ratio r)
{
	__extension__ typedef __int128 wide;

	return (int64_t)((wide)ns * r.a / r.over); /* a <= over: it fits */
}

struct ratio ratio_clamped(int64_t a, int64_t over)
{
	if (over <= 0 || a >= over)
		return (struct ratio){ 1, 1 };
	return (struct ratio){ MAX(a, 0), over };
}

struct ratio ratio_plain(int64_t plain_step_ns, int64_t profiled_step_ns, int64_t busy_step_ns)
{
	return ratio_clamped(plain_step_ns - busy_step_ns, profiled_step_ns - busy_step_ns);
}

static int64_t percent_of(int64_t ns, int percent)
{
	return ratio_of(ns, (struct ratio){ percent, 100 });
}

bool binds_alone(const struct binds_device *d)
{
	int64_t wall_ns = d->busy_ns + d->idle_ns;
	bool ahead = !d->whole && d->median_ns > 0 && d->run_ahead_ns > d->median_ns;

	return d->idle_ns < percent_of(wall_ns, BINDS_IDLE_PERCENT) ||
		(ahead && d->idle_ns < wall_ns - d->idle_ns);
}

static void sum_add(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

void binds_add(struct binds_sum *sum, const struct binds_device *d)
{
	sum_add(&sum->wall_ns, d->busy_ns + d->idle_ns);
	sum_add(&sum->idle_ns, d->idle_ns);
	sum_add(&sum->comm_ns, d->comm_ns);
	sum_add(&sum->alone_ns, binds_alone(d) ? d->busy_ns + d->idle_ns : 0);
}

enum binds binds_of(const struct binds_sum *sum)
{
	int64_t half_ns = sum->wall_ns - sum->wall_ns / 2;

	if (sum->wall_ns <= 0)
		return BINDS_NOTHING;
	if (sum->comm_ns >= half_ns)
		return BINDS_COMM;
	if (sum->alone_ns > sum->wall_ns / 2)
		return BINDS_DEVICE;
	return sum->idle_ns >= half_ns ? BINDS_IDLE : BINDS_BOTH;
}
