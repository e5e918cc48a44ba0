#!/bin/sh
# tp-view2: each cause on a job made by hand, unknown that is not idle, and what
# --step and the text say.
. "$(dirname "$0")/lib.sh"
. "$TOP/t/data/lost.sh"

field() { # FILE RE KEY: of the first row that matches
	grep -E "$2" "$1" | head -1 | sed -n "s/.*\"$3\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}
site() { # RE: cost of the site
	field out "view2.site.*$1" cost_ns
}

# Two steps of 1 ms.  Step 1: the launch at 1020 returns at 1030, launching until
# 1040, queued until its op runs 1050-1150; read back: the copy 1150-1160 drains, sync until 1170, refilling
# until 1270, then host until the next launch returns at 1290 and 10 us of
# launching until 1300; an op 4 us behind one that was queued (turnaround).
{
	step 1 1000 1000; step 2 2000 1000
	host python_function '/u/train.py(5): main' 1000 2000
	host python_function '/u/train.py(9): norm' 1140 40
	call cudaLaunchKernel 1020 10 1; op kernel gemm 1050 100 1
	call cudaMemcpyAsync 1142 5 2; op gpu_memcpy 'Memcpy DtoH (Device -> Pinned)' 1150 10 2
	call cudaStreamSynchronize 1150 20 3
	call cudaLaunchKernel 1280 10 4; op kernel gemm 1300 600 4
	call cudaLaunchKernel 1295 3 5; op kernel relu 1904 96 5
	# step 2: input 2000-2100, alloc 2100-2150, host until 2210; its op has been
	# issued by then and starts at 2400: launch 10 us, queued 180 us
	host user_annotation 'enumerate(DataLoader)#X.__next__' 2000 100
	host python_function '/u/data.py(3): __getitem__' 2010 80
	call cudaMalloc 2100 50 6
	call cudaLaunchKernel 2200 10 7; op kernel gemm 2400 100 7
	# 2500-2600: nobody launched it, on a stream that no step waits for; 2700-: no
	# later op
	op kernel lost 2600 100 99 13
	# overhead inside the queued stretch
	printf '{"ph":"X","cat":"overhead","name":"Buffer Flush","pid":-1,"tid":0,"ts":2300,"dur":20},\n'
	printf '{"ph":"X","cat":"overhead","name":"Lazy Function Loading","pid":-1,"tid":0,"ts":2330,"dur":5},\n'
} | trace >j.json
runs 0 'a job by hand goes in' tp-ingest -q -o j.db j.json
runs 0 'rows' tp-view2 -j j.db

grep '"view2.ledger".*"step":1,' out >l1
holds l1 '"wall_ns":1000000,"idle_ns":194000,"sync_ns":110000,"alloc_ns":0,"input_ns":0,"host_ns":50000,"unknown_ns":0,"launch_ns":20000,"queued_ns":10000,"turnaround_ns":4000,"profiler_ns":0,"load_ns":0,"unlinked_ns":0,"after_last_ns":0' \
	'the ledger of step 1'
grep '"view2.ledger".*"step":2,' out >l2
holds l2 '"wall_ns":1000000,"idle_ns":800000,"sync_ns":0,"alloc_ns":50000,"input_ns":100000,"host_ns":60000,"unknown_ns":0,"launch_ns":10000,"queued_ns":155000,"turnaround_ns":0,"profiler_ns":20000,"load_ns":5000,"unlinked_ns":100000,"after_last_ns":300000' \
	'the ledger of step 2'
grep '"view2.ledger"' out | grep -v '"step":' >all
holds all '"steps":2,"wall_ns":2000000,"idle_ns":994000,"sync_ns":110000,' 'and of the device'

is "$(site 'sync:/u/train.py:9 \(norm\)')" 110000 \
	'sync is where the waiting call is'
is "$(site 'input:/u/data.py:3 ')" 80000 'input inside the data set'
is "$(site 'input:/u/train.py:5 ')" 20000 'and around it'
is "$(site 'alloc:/u/train.py:5 ')" 50000 'alloc'
is "$(site 'host:/u/train.py:5 ')" 110000 'host'
is "$(site 'unlinked:')" 100000 'unlinked has no place'
is "$(grep -c '"view2.site"' out)" "$(grep '"view2.site"' out | grep -o '"key":"[^"]*"' | sort -u | wc -l | tr -d ' ')" \
	'keys are unique'
is "$(grep '"view2.site"' out | grep -o '"cost_ns":[0-9]*' | awk -F: '{ n += $2 } END { print n }')" 994000 \
	'sites add up to idle'
is "$(grep -c '"loss":"gap"' out)" 5 'gaps of 50 us and more'
holds out '"loss":"gap","start_ns":1000000,"offset_ns":0,"dur_ns":400000,.*"cause":"queued".*"before":"relu","after":"gemm"' \
	'a gap with what lies around it'
holds out '"loss":"gap","start_ns":160000,"offset_ns":160000,"dur_ns":140000,.*"doing":\["cudaStreamSynchronize","cudaLaunchKernel"\],"blocked_in":\["/u/train.py:9 \(norm\)","/u/train.py:5 \(main\)"\]' \
	'what the host was doing, and where it was blocked'

runs 0 'one step' tp-view2 -j --step 2 j.db
holds out '"steps":1,"wall_ns":1000000,"idle_ns":800000' 'the device row is over the chosen steps'
lacks out '"step":1|sync:' 'nothing of the other'
runs 0 'the host clock' tp-view2 -j --clock host j.db
holds out '"clock":"host","wall_ns":1000000' 'host steps'
runs 3 'nothing fits into a full disk' sh -c 'tp-view2 -j "$1" >/dev/full; test $? = 2 && exit 3' sh j.db

runs 0 'text' env COLUMNS=120 tp-view2 -t j.db
holds out '^rank 0 device 0: idle 994 us of 2.00 ms \(49.7 %\), 497 us a step over 2 steps$' 'title'
holds out '^  \[#+s+a+i+h+l+q+t?p+c?u+-+\]$' 'the ledger as a bar'
holds out '^sync +55.0 us +5.5 % +0.0 % +/u/train.py:9 \(norm\): ' 'a site'
holds out '^gap +after_last +300 us +1 +700 us in$' 'a loss with its place in the step'

# --- tiny kernels: nine launches 20 us apart, 2 us each, from a loop -------
{
	step 1 0 1000
	host python_function '/u/loop.py(2): step' 0 1000
	i=1
	while [ $i -le 9 ]; do
		call cudaLaunchKernel $((i * 20)) 5 $i
		op kernel "k$i" $((i * 20 + 6)) 2 $i
		i=$((i + 1))
	done
} | trace >t.json
tp-ingest -q -o t.db t.json && runs 0 'tiny kernels' tp-view2 -j t.db
holds out '"loss":"tiny","start_ns":26000,"offset_ns":26000,"dur_ns":162000,"cost_ns":144000,"launches":9,"kernel_ns":18000,"cause":"host","host_ns":136000,"launch_ns":8000,.*"before":"k1","after":"k9","file":"/u/loop.py","line":2,"func":"step"' \
	'a run with its two prices'
holds out '"view2.site".*"cause":"host".*"cost_ns":161000,.*"in_run_ns":136000' 'the part of a site in runs'

# --- unknown is not idle ----------------------------------------------------
{ step 1 0 1000; call cudaLaunchKernel 10 5 1; call cudaLaunchKernel 20 5 2; } | trace >n.json
tp-ingest -q -o n.db n.json 2>err
runs 0 'launches without ops' tp-view2 -j n.db
lacks out 'idle_ns|host_ns|view2.site|view2.loss' 'no idle, no cause'
runs 0 'text of it' tp-view2 -t n.db
holds out 'not known' 'says so'

# a step that lost most of its ops is kept apart
{
	step 1 0 1000; step 2 1000 1000
	host python_function '/u/loop.py(2): step' 0 2000
	for i in 1 2 3 4; do call cudaLaunchKernel $((i * 100)) 5 $i; done
	op kernel k 410 100 4
	call cudaLaunchKernel 1100 5 5; op kernel k 1110 800 5
} | trace >i.json
tp-ingest -q -o i.db i.json 2>err
runs 0 'an incomplete step' tp-view2 -j i.db
holds out '"view2.ledger".*"step":1,.*"flags":\["incomplete"\]' 'its ledger is flagged'
holds out '"view2.site".*:incomplete".*"flags":\["incomplete"\]' 'its sites stand apart'
runs 0 'in the text' tp-view2 -t i.db
holds out 'left out: .* of idle in incomplete steps' 'they are left out of the ranking'
holds out '^rank 0 device 0: idle 200 us of 1.00 ms ' 'and of the title'

# --- threads ------------------------------------------------------------------
# The issuing thread has no frame and nothing ties it to the main thread: the op
# is named, and no line of the other.  Its ops start 3 us before their calls.
{
	step 1 0 1000
	host python_function '/u/train.py(41): train_step' 0 1000
	call cudaLaunchKernel 5 5 1; op kernel first 2 98 1
	host cpu_op 'autograd::engine::evaluate_function: MmBackward0' 500 100 77
	call cudaLaunchKernel 580 10 2 77; op kernel bwd 600 400 2
} | trace >a.json
tp-ingest -q -o a.db a.json 2>err
runs 0 'a thread without frames' tp-view2 -j a.db
grep '"offset_ns":100000' out >gap
holds gap '"loss":"gap".*"host_ns":490000.*"op":"autograd::engine::evaluate_function: MmBackward0","how":"other_thread"' \
	'its op is named'
lacks gap 'train' 'and no line of the other thread'
holds out '"view2.ledger".*"steps":1,.*"clocks_differ":\{"ops":1,"worst_delay_ns":3000\}' 'clocks that differ are told'
runs 0 'in words' tp-view2 -t a.db
holds out '1 of 2 linked ops start before their call, by up to 3.00 us' 'with the number'
# a device whose only op has no time in a file that has: idle all along
{
	call cudaLaunchKernel 1020 10 1; op kernel gemm 1050 100 1
	printf '{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":[],"dur":5,"args":{"device":1,"stream":7}},\n'
} | trace >u.json
runs 0 'a device without a time goes in' tp-ingest -q -o u.db u.json
runs 0 'and comes out' tp-view2 -j u.db
is "$(grep '"view2.ledger".*"device":"1"' out | grep -v '"step"' | sed -n 's/.*"idle_ns":\([0-9]*\).*/\1/p' | head -1)" 130000 'as idle all along'
# numbers that run backwards: steps go by time
{
	step 9 1000 1000; step 2 2000 1000
	call cudaLaunchKernel 1020 10 1; op kernel gemm 1050 900 1
	call cudaLaunchKernel 2020 10 2; op kernel gemm 2050 900 2
} | trace >w.json
tp-ingest -q -o w.db w.json
runs 0 'numbers of steps run backwards' tp-view2 -j w.db
tp-view1 -j w.db >out
is "$(grep '"view1.step".*"device":"0"' out | sed -n 's/.*"step":\([0-9]*\).*"busy_ns":\([0-9]*\).*/\1 \2/p' | tr '\n' ' ')" '9 900000 2 900000 ' 'each has its work'
done_testing
