/* sniff.c - inputs told apart by their first bytes. */
#include "unit.h"

#include "sniff.h"

#define ROW(lit, kind, what) { lit, sizeof(lit) - 1, kind, what }
static const struct {
	const char *s;
	size_t n;
	enum input_kind kind;
	const char *what; /* part of the phrase */
} rows[] = {
	ROW("{\"schemaVersion\": 1, \"traceEvents\": [", INPUT_KINETO, "Chrome trace"),
	ROW("\xef\xbb\xbf {\"traceEvents\":[]}", INPUT_KINETO, "Chrome trace"),
	ROW("[{\"name\": \"a\"", INPUT_KINETO, "Chrome trace"),
	ROW("[]", INPUT_KINETO, "Chrome trace"),
	ROW("{\"baseTimeNanoseconds\": 1, \"deviceProp", INPUT_KINETO, "Chrome trace"),
	ROW("{\"INFO\": [\"a long list", INPUT_OBJECT, "object"),
	/* "kind" of a nested object makes no stream */
	ROW("{\"a\": {\"kind\": 1}, \"traceEvents\": [", INPUT_KINETO, "Chrome trace"),
	ROW("{\"kind\":\"head\",\"tp\":1}\n{\"kind\":\"end\"}\n", INPUT_STREAM, "stream"),
	ROW("{\"rank\":0,\"kind\":\"step\"}", INPUT_STREAM, "stream"),
	ROW("", INPUT_EMPTY, NULL),
	ROW(" \n\t", INPUT_EMPTY, NULL),
	ROW("SQLite format 3\0....CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL", INPUT_OTHER, "Nsight Systems"),
	ROW("SQLite format 3\0.... CANN_API", INPUT_OTHER, "Ascend"),
	ROW("SQLite format 3\0", INPUT_OTHER, "SQLite"),
	ROW("\x80\x04\x95xx\0\x8c\x08segments", INPUT_OTHER, "memory snapshot"),
	ROW("\x80\x04\x95xx\0 pg_config", INPUT_OTHER, "flight recorder"),
	ROW("\x80\x02}q\0.", INPUT_OTHER, "pickle"),
	ROW("{\"schema\":\"1.0.1\",\"pid\":1,\"nodes\":[", INPUT_OTHER, "execution trace"),
	ROW("{\"version\":\"2.4\",\"pg_config\":{},\"entries\":[", INPUT_OTHER, "flight recorder"),
	ROW("{\"rocprofiler-sdk-tool\":[", INPUT_OTHER, "rocprofv3"),
	ROW("{\"event_type\":\"compilation\"}\n{", INPUT_OTHER, "Triton"),
	ROW("{\"a\":1}\n{\"a\":2}\n", INPUT_OTHER, "no tp stream"),
	ROW("{\"a\":1}\n", INPUT_OTHER, "no traceEvents"),
	ROW("[[-1, 1, 512, 7]", INPUT_OTHER, "memory timeline"),
	ROW("[1,2]", INPUT_OTHER, "array"),
	ROW("\n\x08\x12\x06\0 packet", INPUT_OTHER, "Perfetto"),
	ROW("\n\x08\x12\x06\0/host:CPU", INPUT_OTHER, "XProf"),
	ROW("\x7f" "ELF\x02", INPUT_OTHER, "ELF"),
	ROW("PK\x03\x04...", INPUT_OTHER, "zip"),
	ROW("<!DOCTYPE html><html>", INPUT_OTHER, "HTML"),
	ROW("<?xml version=\"1\"?>", INPUT_OTHER, "XML"),
	ROW("Step ID,Device_id,Name\n1,2,3\n", INPUT_OTHER, "Ascend"),
	ROW("a,b,c\n", INPUT_OTHER, "CSV"),
	ROW("hello\n", INPUT_OTHER, "no JSON"),
	ROW("\x01\x00\x02", INPUT_OTHER, "binary"),
};

static void kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *what = "unset";
		enum input_kind k = input_sniff(rows[i].s, rows[i].n, &what);

		if (k != rows[i].kind || (rows[i].what != NULL) != (what != NULL) ||
		    (what && !strstr(what, rows[i].what)))
			fail_msg("row %zu (%s): %d, %s", i, rows[i].s, k, what ? what : "-");
	}
}

/* Cut anywhere, it reads nothing behind the end (the sanitizers watch). */
static void cut(void **state)
{
	char tail[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (size_t n = 0; n <= rows[i].n; n++) {
			char *p = tail + sizeof tail - n;
			const char *what;

			memcpy(p, rows[i].s, n);
			(void)input_sniff(p, n, &what);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
