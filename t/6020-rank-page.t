#!/bin/sh
# tp-rank(1) and tp-causes(5) against the code and the causes that come along.
. "$(dirname "$0")/lib.sh"

told() { # PAGE: the words after the macros that mark keys
	sed -n 's/^\.\(It \)*Cm //p' "$TOP/doc/$1" | tr -d ',.' | tr ' ' '\n' | sort -u
}

told tp-rank.1 >told
sed -n 's/.*\(jw_k[a-z]*\|jw_key\|put_micro\|put_words\)(w, "\([a-z_]*\)".*/\2/p' \
	"$TOP/lib/rank_put.c" | sort -u >written
ok test "$(grep -c . written)" -gt 30 -- 'the keys are found in the code'
is "$(comm -23 written told | tr '\n' ' ')" '' 'every key that is written stands in tp-rank(1)'

told tp-causes.5 >told
sed -n 's/.*text_is(key, "\([a-z]*\)").*/\1/p; s/.*{ "\([a-z]*\)", &c->.*/\1/p
	s/.*{ "\([a-z]*\)", &c->[a-z]* }, { "\([a-z]*\)", &c->.*/\2/p' "$TOP/lib/cause.c" |
	sort -u >written
sed -n 's/.*strcmp(field, "\([a-z_]*\)").*/\1/p' "$TOP/lib/rank_cond_eval.c" | sort -u >>written
sort -u written >all
ok test "$(grep -c . all)" -gt 15 -- 'the words of the causes file are found'
is "$(comm -23 all told | tr '\n' ' ')" '' 'every one stands in tp-causes(5)'

# the example of the page is a causes file
sed -n '/^cause blocking-copy-in/,/^\.Ed/p' "$TOP/doc/tp-causes.5" | sed '$d' >example
runs 0 'the example of tp-causes(5) can be used' \
	tp-rank -t --causes example "$TOP/t/golden/rank-train/in"
holds out 'copies from pageable memory and waits' 'and fires'

# causes that come along
list=$TOP/share/causes.conf
is "$(grep -c '^cause ' "$list")" "$(grep '^cause ' "$list" | sort -u | grep -c .)" 'each name once'
is "$(grep -v '^	\(take\|see\|least\|most\|measure\)\|^#' "$list" |
	grep -E '(^|[^A-Za-z0-9_=])[0-9]')" '' 'no number in the words that the report shows'
done_testing
