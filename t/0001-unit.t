#!/bin/sh
# The unit tests: every program of $TP_BUILD/t prints TAP of its own; here each
# of their tests becomes one of ours.
. "$(dirname "$0")/lib.sh"

for t_bin in "$TOP"/t/unit/*.c; do
	name=$(basename "$t_bin" .c)
	prog=$TP_BUILD/t/$name
	if [ ! -x "$prog" ]; then
		t_result 1 "$name is built"
		continue
	fi
	CMOCKA_MESSAGE_OUTPUT=TAP "$prog" >tap 2>err
	status=$?
	grep -E '^(ok|not ok) ' tap >lines
	while read -r verdict rest; do
		[ "$verdict" = ok ]
		t_result $? "$name: ${rest##* - }" </dev/null
	done <lines
	# a crash ends the list early; its status and the plan tell
	want=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' tap)
	is "$status ${want:-no plan}" "0 $(grep -c . lines)" "$name: all ran"
	[ $status = 0 ] || { diag "$(grep -vE '^ok ' tap | head -40)"; diag "$(head -60 err)"; }
done
done_testing
