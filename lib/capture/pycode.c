/* pycode.c - code objects and strings of CPython, read where they lie. */
#include "base.h"
#include "pycode.h"

/* --- lines ------------------------------------------------------------------ */

/* Until 3.9: pairs of (bytes of code, lines), both as far as from the last. */
static uint32_t line_notab(const unsigned char *p, size_t n, uint32_t line, int at)
{
	int64_t code = 0;
	size_t i;

	for (i = 0; i + 1 < n; i += 2) {
		code += p[i];
		if (code > at)
			break;
		line += (uint32_t)(signed char)p[i + 1];
	}
	return line;
}

/* 3.10: pairs of (length of the stretch, line as far as from the last stretch's;
 * -128: it has none). */
static uint32_t line_pairs(const unsigned char *p, size_t n, uint32_t line, int at)
{
	int64_t end = 0;
	size_t i;

	for (i = 0; i + 1 < n && end <= at; i += 2) {
		end += p[i];
		if (p[i + 1] != 0x80)
			line += (uint32_t)(signed char)p[i + 1];
	}
	return line;
}

/* Six bits a byte, the lowest first; bit 6: more follow.  The lowest bit is the sign. */
static uint32_t read_varint(const unsigned char *p, size_t n, size_t *i)
{
	uint32_t v = 0;
	unsigned shift = 0, byte = 0x40;

	while (byte & 0x40 && *i < n && shift < 30) {
		byte = p[(*i)++];
		v |= (byte & 0x3f) << shift;
		shift += 6;
	}
	return v & 1 ? 0 - (v >> 1) : v >> 1;
}

/* From 3.11 on: an entry a stretch.  Its first byte (bit 7 set: no other has it)
 * holds a form and how many units of two bytes it covers; the line as far as
 * from the last entry's follows, then columns. */
static uint32_t line_locations(const unsigned char *p, size_t n, uint32_t line, int at)
{
	int64_t end = 0;
	size_t i = 0;
	unsigned form, units;

	while (i < n && end <= at) {
		form = p[i] >> 3 & 15;
		units = (p[i++] & 7) + 1;
		if (form == 13 || form == 14)
			line += read_varint(p, n, &i);
		else if (form >= 10 && form <= 12)
			line += form - 10;
		while (i < n && !(p[i] & 0x80))
			i++;
		end += 2 * units;
	}
	return line;
}

int32_t pyline_find(enum pyline_table kind, struct text table, int32_t first, int at)
{
	const unsigned char *p = (const unsigned char *)table.s;
	const uint32_t line = (uint32_t)first;

	if (at < 0)
		return first;
	if (kind == PYLINE_NOTAB)
		return (int32_t)line_notab(p, table.n, line, at);
	if (kind == PYLINE_PAIRS)
		return (int32_t)line_pairs(p, table.n, line, at);
	return (int32_t)line_locations(p, table.n, line, at);
}

static struct text bytes_of(const char *bytes)
{
	const int64_t n = py_long(bytes, PY_SIZE);

	return (struct text){ bytes + PY_BYTES, n < 0 ? 0 : (size_t)n };
}

int32_t pycode_line(const struct pylayout *l, const char *code, int at)
{
	return pyline_find(l->lines, bytes_of(py_pointer(code, l->table)),
		py_int(code, l->first_line), at);
}

/* --- strings ---------------------------------------------------------------- */

/* The characters of a string, as many bytes each; NULL where it has another form. */
static const char *characters(const struct pylayout *l, const char *string,
	size_t *n, unsigned *bytes)
{
	const uint32_t state = (uint32_t)py_int(string, PY_STATE);
	const int64_t length = py_long(string, PY_LENGTH);
	const bool compact = state >> 5 & 1, ascii = state >> 6 & 1;

	*bytes = state >> 2 & 7;
	if (!compact || length <= 0 || (*bytes != 1 && *bytes != 2 && *bytes != 4))
		return NULL;
	*n = (size_t)length;
	return string + (ascii ? l->ascii : l->compact);
}

static uint32_t character(const char *s, size_t i, unsigned bytes)
{
	uint16_t two;
	uint32_t four;

	if (bytes == 1)
		return (unsigned char)s[i];
	if (bytes == 2) {
		memcpy(&two, s + 2 * i, sizeof two);
		return two;
	}
	memcpy(&four, s + 4 * i, sizeof four);
	return four;
}

/* UTF-8 of one character: how many bytes. */
static size_t encode(uint32_t c, char out[4])
{
	if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = 0xfffd;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

size_t pystring_copy(const struct pylayout *l, const char *string, char *out, size_t size)
{
	size_t n, i, k, len = 0;
	unsigned bytes;
	char one[4];
	const char *s = characters(l, string, &n, &bytes);

	if (!s)
		return 0;
	for (i = 0; i < n; i++) {
		k = encode(character(s, i, bytes), one);
		if (len + k > size)
			break;
		memcpy(out + len, one, k);
		len += k;
	}
	return len;
}

/* --- keys ------------------------------------------------------------------- */

/* Of a longer text or table of lines the last bytes are looked at: what makes
 * generated names differ stands at their end. */
#define KEY_BYTES 512

static uint64_t word(const char *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof w);
	return w;
}

static uint64_t half(const char *s)
{
	uint32_t w;

	memcpy(&w, s, sizeof w);
	return w;
}

/* The products don't wait for each other, and the last bytes are read as a whole
 * word that overlaps the one before: together a third of the time of a loop that
 * goes byte by byte at the end. */
static uint64_t key_bytes(const char *s, size_t n)
{
	uint64_t key = n;
	size_t i, most = MIN(n, (size_t)KEY_BYTES);

	s += n - most;
	if (most >= 16) {
		for (i = 0; i + 16 < most; i += 16)
			key += pykey_mix(word(s + i) + i, word(s + i + 8));
		return key + pykey_mix(word(s + most - 16) - 1, word(s + most - 8));
	}
	if (most >= 8)
		return key + pykey_mix(word(s), word(s + most - 8));
	if (most >= 4)
		return key + pykey_mix(half(s), half(s + most - 4));
	for (i = 0; i < most; i++)
		key = key << 8 | (unsigned char)s[i];
	return pykey_mix(key, n);
}

static uint64_t key_string(const struct pylayout *l, const char *string)
{
	size_t n;
	unsigned bytes;
	const char *s = characters(l, string, &n, &bytes);

	return s ? key_bytes(s, n * bytes) : 0;
}

uint64_t pycode_key(const struct pylayout *l, const char *code)
{
	const uint64_t place = (uint64_t)(uintptr_t)code;
	const uint64_t line = (uint32_t)py_int(code, l->first_line);
	struct text table;
	uint64_t serial;

	if (l->serial && (serial = (uint32_t)py_int(code, l->serial)) != 0)
		return pykey_mix(place, serial << 32 | line);
	table = bytes_of(py_pointer(code, l->table));
	return pykey_mix(place ^ line << 32, key_bytes(table.s, table.n))
		^ pykey_mix(key_string(l, py_pointer(code, l->file)),
			key_string(l, py_pointer(code, l->name)));
}
