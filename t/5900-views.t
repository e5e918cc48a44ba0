#!/bin/sh
# tp-views: every view as a numbered text file.
. "$(dirname "$0")/lib.sh"

awk -v rank=0 -f "$TOP/t/tools/trace.awk" >t.json <<'EOF'
user_annotation	ProfilerStep#5	1	1000.000	1000.000
user_annotation	ProfilerStep#6	1	2000.000	1000.000
cuda_runtime	cudaLaunchKernel	1	1010.000	5.000	"correlation": 1
cuda_runtime	cudaLaunchKernel	1	2010.000	5.000	"correlation": 2
kernel	gemm	7	1100.000	200.000	"correlation": 1
kernel	gemm	7	2100.000	300.000	"correlation": 2
mem		1	1200.000	0	"Total Reserved": 9, "Total Allocated": 4, "Bytes": 4, "Device Type": 1, "Device Id": 0, "Addr": 1
mem		1	2200.000	0	"Total Reserved": 9, "Total Allocated": 8, "Bytes": 4, "Device Type": 1, "Device Id": 0, "Addr": 2
EOF
tp-ingest -q -o 's t.db' t.json 2>err || diag "$(cat err)"

runs 0 'all views' tp-views -o "it's views" --capacity-gb 80 's t.db'
is "$(cat out err)" '' 'say nothing'
for f in 1_runtime_decomposition 3_kernel_table 5_memory; do
	ok test -s "it's views/$f.txt" -- "$f.txt"
done
is "$(find "it's views" ! -name '[1-5]_*.txt' -type f)" '' 'and nothing else'
tp-view1 -t 's t.db' >out
same "it's views/1_runtime_decomposition.txt" out 'the text of the view'
runs 0 'options are passed on' tp-views --step 6 -o six 's t.db'
holds six/1_runtime_decomposition.txt '^6 ' 'the step asked for'
lacks six/1_runtime_decomposition.txt '^5 ' 'and no other'
runs 2 'no store' tp-views -o none none.db
ok test ! -e none -- 'leaves nothing'
runs 2 'a file that is no store' tp-views -o bad t.json
ok test ! -e bad -- 'leaves nothing either'
runs 0 'options behind the store too' tp-views 's t.db' --step 6 -o behind
same behind/1_runtime_decomposition.txt six/1_runtime_decomposition.txt 'as before it'
runs 2 'two stores' tp-views -o x 's t.db' -- 's t.db'
holds err '^tp-views: usage: tp-views ' 'a usage line as of the programs in C'
runs 2 'no operand' tp-views -o x
runs 2 'an unknown option' tp-views --frobnicate 's t.db'
runs 0 'help' tp-views --help
is "$(awk 'length > 80' out)" '' 'in 80 columns'
head -c 700 t.json >cut.json
tp-ingest -q -o cut.db cut.json 2>err
runs 3 'a partial trace' tp-views -o cut cut.db
ok test -s cut/1_runtime_decomposition.txt -- 'has its views'
# a choice that leaves nothing is no empty table without a word
for v in view1 view2 view3 view4 view5 trace; do
	runs 0 "tp-$v: a step that is not there" tp-$v --step 99 -o none 's t.db'
	is "$(cat err)" "tp-$v: s t.db: no step 99, only 5 to 6" 'is said'
	tp-$v --step 7:9 -o none 's t.db' 2>err
	is "$(cat err)" "tp-$v: s t.db: none of the steps 7 to 9, only 5 to 6" 'and a range'
	tp-$v --rank 3 -o none 's t.db' 2>err
	is "$(cat err)" "tp-$v: s t.db: no trace of rank 3" 'and a rank'
	tp-$v --device 4 -o none 's t.db' 2>err
	is "$(cat err)" "tp-$v: s t.db: no device 4" 'and a device'
	tp-$v --rank 0 --device 0 --step 5:99 -o none 's t.db' 2>err
	is "$(cat err)" '' 'what is there is not'
done
# a view that fails is not hidden by what comes after it, nor one that is missing
bin=$(dirname "$(command -v tp-views)")
mkdir -p fake/bin
cp "$bin/tp-views" fake/bin
for v in 1 3 4 5; do ln -s "$bin/tp-view$v" fake/bin; done
printf '#!/bin/sh\nexit 3\n' >fake/bin/tp-trace
chmod +x fake/bin/tp-trace
runs 2 'a view is missing, the trace partial' fake/bin/tp-views --trace v.json -o lame 's t.db'
holds err '^tp-views: tp-view2 failed with status 127$' 'and it is told which'
done_testing
