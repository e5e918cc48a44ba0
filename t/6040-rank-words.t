#!/bin/sh
# What the report says in words is what its rows say: who binds, which steps count,
# which runs are together, and view 1 says the same.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip_all 'no jq'

stream() { # VIEW, rows on stdin
	printf '{"kind":"head","tp":1,"program":"tp-view%d","version":"0","epoch_ns":"0"}\n' "$1"
	cat >body
	cat body
	echo "{\"kind\":\"end\",\"records\":$(grep -c . body),\"dropped\":0,\"complete\":true}"
}
step() { # TRACE RANK STEP BUSY IDLE FLAGS
	printf '{"kind":"view1.step","key":"view1.step:%d:0:%d","trace":%d,"rank":%d,"device":"0","step":%d,' \
		"$1" "$3" "$1" "$2" "$3"
	printf '"wall_ns":%d,"busy_ns":%d,"compute_ns":%d,"exposed_comm_ns":0,"exposed_copy_ns":0,' \
		$(($4 + $5)) "$4" "$4"
	printf '"idle_ns":%d,"flags":[%s]}\n' "$5" "$6"
}
rank() { # TRACE RANK RUN
	printf '{"kind":"view1.rank","key":"view1.rank:%d:0","trace":%d,"rank":%d,"device":"0","run":%d}\n' \
		"$1" "$1" "$2" "$3"
}
site() { # CAUSE COST
	printf '{"kind":"view2.site","key":"view2.site:1:0:%s","trace":1,"rank":0,"device":"0",' "$1"
	printf '"cause":"%s","cost_ns":%d}\n' "$1" "$2"
}
kernel() { # OWN
	printf '{"kind":"view3.kernel","key":"view3.kernel:1:0:1","trace":1,"rank":0,"device":"0",'
	printf '"name":"k","class":"gemm","count":1,"own_ns":%d}\n' "$1"
}
flat() { tr -s '\n ' '  ' <out >flat; }
none() { for none_v in "$@"; do stream "$none_v" </dev/null; done; }

# idle that is mostly queued is nobody's: not the host's
{
	step 1 0 1 30000000 70000000 '' | stream 1
	{ site host 10000000; site queued 60000000; } | stream 2
	kernel 30000000 | stream 3
	none 4 5
} >queued
runs 0 'idle that was queued' tp-rank -t queued
flat
holds flat 'for most of that the trace does not show the host to be late' 'is not said to be the host'
lacks out 'The host binds' 'anywhere'
sed 's/"cause":"queued"/"cause":"unknown"/' queued >host
runs 0 'idle with the host late' tp-rank -t host
holds out 'The host binds: ' 'is'
flat
lacks flat 'does not show the host' 'and only that'

# a view that is not there says nothing of causes
awk '/"tp-view[23]"/ { off = 1 } /"tp-view[145]"/ { off = 0 } !off' queued >without
runs 3 'no view 2 and 3' tp-rank -t without
flat
holds flat 'why was not looked at' 'why is not known'
lacks out 'No single cause' 'and that there is none is not said'

# empty steps count in nothing
{
	{ step 1 0 1 30000000 70000000 ''; step 1 0 2 0 900000000 '"empty"'; } | stream 1
	{ site host 70000000; } | stream 2
	kernel 30000000 | stream 3
	none 4 5
} >empty
runs 0 'a step with no device work' tp-rank -t empty
holds out 'idle 70\.0 ms of a step of 100 ms' 'is not averaged in'
holds out 'Seen: 1 step of 1 device, 1 empty step left out' 'and said to be left out'

# runs of one store, ranks in order
{
	for r in 0 10 2; do
		step $((r + 1)) $r 1 30000000 70000000 ''
		rank $((r + 1)) $r 0
	done
	step 20 0 1 30000000 70000000 ''
	step 20 0 2 30000000 70000000 ''
	rank 20 0 1
} | stream 1 >runs
runs 0 'two runs of a job' tp-rank -t --only 1 runs
holds out '^\*\*These are 2 runs\*\*' 'are not said to be one'
holds out '^Seen: 5 steps in all, of 4 devices in 3 ranks' 'how much of each'
is "$(sed -n 's/^ *\(run.*device [0-9]*\) .*/\1/p' out)" 'run 1 rank 0 device 0
run 1 rank 2 device 0
run 1 rank 10 device 0
run 2 rank 0 device 0' 'side by side in order of run and rank'

# a trace of a second step without device work: views 1 and 2 and the report agree
awk -f "$TOP/t/tools/trace.awk" -v rank=0 >t.json <<'EOF'
user_annotation	ProfilerStep#1	1	1000.000	1000.000
user_annotation	ProfilerStep#2	1	2000.000	3000.000
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
kernel	gemm_a	7	1100.000	400.000	"correlation": 1
EOF
ok tp-ingest -q -o s.db t.json -- 'a trace'
runs 0 'view 1' tp-view1 -t s.db
holds out '2 steps \(1 empty\)' 'counts it apart'
holds out '^adds up: 1000000 ns = compute 400000' 'and sums without it'
runs 0 'view 2' tp-view2 -j s.db
is "$(jq -c 'select(.kind == "view2.ledger") | [.step, .steps, .wall_ns, .idle_ns]' out)" \
	'[1,null,1000000,600000]
[2,null,3000000,3000000]
[null,1,1000000,600000]' 'has it in its own row alone'
is "$(jq -s '[.[] | select(.kind == "view2.site").cost_ns] | add' out)" 600000 'sites are without it'
for v in 1 2 3 4 5; do tp-view$v s.db; done >rows
runs 0 'the report' tp-rank -t rows
holds out 'idle 600 us of a step of 1\.00 ms \(60\.0 %\)' 'says the same'

# view 1 and the report say the same of what binds, from much idle to none
for busy in 400 700 900 990; do
	awk -f "$TOP/t/tools/trace.awk" -v rank=0 >b.json <<EOF
user_annotation	ProfilerStep#1	1	1000.000	1000.000
cuda_runtime	cudaLaunchKernel	1	1000.000	5.000	"correlation": 1
kernel	gemm_a	7	1000.000	$busy.000	"correlation": 1
EOF
	rm -f b.db
	tp-ingest -q -o b.db b.json
	tp-view1 -t b.db | sed -n 's/^  \(the device .*\) [0-9.]* %.*/\1/p' >one
	for v in 1 2 3 4 5; do tp-view$v b.db; done | tp-rank -t | sed -n 's/^\*\*\([^*]*\)\*\*.*/\1/p' | sed q >both
	echo "$busy: $(cat one) / $(cat both)"
done >said
is "$(cat said)" '400: the device is IDLE / The device waits.
700: the device works, but is IDLE / The device works, but waits in between.
900: the device works / The device works, but waits in between.
990: the device is busy / The device works.' 'views and report agree on what binds'

# a run that was timed in part: how long it was is not known, nor what a share of it is
sed '/"kind":"view1.run"/s/}$/,"partial":true}/' "$TOP/t/golden/rank-train/in" >part
runs 0 'a timed run that was cut' tp-rank -t part
flat
holds flat 'The whole run: at least 42\.0 s\. Its timing was cut short, and it took longer: 12\.0 s start-up and 400 steps' 'is not the whole'
holds flat 'Shares are of the profiled steps: \*\*the run .* was cut short\*\*' 'as the head says'
sed 's/(at most [0-9.]* % of the run)//g' flat >rest
lacks rest '% of the run' 'no share of the run is claimed'
holds flat '6\.00 s in all \(at most 14\.3 % of the run\)' 'but as a ceiling'
holds flat '2\.00 s in all \(6\.7 % of the timed steps\)' 'what has a beat goes on as the steps do'
runs 0 'its records' tp-rank -j part
is "$(jq -c 'select(.kind == "finding" and (.cause | test("startup|periodic"))) |
	[.cause, .cost_share, .share_of]' out)" '["periodic",0.066666,"timed_steps"]
["startup",null,null]' 'start-up has no share'
is "$(jq -rs '[.[] | select(.kind == "finding" and .share_of) | .share_of] | unique | join(" ")' out)" \
	'timed_steps window' 'nothing has one of the run'
is "$(jq -rs '[.[] | select(.kind == "finding" and .cost_ns)] | .[-1].cause' out)" \
	startup 'and ranks behind what has one'
{ sed '/"kind":"view1.run"/s/"view1.run:run",\(.*\)"total_ns":42000000000}/"view1.run:2",\1"total_ns":41000000000}/' \
	"$TOP/t/golden/rank-train/in"; grep '"view1.run' part | stream 1; } >both
runs 0 'beside a run that was timed whole' tp-rank -t both
holds out 'The whole run: 41\.0 s, of it 12\.0 s start-up' 'the whole one counts'

# --top 0 is none, below it nothing
runs 0 '--top 0' tp-rank -t --top 0 rows
lacks out '^### [0-9]' 'has no finding'
holds out '^\.\.\. and [0-9]+ more' 'and says how many there are'
runs 0 '--top 0 of a view' tp-view3 -t --top 0 s.db
lacks out 'gemm_a|what issued it' 'no kernel, and no head of nothing'
runs 2 '--top -1' tp-view3 -t --top -1 s.db

# names that are cut say so
awk -f "$TOP/t/tools/trace.awk" -v rank=0 >long.json <<'EOF'
user_annotation	ProfilerStep#1	1	1000.000	9000.000
cuda_runtime	cudaLaunchKernel	1	9010.000	5.000	"correlation": 1
kernel	a_kernel_with_a_name_that_is_longer_than_what_a_row_of_the_table_of_losses_has_room_for	7	9100.000	400.000	"correlation": 1
EOF
ok tp-ingest -q -o long.db long.json -- 'a long name'
runs 0 'its loss' env COLUMNS=200 tp-view2 -t long.db
holds out 'then a_kernel_with_a_name_[a-z_]*\.\.\.;' 'is cut with a mark'

# the longest step is not who the others wait for
trace() { # RANK COMM_START STEP_END
	awk -f "$TOP/t/tools/trace.awk" -v rank="$1" -v world=3 <<EOF
user_annotation	ProfilerStep#1	1	1000.000	$(($3 - 1000)).000
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
cuda_runtime	cudaLaunchKernel	1	1020.000	5.000	"correlation": 2
kernel	gemm_a	7	1100.000	100.000	"correlation": 1
kernel	ncclDevKernel_AllReduce_Sum_f32	7	$2.000	$((1900 - $2)).000	"correlation": 2
EOF
}
trace 0 1300 2400 >r0.json
trace 1 1800 2000 >r1.json
trace 2 1300 2000 >r2.json
ok tp-ingest -q -o r.db r0.json r1.json r2.json -- 'three ranks'
runs 0 'view 1' tp-view1 -t r.db
holds out '^  longest step: rank 0 device 0, 1\.40 ms$' 'names the longest step'
holds out '^  rank 1 device 0 communicates least, 100 us a step:$' 'and who may be waited for'
lacks out '[Ss]traggler|STRAGGLER' 'as two things'
runs 0 'view 4' tp-view4 -t r.db
holds out '^late rank: 1' 'who is'
done_testing
