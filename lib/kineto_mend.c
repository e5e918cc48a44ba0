/* kineto_mend.c - where the parser refuses: rewrite the event (or the member of
 * the document) and go on behind it, or drop it, count it, and find the next. */
#include "kineto_read.h"

#include <stdlib.h>

#include "repair.h"

/* The longest key of the document that is looked at. */
#define MEMBER_KEY_MAX 4096

enum step mend_resync(struct reader *r, size_t p)
{
	reader_restart_events(r);
	for (;;) {
		struct text t = { r->bytes, r->n };
		size_t keep, next = repair_next_event(t, p,
			r->end ? SEEK_LAST : SEEK_BOTH);

		if (next < r->n) {
			go_on_at(r, next);
			return STEP_ON;
		}
		/* what begins in the overlap may end in what comes; as much
		 * before it tells what it stands behind */
		p = MAX(p, r->n > REPAIR_OVERLAP ? r->n - REPAIR_OVERLAP : 0);
		keep = p > REPAIR_OVERLAP ? p - REPAIR_OVERLAP : 0;
		go_on_at(r, keep);
		if (r->end)
			return reader_cut_short(r);
		if (reader_fill(r, keep) < 0)
			return STEP_FAIL;
		p -= keep;
	}
}

/* Skip blanks and commas from the last whole unit on; *p < r->n unless the
 * input ends.  0 or -1. */
static int skip_between(struct reader *r, size_t *p, int *commas)
{
	*commas = 0;
	*p = unit_at(r);
	for (;;) {
		for (; *p < r->n && (is_blank(r->bytes[*p]) || r->bytes[*p] == ','); ++*p)
			*commas += r->bytes[*p] == ',';
		if (*p < r->n)
			return 0;
		/* nothing but blanks: they need not be kept */
		go_on_at(r, *p);
		int more = reader_fill(r, *p);
		if (more <= 0) {
			*p = r->n;
			return more;
		}
		*p = 0;
	}
}

/* Rewrite the value at *p into r->out; REPAIR_BAD also where it is too large
 * or does not end.  *p follows the buffer. */
static int rewrite(struct reader *r, size_t *p, enum repair_after after,
	size_t *used, enum repair_result *res)
{
	int64_t looked = 0;

	for (;;) {
		struct text t = { r->bytes + *p, r->n - *p };

		*res = repair_value(t, r->end, after, &r->out, used,
			&r->d.info->count);
		if (*res == REPAIR_OK)
			return 0;
		looked += (int64_t)*used;
		if (*res == REPAIR_BAD || t.n > UNIT_MAX)
			break;
		size_t keep = MIN(unit_at(r), *p);
		if (reader_fill(r, keep) < 0)
			return -1;
		*p -= keep;
	}
	r->waste += looked;
	*res = REPAIR_BAD;
	return 0;
}

/* An event that cannot be told from what follows. */
static enum step drop_event(struct reader *r, size_t p)
{
	struct text t = { r->bytes, r->n };

	if (r->end && repair_next_event(t, p + 1, SEEK_LAST) == r->n)
		return reader_cut_short(r);
	doc_bad_event(&r->d, "unreadable");
	if (r->waste > WASTE_MAX) {
		free(r->d.info->why_partial);
		r->d.info->why_partial = NULL;
		doc_partial(&r->d, "given up at byte %" PRId64 ", too much is unreadable",
			r->at + (int64_t)p);
		return STEP_END;
	}
	return mend_resync(r, p + 1);
}

static enum step mend_event(struct reader *r)
{
	struct import_counts *c = &r->d.info->count;
	bool fresh = r->d.fresh;
	enum repair_result res;
	size_t p, used;
	int commas;

	if (skip_between(r, &p, &commas) < 0)
		return STEP_FAIL;
	if (p == r->n)
		return r->d.array_form ? STEP_END : reader_cut_short(r);
	if (r->bytes[p] == ']') {
		c->trailing_commas += commas > 0;
		reader_restart_events(r);
		go_on_at(r, p);
		return STEP_ON;
	}
	if (r->bytes[p] != '{')
		return drop_event(r, p);
	go_on_at(r, p);
	buf_reset(&r->out);
	if (rewrite(r, &p, AFTER_ELEMENT, &used, &res) < 0)
		return STEP_FAIL;
	if (res != REPAIR_OK)
		return drop_event(r, p);
	c->missing_commas += !fresh && commas == 0;
	reader_restart_events(r);
	if (reader_feed_aside(r, r->out.data, r->out.len) != yajl_status_ok) {
		if (r->d.stop)
			return STEP_FAIL;
		doc_bad_event(&r->d, "beyond the limits");
		reader_restart_events(r);
	}
	go_on_at(r, p + used);
	return STEP_ON;
}

enum step mend_find_events(struct reader *r, size_t p)
{
	static const char key[] = "\"traceEvents\"";
	const size_t len = sizeof key - 1;

	doc_partial(&r->d, "unreadable at byte %" PRId64, r->at + (int64_t)p);
	if (r->d.events_seen)
		return STEP_END;
	for (;;) {
		const char *hit = memmem(r->bytes + p, r->n - p, key, len);
		size_t keep = hit ? (size_t)(hit - r->bytes)
				  : MAX(p, r->n > len ? r->n - len : 0);

		for (p = keep + (hit ? len : 0); hit && p < r->n &&
		     (is_blank(r->bytes[p]) || r->bytes[p] == ':'); p++)
			;
		if (hit && p < r->n && r->bytes[p] == '[') {
			reader_restart(r, "{\"traceEvents\":[");
			go_on_at(r, p + 1);
			return STEP_ON;
		}
		if (hit && (p < r->n || p - keep > MEMBER_KEY_MAX))
			continue;
		go_on_at(r, keep);
		int more = reader_fill(r, keep);
		if (more <= 0)
			return more < 0 ? STEP_FAIL : STEP_END;
		p = 0;
	}
}

/* The colon's place behind the key at p, or 0. */
static size_t key_colon(const struct reader *r, size_t p)
{
	const char *quote = memchr(r->bytes + p + 1, '"', r->n - p - 1);
	size_t q;

	if (!quote)
		return 0;
	for (q = (size_t)(quote - r->bytes) + 1; q < r->n && is_blank(r->bytes[q]); q++)
		;
	return q < r->n && r->bytes[q] == ':' ? q : 0;
}

static enum step mend_member(struct reader *r)
{
	struct import_counts *c = &r->d.info->count;
	bool fresh = r->d.fresh, lost = r->lost;
	enum repair_result res = REPAIR_BAD;
	size_t p, value, used, colon;
	int commas;

	if (lost || r->d.depth == 0)
		return mend_find_events(r, unit_at(r));
	if (skip_between(r, &p, &commas) < 0)
		return STEP_FAIL;
	if (p == r->n)
		return reader_cut_short(r);
	if (r->bytes[p] == '}') {
		c->trailing_commas += commas > 0;
		reader_restart(r, "{");
		go_on_at(r, p);
		return STEP_ON;
	}
	go_on_at(r, p);
	if (r->n - p < CHUNK / 2) {
		if (reader_fill(r, p) < 0)
			return STEP_FAIL;
		p = 0;
	}
	colon = r->bytes[p] == '"' ? key_colon(r, p) : 0;
	if (!colon || colon - p > MEMBER_KEY_MAX)
		return mend_find_events(r, p);
	buf_reset(&r->out);
	buf_add(&r->out, r->bytes + p, colon + 1 - p);
	value = colon + 1;
	if (rewrite(r, &value, AFTER_MEMBER, &used, &res) < 0)
		return STEP_FAIL;
	if (res != REPAIR_OK)
		return mend_find_events(r, value);
	c->missing_commas += !fresh && commas == 0;
	reader_restart(r, "{");
	if (reader_feed_aside(r, r->out.data, r->out.len) != yajl_status_ok)
		return r->d.stop ? STEP_FAIL : mend_find_events(r, value);
	go_on_at(r, value + used);
	return STEP_ON;
}

enum step mend(struct reader *r)
{
	int64_t before = r->at + (int64_t)r->fed, after;
	enum step step;

	/* each repair ends behind the one before, or this would never end */
	step = doc_in_events(&r->d) ? mend_event(r) : mend_member(r);
	after = r->at + (int64_t)unit_at(r);
	if (step == STEP_ON && after <= r->mended_at && after <= before) {
		doc_partial(&r->d, "unreadable at byte %" PRId64, after);
		return STEP_END;
	}
	r->mended_at = after;
	return step;
}
