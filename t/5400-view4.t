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

# What the late rank did meanwhile: its device waits for a launch that comes at
# 480, after a line of 400 us; then the same with a kernel that keeps it busy.
frame() { # NAME TS DUR
	printf '{"ph":"X","cat":"python_function","name":"%s","pid":9,"tid":9,"ts":%s,"dur":%s,"args":{}},\n' "$1" "$2" "$3"
}
frames() { frame '/u/t.py(3): main [line]' 100 20; frame '/u/t.py(7): main [line]' 120 370; }
{ call 105 3; kernel gemm 7 110 5 3; call 480 1; frames
  kernel "$NCCL" 20 500 100 1 ",\"Seq\":7,$A"; } | trace 1 1700000000000000000 a >late.json
tp-ingest -q -o l.db r0.json late.json
runs 0 'a rank that is held up by its host' tp-view4 -t l.db
holds out '^  meanwhile its device was idle: host, at /u/t.py:7 \(main\), 281 us of 300 us' 'text says where'
tp-view4 -j l.db >out
holds out '"view4.rank".*"rank":1.*"late_ns":300000,"late_at_ns":281000,"late_cause":"host","late_file":"/u/t.py","late_line":7,"late_func":"main","late_how":"line"' \
	'so does the row'
is "$(grep -c late_file out)" 1 'of that rank alone'
for v in 1 2 3 4 5; do tp-view$v -j l.db; done | tp-rank -t >report
tr '\n' ' ' <report | sed 's/  */ /g' >out
holds out 'While the others waited, rank 1 was mostly at `/u/t.py:7`, its device idle \(host\)\. Look at' \
	'and the report'
{ call 105 3; kernel gemm 7 110 385 3; call 480 1; frames
  kernel "$NCCL" 20 500 100 1 ",\"Seq\":7,$A"; } | trace 1 1700000000000000000 a >busy.json
tp-ingest -q -o b.db r0.json busy.json
tp-view4 -t b.db >out
holds out '^  meanwhile its device was busy, 295 us of 300 us' 'a device with work of its own is told apart'

# A CPU job: gloo's annotations are the collectives, operators are compute.
gloo() { # NAME TS DUR
	printf '{"ph":"X","cat":"user_annotation","name":"gloo:%s","pid":9,"tid":11,"ts":%s,"dur":%s,"args":{}},\n' "$1" "$2" "$3"
}
op() { # NAME TS DUR
	printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":9,"tid":9,"ts":%s,"dur":%s,"args":{}},\n' "$1" "$2" "$3"
}
{ gloo all_reduce 200 400; op aten::mm 250 100; op c10d::allreduce_ 400 100; gloo barrier 700 10; } |
	trace 0 1700000000000000000 a >c0.json
{ gloo all_reduce 500 100; gloo barrier 702 8; frames; } | trace 1 1700000000000000000 a >c1.json
tp-ingest -q -o c.db c0.json c1.json
runs 0 'two ranks without a device' tp-view4 -j c.db
holds out '"rank":0,"op":"all_reduce","name":"gloo:all_reduce","p2p":false,"count":1,"total_ns":400000,"hidden_ns":100000,"exposed_ns":300000,.*"wait_ns":300000,"wire_ns":100000' \
	'an operator hides it, its own hand-over does not'
holds out '"view4.total","key":"[^"]*","trace":[12],"rank":0,"cpu_job":true,.*"count":2,"total_ns":410000,"hidden_ns":100000,"exposed_ns":310000' 'the total says that it is a CPU job'
holds out '"view4.rank".*"rank":1.*"late_ns":300000,"late_at_ns":290000,"late_file":"/u/t.py","late_line":7' 'the late rank has its line'
tp-view4 -t c.db >out
holds out '^  meanwhile its thread was in Python, at /u/t.py:7 \(main\), 290 us of 300 us' 'in text too'
holds out '^rank 0: a CPU job, 2 collectives, 410 us' 'and what it is'
runs 2 '--device' tp-view4 -j --device 0 c.db
is "$(cat err)" 'tp-view4: c.db: no device 0' 'chooses no CPU job'

# A real job over gloo, whose rank 1 sleeps 40 ms at line 14 in each of 3 steps.
tp-ingest -q -o g.db "$TOP"/t/data/gloo.rank?.json.gz
runs 0 'a job over gloo' tp-view4 -j g.db
is "$(jq -c 'select(.kind == "view4.rank") | [.rank, .matched, .came_last, .late_line, .late_func]' out | tr '\n' ' ')" \
	'[0,3,0,null,null] [1,3,3,14,"load"] ' 'its late rank, and the line of its sleep'
if ! command -v python3 >/dev/null; then
	skip 1 'no python3'
else
	cat >gloo.py <<'PY'
import gzip, json, sys
from decimal import Decimal
def spans(path):
    job = json.load(gzip.open(path), parse_float=Decimal)
    base = int(job['baseTimeNanoseconds'])
    return sorted((base + int(e['ts'] * 1000), int(e['dur'] * 1000)) for e in job['traceEvents']
                  if e.get('cat') == 'user_annotation' and e['name'].startswith('gloo:'))
ranks = [spans(p) for p in sys.argv[1:]]
for me in ranks:
    waits = [min(max(r[i][0] for r in ranks) - me[i][0], me[i][1]) for i in range(len(me))]
    print(sum(waits), sum(d for _, d in me) - sum(waits))
PY
	is "$(jq -r 'select(.kind == "view4.rank") | "\(.wait_ns) \(.wire_ns)"' out)" \
		"$(python3 gloo.py "$TOP"/t/data/gloo.rank?.json.gz)" 'wait and wire by a few lines apart'
fi

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

# Wait and wire of every rank of real NCCL jobs, and busbw of one whose kernels
# carry sizes, by a few lines that share nothing with the program: kernels of one
# name are matched by order (the ranks here ran the same ones).
public=$TP_SHARED/traces/public
if [ ! -d "$public" ] || ! command -v python3 >/dev/null; then
	skip 3 'no shared/traces here'
else
	cat >ranks.py <<'PY'
import glob, gzip, json, subprocess, sys
where, what = sys.argv[1:]
files = sorted(glob.glob(where + '/*.gz'))
subprocess.run(['tp-ingest', '-q', '-o', what + '.db'] + files, stderr=subprocess.DEVNULL)
out = subprocess.run(['tp-view4', '-j', what + '.db'], capture_output=True, text=True).stdout
rows = [json.loads(line) for line in out.splitlines()]
ranks = {}
for path in files:
    job = json.load(gzip.open(path))
    ops = [e for e in job['traceEvents'] if e.get('cat') == 'kernel' and 'nccl' in e['name'].lower()]
    ranks[job['distributedInfo']['rank']] = sorted(ops, key=lambda e: e['ts'])
got, want = {}, {}
if what == 'waits':
    for r, ops in ranks.items():
        w = want[r] = [0, 0]
        nth = {}
        for e in ops:
            i = nth[e['name']] = nth.get(e['name'], -1) + 1
            same = [[o for o in x if o['name'] == e['name']][i] for x in ranks.values()]
            wait = min(max(o['ts'] for o in same) - e['ts'], e['dur'])
            w[0] += wait * 1000
            w[1] += (e['dur'] - wait) * 1000
    got = {r['rank']: [r['wait_ns'], r['wire_ns']] for r in rows if r['kind'] == 'view4.rank'}
else:
    size = {'Float': 4, 'Int': 4, 'Long': 8, 'Half': 2, 'BFloat16': 2, 'Byte': 1, 'Double': 8}
    bus = {'allreduce': lambda n: 2 * (n - 1) / n, 'broadcast': lambda n: 1}
    for e in ranks[0]:
        a = e['args']
        kind = a['Collective name'].strip('_').replace('_', '')
        n = max(a['In msg nelems'], a['Out msg nelems']) * size[a['dtype']]
        w = want.setdefault(e['name'], [0, 0, 0])
        factor = bus.get(kind, lambda n: (n - 1) / n)(a['Group size'])
        w[0] += 1
        w[1] += n
        w[2] += round(n * factor)
    want = {k: [v[0], v[1], round(v[2])] for k, v in want.items()}
    for r in rows:
        if r['kind'] == 'view4.collective':
            g = got.setdefault(r['name'], [0, 0, 0])
            g[0] += r['count']
            g[1] += r['bytes']
            g[2] += round(r['busbw_gbps'] * r['total_ns'])
    ok = got.keys() == want.keys() and all(
        got[k][:2] == want[k][:2] and abs(got[k][2] - want[k][2]) < 0.002 * want[k][2] for k in want)
    print(got, want)
    sys.exit(not (ok and want))
print(got, want)
sys.exit(not (got == want and len(got) > 1))
PY
	ok python3 ranks.py "$public/nv-resnet-2rank" waits -- 'wait and wire of two ranks'
	rm -f waits.db
	ok python3 ranks.py "$public/nv-dlrm-8rank" waits -- 'of eight'
	ok python3 ranks.py "$public/nv-collective-args" bus -- 'bytes and busbw where kernels carry sizes'
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
