#!/bin/sh
# tp-time around any command, no torch needed: status, signals, output, and that
# nothing of the job or of ours is left.
. "$(dirname "$0")/lib.sh"
PYTHON=$(command -v python3) || skip_all 'no python3'
TMPDIR=$SCRATCH/tmp
mkdir tmp
export TMPDIR
records() { lz4 -dc <"$1" 2>/dev/null; }
# no process of that number, or one that nobody has waited for
gone() { ! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null; }
nothing_left() { is "$(ls -A tmp)" '' "$1"; }

# --- status -----------------------------------------------------------------
runs 0 'status 0 is 0' tp-time -o a.lz4 -- true
records a.lz4 >got
holds got '"kind":"end","records":1,.*"complete":true,"job_status":0' 'the stream is whole'
holds err 'no Python process of the job could be entered' 'a job that never says hello gets a line'
is "$(wc -l <err | tr -d ' ')" 1 'and just that one'
runs 3 'the job ends with 3' tp-time -q -o a.lz4 -- sh -c 'exit 3'
is "$(cat err)" '' '-q: no word'
runs 3 'and it is told' tp-time -o a.lz4 -- sh -c 'exit 3'
holds err '^tp-time: the job ended with status 3$' 'on stderr'
records a.lz4 >got
holds got '"job_status":3' 'and in the end record'
runs 137 'a signal is 128+N' tp-time -o a.lz4 -- sh -c 'kill -9 $$'
holds err 'ended by signal 9' 'told too'
runs 127 'no such command is 127' tp-time -o none.lz4 -- ./nowhere
ok test ! -e none.lz4 -- 'and makes no file'
: >plain
runs 126 'what cannot run is 126' tp-time -o none.lz4 -- ./plain
runs 125 'a bad option is 125' tp-time --nonsense
runs 125 'no command is 125' tp-time
runs 125 'no place to write is 125' tp-time -o none/there -- touch ran
ok test ! -e ran -- 'and the job is not started'

# --- output -----------------------------------------------------------------
tp-time -q -o a.lz4 -- sh -c 'echo data; echo words >&2' >out 2>err
is "$(cat out)/$(cat err)" data/words 'with -o both of the job stay where they were'
tp-time -q -j -- sh -c 'echo data; echo words >&2' >out 2>err
is "$(cat err)" "$(printf 'data\nwords')" 'without, its stdout goes to stderr'
holds out '"kind":"end"' 'and stdout is the stream'
echo from-stdin | tp-time -q -o a.lz4 -- cat >out
is "$(cat out)" from-stdin 'the job inherits stdin'
tp-time -q -j -- sh -c 'exit 4' >/dev/full 2>err
is $? 125 'nowhere to write: the job is not started'
sh -c 'tp-time -q -j -- sh -c "sleep 0.3; echo ran on >&2; exit 7"; echo $? >st' 2>err | true
is "$(cat st)" 7 'the reader goes away: the status is still the job'"'"'s'
holds err 'ran on' 'and it ran on'
ls -l /proc/self/fd >fds.plain
tp-time -q -o a.lz4 -- ls -l /proc/self/fd >fds.timed
is "$(wc -l <fds.timed)" "$(wc -l <fds.plain)" 'no descriptor of ours reaches the job'
(trap '' PIPE; tp-time -q -o a.lz4 -- sh -c 'grep SigIgn /proc/$$/status' >ign)
is "$((0x$(sed 's/.*\t//' ign) >> 12 & 1))" 1 'an ignored SIGPIPE stays ignored'
tp-time -q -o a.lz4 -- grep -E 'SigIgn|SigBlk' /proc/self/status >timed
grep -E 'SigIgn|SigBlk' /proc/self/status >plain
same timed plain 'signals reach the job as they were'

# --- signals ----------------------------------------------------------------
cat >stubborn.sh <<'END'
trap 'echo got-term >>log; exit 9' TERM
sleep 100 & echo $! >child
echo $$ >self
while :; do sleep 0.05; done
END
tp-time -q -o a.lz4 -- sh stubborn.sh &
tp=$!
while [ ! -s self ]; do sleep 0.05; done
kill -TERM $tp
wait $tp
is $? 9 'SIGTERM goes on to the job, its status comes back'
is "$(cat log)" got-term 'its handler ran'
sleep 0.1
ok gone "$(cat child)" -- 'no orphan is left'
tp-time -q -o a.lz4 -- sh -c 'sleep 0.5 & echo $! >left; exit 0'
ok kill -0 "$(cat left)" -- 'a job that ends by itself keeps its background'
cat >runs-on.sh <<'END'
trap 'echo TERM >on' TERM
echo $$ >self
while [ ! -e dead ]; do sleep 0.05; done
sleep 0.2
echo "to the end $(cat on 2>/dev/null)" >end
END
rm -f self
sh -c 'exec tp-time -q -o a.lz4 -- sh runs-on.sh' &
tp=$!
while [ ! -s self ]; do sleep 0.05; done
kill -KILL $tp
{ wait $tp; } 2>/dev/null
: >dead
for _ in $(seq 50); do gone "$(cat self)" && break; sleep 0.1; done
is "$(cat end)" 'to the end ' 'where we are killed outright the job runs on, untouched'
rm -rf tmp/tp-*

# --- the way in -------------------------------------------------------------
runs 0 'a Python without torch' tp-time -o a.lz4 -- "$PYTHON" -c 'print(1)'
holds err 'no Python process of the job imported torch' 'is told from none at all'
runs 0 'python -I' tp-time -o a.lz4 -- "$PYTHON" -I -c 'print(1)'
holds err 'could be entered' 'cannot be entered'
cat >look.py <<'END'
import os, subprocess, sys, threading
print([p for p in sys.path if "tp-" in p or "hook" in p])
print(sorted(m for m in sys.modules if "tp_hook" in m), threading.active_count())
print(os.listdir("/proc/self/fd") and len(os.listdir("/proc/self/fd")))
print(getattr(sys.modules.get("sitecustomize"), "MINE", None), os.environ.get("MINE"))
print(subprocess.run([sys.executable, "-c", "print('child')"], capture_output=True))
END
mkdir own
echo 'import os; MINE = 1; os.environ["MINE"] = str(int(os.environ.get("MINE", 0)) + 1)' >own/sitecustomize.py
PYTHONPATH=$PWD/own PYTHONDONTWRITEBYTECODE=1 "$PYTHON" look.py >plain
PYTHONPATH=$PWD/own PYTHONDONTWRITEBYTECODE=1 tp-time -q -o a.lz4 -- "$PYTHON" look.py >timed
same timed plain 'a sitecustomize that is there runs, and nothing of ours shows'
echo 'raise RuntimeError("mine")' >own/sitecustomize.py
PYTHONPATH=$PWD/own PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -c 'print(2)' >plain 2>&1
PYTHONPATH=$PWD/own PYTHONDONTWRITEBYTECODE=1 tp-time -q -o a.lz4 -- "$PYTHON" -c 'print(2)' >timed 2>&1
same timed plain 'one that fails fails as before'
nothing_left 'nothing of ours is left'
done_testing
