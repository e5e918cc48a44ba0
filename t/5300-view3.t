#!/bin/sh
# tp-view3: kernels by class and name, own times, copies that make the host wait.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip_all 'no jq'

rows() {
	store=$1 filter=$2
	shift 2
	tp-view3 -j "$@" "$store" | jq -c "$filter"
}

# One step.  gemm overlaps the all-reduce; one kernel name comes from two lines;
# copies: a pageable one, a pinned one by a call that waits, one by a call that
# does not; a kernel before the step has no call in the trace.
awk -v rank=0 -f "$TOP/t/tools/trace.awk" >t.json <<'EOF'
user_annotation	ProfilerStep#5	1	1000.000	1000.000
python_function	/home/u/train.py(88): main	1	900.000	1200.000
python_function	/home/u/model.py(41): forward	1	1060.000	100.000
cpu_op	aten::mm	1	1070.000	20.000	"External id": 1
cuda_runtime	cudaLaunchKernel	1	1075.000	5.000	"correlation": 1
cpu_op	aten::add	1	1100.000	20.000	"External id": 2
cuda_runtime	cudaLaunchKernel	1	1105.000	5.000	"correlation": 2
cpu_op	aten::add	1	1300.000	20.000	"External id": 3
cuda_runtime	cudaLaunchKernel	1	1305.000	5.000	"correlation": 3
cuda_runtime	cudaLaunchKernel	1	1310.000	5.000	"correlation": 4
cpu_op	aten::copy_	1	1400.000	50.000	"External id": 4
cuda_runtime	cudaMemcpyAsync	1	1405.000	40.000	"correlation": 5
cpu_op	aten::copy_	1	1500.000	50.000	"External id": 5
cuda_runtime	cudaMemcpy	1	1505.000	40.000	"correlation": 6
cpu_op	aten::copy_	1	1600.000	50.000	"External id": 6
cuda_runtime	cudaMemcpyAsync	1	1605.000	5.000	"correlation": 7
kernel	before	7	950.000	20.000	"correlation": 99
kernel	ampere_sgemm_128x64_nn	7	1100.000	100.000	"correlation": 1, "grid": [5, 1, 1]
kernel	void vectorized_elementwise_kernel<4, Add>(int)	7	1200.000	30.000	"correlation": 2, "grid": [100, 1, 1]
kernel	void vectorized_elementwise_kernel<4, Add>(int)	7	1320.000	10.000	"correlation": 3, "grid": [100, 1, 1]
kernel	ncclDevKernel_AllReduce	9	1150.000	60.000	"correlation": 4
gpu_memcpy	Memcpy HtoD (Pageable -> Device)	7	1410.000	20.000	"correlation": 5, "bytes": 40000
gpu_memcpy	Memcpy HtoD (Pinned -> Device)	7	1510.000	10.000	"correlation": 6, "bytes": 200000
gpu_memcpy	Memcpy HtoD (Pinned -> Device)	7	1610.000	10.000	"correlation": 7, "bytes": 100000
EOF
tp-ingest -q -o s.db t.json 2>err || diag "$(cat err)"

is "$(rows s.db 'select(.kind == "view3.kernel") | [.name, .class, .count, .time_ns, .own_ns]')" \
	'["ampere_sgemm_128x64_nn","gemm",1,100000,100000]
["void vectorized_elementwise_kernel<4, Add>(int)","elementwise",2,40000,40000]
["Memcpy HtoD (Pinned -> Device)","copy",2,20000,20000]
["Memcpy HtoD (Pageable -> Device)","copy",1,20000,20000]
["before","other",1,20000,0]
["ncclDevKernel_AllReduce","communication",1,60000,0]' 'kernels by their own time'
busy=$(tp-view1 -j s.db | jq -s 'map(select(.kind == "view1.step").busy_ns) | add')
is "$(rows s.db 'select(.kind == "view3.kernel").own_ns' | paste -sd+ | bc)" "$busy" \
	'own times add up to the busy time of the steps'
is "$(rows s.db 'select(.kind == "view3.class").own_ns' | paste -sd+ | bc)" "$busy" 'by class too'
is "$(rows s.db 'select(.kind == "view3.kernel" and .class == "elementwise") |
	[.op, .file, .line, .func, .how, .nsites, .sites[1].file, .sites[1].own_ns]')" \
	'["aten::add","/home/u/model.py",41,"forward","function",2,"/home/u/train.py",10000]' \
	'one row a name, its places inside'
is "$(rows s.db 'select(.kind == "view3.kernel" and .class == "gemm") | [.blocks, .sms, .below_sms_ns]')" \
	'[5,10,100000]' 'blocks against multiprocessors'
is "$(rows s.db 'select(.kind == "view3.copy") | [.direction, .pageable, .blocking, .count, .bytes, .gbps]')" \
	'["HtoD",true,true,1,40000,2]
["HtoD",false,false,1,100000,10]
["HtoD",false,true,1,200000,20]' 'pageable copies wait, and so does a call that is not Async'
is "$(rows s.db 'select(.key) | .key' | sort | uniq -d)" '' 'no key twice'

runs 0 'text' tp-view3 -t s.db
holds out '^  1 PAGEABLE copies \(each also BLOCKS the host\): 40\.0 KB in 20\.0 us, 2\.0 GB/s' 'pageable copies first'
holds out '^  1 more BLOCKING copies: 200 KB' 'then blocking ones'
holds out 'FEW BLOCKS' 'a kernel that does not fill the device'
holds out '20\.0 us of it outside the steps' 'work outside the steps'
is "$(tail -1 out)" \
	'adds up: own times 200000 ns = busy 200000 ns; plain sum of durations 260000 ns' 'adds up'
is "$(awk 'length > 80 && !/^adds up/' out)" '' 'in 80 columns'
tp-view3 -t --top 1 s.db >out
holds out 'and 5 more' '--top cuts the text'
is "$(rows s.db 'select(.kind == "view3.kernel")' --top 1 | wc -l)" 6 'and never the records'
is "$(rows s.db 'select(.kind == "view3.kernel").name' --step 5 | grep -c before)" 0 '--step leaves out what starts elsewhere'

# two names that differ at their far end stay two rows
long=$(printf 'x%.0s' $(seq 900))
sed -e "s/void vectorized_elementwise_kernel<4, Add>(int)\\(.*\\)1200.000/void k<$long, A>(int)\\11200.000/" \
	-e "s/void vectorized_elementwise_kernel<4, Add>(int)/void k<$long, B>(int)/" t.json >long.json
tp-ingest -q -o long.db long.json 2>err || diag "$(cat err)"
is "$(rows long.db 'select(.kind == "view3.kernel" and (.name | startswith("void k"))) | .name' | sort -u | wc -l)" \
	2 'names are never cut into one'
tp-view3 -t long.db >out
is "$(tr -d ' \n' <out | grep -o 'x, *[AB]>' | sort -u | wc -l)" 2 'nor in the text'

# the rules are data
cp -R "$TOP/share" share 2>/dev/null
mkdir -p bin
cp "$(command -v tp-view3)" bin/
printf 'kernel\tattention\tsgemm\n' >share/kernel-classes.tsv
is "$(bin/tp-view3 -j s.db | jq -r 'select(.name == "ampere_sgemm_128x64_nn").class')" attention 'rules can be changed'
printf 'kernel\tattention\t(\n' >share/kernel-classes.tsv
runs 2 'a rule that is no regex' bin/tp-view3 -j s.db
holds err 'kernel-classes.tsv:1: ' 'is named with its line'
done_testing
