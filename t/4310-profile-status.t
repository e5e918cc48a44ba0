#!/bin/sh
# tp-profile passes on that a stage was partial; the stages are stand-ins.
. "$(dirname "$0")/lib.sh"
mkdir -p fake
cp "$TOP/bin/tp-profile" fake
cat >fake/stage <<'END'
#!/bin/sh
# makes what -o or -d names; ends with the status in the file NAME.status
name=${0##*/} out='' folder=''
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	-d) folder=$2; shift ;;
	--) break ;;
	esac
	shift
done
[ ! "$folder" ] || { mkdir -p "$folder" && : >"$folder/rank0.json.gz"; }
case $name,$out in
*,) ;;
tp-views,*) mkdir -p "$out" ;;
*) : >"$out" ;;
esac
[ ! -e "$name.status" ] || exit "$(cat "$name.status")"
END
chmod +x fake/stage
for p in time window capture ingest view1 view2 view3 view4 view5 rank views; do
	ln -s stage "fake/tp-$p"
done
export GIT_DIR=/nonexistent

runs 0 'all whole' fake/tp-profile -q -w whole -- true
for p in window ingest views rank; do
	echo 3 >tp-$p.status
	runs 3 "tp-$p was partial" fake/tp-profile -q -w "part-$p" -- true
	ok test -e "part-$p/commits/no-commit/report.md" -- 'the report is there'
	rm tp-$p.status
	runs 3 'and still is, gone on with' fake/tp-profile -q -w "part-$p" -- true
	echo 2 >tp-$p.status
	runs 2 "tp-$p failed" fake/tp-profile -q -w "bad-$p" -- true
	rm tp-$p.status
done

runs 2 'with other options' fake/tp-profile -q -w whole --capacity-gb 80 -- true
holds err 'holds another run: --engine torch -- true: ' 'what is there is not taken for it'
runs 0 'with the same' fake/tp-profile -q -w whole --engine torch -- true

fake/tp-profile -n -w ws --step optimizer --scope src --capacity-gb 80 -- true >plan
is "$(grep -c -e '--step optimizer' plan)" 2 '-n: the rule goes to both runs'
is "$(grep -c -e '--scope src' plan)" 2 'the scope to store and report'
is "$(grep -c -e '--capacity-gb 80' plan)" 2 'the capacity to text and report'
done_testing
