/* window_say.c - a window as words, as a record and as a picture; see window.h. */
#include "base.h"
#include "window.h"
#include "num.h"
#include "tab.h"

static const char *const sure_words[] = { "low", "medium", "high" };

/* The place that most of the long steps of a beat name; NULL: none does. */
static const struct step_place *beat_place(const struct series *s, const struct beat *b)
{
	const struct step_place *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < s->nplace; i++) {
		const struct step_place *p = &s->place[i];
		size_t n = 0;

		if (p->step < b->first || (p->step - b->first) % b->every)
			continue;
		for (size_t k = 0; k < s->nplace; k++) {
			const struct step_place *q = &s->place[k];

			n += q->step >= b->first && (q->step - b->first) % b->every == 0 &&
				q->line == p->line && strcmp(q->file, p->file) == 0;
		}
		if (n > most) {
			most = n;
			best = p;
		}
	}
	return best;
}

static void add_ns(struct buf *b, const char *before, int64_t ns)
{
	char num[NUM_LEN];

	buf_addf(b, "%s%s", before, num_fmt_ns(num, ns));
}

static void reason_avoids(const struct window *w, struct buf *b)
{
	if (w->startup == 1)
		buf_adds(b, "; step 1 is start-up");
	else if (w->startup)
		buf_addf(b, "; steps 1-%" PRId64 " are start-up", w->startup);
	if (w->late)
		buf_addf(b, "; up to step %" PRId64 " some were known to be steps only later",
			w->late);
	for (size_t i = 0; i < w->nbeat; i++) {
		if (w->beat[i].every <= w->pattern)
			continue;
		buf_addf(b, "; every %" PRId64 " steps from %" PRId64, w->beat[i].every,
			w->beat[i].first);
		add_ns(b, " one takes ", w->beat[i].each_ns);
		buf_adds(b, " more");
	}
	for (size_t i = 0; i < w->nschedule; i++)
		buf_addf(b, "; every %" PRId64 " steps from %" PRId64 " by --schedule",
			w->schedule[i].every, w->schedule[i].first);
	if (w->nodd == 1)
		buf_addf(b, "; step %" PRId64 " is odd", w->odd[0]);
	else if (w->nodd > 1)
		buf_addf(b, "; %zu steps are odd", w->nodd);
	if (!w->settled)
		buf_adds(b, "; no stretch without any of these is long enough");
}

void window_reason(const struct window *w, const struct series *s, struct buf *b)
{
	const struct regime *r = &w->regime[w->chosen];

	if (w->short_series) {
		buf_addf(b, "%zu steps are too few to tell a steady stretch by: the "
			"usual steps, after two to warm up", s->n);
		return;
	}
	if (w->nregime > 1)
		buf_addf(b, "of %zu regimes the one that takes most time, steps %zu-%zu",
			w->nregime, r->from + 1, r->to);
	else
		buf_addf(b, "one regime, %zu steps", r->to - r->from);
	add_ns(b, ": typical step ", r->median_ns);
	if (s->ahead)
		buf_adds(b, " on the device, which the host runs ahead of");
	if (w->pattern > 1)
		buf_addf(b, "; lengths repeat every %" PRId64 " steps, the window covers "
			"that whole", w->pattern);
	reason_avoids(w, b);
	buf_addf(b, "; confidence %s", sure_words[w->sure]);
}

static void put_regimes(const struct window *w, struct jw *out)
{
	jw_key(out, "regimes");
	jw_open(out, '[');
	for (size_t i = 0; i < w->nregime; i++) {
		const struct regime *r = &w->regime[i];

		jw_open(out, '{');
		jw_kint(out, "first_step", (int64_t)r->from + 1);
		jw_kint(out, "last_step", (int64_t)r->to);
		jw_kint(out, "median_ns", r->median_ns);
		jw_kint(out, "deviation_ns", r->deviation_ns);
		jw_close(out, '}');
	}
	jw_close(out, ']');
}

static void put_beat(const struct beat *b, const struct series *s, struct jw *out)
{
	const struct step_place *p = beat_place(s, b);

	jw_open(out, '{');
	jw_kint(out, "every", b->every);
	jw_kint(out, "first_step", b->first);
	jw_kint(out, "count", b->count);
	jw_kint(out, "each_ns", b->each_ns);
	if (p) {
		jw_kstr(out, "file", p->file);
		jw_kint(out, "line", p->line);
		jw_kstr(out, "func", p->func);
	}
	jw_close(out, '}');
}

static void put_schedule(const struct every *e, struct jw *out)
{
	jw_open(out, '{');
	jw_kint(out, "every", e->every);
	jw_kint(out, "first_step", e->first);
	jw_kstr(out, "from", "schedule");
	jw_close(out, '}');
}

void window_put(const struct window *w, const struct series *s, struct jw *out)
{
	struct buf why = BUF_INIT;

	window_reason(w, s, &why);
	jw_kint(out, "first_step", w->first_step);
	jw_kint(out, "steps", w->steps);
	jw_kint(out, "warmup", w->warmup);
	jw_ktext(out, "reason", buf_text(&why));
	buf_release(&why);
	jw_kstr(out, "confidence", sure_words[w->sure]);
	jw_kint(out, "of_steps", (int64_t)s->n);
	if (w->short_series)
		return;
	jw_kint(out, "typical_ns", w->regime[w->chosen].median_ns);
	jw_kstr(out, "clock", s->ahead ? "device" : "host");
	jw_kint(out, "startup_steps", w->startup);
	if (w->pattern > 1)
		jw_kint(out, "pattern", w->pattern);
	put_regimes(w, out);
	jw_key(out, "periodic");
	jw_open(out, '[');
	for (size_t i = 0; i < w->nbeat; i++)
		if (w->beat[i].every > w->pattern)
			put_beat(&w->beat[i], s, out);
	for (size_t i = 0; i < w->nschedule; i++)
		put_schedule(&w->schedule[i], out);
	jw_close(out, ']');
	jw_key(out, "odd");
	jw_open(out, '[');
	for (size_t i = 0; i < MIN(w->nodd, (size_t)WINDOW_ODDS); i++)
		jw_int(out, w->odd[i]);
	jw_close(out, ']');
}

void window_text(const struct window *w, const struct series *s, int width,
	struct buf *out)
{
	size_t cells = MIN(s->n, (size_t)MAX(width - 2, 10));
	size_t from = (size_t)(w->first_step - 1) * cells / s->n;
	size_t to = ((size_t)(w->first_step - 1 + w->steps) * cells + s->n - 1) / s->n;
	int64_t top = 0;

	/* a start-up of seconds would flatten all else */
	for (size_t i = 0; i < s->n; i++)
		if (s->wall_ns[i] < 4 * w->regime[w->chosen].median_ns || !w->nregime)
			top = MAX(top, s->wall_ns[i]);
	tab_spark(out, s->wall_ns, s->n, (int)cells, 0, top);
	buf_addc(out, '\n');
	for (size_t i = 0; i < to; i++)
		buf_addc(out, i < from ? ' ' : '^');
	buf_addf(out, "\nsteps %" PRId64 "-%" PRId64 " of %zu, %" PRId64
		" to warm up\n", w->first_step, w->first_step + w->steps - 1, s->n,
		w->warmup);
	window_reason(w, s, out);
	buf_addc(out, '\n');
}
