#!/bin/sh
# tp-capture --engine cupti with its library, in jobs of a CUDA that computes nothing
# (t/cuda): counts as the job said them, in streams, files and stores; readers that
# stall or go; what the library has to say.
. "$(dirname "$0")/lib.sh"
. "$TOP/t/inject.sh"
mkdir tmp
TMPDIR=$SCRATCH/tmp
export TMPDIR
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
take() { "$TP_BUILD/bin/tp-capture" --engine cupti "$@"; }
said() { sed -n "s/^kernels=/ &/; s/.* $1=\([0-9-]*\).*/\1/p" "$2"; }
count() { grep -c "\"cat\":\"$1\"" "$2"; }

take --memory -j -- "$JOB" -t 3 -n 200 -d 10 -c 8 -p 2 -s 5 -g 4 -v 6 -m 3 -k 5 >s.json 2>said
is "$?" 0 'a job of threads, graphs and ranges'
is "$(count kernel s.json) $(count memset s.json) $(count annotation s.json)" \
	"$(said kernels said) $(said sets said) $(said ranges said)" 'all its kernels, sets and ranges'
is "$(count memcpy s.json)" "$(($(said copies said) + $(said peers said)))" 'all its copies'
is "$(grep -c '"kind":"mem"' s.json)" "$(said mallocs said)" 'all its allocations'
holds s.json '"kind":"end",.*"dropped":0,"complete":true,"job_status":0' 'and a whole end'
runs 0 'a store of it' tp-ingest -q -o s.db s.json
is "$(sqlite3 s.db 'SELECT unlinked_ops, lone_launches FROM traces')" '0|0' 'every op has its call'
is "$(sqlite3 s.db 'SELECT device_name, sms FROM traces')" 'NVIDIA Sim|132' 'and the device its name'
for v in 1 2 3 4 5; do
	"tp-view$v" -j s.db >v.json 2>err || echo "view$v: $(cat err)"
done >bad
is "$(cat bad)" '' 'the views add up'

take --step-nvtx '.' -d two -- sh -c "'$JOB' -n 60 -v 4 & '$JOB' -n 70 -v 4; wait" >said 2>err
is "$?/$(find two -name 'rank*.tp.lz4' | grep -c .)" 0/2 'two processes, two files'
runs 0 'a store of both' tp-ingest -q -o two.db two/rank*
is "$(sqlite3 two.db "SELECT count(*) FROM events WHERE cat = 'kernel'")" 130 'with the kernels of both'
is "$(sqlite3 two.db "SELECT count(*) FROM events WHERE name LIKE 'ProfilerStep#%'")" 8 'and steps by NVTX'

# --- before anything runs -----------------------------------------------------------------
runs 0 'the engine can work here' take --check
is "$(cat out err)" '' 'it is asked without a word'
# asked DOES NAME RE
asked() {
	runs 125 "$2: refused" "$TP_BUILD/bin/tp-capture" --engine cupti --check
	is "$(grep -c . err)/$(grep -cE "^tp-capture: $3" err)" 1/1 "$2: in one line" || diag "$(cat err)"
	runs 2 "$2: tp-profile too" tp-profile --engine cupti -w none -- touch ran
	holds err "^tp-capture: $3" "$2: with the line"
	is "$(ls -d none ran 2>/dev/null)" '' "$2: before the job runs, and leaves nothing"
}
for sim in SIM_INIT=100 SIM_DEVICES=0; do
	export "${sim?}"
	asked "$sim" "engine cupti: CUDA's driver has no device here"
	unset "${sim%=*}"
done
CUDA_INJECTION64_PATH=/x/other.so; export CUDA_INJECTION64_PATH
asked 'another tool' 'CUDA_INJECTION64_PATH is set to /x/other.so'
unset CUDA_INJECTION64_PATH
SIM_INIT=803 runs 0 'a driver that fails otherwise may not in the job' take --check
CUDA_VISIBLE_DEVICES='' runs 0 'devices that are hidden may not be in the job' take --check
case $(ls -d /proc/driver/nvidia /dev/nvidiactl /dev/dxg 2>/dev/null; ldconfig -p 2>/dev/null) in
*nvidia*|*dxg*|*libcuda.so.1*) skip 5 'a driver is here' ;;
*)
	LD_LIBRARY_PATH=
	asked 'no driver' 'engine cupti: no driver of CUDA here'
	LD_LIBRARY_PATH=$TP_BUILD/t/cuda
	;;
esac

# --- the whole pipeline, from a script that nobody edited ---------------------------------
case $TP_BUILD in
*/asan|*/tsan) skip 5 'a sanitizer must come first in a process' ;;
*)
	PYTHONPATH=$TOP/t/mock/site-packages PYTHONDONTWRITEBYTECODE=1 \
		tp-profile --engine cupti -- python3 "$TOP/t/jobs/sim.py" 20 >out 2>err
	is $? 0 'tp-profile --engine cupti'
	made=profile/commits/no-commit
	is "$(find $made/trace -name 'rank0.*.tp.lz4' | grep -c .)" 1 'makes a trace'
	is "$(sqlite3 $made/store.db 'SELECT count(DISTINCT idx) FROM steps')" 3 'of the window that it chose'
	is "$(sqlite3 $made/store.db "SELECT count(*) FROM kernel_op WHERE how = 'line' AND file LIKE '%/sim.py'" |
		sed 's/^0*[1-9].*/some/')" some 'with executing lines'
	holds $made/report.md '^# Why' 'and a report'
	;;
esac

# --- while it runs; readers -------------------------------------------------------------
ms() { echo $(($(date +%s%N) / 1000000)); }
take -- "$JOB" -n 5 -w 3000 2>/dev/null | tp-ingest -q -j 2>/dev/null | {
	grep -m1 -q '"cat":"kernel"'
	ms >first
	cat >/dev/null
	ms >end
}
# launched 3 s before the end
[ $(($(cat end) - $(cat first))) -ge 1000 ]
t_result $? 'a kernel is there while the job runs' || diag "$(cat first end)"
# the job makes more than pipe, socket and queue hold, and is not held up
take -- "$JOB" -n 400000 -w 3000 2>held.err | { sleep 2; cat >held.z; }
tp-ingest -j held.z >held.json 2>/dev/null
[ "$(said kernels held.err)" = 400000 ] && [ "$(said ns_a_launch held.err)" -lt 100000 ]
t_result $? 'a reader that stalls does not stall the job' || diag "$(cat held.err)"
holds held.json '"kind":"end",.*"dropped":[1-9][0-9]*,"complete":false' 'what was dropped is counted'
holds held.err '^tp-capture: [0-9]+ records dropped' 'and told'
{ take -- "$JOB" -n 300000 2>gone.err; echo $? >st.gone; } | head -c 5000 >/dev/null
is "$(cat st.gone) $(said kernels gone.err)" '0 300000' 'a reader that goes: the job ends as it would'

# ... and a signal reaches the job, whose end we then do not wait for the reader with
{
	"$TP_BUILD/bin/tp-capture" --engine cupti -- "$JOB" -n 400000 -w 60000 2>held.err &
	echo $! >pid
	wait $!
	echo $? >status
	mv status st
} | while ! [ -e st ]; do sleep 0.1; done &
sleep 1.5
start=$(ms)
kill -TERM "$(cat pid)"
while [ $(($(ms) - start)) -lt 9000 ] && ! [ -e st ]; do sleep 0.1; done
is "$(cat st)" 143 'a signal reaches the job while nobody reads'
[ $(($(ms) - start)) -lt 8000 ]
t_result $? 'and ends us too' || diag "$(cat held.err)"
holds held.err 'nobody reads it, given up' 'which is told'

# --- the library speaks -----------------------------------------------------------------
SIM_TAKEN=1 take -j -- "$JOB" -n 5 >s.json 2>err
is "$?/$(said kernels err)" 0/5 'CUPTI is taken: the job runs, and its status is its own'
is "$(grep -c '^tp-capture:' err)" 1 'one line says why' || diag "$(cat err)"
holds s.json '"kind":"end",.*"complete":false,"job_status":0' 'the stream has no event and is not complete'
SIM_TAKEN=1 take -q -d taken -- "$JOB" -n 5 >out 2>err
is "$?/$(ls -d taken 2>/dev/null)" 0/ 'into a folder: no file'
holds err '^tp-capture: CUPTI: another tool uses it' 'told also with -q'
SIM_FAIL=cuptiSubscribe=15 take -j -- "$JOB" -n 5 >s.json 2>err
is $? 125 'CUPTI fails: that is ours'
LD_LIBRARY_PATH='' take -j -- true >s.json 2>err
holds err 'the capture library was not started' 'no CUDA: one line'
take -- "$JOB" -n 20 -w 600 -e _exit >s.z 2>err
is $? 0 '_exit'
holds err '1 process ended without a word' 'is told'
is "$(find tmp -mindepth 1)" '' 'nothing of ours is left'
done_testing
