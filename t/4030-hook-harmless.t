#!/bin/sh
# What a job would see of the hook: its descriptors, its tracebacks and warnings, and
# that it lives on where tp-time fails.  With the stand-in for torch (t/mock).
# t/8120-harm.t tries much more of this, at random.
. "$(dirname "$0")/lib.sh"
PYTHON=$(command -v python3) || skip_all 'no python3'
JOB=$TOP/t/jobs/harm.py
export PYTHONPATH="$TOP/t/mock/site-packages" PYTHONDONTWRITEBYTECODE=1

# as_plain NAME COMMAND...: $starter runs it; words, status and ./log are the plain ones
starter='tp-time -o s.lz4 --'
as_plain() {
	t_name=$1
	shift
	rm -f log
	"$@" >plain.out 2>plain.err
	t_st=$?
	cp log plain.log 2>/dev/null || : >plain.log
	rm -f log
	# shellcheck disable=SC2086 # words
	$starter "$@" >out 2>err
	t_own=$?
	# 125: there is no trace, which is told
	[ $t_own != 125 ] || [ $t_st != 0 ] || ! grep -q '^tp-capture: ' err || t_own=0
	is $t_own $t_st "$t_name: the status"
	[ -e log ] || : >log
	grep -v '^tp-[a-z]*: ' err | cat out - log >all
	cat plain.out plain.err plain.log >plain.all
	same all plain.all "$t_name: its words and its file"
}

as_plain 'few descriptors' sh -c "ulimit -n 64; exec '$PYTHON' '$JOB' plain"
capture='tp-capture -d d --window 4:6 --'
timing=$starter starter=$capture
as_plain 'its file has the number of our link, which it closed' \
	sh -c "ulimit -n 64; exec '$PYTHON' '$JOB' close"
starter=$timing

# --- torch's import ---------------------------------------------------------------
mkdir -p bad/torch site
PYTHONPATH=$PWD/bad
echo 'raise ImportError("this torch is broken")' >bad/torch/__init__.py
as_plain 'a torch that cannot be imported' "$PYTHON" "$JOB" plain
printf 'import warnings\nwarnings.warn("told to who imports it", stacklevel=2)\n' \
	>bad/torch/__init__.py
echo 'import torch' >imports.py
as_plain 'a warning of torch' "$PYTHON" imports.py
holds err 'imports.py:1: UserWarning' 'is told of its line'
PYTHONPATH=$PWD/site
echo 'raise SystemExit(12)' >site/sitecustomize.py
if "$PYTHON" -S -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
	as_plain 'a sitecustomize that ends it' "$PYTHON" -c pass
else
	skip 2 'its traceback cannot be changed before Python 3.11'
fi

cat >site/sitecustomize.py <<'END'
import sys
class Around:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
sys.meta_path[:] = [Around(f) for f in sys.meta_path]
END
PYTHONPATH=$PWD/site:$TOP/t/mock/site-packages
as_plain 'finders that are wrapped, ours too' "$PYTHON" "$JOB" plain

# --- lines of a traceback, when its frames were traced ------------------------------
PYTHONPATH=$TOP/t/mock/site-packages
starter=$capture
"$TOP/t/pythons" >found
while read -r version python; do
	as_plain "$version: an exception behind the window" "$python" "$JOB" raise
done <found

# --- in a capture steps are counted, and no more ------------------------------------
cat >quiet.py <<'END'
import os, sys
import torch
made = []
class Event:
    def __init__(self, enable_timing):
        made.append(self)
    def record(self):
        pass
    def query(self):
        return True
    def elapsed_time(self, other):
        return 1.0
torch.cuda.Event, torch.cuda.is_initialized = Event, lambda: True
sys.argv[1:] = ["plain"]
exec(compile(open(os.environ["JOB"]).read(), "job", "exec"))
print("threads", len(os.listdir("/proc/self/task")), "events", len(made) > 0)
END
export JOB
tp-capture -d quiet --window 4:6 -- "$PYTHON" quiet.py >out 2>err
is "$(tail -n 1 out)" 'threads 1 events False' 'a capture has no thread or event for times'
tp-time -o s.lz4 -- "$PYTHON" quiet.py >out 2>err
is "$(tail -n 1 out)" 'threads 2 events True' 'which a run for them has'
"$PYTHON" "$TOP/t/mock/starter.py" "$TOP/share/hook" '{}' "$PYTHON" quiet.py >out 2>err
is "$(grep -c '"kind":"run"' said), $(grep -c '"kind":"\(step\|startup\)"' said)" '2, 0' \
	'and tells no step and no start-up'

# --- tp-time has no memory left -----------------------------------------------------
case $TP_BUILD in */asan|*/tsan|*/cov) done_testing; exit 0 ;; esac
[ -r "$TP_BUILD/t/fault.so" ] || { skip 2 'no shim'; done_testing; exit 0; }
"$PYTHON" "$JOB" exit >plain.out 2>/dev/null
n=25
while [ $n -lt 95 ]; do
	head -c 1024 /dev/zero >state
	rm -f finally ready
	LD_PRELOAD=$TP_BUILD/t/fault.so TP_FAULT=malloc:$n:12 TP_FAULT_STATE=state \
		TP_FAULT_PROG=tp-time tp-time -o s.lz4 -- "$PYTHON" "$JOB" exit >out 2>err
	case "$? $(find finally ready 2>/dev/null | tr '\n' ' ')" in
	'3 finally ready ') cmp -s out plain.out && echo ran || echo "$n: its output is another" ;;
	'125 ') echo 'not started' ;;
	*) echo "$n: another end" ;;
	esac >>ends
	grep -c 'out of memory' err >>told
	n=$((n + 10))
done
is "$(sort ends | uniq -c | awk '{ $1 = "" } 1' | grep -v 'not started')" ' ran' \
	'a failing malloc of tp-time: the job is not started, or it ends as it does'
holds told '[1-9]' 'which some of them were'
done_testing
