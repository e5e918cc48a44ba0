#!/bin/sh
# Every program with its Nth read, write, open, close, rename, fsync, malloc, mmap
# or fork failing, SQLite's too: the same as without the fault, or a failure that
# is told, with every file as it was.  make torture: every N.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
command -v lz4 >/dev/null || skip_all 'no lz4'
[ -r "$TP_BUILD/t/fault.so" ] || skip_all 'the shim is not built (make tests)'
case $TP_BUILD in */cov) skip_all 'what counts the lines opens files and takes memory too' ;; esac
export PYTHONDONTWRITEBYTECODE=1

python3 "$TOP/t/tools/faults.py" ${TP_TORTURE:+-e} >said 2>err
st=$?
sed -n 's/^count/# count/p' said
[ $st = 0 ] && grep -q '^count [1-9]' said && ! grep -q '^bad' said
t_result $? 'a fault loses nothing, breaks nothing, and is told' || diag "$(grep -v '^count' said | cut -c1-400; tail -20 err)"
done_testing
