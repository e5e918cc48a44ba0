#!/bin/sh
# tp(7) against the tree: it names every program and every page, and its
# pipelines use options that the programs have.
. "$(dirname "$0")/lib.sh"
PAGE=$TOP/doc/tp.7

for f in "$TOP"/bin/tp-*; do
	[ -f "$f" ] || continue
	name=${f##*/}
	echo "${name%.c}"
done | sort -u >here
sed -n 's/^\.It Xr \(tp-[a-z0-9]*\) 1$/\1/p' "$PAGE" | sort >told
is "$(comm -23 here told | tr '\n' ' ')" '' 'every program stands in tp(7)'
[ "$(comm -12 here told | wc -l)" -ge 3 ]
t_result $? 'and the list is found in both'
for f in "$TOP"/doc/*.5; do
	name=${f##*/}
	grep -q "^\.Xr ${name%.5} 5\( ,\)*\$" "$PAGE" || echo "$name"
done >missing
is "$(cat missing)" '' 'and every format'

# every option in an example is one of its program's
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$PAGE" | grep -o 'tp-[a-z0-9]* [^|;)]*' |
	sed 's/ -- .*//' >calls
while read -r prog words; do
	grep -qx "$prog" here || continue
	"$prog" -h >help </dev/null 2>&1
	for w in $words; do
		case $w in
		-*) grep -Eq -e "(^| )$w([ ,]|\$)" help || echo "$prog $w" ;;
		esac
	done
done <calls >wrong
[ "$(grep -c . calls)" -gt 8 ]
t_result $? 'the examples are found'
is "$(cat wrong)" '' 'every option in an example exists'

# every promise names its tests, and they are there
awk '/^\.Sh / { on = /PROMISES/ } on' "$PAGE" >promises
for t in $(grep -o 't/[0-9]*-[a-z0-9-]*\.t' promises); do
	[ -e "$TOP/$t" ] || echo "$t is not there"
done >wrong
awk '/^\.It / { if (it != "" && !named) print it; it = $0; named = 0 } /^\.Pq Pa t\// { named = 1 }
	END { if (!named) print it }' promises >>wrong
is "$(cat wrong)" '' 'every promise names its tests'
ok [ "$(grep -c '^\.It ' promises)" -ge 8 ] -- 'and they are found'
done_testing
