/* wiretab.c - see wiretab.h. */
#include "base.h"
#include "wiretab.h"

#include <stdlib.h>

#include "demangle.h"
#include "frame.h"
#include "mem.h"

void wiretab_init(struct wiretab *t)
{
	*t = (struct wiretab){ .nnode = 1 }; /* node 0 is none */
}

void wiretab_release(struct wiretab *t)
{
	for (size_t i = 0; i < t->ntext; i++) {
		free(t->text[i].s);
		free(t->text[i].kernel);
	}
	for (size_t i = 0; i < t->ncode; i++)
		free(t->code[i].frame);
	free(t->text);
	free(t->code);
	free(t->stack);
	free(t->node);
	free(t->bucket);
	wiretab_init(t);
}

/* The array with room for the slot `at`; its elements are zero until set. */
static void *grown(void *p, size_t *n, size_t at, size_t size)
{
	size_t want = *n ? *n : 64;

	if (at < *n)
		return p;
	while (want <= at)
		want *= 2;
	p = xreallocarray(p, want, size);
	memset((char *)p + *n * size, 0, (want - *n) * size);
	*n = want;
	return p;
}

/* A copy, or NULL where there is no more room. */
static char *keep(struct wiretab *t, struct text s)
{
	if (s.n > WIRETAB_BYTES_MAX - t->bytes) {
		t->lost++;
		return NULL;
	}
	t->bytes += s.n;
	return xmemdup0(s.s, s.n);
}

static void forget(struct wiretab *t, char *s, size_t n)
{
	if (s)
		t->bytes -= n;
	free(s);
}

void wiretab_text(struct wiretab *t, uint32_t id, struct text text)
{
	struct wiretab_text *s;

	t->text = grown(t->text, &t->ntext, id % WIRETAB_IDS, sizeof *s);
	s = &t->text[id % WIRETAB_IDS];
	forget(t, s->s, s->n);
	forget(t, s->kernel, s->kernel_n);
	*s = (struct wiretab_text){ .id = id, .n = (uint32_t)text.n,
		.s = keep(t, text) };
}

static struct wiretab_text *text_find(const struct wiretab *t, uint32_t id)
{
	size_t at = id % WIRETAB_IDS;

	return at < t->ntext && t->text[at].id == id && t->text[at].s ?
		&t->text[at] : NULL;
}

static struct text text_missing(struct wiretab *t, uint32_t id)
{
	t->unknown += id != 0;
	return TEXT(WIRETAB_LOST);
}

struct text wiretab_text_of(struct wiretab *t, uint32_t id)
{
	const struct wiretab_text *s = text_find(t, id);

	return s ? (struct text){ s->s, s->n } : text_missing(t, id);
}

struct text wiretab_kernel_of(struct wiretab *t, uint32_t id)
{
	struct wiretab_text *s = text_find(t, id);
	struct buf b = BUF_INIT;

	if (!s)
		return text_missing(t, id);
	if (!s->kernel && !s->mangled) {
		demangle(&b, (struct text){ s->s, s->n });
		s->mangled = b.len > WIRETAB_BYTES_MAX - t->bytes;
		if (!s->mangled) {
			s->kernel = keep(t, buf_text(&b));
			s->kernel_n = (uint32_t)b.len;
		}
		buf_release(&b);
	}
	return s->kernel ? (struct text){ s->kernel, s->kernel_n } :
		(struct text){ s->s, s->n };
}

void wiretab_code(struct wiretab *t, const struct cap_code *c)
{
	uint64_t unknown = t->unknown;
	struct text file = wiretab_text_of(t, c->file);
	struct text name = wiretab_text_of(t, c->name);
	struct buf b = BUF_INIT;
	struct wiretab_code *s;
	struct frame f;

	t->code = grown(t->code, &t->ncode, c->id % WIRETAB_IDS, sizeof *s);
	s = &t->code[c->id % WIRETAB_IDS];
	buf_add(&b, file.s, file.n);
	buf_addf(&b, "(%d): ", MAX(c->first_line, 0));
	forget(t, s->frame, s->frame_n);
	*s = (struct wiretab_code){ .id = c->id, .file_n = (uint32_t)file.n,
		.func_at = (uint32_t)b.len };
	buf_add(&b, name.s, name.n);
	s->own = frame_parse(buf_text(&b), NULL, &f) && f.own;
	s->frame_n = (uint32_t)b.len;
	/* a frame in no file is worth less than none: it would be taken for a place */
	s->frame = c->file && c->name && t->unknown == unknown ?
		keep(t, buf_text(&b)) : NULL;
	buf_release(&b);
}

static bool code_named(const struct wiretab *t, uint32_t code)
{
	size_t at = code % WIRETAB_IDS;

	return at < t->ncode && t->code[at].id == code;
}

const struct wiretab_code *wiretab_code_of(const struct wiretab *t, uint32_t code)
{
	size_t at = code % WIRETAB_IDS;

	return code_named(t, code) && t->code[at].frame ? &t->code[at] : NULL;
}

static size_t hash_of(uint32_t parent, uint32_t code, int32_t line)
{
	uint64_t h = (uint64_t)parent * 0x9e3779b97f4a7c15u;

	h = (h ^ code) * 0xff51afd7ed558ccdu;
	h = (h ^ (uint32_t)line) * 0xc4ceb9fe1a85ec53u;
	return (size_t)(h ^ h >> 31);
}

static void buckets_double(struct wiretab *t)
{
	size_t mask, at;

	t->nbucket = t->nbucket ? t->nbucket * 2 : 1024;
	free(t->bucket);
	t->bucket = xcalloc(t->nbucket, sizeof *t->bucket);
	mask = t->nbucket - 1;
	for (uint32_t i = 1; i < t->nnode; i++) {
		at = hash_of(t->node[i].parent, t->node[i].code, t->node[i].line);
		while (t->bucket[at & mask])
			at++;
		t->bucket[at & mask] = i;
	}
}

/* The node of a frame within its caller's, made when it is new; 0: no room. */
static uint32_t node_find(struct wiretab *t, uint32_t parent, struct cap_frame f)
{
	size_t at = hash_of(parent, f.code, f.line);
	uint32_t i;

	if (t->nnode * 2 >= t->nbucket)
		buckets_double(t);
	for (; (i = t->bucket[at & (t->nbucket - 1)]); at++)
		if (t->node[i].parent == parent && t->node[i].code == f.code &&
		    t->node[i].line == f.line)
			return i;
	if (t->nnode >= WIRETAB_NODES_MAX)
		return 0;
	GROW(t->node, t->nnode, t->node_cap);
	t->node[t->nnode] = (struct wiretab_node){ parent, f.code, f.line,
		parent ? t->node[parent].depth + 1 : 1 };
	return t->bucket[at & (t->nbucket - 1)] = (uint32_t)t->nnode++;
}

void wiretab_stack(struct wiretab *t, uint32_t id, const struct cap_frame *frame,
	size_t n)
{
	uint32_t node = 0;

	t->stack = grown(t->stack, &t->nstack, id % WIRETAB_IDS, sizeof *t->stack);
	for (size_t i = n; i-- > 0;) {
		t->unknown += !code_named(t, frame[i].code);
		node = node_find(t, node, frame[i]);
		if (!node) {
			t->lost++;
			break;
		}
	}
	t->stack[id % WIRETAB_IDS] = (struct wiretab_stack){ id, node };
}

uint32_t wiretab_node_of(struct wiretab *t, uint32_t stack)
{
	size_t at = stack % WIRETAB_IDS;

	if (at < t->nstack && t->stack[at].id == stack)
		return t->stack[at].node;
	t->unknown += stack != 0;
	return 0;
}
