#!/bin/sh
# tp-profile passes on that a stage was partial; the stages are stand-ins.
. "$(dirname "$0")/lib.sh"
mkdir -p fake
ln -s "$TOP/share" share
cp "$TOP/bin/tp-profile" fake
cat >fake/stage <<'END'
#!/bin/sh
# makes what -o or -d names; ends with the status in the file NAME.status
name=${0##*/} out='' folder=''
[ ! -e "$name.idle" ] || exit 0
case $name,$* in *-h|tp-window,*-t) exit 0 ;; esac # only looks at its options
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
tp-window,) echo '{"kind":"window","rank":0,"first_step":3,"steps":3}' ;;
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

for engine in torch cupti; do
	: >tp-capture.idle
	runs 2 "engine $engine gave way" fake/tp-profile -q -w way-$engine --engine $engine -- true
	rm tp-capture.idle
	cp err way-$engine.err
	is "$(wc -l <err | tr -d ' ')" 1 'is told in one line'
	holds err 'left no trace: .* had (the window|CUPTI), and ours gave way: run the job without' 'with what to do'
	is "$(ls -A way-$engine/commits/no-commit)" "command
startup.json
steps.ndjson.lz4" 'and leaves no trace'
done
# the line's own words: the script's trace in its place
put=$(sed -n 's/.* put the trace that it wrote there as \(.*\) and do this again$/\1/p' way-torch.err)
ok mkdir "${put%/*}" -- 'the trace of that profiler'
: >"$put"
runs 0 'is gone on with' fake/tp-profile -q -w way-torch -- true
ok test -e way-torch/commits/no-commit/report.md -- 'to the report'

echo 1 >tp-time.status
runs 2 'a command that fails' fake/tp-profile -q -w mended -- trie
rm tp-time.status
is "$(ls -A mended/commits/no-commit)" command 'leaves no product'
echo 125 >tp-capture.status
runs 2 'an engine that cannot work here' fake/tp-profile -q -w able --engine cupti -- true
is "$(ls -d able 2>/dev/null)" '' 'is told before the job runs'
runs 0 'but not asked for' fake/tp-profile -q -w whole -- true
rm tp-capture.status
: >mended/commits/no-commit/partial
runs 0 'the mended command runs in its place' fake/tp-profile -q -w mended --steps 9 -- true
is "$(cat mended/commits/no-commit/command)" '--steps 9 --engine torch -- true' 'and is noted'

runs 2 'with other options' fake/tp-profile -q -w whole --capacity-gb 80 -- true
holds err 'holds another run, --engine torch -- true: ' 'what is there is not taken for it'
mkdir "a 'b"
runs 0 'a folder with a name' fake/tp-profile -q -w "a 'b" -- true 'x
y'
runs 2 'with another command' fake/tp-profile -q -w "a 'b" -- false
is "$(wc -l <err | tr -d ' ')" 1 'is refused in one line'
sh -c "$(sed 's/.*, or \(rm -r \)/\1/' err)"
is "$(ls "a 'b/commits")" '' 'which ends with what makes room'
runs 0 'then it runs' fake/tp-profile -q -w "a 'b" -- false
runs 0 'with the same' fake/tp-profile -q -w whole --engine torch -- true

fake/tp-profile -n -w ws --step optimizer --scope src --capacity-gb 80 -- true >plan
is "$(grep -c -e '--step optimizer' plan)" 2 '-n: the rule goes to both runs'
holds plan '^mkdir -p [.]/ws/commits/no-commit$' 'the place is made'
holds plan ' -- true <[.]/ws/.*/steps.ndjson.lz4$' 'the job is apart from what is read'
echo '[{"kind":"head"},{"kind":"startup","a":1},{"kind":"startup"}]' | tr -d '[]' |
	sed 's/},/}\n/g' >fake/records
printf '#!/bin/sh\ncat fake/records\n' >fake/print
chmod +x fake/print
ln -sf print fake/tp-window
(PATH=$PWD/fake:$PATH; mkdir -p ws/commits/no-commit; eval "$(grep startup.json plan)")
rm -rf whole/commits/no-commit/startup.json whole/commits/no-commit/report.md
fake/tp-profile -q -w whole -- true
same ws/commits/no-commit/startup.json whole/commits/no-commit/startup.json 'startup.json is made so'
is "$(tr -d '\n' <ws/commits/no-commit/startup.json)" '[{"kind":"startup","a":1},{"kind":"startup"}]' \
	'an array of records'
# the last line: the step is the report's, the median of all of the longest rank, not
# that of the stretch in which the window lies
steps() { # RANK WALL...
	at=1000
	rank=$1
	shift
	for wall in "$@"; do
		echo "{\"kind\":\"step\",\"rank\":$rank,\"step\":1,\"start_ns\":$at,\"wall_ns\":$wall}"
		at=$((at + wall))
	done
}
{
	echo '{"kind":"startup","rank":0,"phase":"import","start_ns":0,"dur_ns":1500000000}'
	echo '{"kind":"startup","rank":1,"phase":"import","start_ns":0,"dur_ns":700000000}'
	steps 1 9000000 9000000 9000000
	steps 0 104100000 80000000 104100000 20000000 88400000 80000000 104100000
	echo '{"kind":"window","first_step":3,"steps":3,"typical_ns":104100000}'
	echo '{"kind":"run","rank":0,"peak_host_bytes":2500000000}'
} >fake/records
# view 1 is the real one here, of a store of these records
timed() {
	rm -f timed.db
	{
		echo '{"kind":"head","tp":1,"program":"tp-time","version":"0.1","host":"a","epoch_ns":"1700000000000000000","prov":[]}'
		cat fake/records
		echo "{\"kind\":\"end\",\"records\":$(grep -c . fake/records),\"dropped\":0,\"complete\":true}"
	} | "$TP_BUILD/bin/tp-ingest" -q -o timed.db
}
cat >view1 <<END
#!/bin/sh
case \$1 in -j) exec "$TP_BUILD/bin/tp-view1" -j "$PWD/timed.db" ;; esac
END
chmod +x view1
ln -sf ../view1 fake/tp-view1
timed
fake/tp-profile -q -w whole -- true >out
holds out '^warm-up 1\.5 s, step 88\.4 ms, peak host 2\.50 GB: ' 'the last line has the median of all steps'
steps 0 88600000 >>fake/records
timed
fake/tp-profile -q -w whole -- true >out
holds out ', step 88\.5 ms, ' 'also of an even number'
is "$(grep -c -e '--scope src' plan)" 2 'the scope to store and report'
is "$(grep -c -e '--capacity-gb 80' plan)" 2 'the capacity to text and report'
done_testing
