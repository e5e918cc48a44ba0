#!/bin/sh
# Paths that stand in a trace or a stream are words: none of them is ever opened.
. "$(dirname "$0")/lib.sh"

mkdir decoy decoy/sub
for f in secret.py secret.json secret.db sub/deep.py; do echo data >decoy/$f; done
opened() { "$TP_BUILD/t/opened" decoy decoy/sub -- "$@" 3>names; }
opened cat decoy/secret.py decoy/sub/deep.py >/dev/null
is "$(sort names | tr '\n' ' ')" 'deep.py secret.py ' 'what is opened is seen'
opened true
is "$(cat names)" '' 'and only that'

S=$SCRATCH/decoy
sed "s,@,$S,g" >a.json <<'END'
{"traceName":"@/secret.json","deviceProperties":[{"id":0,"name":"@/secret.json"}],
"distributedInfo":{"rank":0,"world_size":1,"backend":"@/secret.json"},"host_name":"@/secret.json",
"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,"tid":9,"ts":0,"dur":900},
{"ph":"X","cat":"python_function","name":"@/secret.py(1): f","pid":9,"tid":9,"ts":1,"dur":890},
{"ph":"X","cat":"python_function","name":"decoy/sub/../secret.py(1): g","pid":9,"tid":9,"ts":2,"dur":880},
{"ph":"X","cat":"cpu_op","name":"@/secret.json","pid":"@/secret.json","tid":"@/secret.db","ts":3,"dur":80,"args":{"Call stack":"@/sub/deep.py(1): h","kernel_file":"@/sub/deep.py"}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":4,"dur":3,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"@/secret.db","pid":0,"tid":7,"ts":300,"dur":100,"args":{"device":0,"stream":"@/secret.db","correlation":1}},
{"ph":"i","name":"[memory]","pid":9,"tid":9,"ts":5,"args":{"Bytes":5,"Total Allocated":5,"Device Id":0,"Device Type":1,"Addr":7}}
],"include":"@/secret.json"}
END
{
	printf '{"kind":"head","tp":1,"program":"%s/secret.py","epoch_ns":"1700000000000000000","prov":[{"program":"%s/secret.py","argv":["%s/secret.db"]}]}\n' "$S" "$S" "$S"
	printf '{"kind":"run","path":"%s/secret.json","argv":["%s/secret.py"],"cwd":"%s","rank":1,"step_rule":"line","step_by":"%s/secret.py:1"}\n' "$S" "$S" "$S" "$S"
	printf '{"kind":"startup","phase":"import","file":"%s/secret.py","line":1,"start_ns":0,"dur_ns":9}\n' "$S"
	awk -v s="$S" 'BEGIN { for (i = 1; i < 16; i++) printf "{\"kind\":\"step\",\"step\":%d,\"start_ns\":%d,\"wall_ns\":%d,\"lines\":[{\"file\":\"%s/secret.py\",\"line\":1,\"func\":\"f\",\"dur_ns\":700}]}\n", i, i * 1000, i % 4 ? 900 : 1900, s }'
	printf '{"kind":"event","cat":"kernel","name":"%s/secret.db","start_ns":1,"dur_ns":9,"device":"0","stream":"%s"}\n' "$S" "$S"
	printf '{"kind":"end","records":18,"complete":true}\n'
} >b.json

n=0
closed() { # STATUS CMD...
	want=$1
	shift
	n=$((n + 1))
	opened "$@" </dev/null >>rows 2>err
	got=$?
	[ -s names ] || [ $got != "$want" ] || return 0
	{ echo "status $got, opened $(tr '\n' ' ' <names): $*"; head -3 err; } >>wrong
}
: >wrong
closed 0 tp-ingest -o s.db a.json b.json
closed 0 tp-ingest --scope / -o t.db a.json b.json
closed 0 tp-ingest -t a.json
closed 0 tp-ingest -j b.json
closed 0 tp-window b.json
: >rows
for v in 1 2 3 4 5; do
	closed 0 tp-view$v -j s.db
	cp rows keep
	closed 0 tp-view$v -t --all t.db
	mv keep rows
done
cp rows in.rows
closed 0 tp-rank -t in.rows
closed 0 tp-rank --scope "$SCRATCH/else" -t in.rows
closed 0 tp-trace s.db
is "$(cat wrong)" '' "$n runs open nothing that their input names"
grep -q "$S/secret.py" in.rows
t_result $? 'whose words are in what they write'
done_testing
