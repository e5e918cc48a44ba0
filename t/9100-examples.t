#!/bin/sh
# The examples of README.md: each line "    $ ..." runs, and prints what stands
# below it, in a directory with a trace.json.
. "$(dirname "$0")/lib.sh"
for tool in jq lz4; do
	command -v $tool >/dev/null || skip_all "no $tool"
done

gzip -dc "$TOP/t/data/demo.json.gz" >trace.json || skip_all 'no demo trace'
# one file a block: the command first, what it prints behind
# (an empty line belongs to it when an indented one follows)
awk '/^    \$ / { n++; sub(/^    \$ /, ""); print >(n ".cmd"); on = 1; gap = 0; next }
	/^    / && on {
		for (; gap; gap--) print "" >(n ".want")
		sub(/^    /, ""); print >(n ".want"); next
	}
	/^$/ && on { gap++; next }
	{ on = 0 }' "$TOP/README.md"
n=1
while [ -e $n.cmd ]; do
	cmd=$(cat $n.cmd)
	touch $n.want
	sh -c "$cmd" >$n.got 2>$n.err
	is $? 0 "runs: $cmd" || diag "$(head -5 $n.err)"
	same $n.got $n.want "prints that: $cmd"
	n=$((n + 1))
done
ok test $n -gt 3 -- 'README.md has examples'
is "$(($(wc -l <"$TOP/README.md") <= 120))" 1 'README.md fits 120 lines'

runs 0 'the demo' sh "$TOP/share/demo.sh"
holds out '^adds up: [0-9]' 'shows a view'
is "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'tp-demo.*' -user "$(id -un)" -newer trace.json)" '' \
	'and leaves nothing'
done_testing
