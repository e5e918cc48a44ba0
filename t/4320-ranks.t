#!/bin/sh
# A job of two ranks over gloo, one of them late: each rank's trace, the same
# collectives on both, and who was late at which line.  t/gpu/ranks asks the same,
# and more, of jobs over NCCL.
. "$(dirname "$0")/lib.sh"
PY=$("$TOP/t/torch-python" 2>/dev/null) || skip_all 'no torch (t/torch-python --make)'
export PYTHONWARNINGS=ignore OMP_NUM_THREADS=1
line=$(grep -n '# the late line' "$TOP/t/jobs/ranks_late.py" | cut -d: -f1)

runs 0 'two ranks, one late by 60 ms a step' tp-capture -d trace --window 3:5 --then stop -- "$PY" \
	-m torch.distributed.run --standalone --nproc_per_node 2 "$TOP/t/jobs/ranks_late.py" 8 60
# shellcheck disable=SC2012 # the names are ours
is "$(ls trace | sed 's/\..*//' | tr '\n' ' ')" 'rank0 rank1 ' 'a trace each, with its rank'
runs 0 'a store of both' tp-ingest -q -o s.db trace/*.gz
tp-view4 -j s.db >rows
all=$(jq -s '[.[] | select(.kind == "view4.arrival")] | length' rows)
ok test "$all" -ge 3 -- 'each step has collectives that are matched'
is "$(jq -c 'select(.kind == "view4.rank") | [.rank, .matched, .ranks_missing]' rows | tr '\n' ' ')" \
	"[0,$all,0] [1,$all,0] " 'all of them, on both ranks'
is "$(jq -s '[.[] | select(.kind == "view4.collective") | .count] | add' rows)" $((2 * all)) 'and no other'
is "$(jq -c 'select(.kind == "view4.rank" and .rank == 1) |
	[.late_line, (.late_file | split("/") | last), .late_func, .late_how]' rows)" \
	"[$line,\"ranks_late.py\",\"load\",\"line\"]" 'the late rank was at the line of its sleep'
# of 3 x 60 ms: the others' own work goes on meanwhile
ok jq -es 'map(select(.kind == "view4.rank")) | .[0].wait_ns > 90e6 and .[0].wait_ns > 3 * .[1].wait_ns' \
	rows -- 'the other waits for it'
ok jq -es 'map(select(.kind == "view4.rank" and .rank == 1)) | .[0].clock_residual_ns < 30e6' rows \
	-- 'with the residual of the clocks'
tp-view4 -t s.db >text
holds text '^late rank: 1, the others waited' 'text names it'
holds text "^  meanwhile its thread was in Python, at .*ranks_late.py:$line \\(load\\)" 'and the line'

TMPDIR=$SCRATCH OUT=$SCRATCH/out
export TMPDIR OUT
runs 2 't/gpu/ranks' "$PY" "$TOP/t/gpu/ranks" none
holds out 'jobs are late ' 'says which jobs there are'
done_testing
