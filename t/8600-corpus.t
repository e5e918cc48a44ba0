#!/bin/sh
# What a fuzzer found, and the seeds it starts from, through each target again: a
# target of t/fuzz stops by itself at what must not be.
. "$(dirname "$0")/lib.sh"

for t_src in "$TOP"/t/fuzz/*.c; do
	name=$(basename "$t_src" .c)
	corpus=$TOP/t/fuzz/corpus/$name
	[ -d "$corpus" ] || corpus=/dev/null
	"$TP_BUILD/replay/$name" "$corpus" >out 2>err
	is "$?" 0 "$name: $(find "$corpus" -type f | grep -c .) inputs" ||
		{ diag "the last one: $(tail -1 out)"; diag "$(tail -20 err)"; }
done
for dir in "$TOP"/t/fuzz/corpus/*; do
	[ -e "$TOP/t/fuzz/$(basename "$dir").c" ] || echo "$dir"
done >lone
is "$(cat lone)" '' 'every corpus has its target'
done_testing
