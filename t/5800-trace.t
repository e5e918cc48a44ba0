#!/bin/sh
# tp-trace: a store back as a Chrome trace, with steps and idle time as lanes.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip_all 'no jq'

awk -v rank=0 -f "$TOP/t/tools/trace.awk" >t.json <<'EOF'
user_annotation	ProfilerStep#5	1	1000.000	1000.000
user_annotation	ProfilerStep#6	1	2000.000	1000.000
python_function	/home/u/train.py(88): main	1	900.000	2200.000
cpu_op	aten::mm	1	1005.000	20.000	"External id": 1
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
cuda_runtime	cudaLaunchKernel	1	2510.000	5.000	"correlation": 2
kernel	gemm<1, 2>	7	1100.000	200.125	"correlation": 1
gpu_memcpy	Memcpy HtoD (Pageable -> Device)	7	2600.000	10.000	"correlation": 2, "bytes": 640
EOF
tp-ingest -q -o s.db t.json 2>err || diag "$(cat err)"
runs 0 'a trace' tp-trace -o v.json s.db
slices() { jq -c ".traceEvents[] | select(.ph == \"X\" and $1) | $2" v.json; }

is "$(slices '.cat == "kernel"' '[.name, .dur, .args.op, .args.file, .args.line, .args.device, .args.stream, .args.correlation]')" \
	'["gemm<1, 2>",200.125,"aten::mm","/home/u/train.py",88,0,7,1]' 'a kernel and what issued it'
is "$(slices '.cat == "gpu_memcpy"' '[.args.bytes, .args.correlation]')" '[640,2]' 'a copy'
is "$(slices '.cat == "step"' '[.name, .ts, .dur]')" '["step 5",100,1000]
["step 6",1100,1000]' 'steps as a lane, from the first event'
idle=$(sqlite3 s.db 'SELECT sum(dur) FROM idle' 2>/dev/null)
[ -z "$idle" ] || is "$(slices '.cat == "idle"' .dur | awk '{ s += $1 * 1000 } END { printf "%d", s }')" \
	"$idle" 'idle time as a lane'
is "$(jq -c '[.traceEvents[] | select(.name == "process_name").args.name]' v.json)" \
	'["rank 0","rank 0 device 0"]' 'processes have names'
tp-ingest -q -o again.db v.json 2>err
is "$(tp-view1 -j again.db | jq -c 'select(.kind == "view1.step") | [.step, .wall_ns, .busy_ns]')" \
	"$(tp-view1 -j s.db | jq -c 'select(.kind == "view1.step") | [.step, .wall_ns, .busy_ns]')" \
	'read again it has the same split'
runs 0 'one step' tp-trace --step 6 -o v.json s.db
is "$(slices '.cat == "kernel"' .name)" '' 'leaves out what does not touch it'
is "$(slices '.cat == "gpu_memcpy"' .args.bytes)" 640 'and shows what does'
runs 0 'through tp-views' tp-views -o views --trace all.json --step 6 --top 3 s.db
ok test -s all.json -- 'the trace is there'
done_testing
