#!/bin/sh
# tp-view1: the split of the wall clock, its flags and its faces.
. "$(dirname "$0")/lib.sh"
for tool in jq lz4; do
	command -v $tool >/dev/null || skip_all "no $tool"
done

trace() { awk "$@" -f "$TOP/t/tools/trace.awk"; }
load() { tp-ingest -q -o "$@" 2>err || { diag "$(cat err)"; return 1; }; }
# rows STORE FILTER [options]
rows() {
	store=$1 filter=$2
	shift 2
	tp-view1 -j "$@" "$store" | jq -c "$filter"
}

# Two steps.  Compute 1100-1300 and 1250-1400 overlap; comm 1350-1500 is hidden
# to 1400; a copy 1480-1520 is exposed from 1500.  The last kernel of step 5 runs
# into step 6 by the host's clock, and one after the end is tail.
trace >t.json -v rank=0 -v world=2 <<'EOF'
user_annotation	ProfilerStep#5	1	1000.000	1000.000
user_annotation	ProfilerStep#6	1	2000.000	1000.000
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
cuda_runtime	cudaLaunchKernel	1	1020.000	5.000	"correlation": 2
cuda_runtime	cudaLaunchKernel	1	1030.000	5.000	"correlation": 3
cuda_runtime	cudaMemcpyAsync	1	1040.000	5.000	"correlation": 4
cuda_runtime	cudaLaunchKernel	1	1950.000	5.000	"correlation": 5
cuda_runtime	cudaLaunchKernel	1	2500.000	5.000	"correlation": 6
cuda_runtime	cudaLaunchKernel	1	2950.000	5.000	"correlation": 7
kernel	gemm_a	7	1100.000	200.000	"correlation": 1
kernel	gemm_b	8	1250.000	150.000	"correlation": 2
kernel	ncclDevKernel_AllReduce	9	1350.000	150.000	"correlation": 3
gpu_memcpy	Memcpy DtoD (Device -> Device)	10	1480.000	40.000	"correlation": 4, "bytes": 400
kernel	gemm_c	7	1960.000	240.000	"correlation": 5
kernel	gemm_d	7	2510.000	100.000	"correlation": 6
kernel	gemm_late	7	2960.000	140.000	"correlation": 7
EOF
load s.db t.json

is "$(rows s.db 'select(.kind == "view1.step") | [.step, .wall_ns, .busy_ns, .compute_ns,
	.exposed_comm_ns, .exposed_copy_ns, .idle_ns, .host_wall_ns, .run_ahead_ns]')" \
	'[5,1200000,660000,540000,100000,20000,540000,1000000,0]
[6,900000,240000,240000,0,0,660000,1000000,200000]' 'steps between drain points'
is "$(rows s.db 'select(.kind == "view1.step") | [.step, .wall_ns, .busy_ns, .comm_ns]' --clock host)" \
	'[5,1000000,460000,150000]
[6,1000000,340000,0]' "steps by the host's clock"
is "$(rows s.db 'select(.kind == "view1.rank") | [.steps, .median_ns, .spread, .head_ns, .tail_ns,
	.window_wall_ns, .window_busy_ns, .main_stream, .flags]' --clock host)" \
	'[2,1000000,0,0,100000,2000000,900000,"7",[]]' 'the rank'
is "$(rows s.db 'select(.kind == "view1.rank") | [.head_ns, .tail_ns, .spread, .flags]')" \
	'[0,0,0.2857,["outlier_spread"]]' 'its spread between drain points'
is "$(rows s.db 'select(.kind == "view1.import") | [.events, .device_ops, .launches, .partial]')" \
	'[16,7,7,false]' 'the import report'
is "$(rows s.db 'select(.key) | .key' | sort | uniq -d)" '' 'no key twice'
is "$(tp-view1 -j s.db | jq -r .kind | sed -n '1p;$p' | tr '\n' ' ')" 'head end ' 'head first, end last'
is "$(tp-view1 -j s.db | jq -r 'select(.kind == "run").epoch_add_ns')" 1700000000001000000 \
	'times are relative to the first event'

# choosing
is "$(rows s.db 'select(.kind == "view1.step").step' --step 6)" 6 '--step by number'
is "$(rows s.db 'select(.kind == "view1.step").step' --step 5:6 | tr '\n' ' ')" '5 6 ' '--step N:M'
is "$(rows s.db 'select(.kind == "view1.step")' --rank 3 2>err)" '' '--rank that is not there: no rows'
is "$(rows s.db 'select(.kind == "view1.step").device' --device 0 | tr '\n' ' ')" '"0" "0" ' '--device'
is "$(rows s.db 'select(.kind == "view1.step")' --device 1 2>err)" '' '--device that is not there'

# faces
runs 0 'text' tp-view1 -t s.db
holds out '^  the device is IDLE 57\.1 % of the wall clock' 'the first lines say where to look'
holds out '^5 +1\.20 ms +45\.0 % +8\.3 % +1\.7 % +45\.0 % +C+N+T?\.+' 'a bar for each step'
is "$(tail -1 out)" 'adds up: 2100000 ns = compute 780000 + comm 100000 + copy 20000 + idle 1200000' \
	'the last line adds up'
is "$(awk 'length > 80 && !/^adds up/' out)" '' 'in 80 columns'
tp-view1 -t --top 1 s.db >out
holds out '\.\.\. and 1 more' '--top cuts the text'
is "$(rows s.db 'select(.kind == "view1.step").step' --top 1 | wc -l)" 2 'and never the records'
runs 0 'a file' tp-view1 -o o.tp s.db
is "$(od -An -tx1 -N4 o.tp | tr -d ' ')" 04224d18 'LZ4 where it is no terminal'
runs 0 'a file of text' tp-view1 -t -o o.txt s.db
tp-view1 -t s.db >out
same o.txt out 'the same text'
tp-view1 -j s.db | sed 1d >a; tp-view1 -j s.db | sed 1d >b
same a b 'the same rows twice'

# what goes wrong
runs 2 'no store' tp-view1 -j none.db
holds out '"kind":"head"' 'the head goes out before the store is opened'
lacks out '"kind":"end"' 'and no end follows'
(tp-view1 none.db 2>err; tp-view1 s.db) >two.tp
ok lz4 -dc two.tp -- 'its frame ends, so that the next view can be read behind it'
runs 2 'a file that is no store' tp-view1 -o bad.tp t.json
ok test ! -e bad.tp -- 'leaves nothing'
runs 2 'a clock that is none' tp-view1 --clock sun s.db
runs 2 'no operand' tp-view1
runs 2 'a full disk' sh -c 'exec tp-view1 -j s.db >/dev/full'

# A cut can take an op's call and leave the op: that one is not from before the steps.
# What has no call before all others of its stream is, as in a trace that is whole.
trace >loose.json -v rank=0 <<'EOF'
user_annotation	ProfilerStep#5	1	1000.000	1000.000
user_annotation	ProfilerStep#6	1	2000.000	1000.000
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
cuda_runtime	cudaLaunchKernel	1	1950.000	5.000	"correlation": 2
cuda_runtime	cudaLaunchKernel	1	2500.000	5.000	"correlation": 3
kernel	gemm_before	7	990.000	60.000	"correlation": 90
kernel	gemm_a	7	1100.000	200.000	"correlation": 1
kernel	gemm_b	7	1960.000	240.000	"correlation": 2
kernel	gemm_c	7	2510.000	100.000	"correlation": 3
kernel	gemm_loose	7	2700.000	50.000	"correlation": 4
EOF
walls='select(.kind == "view1.step") | [.step, .start_ns, .wall_ns, .busy_ns, .flags]'
load loose.db loose.json
is "$(rows loose.db "$walls")" '[5,1760000,0,0,["empty"]]
[6,1760000,250000,0,["empty"]]' 'an op without a call, in a whole trace'
tp-ingest -j loose.json | sed '$d' >loose.tp
runs 3 'and in one that was cut' tp-ingest -o loose-cut.db loose.tp
is "$(rows loose-cut.db "$walls" 2>err)" '[5,60000,1150000,440000,[]]
[6,1210000,800000,150000,[]]' 'where its call may be what is missing'
runs 3 'text' tp-view1 -t loose-cut.db
holds out '2 device ops without a call in it: a step that ends there may end later' 'says that'
gzip -dc "$TOP/t/data/demo.json.gz" >demo.json
load demo.db demo.json
head -c $(($(wc -c <demo.json) * 97 / 100)) demo.json >demo-cut.json
tp-ingest -j demo.json >demo.tp
head -n 38559 demo.tp >demo-cut.tp
rows demo.db 'select(.kind == "view1.step") | [.step, .wall_ns]' >want
for cut in demo-cut.json demo-cut.tp; do
	runs 3 "$cut" tp-ingest -o $cut.db $cut
	is "$(sqlite3 $cut.db 'SELECT unlinked_ops FROM traces')" 1 'between an op and its call'
	rows $cut.db 'select(.kind == "view1.step") | [.step, .wall_ns]' >got 2>err
	same got want 'leaves the steps as they are'
done

# a store whose trace was cut short
head -c 2200 t.json >cut.json
tp-ingest -q -o cut.db cut.json 2>err
is $? 3 'a cut trace'
runs 3 'its view' tp-view1 -j cut.db
holds err 'is partial' 'says so'
is "$(tail -1 out | jq .complete)" false 'and so does its end'

# two devices of one rank
sed 's/"pid": 0, "tid": 8\(.*\)"device": 0/"pid": 1, "tid": 8\1"device": 1/' t.json >two.json
load two.db two.json
is "$(rows two.db 'select(.kind == "view1.step" and .step == 5) | [.device, .busy_ns, .any_device]' --clock host)" \
	'["0",410000,null]
["1",150000,null]
["any_device",460000,true]' 'each device, and the rank as a whole'

# launches and nothing on the device
jq -c '.traceEvents |= map(select(.cat != "kernel" and .cat != "gpu_memcpy"))' t.json >lost.json
jq -c '.traceEvents |= map(select(.cat != "cuda_runtime")) + [
	["aten::linear", 1100, 400], ["aten::addmm", 1200, 200], ["aten::mm", 2100, 50] |
	{ph: "X", cat: "cpu_op", name: .[0], pid: 9, tid: 1, ts: .[1], dur: .[2]}]' lost.json >cpu.json
load lost.db lost.json
is "$(rows lost.db 'select(.kind == "view1.step") | [.wall_ns, .busy_ns, .idle_ns, .flags[-1]]')" \
	'[1000000,null,null,"busy_unknown"]
[1000000,null,null,"busy_unknown"]' 'unknown is not idle'
tp-view1 -t lost.db >out
holds out 'NO DEVICE ACTIVITY' 'and the text says so first'
lacks out '100\.0 %' 'and never 100 %'
load cpu.db cpu.json
is "$(rows cpu.db 'select(.kind == "view1.step") | [.step, .busy_ns, .idle_ns, .flags]')" \
	'[5,400000,600000,["cpu_job"]]
[6,50000,950000,["cpu_job"]]' 'a CPU job is analysed on its operators'
done_testing
