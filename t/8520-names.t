#!/bin/sh
# A name with everything in it that some reader obeys: control bytes, ANSI escapes,
# marks that turn text round, HTML, Markdown, quotes of SQL, a format.  Every output
# shows it and does nothing.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'
command -v jq >/dev/null || skip_all 'no jq'

# as the inside of a JSON string
B='<script>alert(1)</script>`<img src=x onerror=y>|*x* [y](z) \\u001b[31m\\u0007\\u009b1m\\u202e\\u2066\\u2028 '\''\\"; DROP TABLE trace;-- \\\\ %s%n'
{
	printf '{"host_name":"h@","deviceProperties":[{"id":0,"name":"G@","totalGlobalMem":100000,"numSms":4}],\n'
	printf '"distributedInfo":{"rank":0,"world_size":1,"backend":"@"},"traceName":"@","traceEvents":[\n'
	awk 'function x(cat, name, tid, ts, dur, args) {
			printf "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%s,\"tid\":\"%s\",\"ts\":%d,\"dur\":%d,\"args\":{%s}},\n",
				cat, name, cat ~ /^(kernel|gpu)/ ? 0 : 9, tid, ts, dur, args }
		function op(cat, name, ts, dur, more) {
			x("cuda_runtime", "cudaLaunchKernel@", "9@", at++, 1, "\"correlation\":" ++c)
			x(cat, name, 7, ts, dur, "\"device\":0,\"stream\":\"7@\",\"correlation\":" c more) }
		BEGIN { for (k = 0; k < 3; k++) { t = k * 10000; at = t + 20
			x("user_annotation", "ProfilerStep#" 3 + k, "9@", t, 10000)
			x("user_annotation", "note@", "9@", t + 1, 9990)
			x("python_function", "/home/u/`<b>@.py(12): f@", "9@", t + 2, 9980)
			x("cpu_op", "aten::item@", "9@", t + 3, 6000)
			op("kernel", "gemm@", t + 40, 2000)
			op("kernel", "ncclAllReduce@", t + 200, 3000, ",\"Collective name\":\"allreduce@\",\"In msg nelems\":64,\"dtype\":\"Float\",\"Group size\":2,\"Process Group Name\":\"g@\",\"Process Group Description\":\"@\",\"Seq\":" k)
			op("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)@", t + 4600, 9, ",\"bytes\":4096")
			x("cuda_runtime", "cudaStreamSynchronize@", "9@", t + 530, 4900, "\"correlation\":9999")
			for (i = 0; i < 12; i++) { at = t + 6100 + i * 100; op("kernel", "tiny@", at + 10, 2) }
			printf "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":9,\"tid\":\"9@\",\"ts\":%d,\"args\":{\"Total Reserved\":9000,\"Total Allocated\":%d,\"Bytes\":1024,\"Device Id\":0,\"Device Type\":1,\"Addr\":%d}},\n", t + 5, 1024 * (k + 1), k } }'
	printf '{"ph":"M","name":"thread_name","pid":9,"tid":9,"args":{"name":"@"}}]}\n'
} | awk -v b="$B" '{ n = split($0, part, "@"); s = part[1]
	for (i = 2; i <= n; i++) s = s b part[i]; print s }' >in.json
ok jq -e '.traceEvents | length > 90' in.json -- 'the trace is JSON'
file=$(printf 'n\033[31m<b>\342\200\256.json')
cp in.json "$file"

# bytes that a terminal obeys: C0 but newline and tab, DEL, C1, and marks of direction
obeyed() {
	perl -CSD -ne 'print "$.: $_" if /[\x00-\x08\x0b-\x1f\x7f-\x9f\x{2028}-\x{202e}\x{2066}-\x{2069}]/' "$1" |
		head -3 | cat -v
}
quiet() { # FILE NAME
	is "$(obeyed "$1")" '' "$2: nothing that a terminal obeys"
}
runs 0 'tp-ingest takes it' tp-ingest -v -o s.db "$file"
quiet err 'what it says'
tp-ingest -t "$file" >out 2>err
quiet out 'tp-ingest -t'
holds out 'gemm<script>.*u202e' 'which shows the name in words'
for v in 1 2 3 4 5; do
	tp-view$v -t --all s.db >out 2>err
	is "$? $(obeyed out)$(obeyed err)" '0 ' "tp-view$v -t: nothing that a terminal obeys"
	tp-view$v -j s.db >>rows
done
holds out . 'there is text'
tp-view3 -t --all s.db >out
holds out 'DROP TABLE' 'and the name is in it'
quiet rows 'records'
is "$(jq -r .kind rows 2>&1 | grep -vc '^[a-z0-9.]*$')" 0 'every record is JSON'
is "$(jq -r 'select(.kind == "view3.kernel") | .name' rows | grep -c 'DROP TABLE trace;-- \\ %s%n')" 4 \
	'with the names as they were'

# --- SQL: the name is a value ------------------------------------------------------
jq -j '.traceEvents[] | select(.cat == "kernel") | .name' in.json >want
sqlite3 -json s.db "SELECT name FROM events WHERE cat IN ('kernel', 'comm') ORDER BY ts_ns" |
	jq -j '.[].name' >got
is "$(tr -d '\n' <got | wc -c)" "$(tr -d '\n' <want | wc -c)" 'the store has every byte of them'
is "$(sqlite3 s.db 'SELECT count(*) FROM traces; PRAGMA integrity_check' | tr '\n' ' ')" '1 ok ' \
	'and its tables'
sqlite3 s.db "SELECT path || host || device_name FROM traces" >out
holds out 'DROP TABLE' 'host and device are values too'

# --- report: outside of code there is no HTML, no link -------------------------------
runs 0 'tp-rank' tp-rank -t rows
quiet out 'the report'
cp out report.md
holds report.md 'script>alert' 'it names what it is about'
is "$(perl -0pe 's/`[^`]*`//g; s/^    .*$//mg' report.md | grep -nE '<|\]\(|onerror|\*x\*' | head -5)" '' \
	'and HTML and Markdown in names stay within code'

# --- the viewer's file -----------------------------------------------------------------
tp-trace s.db >view.json
quiet view.json 'the file for a viewer'
is "$(jq '[.traceEvents[] | select(.name | tostring | contains("DROP TABLE"))] | length > 30' view.json)" \
	true 'is JSON that has the names as they were'
done_testing
