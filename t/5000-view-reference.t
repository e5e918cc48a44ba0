#!/bin/sh
# Views 1, 3 and 5 against an independent reference's numbers, equal to the
# nanosecond and the byte, on every trace that has them.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
[ -d "$TP_SHARED/expected" ] || skip_all 'no reference numbers (../shared, or $TP_SHARED)'

python3 "$TOP/t/tools/view_expected.py" "$TP_SHARED" store.db >lines 2>err
is "$?" 0 'the comparison ran' || diag "$(tail -3 err)"
tab=$(printf '\t')
while read -r line; do
	name=${line%%"$tab"*}
	is "${line#"$name"}" '' "$name"
done <lines
done_testing
