#!/bin/sh
# tp-capture --engine cupti on a job in Python, from the hook and the library to the
# store, in every Python found: on a CUDA that computes nothing (t/cuda/sim.h), with
# as much of torch as the hook meets (t/mock/site-packages).
. "$(dirname "$0")/lib.sh"
SIM=$TP_BUILD/t/cuda
[ -e "$SIM/libcuda.so.1" ] || skip_all 'no capture library (t/cuda-headers)'
case $TP_BUILD in */asan) skip_all 'a sanitizer must come first in a process' ;; esac
"$TOP/t/pythons" >found
[ -s found ] || skip_all 'no Python'
export LD_LIBRARY_PATH="$SIM" PYTHONPATH="$TOP/t/mock/site-packages" PYTHONDONTWRITEBYTECODE=1
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
JOB=$TOP/t/jobs/sim.py

names() { sed -n "s/^.*\"cat\":\"$1\",\"name\":\"\([^\"]*\)\".*/\1/p" "$2" | sed 's|.*/||' | sort | uniq -c | sed 's/^ *//'; }
# the lines of the job that launch, and that wait
cat >lines <<'END'
6 sim.py(26)
6 sim.py(27)
6 sim.py(32)
6 sim.py(36)
6 sim.py(44)
END
# waits WORKERS: $inputs are the places at which the device waited for input over
# 1 ms, $nested how many lines begin in one and end behind it
waits() {
	tp-capture --engine cupti -- "$python" "$TOP/t/jobs/sim_loader.py" "$1" 2>err >turns.json
	is "$? $(cat err)" '0 done None' "$version: a loader's job runs as ever"
	rm -f turns.db
	tp-ingest -q -o turns.db turns.json
	inputs=$(tp-view2 -j turns.db | sed -n '/"view2.loss".*"input_ns":[0-9]\{7,\}/s/.*"line":\([0-9]*\),"func":"\(Images\.\)\{0,1\}\([^"]*\)","how":"\([^"]*\)".*/\1 \3 \4/p' | sort -u)
	nested=$(sed -n 's/.*\[line\]".*"start_ns":\([-0-9]*\),"dur_ns":\([0-9]*\)}.*/\1 \2/p' turns.json |
		sort -k1,1n -k2,2nr | awk '{ while (n && end[n] <= $1) n--
			if (n && end[n] < $1 + $2) bad++
			end[++n] = $1 + $2 } END { print bad + 0 }')
}
# undisturbed WORKERS INPUTS: a busy machine can hold the job for a ms at any line, which
# is a wait there and told as one: such a run is made again, twice at most
undisturbed() {
	for _ in 1 2 3; do
		waits "$1"
		[ "$inputs" != "$2" ] || break
		diag "$version, $1 workers: waits at" "$inputs"
	done
}
while read -r version python; do
	tp-capture --engine cupti -j -- "$python" "$JOB" 6 >all.json 2>err
	is "$? $(cat err)" '0 done' "$version: the job runs as ever"
	names python all.json | grep '\[line\]' | sed 's/:.*//' | sort >got
	same got lines "$version: the executing line of each call, and of the wait in backward"
	is "$(names python all.json | grep -c '_engine_run_backward$')" 1 \
		"$version: which is known for what it is"
	is "$(names annotation all.json | grep -v Profiler)" '6 Optimizer.step#SGD.step' \
		"$version: what is named"
	is "$(names kernel all.json | tr '\n' ' ')" '18 first_kernel 18 second_kernel 6 update_kernel ' \
		"$version: every kernel"
	is "$(names annotation all.json | grep -c '^1 ProfilerStep#[1-6]$')" 6 "$version: every step"
	# the loader's turn, in which nothing is launched until the end of it
	undisturbed 0 '23 read line'
	is "$inputs" '23 read line' "$version: a data set here: the line of it that waits"
	is "$nested" 0 "$version: no two lines cross"
	undisturbed 2 '28 main line'
	is "$inputs" '28 main line' "$version: one with workers: the line of the loop"
	is "$(names python turns.json | grep -c 'Images.*line')" 0 "$version: of which no line is followed"
done <found

# --- a window, and what it leaves out -----------------------------------------------
read -r version python <found
# without lines nothing else tells that Python, and an allocator of its own, is there
cat >malloc.py <<'END'
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
cuda.sim_malloc(ctypes.c_int64(1 << 20))
END
runs 0 'memory without lines' tp-capture --engine cupti --memory --no-lines -j -- "$python" malloc.py
is "$(grep -c '"kind":"mem",.*"reserved_bytes":1048576' out)/$(grep -c allocated_bytes out)" 1/0 \
	'of Python it is reserved, not allocated'
runs 0 'a window' tp-capture --engine cupti -j --window 3:4 --warmup 0 -- "$python" "$JOB" 8
is "$(names annotation out)" '2 Optimizer.step#SGD.step
1 ProfilerStep#3
1 ProfilerStep#4' 'has its steps'
is "$(names kernel out | tr '\n' ' ')" '6 first_kernel 6 second_kernel 2 update_kernel ' \
	'and their kernels'
# the last kernel of the warm-up may still run when the window begins
names runtime out >calls
runs 0 'a window with a warm-up' tp-capture --engine cupti -j --window 3:4 -- "$python" "$JOB" 8
is "$(names annotation out; names kernel out | sed 's/^3 update/2 update/')" '2 Optimizer.step#SGD.step
1 ProfilerStep#3
1 ProfilerStep#4
6 first_kernel
6 second_kernel
2 update_kernel' 'is the same'
names runtime out >warm.calls
same warm.calls calls 'call by call'
holds out '"kind":"end",.*"dropped":0,"complete":true' 'and whole'
runs 0 'without lines' tp-capture --engine cupti -j --no-lines -- "$python" "$JOB" 2
is "$(names python out)" '' 'there are no frames'
MOCK_CUDA=1 tp-capture --engine cupti -j --operators -- "$python" "$JOB" 3 >out 2>err
is "$(grep operators err)" 'tp-capture: no operators: a profiler is on' 'operators that cannot be had are told'
holds out 'Optimizer.step#SGD.step' 'and what else is named is there'
runs 0 'then stop' tp-capture --engine cupti -j --window 2:2 --then stop -- "$python" "$JOB" 1000000
is "$(names annotation out | grep Profiler)" '1 ProfilerStep#2' 'the job ends behind it'

# --- the device at the window's end -----------------------------------------------------
# a lock of the job's holds the device until long after: else this would be for ever
export MOCK_CUDA=1
runs 0 'a device that waits for the job' timeout 20 tp-capture --engine cupti -j --window 2:3 -d hangs -- \
	"$python" "$TOP/t/jobs/sim_drain.py" hangs
is "$(cat out)" 'done' 'is not waited for without an end'
is "$(sed 's/: a call .*//' err)" 'tp-capture: the device was not done 0.3 s after the window: what it had not done has no times
tp-capture: CUPTI stays behind the window, and launches stay slower' 'which is told, and that CUPTI stays beside it'
is "$(tp-ingest -q -j hangs/rank* | grep -c '"name":"update_kernel"')" 2 'the window is there'
runs 0 'one with work left' tp-capture --engine cupti --window 2:3 -d slow -- \
	"$python" "$TOP/t/jobs/sim_drain.py" slow
is "$(cat out err)" '2 device 3
done' 'is waited for, at the end of the window, by the device of the thread'
runs 0 'two of eight devices with work left' tp-capture --engine cupti --window 2:3 -d two -- \
	"$python" "$TOP/t/jobs/sim_drain.py" two
is "$(cat out err)" '2 device 3
2 device 5
done' 'are waited for, and no device that is not used'
unset MOCK_CUDA

# --- to the findings ------------------------------------------------------------------
tp-capture --engine cupti -- "$python" "$JOB" 20 2>err | tp-ingest -q -o s.db
is "$?" 0 'the store takes the stream'
is "$(sqlite3 s.db "SELECT DISTINCT line, how FROM kernel_op WHERE how = 'line' ORDER BY 1")" \
	'26|line
27|line
32|line
36|line' 'each op has its line'
is "$(sqlite3 s.db "SELECT count(*) FROM kernel_op WHERE how != 'line'")" 0 'and no op is without'
done_testing
