#!/bin/sh
# What tp-ingest makes of a trace, through the store's public SQL views.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'

# Two steps; the device runs past the first one's end.  The backward operator of
# thread 2 has no frame of its own, its forward operator has one.
awk -v rank=0 -v host=node1 -f "$TOP/t/tools/trace.awk" >t.json <<'EOF'
user_annotation	ProfilerStep#5	1	1000.000	1000.000
user_annotation	ProfilerStep#6	1	2000.000	1000.000
python_function	/home/u/train.py(88): main	1	900.000	2200.000
python_function	torch/nn/modules/module.py(1): _call_impl	1	1050.000	500.000
python_function	/home/u/model.py(41): forward	1	1060.000	400.000
python_function	torch/_tensor.py(5): backward	1	2100.000	800.000
cpu_op	aten::mm	1	1100.000	100.000	"External id": 3, "Sequence number": 7, "Fwd thread id": 0
cuda_runtime	cudaLaunchKernel	1	1110.000	10.000	"correlation": 100
cpu_op	MmBackward0	2	2200.000	100.000	"External id": 4, "Sequence number": 7, "Fwd thread id": 1
cuda_runtime	cudaLaunchKernel	2	2210.000	10.000	"correlation": 101
cpu_op	OtherBackward0	2	2400.000	100.000	"External id": 5
cuda_driver	cuLaunchKernel	2	2412.000	3.000	"correlation": 102
cuda_runtime	cudaLaunchKernel	2	2410.000	10.000	"correlation": 102
cpu_op	aten::add	3	2500.000	100.000
cuda_runtime	cudaMemcpyAsync	3	2510.000	10.000	"correlation": 103
cuda_runtime	cudaLaunchKernel	1	2950.000	10.000	"correlation": 104
kernel	gemm	7	1200.000	1100.000	"correlation": 100, "grid": [4, 2, 1]
kernel	gemm_b	7	2400.000	50.000	"correlation": 101
kernel	ncclDevKernel_AllReduce_Sum	9	2460.000	40.000	"correlation": 102
gpu_memcpy	Memcpy HtoD (Pageable -> Device)	7	2600.000	10.000	"correlation": 103, "bytes": 640
kernel	lost	7	950.000	20.000	"correlation": 99
mem		1	1100.500	0	"Total Reserved": 900, "Total Allocated": 100, "Bytes": 100, "Device Id": 0, "Device Type": 1, "Addr": 16
mem		2	2210.500	0	"Total Reserved": 900, "Total Allocated": 800, "Bytes": 700, "Device Id": 0, "Device Type": 1, "Addr": 32
mem		1	2800.000	0	"Total Reserved": 900, "Total Allocated": 100, "Bytes": -700, "Device Id": 0, "Device Type": 1, "Addr": 32
EOF
q() { sqlite3 s.db "$@" 2>&1; }

runs 0 'a trace is loaded' tp-ingest -o s.db t.json
is "$(cat out)" '' 'with nothing on stdout'
is "$(q "SELECT cat, count(*) FROM events GROUP BY cat" | tr '\n' ' ')" \
	'annotation|2 comm|1 cpu_op|4 driver|1 kernel|3 memcpy|1 python|4 runtime|5 ' 'events by category'
is "$(q "SELECT device, stream, pid, tid, ts_ns, dur_ns, corr, nbytes FROM events
	WHERE name LIKE 'Memcpy%'")" \
	'0|7|0|7|1700000000002600000|10000|103|640' 'a copy, in unix ns'
is "$(q "SELECT trace, rank, device, idx, name, ts_ns - 1700000000000000000, dur_ns,
	host_ts_ns - 1700000000000000000, host_dur_ns FROM steps")" \
	"1|0|0|5|ProfilerStep#5|1000000|1300000|1000000|1000000
1|0|0|6|ProfilerStep#6|2300000|700000|2000000|1000000" 'steps between drain points, and by the host'
is "$(q "SELECT corr, op, file, line, func, how FROM kernel_op ORDER BY corr")" \
	"99|||||
100|aten::mm|/home/u/model.py|41|forward|function
101|MmBackward0|/home/u/model.py|41|forward|function
102|OtherBackward0|/home/u/train.py|88|main|other_thread
103|aten::add|/home/u/train.py|88|main|other_thread" 'who issued each device op'
is "$(q "SELECT stack FROM kernel_op WHERE corr = 100")" \
	'/home/u/train.py(88): main;torch/nn/modules/module.py(1): _call_impl;/home/u/model.py(41): forward;aten::mm' \
	'the whole stack'
is "$(q "SELECT ts_ns - 1700000000000000000, device, allocated, reserved, delta, addr FROM mem" | head -1)" \
	'1100500|0|100|900|100|16' 'memory samples'
is "$(q "SELECT rank, host, world_size, device_name, sms, capacity, partial, device_ops,
	linked_ops, unlinked_ops, lone_launches, launches FROM traces")" \
	'0|node1|1|Test GPU|10|1000000|0|5|4|1|1|5' 'the trace and its import report'
is "$(q "SELECT bytes, count, text FROM live JOIN name ON name.id = (live.id >> 40 << 40) + op
	ORDER BY bytes")" "100|1|aten::mm
700|1|MmBackward0" 'what was alive at the peak'
is "$(q "SELECT main_stream, busy_known FROM device")" '7|1' 'the main stream has most compute time'
is "$(q "SELECT launches, lone, flags FROM step ORDER BY id")" "1|0|0
4|1|2" 'a step with a tenth of its launches lost is incomplete'
is "$(q 'PRAGMA journal_mode; PRAGMA integrity_check; PRAGMA user_version')" "delete
ok
1" 'a store as the page says'

runs 0 'the same bytes again' tp-ingest -o s.db t.json
holds err 'nothing changed' 'are said to change nothing'
is "$(q 'SELECT count(*) FROM traces')" 1 'and do not'

# --- scope, regex, other rules of steps ------------------------------------
tp-ingest -q --scope /home/u/lib -o scope.db t.json
is "$(sqlite3 scope.db "SELECT DISTINCT how FROM kernel_op WHERE how IS NOT NULL")" op \
	'--scope says outright what is the user'"'"'s'
sed 's/ProfilerStep#\([56]\)/iter \1/' t.json >iter.json
runs 0 'a trace with no step marks' tp-ingest -o w.db iter.json
holds err 'no step marks' 'is said to have none'
is "$(sqlite3 w.db 'SELECT name, dur_ns FROM steps; SELECT flags FROM step')" \
	"whole window|2200000
6" 'and is one step from its first event to its last'
runs 0 'annotations by a regex' tp-ingest --step-regex '^iter [0-9]+$' -o r.db iter.json
is "$(sqlite3 r.db 'SELECT idx, name, dur_ns FROM steps')" "0|iter 5|1300000
1|iter 6|700000" 'are steps'
sed 's/ProfilerStep#[56]/Optimizer.step#SGD.step/' t.json >o.json
tp-ingest -q -o o.db o.json
is "$(sqlite3 o.db 'SELECT name, host_ts_ns - 1700000000000000000, host_dur_ns FROM steps')" \
	'Optimizer.step#SGD.step|2000000|1000000' 'else from one optimizer step'"'"'s end to the next'
runs 2 'a regex that is none' tp-ingest --step-regex '(' -o x.db t.json
holds err 'step-regex' 'is a usage error'
is "$(ls x.db* 2>&1 | grep -c 'No such')" 1 'and makes no store'
done_testing
