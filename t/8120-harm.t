#!/bin/sh
# Capture does no harm: a job's result under tp-time and tp-capture (both engines) is
# the plain one's, whatever goes wrong with us or with it.  One run of each fault, under
# one of the three.  make torture: 100 each under all three.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
command -v lz4 >/dev/null || skip_all 'no lz4'
[ -r "$TP_BUILD/t/fault.so" ] || skip_all 'the shim is not built (make tests)'
export PYTHONDONTWRITEBYTECODE=1
seed=${TP_SEED:-$(date +%s)} times=1
HARM_PYTHONS=$("$TOP/t/pythons" | awk '$1 != "3.8" { print $2 }' | xargs)
if [ "${TP_TORTURE:-}" ]; then
	times=100
	HARM_TORCH=$("$TOP/t/torch-python" 2>/dev/null)
	export HARM_TORCH
fi
export HARM_PYTHONS
# a small disk of our own, which nobody else sees
unshare -m true 2>/dev/null && apart='unshare -m' || apart=

# shellcheck disable=SC2086 # words
$apart python3 "$TOP/t/tools/harm.py" "${TP_TIMES:-$times}" "$seed" >said 2>err
st=$?
sed -n 's/^count/# count/p; s/^not run:/# &/p; s/^seed/# TP_SEED/p' said
[ $st = 0 ] && grep -q '^count [1-9]' said && ! grep -q '^bad' said
t_result $? 'a job is what it is without us' ||
	diag "$(grep '^bad' said | cut -c1-1500; tail -20 err; echo "TP_SEED=$seed")"
done_testing
