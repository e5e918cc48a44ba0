/* sniff.c - see sniff.h. */
#include "base.h"
#include "sniff.h"

struct sign {
	size_t at;
	const char *magic;
	size_t n;
	const char *what;
};
#define SIGN(at, lit, what) { at, lit, sizeof(lit) - 1, what }

/* What begins with fixed bytes and is told by them alone. */
static const struct sign signs[] = {
	SIGN(0, "\x7f" "ELF", "a program or library (ELF)"),
	SIGN(0, "PK\x03\x04", "a zip archive (torch.save? unpack it)"),
	SIGN(0, "PK\x05\x06", "an empty zip archive"),
	SIGN(0, "NVR\0", "an Nsight Compute report"),
	SIGN(0, "%PDF", "a PDF document"),
	SIGN(0, "\x89PNG", "an image"),
	SIGN(0, "\x1f\x8b", "gzip within a compressed file (compressed twice)"),
	SIGN(0, "\x28\xb5\x2f\xfd", "zstd data (unpack it with zstd -dc)"),
	SIGN(0, "\xfd" "7zXZ", "xz data (unpack it with xz -dc)"),
	SIGN(0, "\xff\xfe", "UTF-16 text (make it UTF-8 with iconv)"),
	SIGN(0, "\xfe\xff", "UTF-16 text (make it UTF-8 with iconv)"),
	SIGN(257, "ustar", "a tar archive (unpack it)"),
};

struct hint {
	const char *word;
	const char *what;
};

/* SQLite files, by a table's name in the schema's first page. */
static const struct hint sqlite_hints[] = {
	{ "CUPTI_ACTIVITY_KIND", "an Nsight Systems SQLite export" },
	{ "TARGET_INFO", "an Nsight Systems SQLite export" },
	{ "DIAGNOSTIC_EVENT", "an Nsight Systems SQLite export" },
	{ "StringIds", "an Nsight Systems SQLite export" },
	{ "ENUM_NSYS", "an Nsight Systems SQLite export" },
	{ "PYTORCH_API", "an Ascend profiler database" },
	{ "CANN_API", "an Ascend profiler database" },
	{ "RANK_DEVICE_MAP", "an Ascend profiler database" },
	{ "rocpd_", "a rocprofiler database (rocpd)" },
};

static const struct hint pickle_hints[] = {
	{ "device_traces", "a torch memory snapshot (pickle)" },
	{ "segments", "a torch memory snapshot (pickle)" },
	{ "pg_config", "a flight recorder dump (pickle)" },
	{ "nccl_version", "a flight recorder dump (pickle)" },
	{ "collective_seq_id", "a flight recorder dump (pickle)" },
};

static const struct hint proto_hints[] = {
	{ "/host:", "an XProf or TensorFlow profile (xplane protobuf)" },
	{ "/device:", "an XProf or TensorFlow profile (xplane protobuf)" },
	{ "TFStreamz", "an XProf or TensorFlow profile (xplane protobuf)" },
};

/* JSON objects, by a key of the object itself.  The first line that matches
 * wins, whatever the order of the keys. */
struct key_hint {
	const char *key;
	enum input_kind kind;
	const char *what;
};
#define TRACE "a Chrome trace"
#define STREAM "a stream of records"
static const struct key_hint key_hints[] = {
	{ "traceEvents", INPUT_KINETO, TRACE },
	{ "kind", INPUT_STREAM, STREAM },
	{ "rocprofiler-sdk-tool", INPUT_OTHER, "a rocprofv3 JSON file" },
	{ "nodes", INPUT_OTHER, "a torch execution trace (JSON)" },
	{ "device_traces", INPUT_OTHER, "a torch memory snapshot (JSON)" },
	{ "segments", INPUT_OTHER, "a torch memory snapshot (JSON)" },
	{ "pg_config", INPUT_OTHER, "a flight recorder dump (JSON)" },
	{ "pg_status", INPUT_OTHER, "a flight recorder dump (JSON)" },
	{ "entries", INPUT_OTHER, "a flight recorder dump (JSON)" },
	{ "event_type", INPUT_OTHER, "a Triton compilation log (NDJSON)" },
	{ "profiles", INPUT_OTHER, "a speedscope profile (JSON)" },
	{ "samples", INPUT_OTHER, "a V8 CPU profile (JSON)" },
	{ "schemaVersion", INPUT_KINETO, TRACE },
	{ "deviceProperties", INPUT_KINETO, TRACE },
	{ "distributedInfo", INPUT_KINETO, TRACE },
	{ "displayTimeUnit", INPUT_KINETO, TRACE },
	{ "baseTimeNanoseconds", INPUT_KINETO, TRACE },
	{ "traceName", INPUT_KINETO, TRACE },
};

/* Text that is no JSON, by words of its first line. */
static const struct hint line_hints[] = {
	{ "Communication(Not Overlapped)", "an Ascend step table (CSV)" },
	{ "Device_id", "an Ascend table (CSV)" },
	{ "Accelerator Core", "an Ascend kernel table (CSV)" },
	{ "Op Name", "a profiler's table (CSV)" },
	{ "Agent_Id", "a rocprof table (CSV)" },
	{ "KernelName", "a rocprof table (CSV)" },
	{ "Kernel Name", "a profiler's table (CSV)" },
	{ "Time (%)", "a table of nsys stats (CSV)" },
};

static bool contains(struct text t, const char *word)
{
	return memmem(t.s, t.n, word, strlen(word)) != NULL;
}

static const char *hint_find(const struct hint *h, size_t n, struct text t,
	const char *none)
{
	for (size_t i = 0; i < n; i++)
		if (contains(t, h[i].word))
			return h[i].what;
	return none;
}
#define HINT(table, t, none) hint_find(table, ARRAY_LEN(table), t, none)

static const char *sign_find(struct text t)
{
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		const struct sign *g = &signs[i];

		if (t.n >= g->at + g->n && memcmp(t.s + g->at, g->magic, g->n) == 0)
			return g->what;
	}
	return NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static struct text skip_blanks(struct text t)
{
	if (t.n >= 3 && memcmp(t.s, "\xef\xbb\xbf", 3) == 0)
		t = (struct text){ t.s + 3, t.n - 3 };
	while (t.n > 0 && is_blank(*t.s))
		t = (struct text){ t.s + 1, t.n - 1 };
	return t;
}

/* The end of the string that opens at p; t.n when it has none. */
static size_t string_end(struct text t, size_t p)
{
	for (p++; p < t.n && t.s[p] != '"'; p++)
		if (t.s[p] == '\\')
			p++;
	return MIN(p, t.n);
}

/* The best of key_hints among the keys of the object that t begins with, or
 * -1; *end: where the object ends, t.n when it does not. */
static int object_hint(struct text t, size_t *end)
{
	int depth = 0, best = -1;
	size_t p;

	for (p = 0; p < t.n; p++) {
		size_t from = p + 1, q;

		if (t.s[p] == '{' || t.s[p] == '[') {
			depth++;
		} else if (t.s[p] == '}' || t.s[p] == ']') {
			if (--depth == 0)
				break;
		} else if (t.s[p] == '"') {
			p = q = string_end(t, p);
			for (q++; q < t.n && is_blank(t.s[q]); q++)
				;
			if (depth != 1 || q >= t.n || t.s[q] != ':')
				continue;
			struct text key = { t.s + from, p - from };
			for (size_t i = 0; i < ARRAY_LEN(key_hints); i++)
				if (text_is(key, key_hints[i].key) &&
				    (best < 0 || (int)i < best))
					best = (int)i;
		}
	}
	*end = p;
	return best;
}

static enum input_kind sniff_object(struct text t, const char **what)
{
	size_t end;
	int hint = object_hint(t, &end);
	struct text rest = { t.s + MIN(end + 1, t.n), t.n - MIN(end + 1, t.n) };

	if (hint >= 0) {
		*what = key_hints[hint].what;
		return key_hints[hint].kind;
	}
	if (contains(t, "Communication Time Info")) {
		*what = "an Ascend communication table (JSON)";
		return INPUT_OTHER;
	}
	rest = skip_blanks(rest);
	if (end < t.n && rest.n > 0 && *rest.s == '{') {
		*what = "lines of JSON that are no tp stream";
		return INPUT_OTHER;
	}
	if (end < t.n) {
		*what = "JSON with no traceEvents";
		return INPUT_OTHER;
	}
	*what = "a JSON object";
	return INPUT_OBJECT;
}

static enum input_kind sniff_array(struct text t, const char **what)
{
	struct text rest = skip_blanks((struct text){ t.s + 1, t.n - 1 });

	*what = TRACE;
	if (rest.n == 0 || *rest.s == '{' || *rest.s == ']')
		return INPUT_KINETO;
	*what = *rest.s == '[' ? "a torch memory timeline (raw)"
			       : "a JSON array of no events";
	return INPUT_OTHER;
}

/* The application's number stands in the header, at byte 68. */
static bool is_store(struct text t)
{
	static const char id[] = { (char)(STORE_APPLICATION_ID >> 24),
		(char)(STORE_APPLICATION_ID >> 16), (char)(STORE_APPLICATION_ID >> 8),
		(char)STORE_APPLICATION_ID };

	return t.n >= 72 && memcmp(t.s + 68, id, sizeof id) == 0;
}

static enum input_kind sniff_sqlite(struct text t, const char **what)
{
	if (is_store(t)) {
		*what = "a store";
		return INPUT_STORE;
	}
	*what = HINT(sqlite_hints, t, "an SQLite database");
	return INPUT_OTHER;
}

static const char *sniff_binary(struct text t)
{
	if (t.n > 2 && t.s[0] == '\x80' && t.s[1] >= 2 && t.s[1] <= 5)
		return HINT(pickle_hints, t, "a Python pickle");
	if (memchr(t.s, 0, t.n) && t.n > 2 && t.s[0] == '\n')
		return HINT(proto_hints, t, "a Perfetto trace (protobuf)");
	return memchr(t.s, 0, t.n) ? "binary data of no kind that is known" : NULL;
}

static const char *sniff_text(struct text t)
{
	const char *eol = memchr(t.s, '\n', t.n);
	struct text line = { t.s, eol ? (size_t)(eol - t.s) : t.n };
	size_t commas = 0;

	if (*t.s == '<')
		return contains(t, "<html") || contains(t, "<HTML") ||
		       contains(t, "<!DOCTYPE") || contains(t, "<!doctype")
			? "a web page (HTML)" : "XML";
	for (size_t i = 0; i < line.n; i++)
		commas += line.s[i] == ',';
	return HINT(line_hints, line,
		commas > 1 ? "a table (CSV)" : "text that is no JSON");
}

enum input_kind input_sniff(const void *first, size_t n, const char **what)
{
	static const char sqlite[] = "SQLite format 3"; /* and its NUL */
	struct text all = { first, n }, t = skip_blanks(all);

	*what = NULL;
	if (t.n == 0)
		return INPUT_EMPTY;
	*what = sign_find(all);
	if (*what)
		return INPUT_OTHER;
	if (*t.s == '{')
		return sniff_object(t, what);
	if (*t.s == '[')
		return sniff_array(t, what);
	if (n >= sizeof sqlite && memcmp(first, sqlite, sizeof sqlite) == 0)
		return sniff_sqlite(all, what);
	*what = sniff_binary(all);
	if (!*what)
		*what = sniff_text(t);
	return INPUT_OTHER;
}

ssize_t input_first(struct in *in, char *first, enum input_kind *kind, const char **what)
{
	size_t n = 0;
	ssize_t got;

	do {
		got = in_read(in, first + n, SNIFF_BYTES - n);
		if (got < 0)
			return -1;
		n += (size_t)got;
		*kind = input_sniff(first, n, what);
	} while (got > 0 && n < SNIFF_BYTES && *kind != INPUT_STREAM);
	return (ssize_t)n;
}
