#!/bin/sh
# tp-ingest killed outright, at random moments and at the calls that leave the
# process: the store is what it was or what it was to be, and the next run
# completes it.  make torture: 500 moments, every call.
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
done_testing
