#!/bin/sh
# tp-view4: exposure, bandwidth, and who waited for whom, on jobs made here.
. "$(dirname "$0")/lib.sh"

# kernel NAME STREAM TS DUR CORR [ARGS]
kernel() {
	printf '{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":%s,"ts":%s,"dur":%s,"args":{"device":0,"stream":%s,"correlation":%s%s}},\n' \
		"$1" "$2" "$3" "$4" "$2" "$5" "${6:-}"
}
call() { # TS CORR
	printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":%s,"dur":1,"args":{"correlation":%s}},\n' "$1" "$2"
}
# trace RANK BASE HOST EVENTS...: world of two
trace() {
	printf '{"host_name":"%s","distributedInfo":{"rank":%s,"world_size":2},"baseTimeNanoseconds":%s,"traceEvents":[\n' "$3" "$1" "$2"
	cat
	printf '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":9,"tid":9,"ts":100,"dur":900,"args":{}}]}\n'
}
A='"Collective name":"allreduce","dtype":"Float","In msg nelems":1000000,"Out msg nelems":1000000,"Group size":2,"Process Group Name":"0"'
NCCL='ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)'

# Rank 0 comes at 200 and waits until 500; both end at 600.  Compute hides
# [250, 350) of it.  A message runs beside nothing.
{ call 110 1; call 120 2; call 130 3; kernel "$NCCL" 20 200 400 1 ",\"Seq\":7,$A"
  kernel gemm 7 250 100 2; kernel ncclDevKernel_SendRecv 20 700 50 3; } |
	trace 0 1700000000000000000 a >r0.json
{ call 110 1; kernel "$NCCL" 20 500 100 1 ",\"Seq\":7,$A"; } |
	trace 1 1700000000000000000 a >r1.json

runs 0 'two ranks go into a store' tp-ingest -q -o s.db r0.json r1.json
runs 0 'rows' tp-view4 -j s.db
grep '"view4.collective".*"rank":0.*"all_reduce"' out >c0
holds c0 '"count":1,"total_ns":400000,"hidden_ns":100000,"exposed_ns":300000,"blocking":0' \
	'hidden is what compute covers'
# 4 MB in 100 us of wire: 40 GB/s, and 2(n-1)/n = 1 for two ranks
holds c0 '"bytes":4000000,"algbw_gbps":40\.000,"busbw_gbps":40\.000,"bandwidth_from":"wire"' \
	'bandwidth comes from the wire, not from the wait'
holds c0 '"matched":1,"wait_ns":300000,"wire_ns":100000' 'wait ends when the last rank comes'
holds out '"view4.arrival".*"seq":7,"matched_by":"sequence number","ranks":2,"last_rank":1.*"skew_ns":300000,"wire_ns":100000' \
	'the arrival names the late rank'
holds out '"view4.collective".*"op":"send_recv".*"p2p":true' 'a message is apart'
holds out '"view4.total".*"rank":0,"device":"0",[^}]*"count":2,"total_ns":450000,"hidden_ns":100000,"exposed_ns":350000' \
	'the total comes from unions'
runs 0 'text' tp-view4 -t s.db
holds out '^late rank: 1, the others waited 300 us for it' 'text names the late rank'
runs 0 'one rank alone' tp-view4 -j --rank 0 s.db
lacks out 'wait_ns|view4.arrival' 'no wait without the other rank'
holds out '"bandwidth_from":"total"' 'and bandwidth from the whole time'

# The same on two hosts whose clocks are 5 s apart, by order instead of number.
sed 's/"Seq":7,//' r0.json >h0.json
sed 's/"Seq":7,//; s/1700000000000000000/1700000005000000000/; s/"host_name":"a"/"host_name":"b"/' \
	r1.json >h1.json
tp-ingest -q -o h.db h0.json h1.json 2>err
runs 0 'two hosts' tp-view4 -j h.db
# windows of 900 us that lie 5 s apart are two runs, for all that is known
lacks out 'view4.arrival' 'windows that do not overlap are not one run'
sed 's/1700000005000000000/1700000000000400000/' h1.json >h2.json
rm -f h.db && tp-ingest -q -o h.db h0.json h2.json 2>err
runs 0 'two hosts, clocks 400 us apart' tp-view4 -j h.db
holds out '"matched_by":"order".*"last_rank":1.*"skew_ns":300000' 'ends tie the clocks'
holds out '"rank":1,"run":1,.*"clock_offset_ns":400000,"clock_residual_ns":0,"clock_ends":1' \
	'the offset and its residual are shown'

# expected: exposure by kernel name, and the union, on every real trace
if [ ! -d "$TP_SHARED/expected" ] || ! command -v python3 >/dev/null; then
	skip 1 'no shared/expected here'
else
	cat >cmp.py <<'PY'
import glob, json, os, subprocess, sys
shared, bad, seen = sys.argv[1], [], 0
for path in sorted(glob.glob(shared + '/expected/*.json')):
    want = json.load(open(path))
    devices = {d: v for d, v in want['devices'].items() if v.get('comm')}
    if not devices:
        continue
    trace = shared + '/traces/' + os.path.basename(path)[:-5].replace('__', '/')
    if os.path.exists('e.db'):
        os.unlink('e.db')
    subprocess.run(['tp-ingest', '-q', '-o', 'e.db', trace], stderr=subprocess.DEVNULL)
    out = subprocess.run(['tp-view4', '-j', 'e.db'], capture_output=True, text=True)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    for d, v in devices.items():
        got = {}
        for r in rows:
            if r['kind'] == 'view4.collective' and r['device'] == d:
                g = got.setdefault(r['name'], [0, 0, 0, 0])
                for i, k in enumerate(('count', 'total_ns', 'hidden_ns', 'exposed_ns')):
                    g[i] += r[k]
        exp = {c['name']: [c['count'], c['total'], c['hidden'], c['exposed']] for c in v['comm']}
        tot = [r for r in rows if r['kind'] == 'view4.total' and r['device'] == d and 'step' not in r]
        u = v['comm_union']
        seen += 1
        if got != exp or [(t['total_ns'], t['exposed_ns']) for t in tot] != [(u['total'], u['exposed'])]:
            bad.append((path, d, got, exp, tot, u))
for b in bad[:3]:
    print(b)
print('devices compared:', seen)
sys.exit(bool(bad) or seen == 0)
PY
	ok python3 cmp.py "$TP_SHARED" -- 'collectives of every real trace are what is expected'
fi

# sizes that no job has are unknown: no product of them leaves an int64
awk -v rank=0 -v world=2 -f "$TOP/t/tools/trace.awk" >t.json <<'END'
user_annotation	ProfilerStep#5	1	1000.000	1000.000
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
cuda_runtime	cudaLaunchKernel	1	1020.000	5.000	"correlation": 2
kernel	ncclDevKernel_AllReduce_Sum	7	1100.000	200.000	"correlation": 1, "Collective name": "allreduce", "In msg nelems": 100, "Out msg nelems": 100, "dtype": "Float", "Group size": 9223372036854775807, "Process Group Name": "0"
kernel	ncclDevKernel_AllReduce_Sum	7	1400.000	200.000	"correlation": 2, "Collective name": "allreduce", "In msg nelems": 576460752303423487, "Out msg nelems": 1, "dtype": "ComplexDouble", "Group size": 2, "Process Group Name": "1"
END
rm -f t.db
tp-ingest -q -o t.db t.json 2>err
runs 0 'impossible sizes' tp-view4 -j t.db
is "$(jq -c 'select(.kind == "view4.collective") | [.group, .group_size, .bytes, .busbw_gbps]' out)" \
	'["0",null,400,null]
["1",2,null,null]' 'are unknown'

# A job whose author let rank 2 sleep before the all-to-all, twice; he wrote
# down 3.2 s and 0.27 s of communication on the others, 0.11 s on rank 2.
two_runs=$TP_SHARED/traces/public/nv-sst-4rank-two-runs
if [ ! -d "$two_runs" ]; then
	skip 3 'no shared/traces here'
else
	tp-ingest -q -o t.db "$two_runs"/*.gz 2>err
	runs 0 'two runs of four ranks' tp-view4 -t t.db
	is "$(grep -c '^late rank: 2, ' out)" 2 'both runs name the rank that slept'
	is "$(grep -c '^run [12]: 4 ranks' out)" 2 'the two runs are kept apart'
fi
done_testing
