#!/bin/sh
# Ranks with device work beside ranks without any: tp-view1 and tp-rank sum, average
# and compare over those that have it, and tell how many have not.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip_all 'no jq'

trace() { awk "$@" -f "$TOP/t/tools/trace.awk"; }
ingest() { # STATUS STORE FILE...
	want=$1
	shift
	tp-ingest -q -o "$@" 2>err
	[ $? = "$want" ] || { diag "tp-ingest: $(cat err)"; exit 2; }
}
view1() { tp-view1 -j "$1" 2>err | jq -c "$2"; }
views() { for v in 1 2 3 4 5; do tp-view$v -j "$1" 2>>err || :; done; }
report() { views "$1" >"$1.rows"; tp-rank -t "$1.rows" >"$1.md" 2>err; }
# All that is said of cost, without the keys of rows: they have the trace's number.
costs() {
	tp-rank -j "$1.rows" 2>err | jq -c 'if .kind == "finding" then
		[.title, .cost_ns, .cost_ns_per_step, .cost_share, .hidden_ns, .devices, .of_devices,
		[.evidence[] | [.field, .value]]] elif .kind == "cleared" then
		[.title, .number, .before_hidden] else empty end'
}
# From the split of a step to the ranks, each of which is told.
part1() { sed -n '/^A step/,$p' "$1" | sed '/side by side/,$d; /^Step by step/,$d'; }

steps() {
	cat <<'END'
user_annotation	ProfilerStep#5	1	1000.000	10000.000
user_annotation	ProfilerStep#6	1	11000.000	10000.000
END
}
# On rank 0 a device that waits; operators on rank 1; on rank 2 calls alone.
{
	steps
	for k in 0 1 2 3 4 5 6 7; do
		printf 'cpu_op\taten::mul\t1\t%d.000\t900.000\n' $((1100 + k * 2400))
		printf 'cuda_runtime\tcudaLaunchKernel\t1\t%d.000\t5.000\t"correlation": %d\n' \
			$((1900 + k * 2400)) $((k + 1))
		printf 'kernel\tvectorized_elementwise_kernel\t7\t%d.000\t700.000\t"correlation": %d\n' \
			$((1910 + k * 2400)) $((k + 1))
	done
	printf 'kernel\tncclDevKernel_AllReduce\t9\t2700.000\t90.000\t"correlation": 1\n'
	printf 'mem\t[memory]\t1\t1500.000\t0\t"Device Type": 1, "Device Id": 0, "Addr": 64, %s\n' \
		'"Bytes": 500, "Total Allocated": 500, "Total Reserved": 800'
} >device.tsv
{
	steps
	for k in 0 1 2 3 4 5 6 7; do
		printf 'cpu_op\taten::linear\t1\t%d.000\t2100.000\n' $((1100 + k * 2400))
	done
	printf 'mem\t[memory]\t1\t1500.000\t0\t"Device Type": 1, "Device Id": 0, "Addr": 64, %s\n' \
		'"Bytes": 500, "Total Allocated": 500, "Total Reserved": 700'
} >cpu.tsv
grep -v '^kernel' device.tsv | grep -v '^mem' >calls.tsv

trace -v rank=0 -v world=4 <device.tsv >rank0.json
trace -v rank=1 -v world=4 <cpu.tsv >rank1.json
trace -v rank=2 -v world=4 <calls.tsv >rank2.json
trace -v rank=3 -v world=4 <cpu.tsv >whole3.json
head -c $(($(wc -c <whole3.json) - 20)) whole3.json >rank3.json
ingest 0 alone.db rank0.json
ingest 3 all.db rank0.json rank1.json rank2.json rank3.json
ingest 0 cpu.db rank1.json
ingest 3 cut.db rank3.json
for s in alone all cpu cut; do
	report $s.db
	tp-view1 -t $s.db >$s.txt 2>err
done
tp-view4 -t cut.db >cut.4 2>err

# view 1
is "$(tail -1 all.txt)" "$(tail -1 alone.txt)" 'the sums are those of the rank with a device'
is "$(grep 'IDLE' all.txt)" "$(grep 'IDLE' alone.txt)" 'and so is how idle it is'
lacks all.txt 'as the plain run has it' 'no plain run, where there was none'
holds all.txt '^  3 of 4 traces have no device work \(1 cut short before any\):$' 'the others are counted'
holds all.txt '^rank 1 .* - +- +- +- +no device work' 'and listed, not as compute and idle'
lacks all.txt 'communicates least' 'nobody waits for a rank whose device is not in the trace'
is "$(view1 all.db 'select(.straggler) | .rank')" '' 'nor is it the longest'
is "$(awk 'length > 80 && !/^adds up/' all.txt)" '' 'in 80 columns'
lacks alone.txt 'device work' 'one kind alone has nothing to tell'

# tp-rank
is "$(costs all.db)" "$(costs alone.db)" 'a finding costs what it does alone'
part1 alone.db.md >want
part1 all.db.md >got
ok test -s want -- 'where the time went is told'
same got want 'and is the same of both'
is "$(sed -n '3,5p' all.db.md)" "$(sed -n '3,5p' alone.db.md)" 'so is the verdict'
holds all.db.md '^\*\*3 of 4 traces have no device work \(1 cut short before any\)\*\*' 'the others are counted'
holds all.db.md '^Seen: 2 steps of 1 device \(Test GPU\)' 'what the figures are of'
holds all.db.md '^    rank 1 +10\.0 ms +\? +\? +\? +no device work$' 'the others are listed'
lacks all.db.md '^    operator ' 'operators are no kind of busy time'
lacks all.db.md 'Operators of the CPU' 'nor a cause that was cleared'
holds all.db.md '^Memory of rank 0 device 0: at most' 'memory says whose'
holds all.db.md '^Memory of rank 1 device 0: at most' 'also of a rank without device work'
holds alone.db.md '^Memory of device 0: at most' 'one rank needs no name'

# processes of the CPU alone
holds cpu.txt '^adds up: 20000000 ns = operators 16800000 \+ other 3200000' 'a CPU job is summed on its operators'
holds cpu.db.md '^This is a job of the CPU' 'and called what it is'

# cut short before the device
is "$(view1 cut.db 'select(.kind == "view1.rank") | [.device_name, .flags]')" \
	'["Test GPU",["cpu_job","device_unread"]]' 'a row says what was not read'
is "$(sed -n '3p' cut.db.md | cut -c 1-50)" "**The device's part of the trace was not read**: t" \
	'the report begins with it'
holds cut.db.md '\(Test GPU\)' 'and names the device'
lacks cut.db.md 'job of the CPU|Operators of PyTorch|Look first' 'it does not judge the job by the rest'
lacks all.db.md 'job of the CPU' 'nor beside others'
holds cut.txt '^Where the wall clock went: 1 trace, 1 cut short, 2 steps' 'no CPU process in view 1 either'

# the same steps timed without a profiler: what its weight is does not hang on the others
{
	echo '{"kind":"head","tp":1,"program":"tp-time","version":"0.1","host":"a","epoch_ns":"1700000000000000000","prov":[]}'
	for k in 1 2 3; do
		echo '{"kind":"step","step":'$k',"start_ns":'$k'000000000,"wall_ns":7000000}'
	done
	echo '{"kind":"end","records":3,"dropped":0,"complete":true}'
} >plain.tp
sed 's/ProfilerStep#6.*/ProfilerStep#6\t1\t15000.000\t14000.000/' cpu.tsv | trace -v rank=1 -v world=2 >slow1.json
# a rank that stands aside was timed too, with a startup and steps of its own
sed 's/"kind":"step",/&"rank":0,/; 1a {"kind":"startup","rank":0,"phase":"import","start_ns":0,"dur_ns":100000000}
	s/"records":3/"records":4/' plain.tp >plain0.tp
{
	sed '$d' plain0.tp
	sed '1d; $d; s/"rank":0/"rank":1/; s/100000000/4100000000/; s/7000000/70000000/' plain0.tp
	echo '{"kind":"end","records":8,"dropped":0,"complete":true}'
} >plain01.tp
ingest 0 one.db rank0.json plain0.tp
ingest 0 two.db rank0.json slow1.json plain01.tp
report one.db
report two.db
ok grep -q '^The whole run: ' one.db.md -- 'a run with a startup'
is "$(grep -A1 '^The whole run: ' two.db.md)" "$(grep -A1 '^The whole run: ' one.db.md)" \
	'the whole run is not that of a rank that stands aside'
is "$(costs two.db)" "$(costs one.db)" 'nor are the shares'
ingest 0 timed.db rank0.json plain.tp
ingest 0 both.db rank0.json slow1.json plain.tp
report timed.db
report both.db
ok grep -q 'Shares are of the whole run' timed.db.md -- 'a run that was timed'
is "$(costs both.db)" "$(costs timed.db)" 'the costs are of the rank with a device'
tp-view1 -t timed.db | grep 'plain run' >want
tp-view1 -t both.db | grep 'plain run' >got
ok test -s want -- 'view 1 tells the idle of the plain run'
same got want 'and the same beside a rank without a device'
holds cut.4 '^rank 3: no device in the part that was read, no communication' 'view 4 calls a cut trace no CPU job'

# cut among its device ops: what is missing looks like idle, which comes first
gzip -dc "$TOP/t/data/demo.json.gz" | head -c 14000000 >among.json
tp-ingest -q -o among.db among.json 2>/dev/null
report among.db
is "$(sed -n '3p' among.db.md | cut -c 1-76)" '**A trace is incomplete**: what was not read of it may count as idle time be' \
	'a trace cut among its device operations: that comes first'

# a rank whose communication was read is compared, one without is not
trace -v rank=1 -v world=2 <device.tsv | sed 's/"dur": 90\.000/"dur": 40.000/' >less.json
ingest 3 less.db rank0.json less.json rank3.json
tp-view1 -t less.db >out 2>err
holds out '^  rank 1 device 0 communicates least, 20\.0 us a step' 'the least is of the ranks that communicate'

# cut short beside others without device work: nothing is judged, of each its own cause is told
head -c $(($(wc -c <rank2.json) - 20)) rank2.json >calls.json
grep -v deviceProperties rank3.json >nameless.json
ingest 3 cpu_cut.db rank1.json rank3.json
ingest 3 calls_cut.db rank2.json rank3.json
ingest 3 both_cut.db calls.json rank3.json
ingest 0 cpu_calls.db rank1.json rank2.json
ingest 3 nameless.db nameless.json
for s in cpu_cut calls_cut both_cut cpu_calls nameless; do
	report $s.db
	tp-view1 -t $s.db >$s.txt 2>err
done
holds cpu_cut.txt '^adds up: nothing to add' 'a process of the CPU and a cut trace: no sum of both'
lacks cpu_cut.txt 'operators take' 'nor a verdict'
holds cpu_cut.txt '^  rank 3: the trace was cut short before any operation of its device:$' 'view 1 says why'
holds cpu_cut.txt '^rank 3 .* device not read$' 'and which it is'
holds calls_cut.txt '^rank 3 +20\.0 ms +\? +\? +\? +\? +unknown$' 'unread is unknown, not without work'
holds both_cut.txt '^Where the wall clock went: 2 traces, 2 cut short, 4 steps' 'none of both is a device'
is "$(view1 both_cut.db 'select(.kind == "view1.rank") | .device_name' | sort -u)" '"Test GPU"' \
	'a cut trace with launches names its device too'
sed '/^"deviceProperties"/s/\({.*}\)/\1, \1/; /^"deviceProperties"/s/0, "name"/1, "name"/2' \
	calls.json >two.json
ingest 3 two_cut.db two.json
is "$(view1 two_cut.db 'select(.kind == "view1.rank") | .device_name')" '"Test GPU"' \
	'also where it names two'
tr '\n' ' ' <cpu_cut.db.md >cpu_cut.line
tr '\n' ' ' <calls_cut.db.md >calls_cut.line
tr '\n' ' ' <both_cut.db.md >both_cut.line
holds cpu_cut.line 'not read\*\*: 1 of 2 traces is cut short before any operation of the device\. What' \
	'the report counts the cut ones'
holds calls_cut.line '1 of 2 traces is cut short before .*; elsewhere work was launched, but no' \
	'and names the other cause'
holds both_cut.line '2 of 2 traces are cut short before any operation of the device\. What' 'or both'
holds cpu_cut.db.md '^Seen: 2 steps of 2 processes in 2 ranks \(Test GPU\)' 'a process is no device'
holds cpu_calls.db.md '^Seen: 2 steps of 2 processes in 2 ranks \(Test GPU\)' \
	'nor is a name that is not known one of several kinds'
lacks nameless.db.md 'job of the CPU' 'a cut trace that names no device may still have one'
tr '\n' ' ' <nameless.db.md >nameless.line
holds nameless.line 'The part of the trace that was read has no device; what follows is of its operators' \
	'what the figures are of'
holds nameless.db.md '^    8\.40 ms +84\.0 % +aten::linear$' 'which stay'

# view 5 alone has no units; a step may say any number, or be the only one and empty
ingest 0 memory.db rank0.json rank1.json
tp-view5 -j memory.db | tp-rank --only 5 -t >only.md 2>err
is "$(grep -c '^Memory of rank [01] device 0: ' only.md)" 2 'memory alone says whose it is'
tp-view1 -j alone.db | sed '/view1\.step/s/"wall_ns":[0-9]*/"wall_ns":-5/' >less.rows
tp-rank -t less.rows >less.md 2>err
holds less.md '^    5 +0 ns ' 'less than nothing is nothing'
{
	steps
	printf 'cpu_op\taten::linear\t1\t22000.000\t50.000\n'
} | trace -v rank=0 >empty.json
ingest 0 empty.db empty.json
report empty.db
holds empty.db.md '^\*\*Nothing to judge' 'operators outside of all steps: nothing to judge'
lacks empty.db.md 'No single cause' 'and no cause to miss'

# a real job of several ranks
dlrm=$TP_SHARED/traces/public/nv-dlrm-8rank
if [ -d "$dlrm" ]; then
	for n in 0 1 2 3; do gzip -dc "$dlrm"/worker${n}_*.gz >w$n.json; done
	head -c $(($(wc -c <w3.json) * 35 / 100)) w3.json >w3cut.json
	ingest 0 three.db w0.json w1.json w2.json
	ingest 3 four.db w0.json w1.json w2.json w3cut.json
	report three.db
	report four.db
	is "$(costs four.db)" "$(costs three.db)" 'three ranks and a cut one: the costs are of three'
	is "$(tp-view1 -t four.db 2>err | tail -1)" "$(tp-view1 -t three.db | tail -1)" 'and so are the sums'
else
	skip 2 'no shared traces'
fi
done_testing
