#!/bin/sh
# The stream from outside: what stream.c promises to every program of the
# toolkit, tried with the filter that the unit test is (t/unit/stream.c).
. "$(dirname "$0")/lib.sh"
S=$TP_BUILD/t/stream
[ -x "$S" ] || skip_all 'the unit tests are not built (make tests)'
command -v lz4 >/dev/null || skip_all 'no lz4'

"$S" make 50 >a.json
"$S" make 300000 -z >big.lz4

# --- faces ------------------------------------------------------------------
"$S" make 50 -z >a.lz4
lz4 -dc a.lz4 >a.un 2>/dev/null
same a.un a.json 'lz4 -dc reads what we write'
is "$(head -c 4 a.lz4 | od -An -tx1 | tr -d ' ')" 04224d18 'and it is an LZ4 frame'
gzip -c a.json >a.gz
"$S" relay -j a.json >want
for f in a.lz4 a.gz; do
	"$S" relay -j "$f" | sed "s/$f/a.json/g" >got
	same got want "$f reads like the plain text"
	"$S" relay -j <"$f" >got
	is "$(tail -n +2 got | cksum)" "$(tail -n +2 want | cksum)" "$f on stdin too"
done
# one byte a read
{ while IFS= read -r l; do printf '%s\n' "$l"; sleep 0.002; done <a.json; } |
	"$S" relay -j >got
is "$(tail -n +2 got | cksum)" "$(tail -n +2 want | cksum)" 'however it is cut into reads'

# --- passing on -------------------------------------------------------------
cat >odd.json <<'EOF'
{"kind":"head","tp":1,"program":"x","version":"9","host":"far","epoch_ns":"12","prov":[{"program":"x"}],"clock":{"a":[1]},"note":"z\u001b"}
{ "kind" : "new.kind", "z":[1,2.50,{"a":null}], "é":"\u00e9\u001b" ,"big":123456789012345678901234567890}
{"no":"kind"}
{"kind":"drop"}
{"kind":"end","records":3,"dropped":2,"complete":true,"job_status":4,"why":["y"]}
EOF
runs 0 'a stream with kinds and keys of tomorrow passes' "$S" relay -j odd.json
sed -n 2,3p out >got
sed -n 2,3p odd.json >want
same got want 'records that nobody consumed are the same bytes'
holds out '^\{"kind":"head","tp":1,"program":"stream","version":"[^"]*","host":"far","epoch_ns":"12",' \
	'the head is ours, with the origin host and epoch'
holds out '"prov":\[\{"program":"x"\},\{"program":"stream","version":"[^"]*","host":"[^"]*","argv":\["[^"]*","relay","-j","odd.json"\]\}\]' \
	'our step is behind theirs in prov'
holds out '"clock":\{"a":\[1\]\},"note":"z\\u001b"\}$' 'keys of the head that nobody knows stay'
is "$(tail -1 out)" '{"kind":"end","records":2,"dropped":2,"complete":true,"job_status":4,"why":["y"]}' \
	'the end counts what was written, and keeps the rest'
# cheap filters stay filters: each adds a step
"$S" relay -z odd.json | "$S" relay -z | "$S" relay -j >out
is "$(grep -o '"program"' out | wc -l)" 5 'three filters, three steps more'

# --- laid end to end --------------------------------------------------------
cat a.json odd.json >ab.json
runs 0 'cat a b is a stream' "$S" read ab.json
is "$(grep -c head out),$(grep -c end out)" 2,2 'with two heads and two ends'
cat a.lz4 a.lz4 >aa.lz4
runs 0 'and so are LZ4 frames' "$S" relay -j aa.lz4
is "$(grep -c '"kind":"head"' out),$(wc -l <out)" 2,104 'one stream out for each one in'
cat a.lz4 a.gz a.json >mixed
"$S" read mixed >out 2>err
is "$?" 3 'faces are not mixed within a file'

# --- cut --------------------------------------------------------------------
size=$(wc -c <a.lz4)
n=0 bad=
while [ $n -lt "$size" ]; do
	head -c $n a.lz4 | "$S" relay -z >cut.z 2>err
	st=$?
	[ $st = 3 ] && [ "$(wc -l <err)" -ge 1 ] || bad="$bad $n:$st"
	# what comes out of a cut stream does not read as whole either
	if [ $((n % 16)) = 0 ] && "$S" read cut.z >/dev/null 2>&1; then
		bad="$bad $n:next"
	fi
	n=$((n + 3))
done
is "$bad" '' 'an LZ4 stream cut anywhere is status 3, and so is what a filter made of it'
half=$(($(wc -c <big.lz4) / 2))
head -c $half big.lz4 | "$S" read >out 2>err
is "$?" 3 'a large one too'
is "$(cat err)" "stream: stdin: cut short: no end record after $(grep -c x out) records: LZ4 ends early at byte $half" 'the one line tells how far it came'
runs 3 'nothing at all is cut' "$S" read /dev/null
is "$(cat err)" 'stream: /dev/null: cut short: no record came' 'and says so'
sed 7d a.json >less
runs 3 'a line that grep took away is missed' "$S" read less
is "$(cat err)" 'stream: less: cut short: the end record counts 50 records, 49 came' 'in one line'

# --- versions and rubbish ---------------------------------------------------
sed '1s/"tp":1/"tp":2/' a.json >v2
runs 2 'another major version is refused' "$S" read v2
is "$(cat err)" 'stream: v2: stream version 2: this program reads version 1' 'in one line'
is "$(wc -c <out | tr -d ' ')" 0 'before anything came out'
{ head -3 a.json; echo 'Traceback (most recent call last):'; echo '  File "x"'; tail -n +4 a.json; } >dirty
runs 3 'lines that are no records are skipped' "$S" read dirty
is "$(grep -c x out)" 50 'all records are there'
is "$(cat err)" 'stream: dirty: line 4 (byte '"$(head -3 a.json | wc -c | tr -d ' ')"'): no record: not JSON, skipped
stream: dirty: 2 lines in all were no records' 'said once, and counted'
head -c 300000 /dev/urandom >noise
"$S" read noise >out 2>err
is "$?" 2 'noise is no stream'
is "$(LC_ALL=C grep -c '[^ -~]' err)" 0 'and none of it reaches the terminal'
runs 2 'a file that is not there' "$S" read nowhere

# --- in time ----------------------------------------------------------------
mkfifo slow
"$S" relay -z <slow >quick &
pid=$!
exec 3>slow
head -3 a.json >&3
i=0
while [ $i -lt 100 ] && [ "$(lz4 -dc quick 2>/dev/null | wc -l)" -lt 3 ]; do
	sleep 0.05
	i=$((i + 1))
done
is "$(lz4 -dc quick 2>/dev/null | wc -l | tr -d ' ')" 3 'records arrive while the writer is silent'
tail -n +4 a.json >&3
exec 3>&-
wait $pid
is "$?" 0 'and the stream ends well'
is "$(lz4 -dc quick 2>/dev/null | wc -l | tr -d ' ')" 52 'with all of it'

# --- a full disk, a reader gone ------------------------------------------------
"$S" make 50 >/dev/full 2>err
is "$?" 2 'a full disk is status 2'
holds err 'No space left' 'and says why'
(trap '' PIPE; "$S" make 200000; echo $? >st) 2>err | head -1 >/dev/null
is "$(cat st),$(wc -c <err | tr -d ' ')" 141,0 'a reader that left ends us by SIGPIPE, in silence'

# --- memory -----------------------------------------------------------------
case $TP_BUILD in
*/asan) skip 1 'the address sanitizer takes memory of its own' ;;
*)
	"$S" make 400000 >long
	# shellcheck disable=SC3045 # dash and bash have it
	is "$(ulimit -v 120000; "$S" read long | wc -l)" 400002 \
		'memory does not grow with the stream' ;;
esac
done_testing
