#!/bin/sh
# tp-view1 with the honest clock in the store: startup, the profiler's weight,
# steps that take longer at a beat and the line where they stand.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip_all 'no jq'

# 100 steps of 20 ms; evaluation every 10 (50 ms), a checkpoint every 20 (90 ms more)
{
	echo '{"kind":"head","tp":1,"program":"tp-time","version":"0.1","host":"a","epoch_ns":"1700000000000000000","prov":[]}'
	echo '{"kind":"startup","rank":0,"phase":"import","start_ns":0,"dur_ns":700000000,"file":"/u/train.py","line":3,"func":"<module>"}'
	echo '{"kind":"startup","rank":0,"phase":"data_set","start_ns":700000000,"dur_ns":300000000,"file":"/u/data.py","line":9,"func":"__init__"}'
	awk 'BEGIN {
		t = 1000
		for (i = 1; i <= 100; i++) {
			wall = 20 + (i % 10 == 0) * 50 + (i % 20 == 0) * 90
			lines = ""
			if (i % 10 == 0)
				lines = "{\"file\":\"/u/train.py\",\"line\":31,\"func\":\"main\",\"dur_ns\":50000000}"
			if (i % 20 == 0)
				lines = "{\"file\":\"/u/train.py\",\"line\":33,\"func\":\"main\",\"dur_ns\":90000000}," lines
			printf "{\"kind\":\"step\",\"rank\":0,\"step\":%d,\"start_ns\":%d000000,\"wall_ns\":%d000000%s}\n",
				i, t, wall, lines == "" ? "" : ",\"lines\":[" lines "]"
			t += wall
		}
	}'
	echo '{"kind":"end","records":102,"dropped":0,"complete":true}'
} >steps.tp
awk -v rank=0 -f "$TOP/t/tools/trace.awk" >t.json <<'EOF'
user_annotation	ProfilerStep#5	1	1000.000	30000.000
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
kernel	gemm	7	1100.000	200.000	"correlation": 1
EOF
runs 0 'a trace and the honest clock' tp-ingest -q -o s.db t.json steps.tp
rows() { tp-view1 -j s.db | jq -c "$1"; }

is "$(rows 'select(.kind == "view1.run") | [.rank, .startup_ns, .steps, .plain_median_ns,
	.profiled_median_ns, .profiler_weight, .total_ns]')" \
	'[0,1000000000,100,20000000,30000000,1.5,3950000000]' 'the run'
is "$(rows 'select(.kind == "view1.startup") | [.phase, .start_ns, .dur_ns, .file, .line, .func]')" \
	'["import",0,700000000,"/u/train.py",3,"<module>"]
["data_set",700000000,300000000,"/u/data.py",9,"__init__"]' 'startup'
is "$(rows 'select(.kind == "view1.periodic") | [.every, .first_step, .count, .each_ns, .cost_ns, .file, .line]')" \
	'[10,10,10,50000000,500000000,"/u/train.py",31]
[20,20,5,90000000,450000000,"/u/train.py",33]' 'two beats, each with its line'
is "$(rows 'select(.key) | .key' | sort | uniq -d)" '' 'no key twice'
runs 0 'text' tp-view1 -t s.db
holds out '100 steps, median 20\.0 ms' 'the plain step'
holds out 'a profiled step takes 30\.0 ms, 1\.50 times as long' 'the weight of the profiler'
holds out 'every 20 steps from step 20: 90\.0 ms longer, 5 times' 'a beat'
holds out 'at /u/train\.py:33 \(main\)' 'and its line'
holds out 'data_set +300 ms +30\.0 % +/u/data\.py:9 \(__init__\)' 'startup'
is "$(awk 'length > 80' out)" '' 'in 80 columns'

# a host that runs ahead: every tenth step has the wait for all
sed -n 1,3p steps.tp >ahead.tp
awk 'BEGIN { t = 1000
	for (i = 1; i <= 100; i++) {
		wall = i % 10 ? 2 : 182
		printf "{\"kind\":\"step\",\"rank\":0,\"step\":%d,\"start_ns\":%d000000,\"wall_ns\":%d000000,\"device_ns\":21000000}\n",
			i, t, wall
		t += wall
	}
	print "{\"kind\":\"end\",\"records\":102,\"dropped\":0,\"complete\":true}"
}' >>ahead.tp
runs 0 'steps that the host queues' tp-ingest -q -o ahead.db t.json ahead.tp
is "$(tp-view1 -j ahead.db | jq -c 'select(.kind == "view1.run") | [.plain_median_ns, .plain_clock, .total_ns]')" \
	'[21000000,"device",3100000000]' 'take what they take the device'
is "$(tp-view1 -j ahead.db | jq -c 'select(.kind == "view1.periodic")')" '' \
	'and the step that has the wait does no work of its own'
is "$(rows 'select(.kind == "view1.run") | .plain_clock')" '"host"' 'as others take what the host says'
runs 0 'text' tp-view1 -t ahead.db
holds out '100 steps, median 21\.0 ms on the device \(the host runs ahead: 2\.00 ms\)' 'has both'
(for v in 1 2 3 4 5; do tp-view$v ahead.db; done) | tp-rank -t >out 2>err
tr '\n' ' ' <out >flat
holds flat '100 steps with a median of 21\.0 ms on the device, which the host runs ahead of\.' \
	'and so has the report'

# a host that waits in every second step; the first has no event before it
sed -n 1,3p steps.tp >half.tp
awk 'BEGIN { for (i = 1; i <= 40; i++)
		printf "{\"kind\":\"step\",\"rank\":0,\"step\":%d,\"start_ns\":%d000000,\"wall_ns\":%d000000%s}\n",
			i, 1000 + int(i / 2) * 200, i % 2 ? 2 : 198, i == 1 ? "" : ",\"device_ns\":100000000"
	print "{\"kind\":\"end\",\"records\":42,\"dropped\":0,\"complete\":true}"
}' >>half.tp
runs 0 'a host that waits in every second step' tp-ingest -q -o half.db half.tp
is "$(tp-view1 -j half.db | jq -c 'select(.kind == "view1.run" or .kind == "view1.periodic")
	| [.plain_median_ns, .plain_clock, .every]')" '[100000000,"device",null]' 'does nothing periodic'

# a sum beyond 63 bits
{
	sed -n 1p steps.tp | sed 's/"epoch_ns":"[0-9]*"/"epoch_ns":"4000000000000000000"/'
	echo '{"kind":"startup","rank":0,"phase":"import","start_ns":-6300000000000000000,"dur_ns":5}'
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "{\"kind\":\"step\",\"rank\":0,\"step\":$i,\"start_ns\":0,\"wall_ns\":1,\"device_ns\":250000000000000000}"
	done
	echo '{"kind":"step","rank":0,"step":10,"start_ns":0,"wall_ns":2300000000000000000}'
	echo '{"kind":"end","records":11,"dropped":0,"complete":true}'
} >far.tp
runs 0 'steps of centuries' tp-ingest -q -o far.db far.tp
is "$(tp-view1 -j far.db | jq -r 'select(.kind == "view1.run") | .total_ns // "unknown"')" \
	8800000000000000000 'do not wrap around'

# the run that was timed in part: in the store, in all views, and in the report
head -n 40 steps.tp >part.tp
runs 3 'a trace and a part of the steps' tp-ingest -q -o part.db t.json part.tp
is "$(tp-view1 -j part.db 2>err | jq -c 'select(.kind == "view1.run") | [.partial, .steps]')" \
	'[true,37]' 'its row is marked'
is "$(rows 'select(.kind == "view1.run") | .partial')" false 'as that of a whole run is not'
for v in 1 2 3 4 5; do
	runs 3 "view $v of it" tp-view$v -j part.db
	holds err 'part\.db: timed run 1 is partial: cut short, 37 steps came' 'says so'
	is "$(tail -n 1 out | jq .complete)" false 'and its records read as cut'
done
runs 3 'text' tp-view1 -t part.db
holds out 'timed run 1 is PARTIAL' 'says so'
holds out '^without the profiler, rank 0: PARTIAL, the run took longer' 'where its figures are'
holds out 'startup 1\.00 s, 50\.[0-9] % of what was timed' 'and of what its shares are'
lacks out 'of the run' 'which was longer'
is "$(awk 'length > 80' out)" '' 'in 80 columns'

# two timed runs in one store, each with its steps and its startup
sed 's/1700000000000000000/1700000900000000000/; s/"rank":0/"rank":1/' steps.tp >other.tp
runs 0 'two timed runs' tp-ingest -q -o runs.db t.json steps.tp other.tp
is "$(tp-view1 -j runs.db | jq -c 'select(.kind == "view1.run") | [.rank, .startup_ns, .steps, .total_ns]')" \
	'[0,1000000000,100,3950000000]
[1,1000000000,100,3950000000]' 'are a row each'
is "$(tp-view1 -j runs.db | jq -r '.key // empty' | sort | uniq -d)" '' 'no key comes twice'

# the honest clock alone
runs 0 'no trace' tp-ingest -q -o h.db steps.tp
runs 0 'is a store too' tp-view1 -t h.db
holds out 'every 10 steps' 'with its beats'
is "$(tp-view1 -j h.db | tail -1 | jq .complete)" true 'and records'
done_testing
