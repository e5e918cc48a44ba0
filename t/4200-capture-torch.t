#!/bin/sh
# shellcheck disable=SC2012 # the names that ls shows are ours
# tp-capture on real jobs of torch, on the CPU: the window, the trace, what it
# does when it can't have one, and the pipeline from an unedited script to a store.
. "$(dirname "$0")/lib.sh"
PY=$("$TOP/t/torch-python" 2>/dev/null) || skip_all 'no torch (t/torch-python --make)'
export PYTHONWARNINGS=ignore OMP_NUM_THREADS=1
JOBS=$TOP/t/jobs
TMPDIR=$SCRATCH/tmp
mkdir tmp
export TMPDIR
steps_of() { zcat "$@" | grep -o '"ProfilerStep#[0-9]*"' | sort -u | tr -d '"\n' | sed 's/ProfilerStep//g'; }

# --- files ------------------------------------------------------------------
runs 0 'a window of a job' tp-capture -d trace --window 2:3 -- "$PY" "$JOBS/reads_back.py"
is "$(cat out)" 'done' 'the job keeps its stdout'
is "$(cat err)" '' 'and its stderr, without a word of the profiler'
is "$(ls -A trace | sed 's/\.[^.]*\.[0-9]*\./.HOST.PID./')" rank0.HOST.PID.json.gz 'one trace, with its name'
is "$(steps_of trace/*.gz)" '#2#3' 'of the steps of the window, by their numbers'
zcat trace/*.gz >t.json
holds t.json '"name":".*reads_back.py\(8\): norm \[line\]"' 'the executing line of a function is in it'
holds t.json '"name":".*reads_back.py\(18\): main \[line\]"' 'and the line of its caller'
ok "$PY" -m json.tool t.json /dev/null -- 'it is JSON'
runs 0 'which the loader takes' tp-ingest -q -o s.db trace/*.gz
is "$(cat err)" '' 'without a word'

# the job goes on or ends
runs 0 '--then stop' tp-capture -d one --then stop --window 1:1 --stacks --shapes --memory \
	-- "$PY" "$JOBS/accumulate.py"
is "$(cat out)" '' 'ends the job after the window'
is "$(steps_of one/*.gz)" '#1' 'a window can begin with step 1'
is "$(zcat one/*.gz | grep -c '"name": "aten::addmm"')" 8 'and holds its four micro-batches'
is "$(zcat one/*.gz | grep -Ec '"(with_stack|record_shapes|profile_memory)": 1')" 3 'stacks, shapes and memory are on'

# --- a stream ---------------------------------------------------------------
tp-time -q -- "$PY" "$JOBS/steady.py" 14 5 2>/dev/null | tp-window |
	tp-capture --then stop -- "$PY" "$JOBS/steady.py" 14 5 2>err | tp-ingest -q -o p.db
is $? 0 'time, window, capture, ingest: a store'
is "$(sqlite3 p.db 'SELECT count(*) FROM run_steps')" 14 'with the honest clock'
is "$(sqlite3 p.db 'SELECT count(*) FROM steps')" 3 'and the profiled steps'
echo '{"kind":"head","tp":1,"program":"x","version":"0","host":"h","epoch_ns":"0","prov":[]}
{"kind":"end","records":0,"dropped":0,"complete":true}' >none.json
tp-capture -j -- touch started <none.json >out 2>err
is "$?/$(ls started 2>/dev/null)" 125/ 'no window in the stream: the job is not started'
holds err 'no window in the stream' 'and it is told'

# --- when there is no trace ---------------------------------------------------
runs 125 'a window that is never reached' tp-capture -d late --window 90:92 -- "$PY" "$JOBS/reads_back.py"
holds err 'the job ended after 6 steps, before the window' 'is told'
is "$(ls -A late 2>/dev/null)" '' 'and leaves nothing'
runs 1 'a job that fails inside the window' tp-capture -d fail --window 3:5 -- "$PY" "$JOBS/fail.py"
holds err 'inside the window: nothing is kept' 'is told'
is "$(ls -A fail 2>/dev/null)" '' 'whole or not at all'
cat >parent.py <<'END'
import subprocess, sys
for args in (["/bin/sh", "-c", "echo child-sh; exit 3"], [sys.executable, "-c", "print('child')"],
             [sys.executable, "-I", "-S", "-c", "print('isolated')"]):
    r = subprocess.run(args, capture_output=True, text=True)
    print(r.returncode, repr(r.stdout), repr(r.stderr))
END
"$PY" parent.py >plain.txt
runs 125 'a job without steps' tp-capture -d steps --window 2:3 -- "$PY" parent.py
same out plain.txt 'its children behave as before'
holds err 'no Python process of the job imported torch' 'and it is told'

# --- company ----------------------------------------------------------------
runs 0 'workers of a loader' tp-capture -d load --window 2:3 -- "$PY" "$JOBS/workers.py" fork
is "$(tail -1 out)/$(ls load | wc -l | tr -d ' ')" 'done 6/1' 'one trace, of the main process'
"$PY" "$JOBS/harm.py" fork >plain.out 2>plain.err
# step 3 forks: while Kineto is warm, while it records, when it is over
for window in 4:6 3:6 1:2; do
	runs 0 "a child that ends by exit, window $window" \
		timeout 60 tp-capture -d forks --window $window -- "$PY" "$JOBS/harm.py" fork
	same out plain.out 'is waited for as ever'
done
runs 0 'a script with a profiler of its own, elsewhere' \
	tp-capture -d own --window 5:6 -- "$PY" "$JOBS/own_profiler.py"
is "$(cat out)" 'own profile written' 'ends as before'
is "$(steps_of own/*.gz)" '#5#6' 'both windows are had, no step twice'
ok "$PY" -m json.tool own.json /dev/null -- 'its own trace is whole'
is "$(grep -o '"ProfilerStep#[0-9]*"' own.json | sort -u | wc -l | tr -d ' ')" 2 'and its window uncut'
runs 0 'the windows meet' tp-capture -d gave --window 3:4 -- "$PY" "$JOBS/own_profiler.py"
holds err 'ours gave way' 'ours gives way and says so'
is "$(ls -A gave)/$(grep -o '"ProfilerStep#[0-9]*"' own.json | sort -u | wc -l | tr -d ' ')" /2 'the script has its own'
runs 125 'a window where another module takes the lead' \
	tp-capture -d early --window 9:11 --step forward -- "$PY" "$JOBS/infer.py" head
is "$(cat out)" 'done' 'ends as before'
holds err 'known only after the window .steps 9-11. began' 'and is told'
runs 0 'behind it' tp-capture -d late --window 13:14 --step forward -- "$PY" "$JOBS/infer.py" head
is "$(steps_of late/*.gz)" '#13#14' 'there is one'
runs 0 'two ranks' tp-capture -d two --window 4:6 -- "$PY" -m torch.distributed.run \
	--nproc_per_node 2 --master_port 29418 "$JOBS/ddp.py"
is "$(ls two | sed 's/\..*//' | tr '\n' ' ')" 'rank0 rank1 ' 'a trace each'
tp-ingest -q -o two.db two/*.gz
is "$(sqlite3 two.db 'SELECT rank, count(*) FROM steps GROUP BY rank' | tr '\n' ' ')" '0|3 1|3 ' 'with their ranks'

# --- executing lines in the store ---------------------------------------------
for how in plain stacks; do
	"$PY" "$JOBS/lines_trace.py" $how >lines.json
	rm -f l.db
	tp-ingest -q -o l.db lines.json
	is "$(sqlite3 l.db 'SELECT func, line, how FROM kernel_op ORDER BY corr LIMIT 2' | tr '\n' ' ')" \
		'main|20|line main|21|line ' "$how: launches have the executing line"
	tp-view2 -j l.db >out
	holds out '"kind":"view2.site".*"cause":"sync".*"line":42,"func":"norm","how":"line"' "$how: waits too"
	lacks out '"line":38' "$how: not the line that a function begins at"
done
is "$(find tmp -name 'tp-*')" '' 'nothing of ours is left'
done_testing
