#!/bin/sh
# The values that the case folders name for views 1, 3 and 5.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
[ -d "$TP_SHARED/cases" ] || skip_all 'no case folders (../shared, or $TP_SHARED)'

python3 "$TOP/t/tools/view_cases.py" "$TP_SHARED/cases" >lines 2>err
is "$?" 0 'the comparison ran' || diag "$(tail -3 err)"
tab=$(printf '\t')
while read -r line; do
	name=${line%%"$tab"*}
	is "${line#"$name"}" '' "$name"
done <lines
done_testing
