#!/bin/sh
# SIGINT and SIGTERM at any moment, that is at the Nth call that leaves the process,
# of every program: it ends by it, or as its job did; every file is as it was or as
# it was to be; no private folder is left.  make torture: every N.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
command -v lz4 >/dev/null || skip_all 'no lz4'
[ -r "$TP_BUILD/t/fault.so" ] || skip_all 'the shim is not built (make tests)'
export PYTHONDONTWRITEBYTECODE=1

python3 "$TOP/t/tools/faults.py" -s ${TP_TORTURE:+-e} >said 2>err
st=$?
sed -n 's/^count/# count/p' said
[ $st = 0 ] && grep -q '^count [1-9]' said && ! grep -q '^bad' said
t_result $? 'a signal leaves nothing half done' || diag "$(grep -v '^count' said | cut -c1-400; tail -20 err)"
done_testing
