#!/bin/sh
# tp-views: every view as a numbered text file.
. "$(dirname "$0")/lib.sh"
command -v lz4 >/dev/null || skip_all 'no lz4'

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
runs 2 'a folder that cannot be' tp-views -o t.json/x 's t.db'
is "$(cat err)" 'tp-views: t.json/x: cannot be made: Not a directory' 'is one line'
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
is "$(wc -l <err | tr -d ' ')" 1 'and is told once'
# a choice that leaves nothing is no empty table
says() { # WORDS ARG...: of each program, with nothing else; of tp-views once
	says=$1
	shift
	for v in view1 view2 view3 view4 view5 trace; do
		face=-t
		[ $v != trace ] || face=
		# shellcheck disable=SC2086 # none or one
		runs 2 "tp-$v $*" tp-$v $face "$@" 's t.db'
		is "$(cat out err)" "tp-$v: s t.db: $says" 'is one line'
		runs 2 'into a pipe' tp-$v "$@" 's t.db'
		is "$(lz4 -dc <out 2>&1 | grep -vc '"kind":"head"')" 0 'too'
	done
	runs 2 "tp-views $*" tp-views "$@" -o none 's t.db'
	is "$(cat out err)" "tp-views: s t.db: $says" 'is one line'
	ok test ! -e none -- 'and no file'
}
says 'no step 99, only 5 to 6' --step 99
says 'none of the steps 7 to 9, only 5 to 6' --step 7:9
says 'no trace of rank 3, only 0' --rank 3
says 'no device 4, only 0' --device 4
for v in view1 view2 view3 view4 view5 trace; do
	runs 0 "tp-$v: what is partly there" tp-$v --rank 0 --device 0 --step 5:99 -o none 's t.db'
	is "$(cat err)" '' 'is taken as it is'
done
for v in 1 2 3 4 5; do tp-view$v -j --step 99 's t.db'; done 2>err >rows
runs 2 'no report' tp-rank -t rows
is "$(cat out err)" 'tp-rank: rows: cut short: 5 heads with no record and no end' 'is made of that'
runs 2 'a usage error of the views' tp-views --top x -o usage 's t.db'
is "$(cut -c1-40 err)" "tp-views: --top 'x': not a number from 0
tp-views: usage: tp-views [-o DIR] [--ca" 'is told as ours'
# a view that fails is not hidden by what comes after it, nor one that is missing
bin=$(dirname "$(command -v tp-views)")
mkdir -p fake/bin
ln -s "$TOP/share" fake/share
cp "$bin/tp-views" fake/bin
for v in 1 3 4 5; do ln -s "$bin/tp-view$v" fake/bin; done
printf '#!/bin/sh\nexit 3\n' >fake/bin/tp-trace
chmod +x fake/bin/tp-trace
runs 2 'a view is missing, the trace partial' fake/bin/tp-views --trace v.json -o lame 's t.db'
holds err '^tp-views: tp-view2 failed with status 127$' 'and it is told which'
done_testing
