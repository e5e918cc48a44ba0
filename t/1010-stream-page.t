#!/bin/sh
# tp-stream(5) against the code: every key that the library writes stands in the
# page, its limits are the ones that hold, its examples are streams.
. "$(dirname "$0")/lib.sh"
PAGE=$TOP/doc/tp-stream.5
S=$TP_BUILD/t/stream

# words after the macros that mark keys
sed -n 's/^\.\(It \)*Cm //p; s/^\.Brq Cm //p' "$PAGE" | tr -d ',' | tr ' ' '\n' |
	sort -u >told
{
	sed -n 's/^	X("\([a-z_]*\)".*/\1/p' "$TOP/lib/evrec.c"
	sed -n 's/.*\(jw_k[a-z]*\|jw_key\|put_known\)(jw, "\([a-z_]*\)".*/\2/p' \
		"$TOP/lib/evrec.c" "$TOP/lib/evrec_info.c" "$TOP/lib/stream_write.c"
} | sort -u >written
[ "$(grep -c . written)" -gt 40 ]
t_result $? 'the keys are found in the code'
comm -23 written told >missing
is "$(tr '\n' ' ' <missing)" '' 'every key that is written stands in the page'

while read -r cat; do
	grep -q "^\.Ql $cat\( ,\| \.\)*$" "$PAGE" || echo "$cat"
done >missing <<EOF
$(sed -n 's/^	X(CAT_[A-Z_]*, *"\([a-z_]*\)".*/\1/p' "$TOP/lib/event.h" | grep -v '^mem$')
EOF
is "$(tr '\n' ' ' <missing)" '' 'and every category'

limit() { sed -n "s/^#define REC_$1_MAX (*\([0-9u <]*\)).*/\1/p;
	s/^#define REC_$1_MAX \([0-9]*\)$/\1/p" "$TOP/lib/rec.h" | tr -d u; }
words=$(tr '\n' ' ' <"$PAGE")
case $words in
*"at most $(($(limit LINE))) bytes, $(limit DEPTH) levels of nesting and $(limit KEYS) keys"*) true ;;
*) false ;;
esac
t_result $? 'the limits are those of rec.h'

[ -x "$S" ] || { skip 2 'the unit tests are not built'; done_testing; exit; }
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$PAGE" | grep '^{' >hand
runs 0 'the stream by hand is one' "$S" read hand
is "$(tr '\n' ' ' <out)" 'head step step end ' 'with its four records'
done_testing
