#!/bin/sh
# A job without a device: what its steps are made of, in operators and between them,
# in view 1 to 3 and in the report.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip_all 'no jq'

# us; one thread steps, another runs what is backward
jq -nc '
def on($cat; $tid; $name; $ts; $to; $args):
	{ph: "X", cat: $cat, name: $name, pid: 9, tid: $tid, ts: $ts, dur: ($to - $ts)} +
	if $args then {args: $args} else {} end;
def line($n; $ts; $to): on("python_function"; 9; "/home/u/train.py(\($n)): step [line]"; $ts; $to; null);
{schemaVersion: 1, distributedInfo: {rank: 0}, traceEvents: [
	on("user_annotation"; 9; "ProfilerStep#5"; 1000; 2000; null),
	on("user_annotation"; 9; "ProfilerStep#6"; 2000; 6000; null),
	line(10; 1000; 1300), line(11; 1300; 1900), line(12; 1900; 2000), line(13; 2000; 2150),
	on("cpu_op"; 9; "aten::linear"; 1400; 1600; {"Sequence number": 7, "Fwd thread id": 0}),
	on("cpu_op"; 9; "aten::mm"; 1450; 1550; null),
	on("user_annotation"; 9; "enumerate(DataLoader)#_Iter.__next__"; 1910; 2000; null),
	on("cpu_op"; 10; "MmBackward0"; 2100; 2200; {"Sequence number": 7, "Fwd thread id": 1}),
	on("cpu_op"; 10; "aten::mm"; 2120; 2180; null),
	on("cpu_op"; 9; "aten::add"; 5900; 5950; null)
]}' >t.json
ok tp-ingest -q -o s.db t.json -- 'a trace without launches and device work'

runs 0 'its lost time' tp-view2 -j s.db
is "$(jq -c 'select(.kind == "view2.site") | [.cause, .cost_ns, .line, .how, .cpu_job]' out)" \
	'["unknown",3700000,null,null,true]
["host",400000,11,"line",true]
["host",300000,10,"line",true]
["host",100000,13,"line",true]
["input",90000,12,"line",true]
["host",50000,null,"between",true]
["host",10000,12,"line",true]' 'is that in which no operator runs, at its lines'
is "$(jq -c 'select(.kind == "view2.ledger") | [.step, .wall_ns, .idle_ns, .host_ns, .input_ns, .unknown_ns]' out)" \
	'[5,1000000,800000,710000,90000,0]
[6,4000000,3850000,150000,0,3700000]
[null,5000000,4650000,860000,90000,3700000]' 'and adds up to wall - operators'
runs 0 'only of step 5' tp-view2 -j --step 5 s.db
is "$(jq -c 'select(.kind == "view2.site") | .cost_ns' out | awk "{ n += \$1 } END { print n }")" 800000 'adds up too'
runs 0 'as text' tp-view2 -t s.db
holds out '^rank 0, a CPU job: no operator runs in 4\.65 ms of 5\.00 ms' 'says what it is'
lacks out 'queued|device|tiny|busy' 'and nothing of a device'

runs 0 'its operators' tp-view3 -j s.db
is "$(jq -c 'select(.kind == "view3.kernel") | [.name, .own_ns, .line, .how]' out)" \
	'["aten::mm",160000,11,"line"]
["aten::linear",100000,11,"line"]
["aten::add",50000,null,null]
["MmBackward0",40000,11,"line"]' 'have the line that called them, backward that of forward'
runs 0 'as text' tp-view3 -t s.db
holds out '^ +at /home/u/train.py:11 \(step\)$' 'which it shows'
runs 0 'view 1 as text' tp-view1 -t s.db
holds out '1 CPU process, 2 steps$' 'has a process'
lacks out 'device [^(]|comm|copy|idle|drain' 'and no device, no split of one'
holds out '^adds up: 5000000 ns = operators 350000 \+ other 4650000$' 'adds up'

for v in 1 2 3 4 5; do tp-view$v s.db; done >rows
runs 0 'the report' tp-rank -t rows
mv out report.md
holds report.md '^\*\*Most of a step is no operator\.\*\* Operators of PyTorch take 7\.0 %' 'begins with what a step is'
# every part of the table, and the sum of its shares
sed -n '/what, and where/,/= wall/p' report.md | sed 1d >table
is "$(sed 's/^ *//; s/  */ /g' table | head -4)" \
	'1.85 ms 74.0 % not recorded
200 us 8.0 % Python at /home/u/train.py:11 (step)
150 us 6.0 % Python at /home/u/train.py:10 (step)
80.0 us 3.2 % aten::mm at /home/u/train.py:11 (step)' 'what it is made of, with the lines'
is "$(sed '$d; s/.* \([0-9.]*\) %.*/\1/' table | awk "{ n += \$1 } END { printf \"%.1f\", n }")" 100.0 'in shares that add up'
holds report.md '^`step \(train.py:10\)` takes time in which no operator runs\.$' 'a line is a finding'
holds report.md '^The CPU spends its time in aten::mm\.$' 'so is an operator'
lacks report.md '[Tt]iny kernels|idle|device stands|[Ww]aits for the device' 'and nothing of a device was tried'

# with the honest clock: start-up and steps are no more than the run
run() {
	printf '%s\n' '{"kind":"head","tp":1,"program":"tp-time","version":"0","epoch_ns":"0"}' \
		'{"kind":"startup","rank":0,"phase":"imports","start_ns":0,"dur_ns":5000000}'
	i=0
	while [ $i -lt 10 ]; do
		printf '{"kind":"step","rank":0,"step":%d,"start_ns":%d,"wall_ns":1000000}\n' \
			$((i + 1)) $((5000000 + i * 1000000))
		i=$((i + 1))
	done
	printf '%s\n' '{"kind":"end","records":11,"dropped":0,"complete":true,"job_status":0}'
}
run >run.nd
ok tp-ingest -q -o s.db run.nd -- 'a plain run, of steps that are shorter'
for v in 1 2 3 4 5; do tp-view$v s.db; done >rows
runs 0 'the findings' tp-rank -j rows
is "$(jq -s '[.[] | select(.kind == "finding") | .cost_share | tonumber] | add <= 1' out)" true \
	'shares of the run are at most the run'

# a step in which nothing was recorded
printf '%s\n' '{"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":9,"tid":9,"ts":0,"dur":1000}]}' >step.json
ok tp-ingest -q -o step.db step.json -- 'a step alone'
runs 0 'is a step without an operator' tp-view2 -j step.db
is "$(jq -r 'select(.kind == "view2.ledger" and .step == 3) | "\(.idle_ns) \(.unknown_ns)"' out)" \
	'1000000 1000000' 'of which nothing is known'
done_testing
