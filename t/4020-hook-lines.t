#!/bin/sh
# What the hook says becomes records, text and trace files: a script that plays the
# hook, no torch needed (4010 and 4200 have the hook itself).
. "$(dirname "$0")/lib.sh"
perl -MIO::Socket::UNIX -MJSON::PP -e 1 2>/dev/null || skip_all 'no perl with its modules'
speak() { perl "$TOP/t/tools/speak.pl" "$@"; }
TMPDIR=$SCRATCH/tmp
mkdir tmp
export TMPDIR
SPEAK="perl $TOP/t/tools/speak.pl"

cat >two.0 <<'EOF'
{"kind":"tp_hello","pid":11}
{"kind":"run","rank":0,"world_size":2,"pid":11}
{"kind":"startup","rank":0,"phase":"import \u001b[31m","start_ns":0,"dur_ns":1500000000,"file":"/u/train.py","line":3}
{"kind":"startup","rank":0,"phase":"model","start_ns":0,"dur_ns":20}
{"kind":"step","rank":0,"step":1,"start_ns":0,"wall_ns":9000000,"device_ns":2000000,"allocated_bytes":1000,"reserved_bytes":4000,"host_bytes":7000000,"compiled":1}
{"kind":"step","rank":0,"step":2,"start_ns":9000000,"wall_ns":5000000,"reserved_bytes":3000,"skipped":1}
{"kind":"tp_note","text":"a word of the hook"}
{"kind":"tp_bye"}
EOF
cat >two.1 <<'EOF'
{"kind":"run","rank":1,"world_size":2,"pid":12}
{"kind":"startup","rank":1,"phase":"data","start_ns":0,"dur_ns":30}
{"kind":"step","rank":1,"step":1,"start_ns":0,"wall_ns":7000000}
{"kind":"tp_bye"}
EOF

# --- tp-time ------------------------------------------------------------------
runs 7 'two ranks as text' tp-time -t -- $SPEAK two.0 two.1
holds out '^startup  import .*1\.50 s  /u/train\.py:3$' 'a phase with its place'
is "$(tr -d '\n' <out | LC_ALL=C tr -d ' -~')" '' 'no control byte of it'
holds out '^startup  model  20 ns$' 'a phase without'
holds out '^(rank 0  )?step 1  9\.00 ms  device 2\.00 ms  allocated 1\.00 KB  reserved 4\.00 KB  host 7\.00 MB  compiled$' \
	'a step with all that is known'
holds out '^(rank 0  )?step 2  5\.00 ms  reserved 3\.00 KB  skipped by the gradient scaler$' 'and one with less'
holds out '^rank 1  startup  data  30 ns$' 'another rank says which it is'
holds out '^rank 1  step 1  7\.00 ms$' 'at its steps too'
is "$(tail -1 out)" '3 steps, median 7.00 ms on the host, device memory up to 4.00 KB, host memory up to 7.00 MB' \
	'in the end what a step takes'
holds err '^tp-time: a word of the hook$' 'its notes are words'
holds err 'ended with status 7' 'the job ends as it ends'
awk 'BEGIN { print "{\"kind\":\"run\",\"rank\":0,\"pid\":1}"
	for (i = 1; i <= 70000; i++)
		printf "{\"kind\":\"step\",\"rank\":0,\"step\":%d,\"wall_ns\":%d}\n", i, i * 1000
	print "{\"kind\":\"tp_bye\"}" }' >many
tp-time -t -- $SPEAK many 2>err | tail -1 >out
holds out '^70000 steps, median 3[45]\.[0-9] ms on the host$' 'the median of a long run'

runs 7 'as records' tp-time -j -- $SPEAK two.0 two.1
is "$(grep -c -e '^{"kind":"startup"' -e '^{"kind":"step"' out)" 6 'all of them'
grep '"kind":"st[ea]' two.0 >want
grep '"rank":0' out | grep '"kind":"st[ea]' >got
same got want 'as they were sent'
holds out '"complete":true,"job_status":7}$' 'whole'

sed 's/"pid":11/"pid":13/' two.0 >twice
runs 7 'two processes of one rank' tp-time -j -- $SPEAK two.0 twice
holds err 'process 1[13] makes steps as rank 0 too: only the first' 'the second is told of'
is "$(grep -c '"kind":"step"' out)" 2 'and left out'
sed 's/{"kind":"tp_bye"}/{"kind":"tp_bye","dropped":5}/' two.0 >lost
tp-time -j -- $SPEAK lost >out 2>err
holds out '"dropped":5,"complete":false' 'what the hook could not send is counted'
grep -v tp_bye two.0 >torn
tp-time -j -- $SPEAK torn >out 2>err
holds out '"complete":false' 'a rank that never said bye'
{ head -2 two.0; echo '{"kind":"tp_off","text":"KeyError"}'; } >off
tp-time -j -- $SPEAK off >out 2>err
holds err 'switched itself off \(the job goes on\): KeyError' 'a hook that fails is told of'
for bad in '{"kind":"step"' '{"kind":"event"}' '{"kind":"tp_odd"}'; do
	{ head -2 two.0; echo "$bad"; tail -3 two.0; } >odd
	tp-time -j -- $SPEAK odd >out 2>err
	is "$? $(grep -c '"kind":"step"' out)" '7 0' "the link ends at $bad"
done
head -1 two.0 >idle
tp-time -j -- $SPEAK idle >out 2>err
holds err 'the job made no steps' 'a job without a step'
: >silent
tp-time -j -- $SPEAK silent >out 2>err
holds err 'no Python process of the job imported torch' 'or without torch'

# --- tp-capture -----------------------------------------------------------------
cat >raw <<'EOF'
{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 1, "ts": 10, "dur": 5}, {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 1, "ts": 11, "dur": 1, "args": {"correlation": 1}}]}
EOF
cat >trace <<EOF
put @DIR@/raw.json $(cat raw)
put @DIR@/lines.json {"ph":"X","cat":"python_function","name":"/u/train.py(7): main [line]","pid":9,"tid":1,"ts":9,"dur":9}
{"kind":"tp_hello"}
{"kind":"run","rank":3,"world_size":8,"pid":21}
{"kind":"step","rank":3,"step":1,"wall_ns":5}
{"kind":"tp_trace","rank":3,"world_size":8,"pid":21,"path":"@DIR@/raw.json","lines":"@DIR@/lines.json"}
{"kind":"tp_bye"}
EOF
capture() { tp-capture --window 1:1 "$@"; }
runs 7 'a trace into a folder' capture -d here -- $SPEAK trace
is "$(ls -A here | sed 's/rank3\..*\.21\./rank3.HOST.21./')" rank3.HOST.21.json.gz 'has the name of its rank'
gzip -dc here/* >got
jq -c '[.distributedInfo, [.traceEvents[].name]]' got >out
is "$(cat out)" '[{"rank":3,"world_size":8},["/u/train.py(7): main [line]","aten::mm","cudaLaunchKernel"]]' \
	'the lines are among its events, and the rank is told'
holds err '^tp-capture: rank 3: 1 launch and no device activity: another tool holds CUPTI' 'what the file cannot tell is said'
runs 7 'as events' capture -j -- $SPEAK trace
is "$(jq -r 'select(.kind == "event").name' out | xargs)" '/u/train.py(7): main [line] aten::mm cudaLaunchKernel' \
	'all of them'
is "$(jq -r 'select(.kind == "run" and .path) | .rank' out)" 3 'of that rank'
sed -e 's/traceEvents/other/' -e 's/,"lines":"[^"]*"//' trace >plain
runs 7 'a file without events' capture -d plain.d -- $SPEAK plain
holds err 'no traceEvents: put in place as it is' 'is told of'
gzip -dc plain.d/* >got
tr -d '\n' <raw | sed 's/traceEvents/other/' >want
same got want 'and kept'
sed 's/put .*raw.*/put @DIR@\/raw.json /' plain >empty
runs 7 'an empty file' capture -d empty.d -- $SPEAK empty
sed -e '/^put/d' trace >gone
runs 7 'no file' capture -d gone.d -- $SPEAK gone
holds err 'raw.json: No such file' 'is said'
sed 's/"path":"[^"]*",//' trace >nameless
capture -j -- $SPEAK nameless >out 2>err
lacks out '"kind":"event"' 'a trace that says no file is none'
printf '%s\n' '{"kind":"tp_hello"}' '{"kind":"tp_gave_way"}' '{"kind":"tp_bye"}' >way
capture -d way.d -- $SPEAK way >out 2>err
is "$?" 7 'a window left to the script'
is "$(ls -A tmp)" '' 'nothing of it is left'
done_testing
