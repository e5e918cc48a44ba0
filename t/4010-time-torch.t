#!/bin/sh
# tp-time on real jobs of torch, on the CPU: what a step is, who is heard, and
# that the job cannot tell.
. "$(dirname "$0")/lib.sh"
PY=$("$TOP/t/torch-python" 2>/dev/null) || skip_all 'no torch (t/torch-python --make)'
export PYTHONWARNINGS=ignore OMP_NUM_THREADS=1
JOBS=$TOP/t/jobs
TMPDIR=$SCRATCH/tmp
mkdir tmp
export TMPDIR

# time_job NAME [OPTS] -- JOB ARGS: the job without us (plain.*), then timed
time_job() {
	t_what=$1
	shift
	t_opts=
	while [ "$1" != -- ]; do t_opts="$t_opts $1"; shift; done
	shift
	"$@" >plain.out 2>plain.err </dev/null
	t_plain=$?
	# shellcheck disable=SC2086 # options of ours, no blanks in them
	tp-time -q -o s.lz4 $t_opts -- "$@" >out 2>err </dev/null
	is $? $t_plain "$t_what: the status"
	same out plain.out "$t_what: stdout"
	# a profiler that stays off has no log lines
	sed -i '/ActivityProfiler\|DeviceProperties/d' plain.err
	same err plain.err "$t_what: stderr"
	lz4 -dc <s.lz4 >s.json 2>/dev/null
}
steps() { grep -c '"kind":"step"' s.json; }
rule() { sed -n 's/.*"step_rule":"\([^"]*\)".*/\1/p' s.json | tail -1; }

if "$PY" "$JOBS/scaler.py" 2>&1 | grep -q 'no gradient scaler'; then
	skip 7 'no gradient scaler for the CPU in this torch'
else
time_job 'gradient scaler' -- "$PY" "$JOBS/scaler.py"
is "$(steps) $(grep -c '"skipped":1' s.json)" '24 5' '24 turns are 24 steps, 5 of them skipped'
holds s.json '"kind":"startup".*"phase":"imports".*scaler.py","line":2' 'startup names the import'
holds s.json '"kind":"run","rank":0,"world_size":1,.*"step_rule":"optimizer"' 'the record says the rule'
holds s.json '"kind":"end".*"complete":true' 'and is whole'
fi

time_job 'accumulation, two optimizers' -- "$PY" "$JOBS/accumulate.py"
is "$(steps)" 3 'an optimizer step is a step'
is "$(sed -n 's/.*"wall_ns":\([0-9]*\).*/\1/p' s.json |
	awk '$1 >= 80000000 && $1 < 400000000' | wc -l | tr -d ' ')" 3 'each holds its micro-batches'

time_job 'a failing job' -- "$PY" "$JOBS/fail.py"
is "$(steps)" 3 'its steps are there'
holds s.json '"complete":true,"job_status":1' 'with its status'

for how in fork spawn; do
	time_job "workers by $how" -- "$PY" "$JOBS/workers.py" $how
	is "$(steps)" 6 'the main process alone is heard'
done

time_job 'inference' -- "$PY" "$JOBS/infer.py" net
is "$(steps) $(rule)" '12 forward' 'net.forward() called directly: one step a call'
time_job 'a late leader' -- "$PY" "$JOBS/infer.py" head
is "$(steps) $(rule)" '24 forward' 'warm-up calls, then the module of the loop'
is "$(grep '"late":1' s.json | sed 's/.*"step":\([0-9]*\).*/\1/' | tr '\n' ' ')" '4 5 6 7 8 9 10 ' \
	'the steps that another module led say so'

time_job 'its own profiler' -- "$PY" "$JOBS/own_profiler.py"
is "$(steps) $(rule)" '8 prof.step' 'prof.step() is followed, no step twice'
tp-time -o s.lz4 -- "$PY" "$JOBS/own_profiler.py" >out 2>err
holds err 'own profiler stays off' 'and the person is told'

time_job 'torch.compile' -- "$PY" "$JOBS/compiled.py"
is "$(grep '"kind":"step"' s.json | grep '"compiled":1' |
	sed 's/.*"step":\([0-9]*\).*/\1/' | tr '\n' ' ')" '1 6 ' 'the steps that compiled say so'

time_job '--step FILE:LINE' --step loop.py:11 -- "$PY" "$JOBS/loop.py"
is "$(steps)" 7 'each time the line is reached'
time_job '--step MODULE:FUNC' --step loop:turn -- "$PY" "$JOBS/loop.py"
is "$(steps)" 7 'each time the function is entered'

tp-time -q --steps 4 -o s.lz4 -- "$PY" "$JOBS/fail.py" >out 2>err
is $? 1 '--steps beyond the job: it ends as it does'
tp-time -q --steps 2 -o s.lz4 -- "$PY" "$JOBS/fail.py" >out 2>err
is $? 0 '--steps N ends the job with 0'
is "$(cat out)/$(cat err)" 'handler ran/finally ran' 'finally and handlers run'
lz4 -dc <s.lz4 >s.json 2>/dev/null
is "$(steps)" 2 'after N steps'
holds s.json '"ended_by":"--steps 2"' 'and the record says so'

# a package with -m, from a shell script, two ranks under torchrun
mkdir pkg
: >pkg/__init__.py
cp "$JOBS/accumulate.py" pkg/__main__.py
echo "exec \"$PY\" -m pkg with 'two words'" >run.sh
time_job 'python -m from a script' -- sh run.sh
is "$(steps)" 3 'is heard'
holds s.json '"with","two words"' 'with its arguments'
tp-time -q -o s.lz4 -- "$PY" -m torch.distributed.run --nproc_per_node 2 \
	--master_port 29417 "$JOBS/ddp.py" >out 2>err
is "$?/$(cat out)" '0/world 2' 'torchrun with two ranks'
lz4 -dc <s.lz4 >s.json 2>/dev/null
is "$(grep -c '"kind":"step","rank":0' s.json) $(grep -c '"kind":"step","rank":1' s.json)" \
	'10 10' 'all ranks are in one stream'
holds s.json '"rank":1,"world_size":2' 'with the size of the world'

# long steps are told apart by the lines that only they show
tp-time -q -o s.lz4 -- "$PY" "$JOBS/steady.py" 35 20 periodic >out 2>err
lz4 -dc <s.lz4 >s.json 2>/dev/null
is "$(grep '"lines":' s.json | grep -c 'steady.py","line":26,')" 3 'an evaluation is named by its call'
is "$(find tmp -name 'tp-*')" '' 'nothing of ours is left'
done_testing
