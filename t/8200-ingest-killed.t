#!/bin/sh
# tp-ingest killed outright, at random moments and at the calls that leave the
# process: the store is what it was or what it was to be, and the next run
# completes it.  make torture: 500 moments, every call.
# shellcheck disable=SC2086 # the words of a command in a variable
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
[ -r "$TP_BUILD/t/fault.so" ] || skip_all 'the shim is not built (make tests)'
export PYTHONDONTWRITEBYTECODE=1
if [ "${TP_TORTURE:-}" ]; then moments=500 step=1; else moments=50 step=13; fi
seed=${TP_SEED:-$(date +%s)}

hurt() { # NAME ARG...
	name=$1
	shift
	python3 "$TOP/t/tools/kills.py" "$@" >said 2>err
	st=$?
	sed -n 's/^count/# count/p' said
	[ $st = 0 ] && grep -q '^count [1-9]' said && ! grep -q '^bad' said
	t_result $? "$name" || { diag "$(cat said err)"; diag "TP_SEED=$seed"; }
}
hurt 'killed at random moments, a store is the old one or the whole new one' moments $moments "$seed"
hurt 'killed at a call, before it or with half a write done, as well' calls $step

# --- a killed writer's journal, seen by who reads ---------------------------------
trace() { # RANK
	printf 'user_annotation\tProfilerStep#1\t1\t1000\t1000\ncuda_runtime\tcudaLaunchKernel\t1\t1000\t9\t"correlation": 5\nkernel\tk%s\t7\t1000\t300\t"correlation": 5\n' "$1" |
	awk -v rank="$1" -v world=2 -v host=n -f "$TOP/t/tools/trace.awk"
}
mkdir -m 755 torn
trace 0 >rank0.json
trace 1 >rank1.json
tp-ingest -q -o s.db rank0.json
tp-view1 -j s.db >want
preload=$TP_BUILD/t/fault.so
case $TP_BUILD in *asan) preload=$(${CC:-gcc} -print-file-name=libasan.so):$preload ;; esac
# the journal is on the disk, the store half written: at one of the first fsyncs
for n in 1 2 3 4 5 6; do
	cp s.db torn/s.db
	head -c 1024 /dev/zero >state
	{ LD_PRELOAD=$preload TP_FAULT=fsync:$n:kill TP_FAULT_STATE=state \
		tp-ingest -q -o torn/s.db rank1.json; } 2>/dev/null
	cmp -s s.db torn/s.db || break
	rm -f torn/.s.db* torn/s.db-journal
done
ok test -s torn/s.db-journal -- 'a kill left a store half written, and its journal'
chmod 755 "$SCRATCH"
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
if [ "$(id -u)" = 0 ] && $nobody tp-view1 -V >/dev/null 2>&1; then
	runs 2 'who may not write cannot read it' $nobody tp-view1 -j torn/s.db
	holds err 's.db: a program was killed while it wrote there, and undoing that takes the right to write$' 'and is told why'
else
	skip 2 'needs root, and programs that nobody can run'
fi
runs 0 'who may write undoes it by reading' tp-view1 -j torn/s.db
holds err 's.db: a program was killed while it wrote there: undone$' 'and is told so'
is "$(tail -n +2 out | cksum)" "$(tail -n +2 want | cksum)" 'the view is what it was'
runs 0 'once more' tp-view1 -j torn/s.db
is "$(cat err)" '' 'there is nothing to tell'
done_testing
