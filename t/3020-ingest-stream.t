#!/bin/sh
# Streams in and records out: a trace that went through a stream is the same trace.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'
command -v lz4 >/dev/null || skip_all 'no lz4'

awk -v rank=1 -v world=2 -f "$TOP/t/tools/trace.awk" >t.json <<'EOF'
user_annotation	ProfilerStep#1	1	1000.5	1000
python_function	/home/u/train.py(8): main	1	900	2000
cpu_op	aten::mm	1	1100	100.25	"Sequence number": 7
cuda_runtime	cudaLaunchKernel	1	1110	10	"correlation": 100
kernel	gemm	7	1200	300	"correlation": 100, "grid": [4, 2, 1]
kernel	ncclDevKernel_AllReduce	7	1600	30	"correlation": 98, "Collective name": "allreduce", "In msg nelems": 8, "Out msg nelems": 8, "Group size": 2, "dtype": "Float"
mem		1	1100.5	0	"Total Reserved": 900, "Total Allocated": 100, "Bytes": 100, "Device Id": 0, "Device Type": 1, "Addr": 16
EOF
dump() { # all but the path and what tells how it came
	for t in trace device track name frame host stack call dev coll memory run step live; do
		echo "-- $t"
		sqlite3 "$1" "SELECT * FROM $t ORDER BY id"
	done
}

runs 0 'records instead of a store' tp-ingest t.json
mv out s.tp
is "$(head -c 4 s.tp | od -An -tx1 | tr -d ' \n')" 04224d18 'are LZ4 frames in a file'
lz4 -dc s.tp >plain
is "$(sed -n 's/^{"kind":"\([a-z]*\)".*/\1/p' plain | sort | uniq -c | tr -s ' \n' ' ')" \
	' 1 end 6 event 1 head 1 mem 1 run ' 'head, events, run, end'
runs 0 '-j' tp-ingest -j t.json
sed 's/"argv":[^]]*\]//' out >a; sed 's/"argv":[^]]*\]//' plain >b
same a b 'gives the same as plain lines'

tp-ingest -q -o a.db t.json
runs 0 'the stream into a store' tp-ingest -o b.db s.tp
dump a.db >a; dump b.db >b
same b a 'gives the same store'
runs 0 'and by a pipe' sh -c 'tp-ingest - <t.json | tp-ingest -q -o c.db'
dump c.db | sed 's/|stdin|/|t.json|/' >c
same c a 'too'
runs 0 'both at once' tp-ingest -o d.db t.json s.tp
holds err 'had, nothing changed' 'are one trace'
is "$(sqlite3 d.db 'SELECT count(*) FROM traces')" 1 'in the store'

# --- segments, and what is cut ---------------------------------------------------
sed 's/aten::mm/aten::bmm/' t.json >other.json
tp-ingest -j other.json >other.tp
runs 3 'two traces in one stream, of one rank and time' sh -c 'cat plain other.tp | tp-ingest -o e.db'
is "$(sqlite3 e.db 'SELECT count(*) FROM traces')" 2 'are two'
head -n 5 plain >cut.tp
runs 3 'a stream without its end' tp-ingest -o cut.db cut.tp
is "$(sqlite3 cut.db 'SELECT partial, why_partial FROM trace; SELECT count(*) FROM events')" \
	"1|the stream was cut short
4" 'makes a store that is marked'
runs 3 'a trace without its end' sh -c 'head -c 1200 t.json | tp-ingest -o cut2.db -'
is "$(sqlite3 cut2.db 'SELECT partial FROM traces')" 1 'too'
runs 3 'a good input and one that is not there' tp-ingest -o f.db t.json nowhere.json
is "$(sqlite3 f.db 'SELECT count(*) FROM traces')" 1 'the good one is in'
holds err 'nowhere.json: No such file' 'the other is said'
for f in /dev/null /etc/passwd nowhere; do
	runs 2 "nothing but $f" tp-ingest -o g.db $f
done
is "$(find . -name 'g.db*' | wc -l)" 0 'makes no store'
runs 2 'another version of the stream' sh -c 'sed "s/\"tp\":1/\"tp\":7/" plain | tp-ingest -o g.db'
runs 0 '-n' tp-ingest -n t.json
is "$(cat out)" 'whole: 1 of 1 input, 1 trace, 7 events' 'ends in one line'
runs 3 '-n of a cut one' tp-ingest -n cut.tp
holds out '^usable in part: 1 of 1 input,' 'says so'
runs 2 '-n of none' tp-ingest -n /etc/passwd
is "$(cat out)" 'unusable: 0 of 1 input, 0 traces, 0 events' 'too'

# --- the honest clock --------------------------------------------------------------
cat >time.tp <<'EOF'
{"kind":"head","tp":1,"program":"tp-time","version":"0.1","host":"n","epoch_ns":"1700000000000000000","prov":[]}
{"kind":"startup","rank":0,"phase":"import","start_ns":5,"dur_ns":700,"file":"train.py","line":3}
{"kind":"step","rank":0,"step":1,"start_ns":1000,"wall_ns":90,"device_ns":60,"allocated_bytes":10,"reserved_bytes":20}
{"kind":"step","rank":0,"step":2,"start_ns":1090,"wall_ns":80}
{"kind":"run","argv":["train.py"],"rank":0,"job_status":0}
{"kind":"end","records":4,"dropped":0,"complete":true,"job_status":0}
EOF
head -n 4 time.tp >time-cut.tp
runs 3 'a part of what tp-time measured' tp-ingest -o hcut.db time-cut.tp
is "$(sqlite3 hcut.db 'SELECT * FROM runs')" '1|2|1' 'is marked'
runs 0 'what tp-time measured' tp-ingest -o h.db time.tp
is "$(sqlite3 h.db 'SELECT * FROM runs')" '1|2|0' 'the whole is not'
is "$(sqlite3 h.db 'SELECT * FROM run_steps; SELECT * FROM run_startup')" \
	"1|0|1|1700000000000001000|90|60|10|20
1|0|2|1700000000000001090|80|||
1|0|import|1700000000000000005|700|train.py|3" 'comes in'
runs 0 'again, with a trace' sh -c 'cat time.tp plain | tp-ingest -o h.db -'
is "$(sqlite3 h.db 'SELECT count(*) FROM run_steps; SELECT count(*) FROM honest_run; SELECT count(*) FROM traces')" \
	"2
1
1" 'only the trace is new'
runs 0 'a stream passes through' tp-ingest -j time.tp
is "$(grep -c '"kind":"step"' out)" 2 'with the records that it does not know'
runs 0 '-t' tp-ingest -t t.json
holds out '^ +[0-9.]+ us +100 us  cpu_op +aten::mm$' 'shows events for a person'
mv out text
runs 0 '-t of a stream' tp-ingest -t plain
is "$(grep -c aten::mm out)" 1 'too'
runs 2 'a full disk' sh -c 'tp-ingest -j t.json >/dev/full'

# an old trace: microseconds since 1970 and no base; spaces in what is kept as JSON
cat >old.json <<'EOF'
{"distributedInfo": {"rank":  0, "world_size" : 2},
"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 1, "ts": 1600000000000100.5, "dur": 10},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1600000000000120, "dur": 10, "args": {"device": 0, "stream": 7}}
]}
EOF
tp-ingest -j old.json >old.tp 2>err
is "$(jq -c 'select(.kind == "event").start_ns' old.tp | xargs)" '500 20000' \
	'the first event of an old trace is small'
is "$(jq -r 'select(.epoch_add_ns).epoch_add_ns' old.tp)" 1600000000000100000 'its time is told at the end'
tp-ingest -q -o direct.db old.json 2>err
tp-ingest -q -o stream.db old.tp 2>err
for db in direct stream; do
	sqlite3 $db.db 'SELECT name, ts_ns, dur_ns FROM events; SELECT dist FROM trace' >$db
done
same stream direct 'and the store knows the same'
is "$(tail -1 direct)" '{"rank":0,"world_size":2}' 'JSON is kept without white space'

# a maker of a stream may leave the device out: no op is lost for that
cat >noid.tp <<'EOF'
{"kind":"head","tp":1,"epoch_ns":"1700000000000000000"}
{"kind":"event","cat":"kernel","name":"k","start_ns":1000,"dur_ns":20}
{"kind":"event","cat":"kernel","name":"k","pid":"3","start_ns":1010,"dur_ns":30}
{"kind":"mem","start_ns":1000,"allocated":64,"reserved":128,"delta":64}
{"kind":"end","records":3,"dropped":0,"complete":true}
EOF
runs 0 'device ops without a device' tp-ingest -q -o noid.db noid.tp
is "$(sqlite3 noid.db 'SELECT idx, ops FROM device ORDER BY 1' | xargs)" '0|1 3|1' \
	'are on that of their process, or the first'
runs 0 'and add up' tp-view2 -j noid.db
done_testing
