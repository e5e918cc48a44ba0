#!/bin/sh
# The hook under engine cupti, on the CPU: what it tells the capture library, in
# whose place t/mock/hooklib.c stands, and that the job stays what it is.
. "$(dirname "$0")/lib.sh"
PY=$("$TOP/t/torch-python" 2>/dev/null) || skip_all 'no torch (t/torch-python --make)'
CC=${CC:-cc}
command -v "$CC" >/dev/null 2>&1 || skip_all "no $CC"
export KINETO_LOG_LEVEL=99 PYTHONWARNINGS=ignore OMP_NUM_THREADS=1 TP_TOLD="$SCRATCH/told"
JOBS=$TOP/t/jobs

"$CC" -std=c11 -D_GNU_SOURCE -fPIC -I"$TOP/lib" -shared -o libtpcapture.so \
	"$TOP/t/mock/hooklib.c" || {
	diag 'the stand-in library does not compile'
	exit 1
}

# job CONF COMMAND...: ./out ./err are the job's, ./told what the library heard,
# ./said what the starter did
job() {
	conf=$1
	shift
	rm -f told
	touch told
	CUDA_INJECTION64_PATH=${LIBRARY-$SCRATCH/libtpcapture.so} "$PY" "$TOP/t/mock/starter.py" \
		"$TOP/share/hook" "{\"engine\":\"cupti\",\"step\":\"auto\",$conf}" \
		"$PY" "$@" >out 2>err
	echo $? >status
}
notes() { sed -n 's/.*"tp_note","text":"\(.*\)"}$/\1/p' said; }

# --- a window -----------------------------------------------------------------
"$PY" "$JOBS/marks.py" >plain.out 2>plain.err
job '"lines":true,"window":{"first":2,"last":3,"then":"continue"}' "$JOBS/marks.py"
is "$(cat status)" 1 'a job that ends by an exception: its status'
same out plain.out 'its output'
same err plain.err 'and its traceback are what they were'
grep -v '_engine_run_backward' told >told.job
cat >want <<'END'
python on
start
range 3 main marks.py:32
range 1 enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__
range 1 Optimizer.zero_grad#SGD.zero_grad
range 1 mélange
range 3 turn marks.py:25
step 2
range 1 Optimizer.step#SGD.step
range 3 main marks.py:32
range 1 enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__
range 1 Optimizer.zero_grad#SGD.zero_grad
range 1 mélange
range 3 turn marks.py:25
step 3
range 1 Optimizer.step#SGD.step
stop
detach
python off
END
same told.job want 'the window, its steps, what is named, and the line that waits for the backward pass'
is "$(grep -cE 'range 3 _engine_run_backward (graph|__init__).py:[0-9]+$' told)" 2 'which is known as such'
is "$(notes)" '' 'nothing is to be said'

# --- a warm-up ----------------------------------------------------------------
stays='CUPTI stays behind the window, and launches stay slower'
edges() { grep -E '^(warm|start|step|stop|detach)' told | tr '\n' ' '; }
job '"lines":true,"window":{"first":3,"last":3,"warmup":1,"then":"continue"}' "$JOBS/marks.py"
is "$(edges)" 'warm start step 3 stop detach ' 'a warm-up comes before the window'
is "$(sed -n '/^warm/,/^start/p' told | grep -c range)" 0 'and nothing is told in it'
job '"lines":true,"window":{"first":2,"last":2,"warmup":5,"then":"continue"}' "$JOBS/marks.py"
is "$(edges)" 'warm start step 2 stop ' 'one longer than there are steps'
is "$(notes)" "$stays: how long a step takes is not known yet" 'behind which CUPTI stays, which is said'
TP_DETACH=0 job '"window":{"first":2,"last":3,"then":"continue"}' "$JOBS/marks.py"
is "$(edges)/$(notes)" "start step 2 step 3 stop detach /$stays: a thread called CUDA meanwhile" \
	'so where it cannot be taken out'
TP_WATCH=0 TP_DETACH=0 job '"window":{"first":2,"last":3,"then":"continue"}' "$JOBS/marks.py"
is "$(grep ^detach told)/$(notes)" "detach at once/$stays: a thread called CUDA meanwhile" \
	'a call ends the wait'
cat >alarm.py <<'END'
import signal, sys, torch
class Stop(Exception): pass
def on_alarm(*_): raise Stop
signal.signal(signal.SIGALRM, on_alarm)
model = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
caught = 0
for k in range(8):
    try:
        if k == 3 and "tp_hook.native" in sys.modules:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
        model(torch.ones(1, 2)).sum().backward()
        opt.step()
        if k == 3 and "tp_hook.native" not in sys.modules:
            raise Stop
    except Stop:
        caught += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
print("caught", caught)
END
"$PY" alarm.py >plain.out
job '"window":{"first":3,"last":4,"then":"continue"}' alarm.py
same out plain.out "what a handler of the job's raises in the wait is the job's"
is "$(edges)$(grep -c tp_off said)" 'start step 3 step 4 stop 0' 'and the hook goes on'
is "$(grep -c '^leave' told)" 1 'but watches no longer'
TP_READY=0 job '"window":{"first":2,"last":3,"then":"continue"}' "$JOBS/marks.py"
is "$(edges)/$(notes)" 'start step 2 step 3 stop /' 'where the library is not at work nothing is'
job '"lines":true,"window":{"first":1,"last":1,"warmup":2,"then":"continue"}' "$JOBS/marks.py"
is "$(edges)" 'start step 1 stop ' 'none before the first step'
job '"lines":true,"window":{"first":90,"last":91,"warmup":89,"then":"continue"}' "$JOBS/marks.py"
is "$(edges)" 'warm ' 'the job ends in it'
holds said 'before the window .steps 90-91.' 'which is told'
job '"window":{"first":8,"last":8,"warmup":7,"then":"continue"}' "$JOBS/own_profiler.py"
is "$(grep -E '^(warm|start|leave|stop|detach)' told | tr '\n' ' ')$(cat status)" 'warm leave 0' \
	"the script's own profiler begins in it: ours leaves"

job '"step":"forward","window":{"first":9,"last":11,"then":"continue"}' "$JOBS/infer.py" head
is "$(grep -cE '^(warm|start)' told) $(cat status)" '0 0' 'another module takes the lead in it: no window'
holds said 'known only after the window .steps 9-11. began' 'which is told'

# ... or in the window, which ends while it works
job '"window":{"first":1,"last":7,"then":"continue"}' "$JOBS/own_profiler.py"
is "$(grep -E '^(warm|start|leave|stop|detach)' told | tr '\n' ' ')$(notes)" \
	"start leave the script's own profiler works: nothing is recorded from here on" \
	'so where it begins in the window'

# --- the loader's turn --------------------------------------------------------------
job '"lines":true' "$JOBS/turns.py" 0
is "$(cat status out err)" '0
None None' 'a job whose data set runs here'
is "$(grep -cE 'range 3 (Images\.)?__getitem__ turns.py:16$' told)" 4 'each wait in it has its line'
is "$(grep -E 'enumerate|turns.py:23' told | sed -n '1s/ turns.*//p;$p')" 'range 3 main
range 1 enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__' \
	'from the line of the loop to the end of the turn'
job '"lines":true' "$JOBS/turns.py" 2
is "$(cat status out err)" '0
None None' 'one whose data set runs in workers'
is "$(grep 'turns.py:23' told | sort -u)" 'range 3 main turns.py:23' 'waits at the line of the loop'
is "$(grep -c '__getitem__' told)" 0 'and no line is followed'
job '"lines":false' "$JOBS/turns.py" 0
is "$(grep -c 'range 3' told)" 0 'without lines there are none'

# --- all of it, beside a profiler of the script's ---------------------------------
job '"lines":true' "$JOBS/own_profiler.py"
is "$(cat status out)" '0
own profile written' 'a job with a profiler of its own'
is "$(cat err)" '' 'hears nothing'
is "$(grep -cE '^(start|stop|leave)' told)" 1 'ours leaves for it, once, and never starts again'
is "$(sed -n '/^leave/,$p' told | grep -c range)" 0 'and tells nothing more'
is "$(grep -c '^step' told)/$(grep -c apart told)" 8/0 'the steps go on, without a gap'
is "$(grep -c 'range.*ProfilerStep' told)" 0 "those of the script's profiler are no ranges"
ok "$PY" -m json.tool own.json /dev/null -- 'its own trace is whole'
is "$(notes)" "the script's own profiler works: nothing is recorded from here on" 'it is said, once'
holds said 'tp_gave_way' 'also to the starter, whose status then is the job'"'"'s'

# --- then stop, children, a Python that is not known --------------------------------
TP_PYTHON=2 job '"lines":true,"window":{"first":2,"last":2,"then":"stop"}' \
	"$JOBS/workers.py" fork
is "$(cat status out err)" 0 'the job ends behind the window'
is "$(grep -c '^python on' told)/$(grep -c '^step' told)" 1/1 'of its processes one is told of'
holds said 'takes the GIL at each kernel launch' 'stacks by the GIL are said'
TP_PYTHON=0 job '"lines":true' "$JOBS/marks.py"
is "$(notes)" "Python $("$PY" -c 'import sys; print("%d.%d" % sys.version_info[:2])'): its stacks cannot be read in place, and are left out (TP_PYTHON_ASK=1 has it asked for them, which takes the GIL at each kernel launch and can hang a job)" \
	'and that there are none'

# --- no library ----------------------------------------------------------------------
LIBRARY=/nonexistent/libtpcapture.so
job '"lines":true,"operators":true' "$JOBS/reads_back.py"
is "$(cat status out err told)" '0
done' 'without the library the job runs as ever'
is "$(notes | wc -l | tr -d ' ')" 1 'and one line says why'
LIBRARY=/lib/libother.so
job '"lines":true,"window":{"first":2,"last":3,"then":"continue"}' "$JOBS/reads_back.py"
is "$(cat status out err told; notes)" '0
done' "another's library is none of ours"
done_testing
