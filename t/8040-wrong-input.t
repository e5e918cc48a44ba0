#!/bin/sh
# Each program with each kind of input that is not its own: one line that names it,
# status 2, no word on stdout, no file.
. "$(dirname "$0")/lib.sh"
for tool in gzip lz4 sqlite3; do
	command -v $tool >/dev/null || skip_all "no $tool"
done

# --- the kinds, each in a file of its name -------------------------------------
gzip -dc "$TOP/t/data/gloo.rank0.json.gz" >trace
gzip -c trace >trace-gz
lz4 -qc trace >trace-lz4
tp-ingest -q -o store trace 2>err || diag "$(cat err)"
gzip -c store >store-gz
tp-ingest -q -z trace >events
tp-view1 -z store >view-rows
for v in 1 2 3 4 5; do tp-view$v -j store; done >all-rows
tp-rank -j all-rows >findings
{
	echo '{"kind":"head","tp":1,"program":"tp-time","version":"0.1","epoch_ns":"1700000000000000000"}'
	for i in 1 2 3 4 5 6 7 8; do
		echo "{\"kind\":\"step\",\"rank\":0,\"step\":$i,\"start_ns\":${i}000000,\"wall_ns\":900000}"
	done
	echo '{"kind":"end","records":8,"dropped":0,"complete":true}'
} >steps
tp-window -j steps >window
sed '1s/"tp":1/"tp":2/' steps >later-stream
cp store later-store
sqlite3 later-store 'PRAGMA user_version = 9'
sqlite3 foreign-db 'CREATE TABLE t (a)'
mkdir folder
: >empty
echo '  ' >blank
gzip -c empty >empty-gz
head -c 20 trace-gz >cut-gz
echo 'Step time was 12 ms' >text
printf 'a,b,c\n1,2,3\n' >table
echo '{"a":1}' >object
echo '[1,2]' >array
printf '{"a":1}\n{"a":2}\n' >json-lines
head -c 4096 /bin/sh >program
printf 'PK\003\004and more' >zip
printf '\050\265\057\375and more' >zstd
printf '\200\004\225\001\000\000segments\000' >pickle
head -c 5000 trace | tr '\n' ' ' >trace-cut
kinds='trace trace-gz trace-lz4 trace-cut store store-gz later-store foreign-db events
	view-rows all-rows findings steps window later-stream folder empty blank empty-gz
	cut-gz text table object array json-lines program zip zstd pickle nowhere'

# --- what is right -------------------------------------------------------------
# program, kinds it takes
cat >right <<'END'
tp-ingest -o new	trace trace-gz trace-lz4 trace-cut events steps window
tp-ingest -t	trace trace-gz trace-lz4 trace-cut events steps window view-rows all-rows findings
tp-window -t	steps window
tp-view1 -t	store
tp-view2 -t	store
tp-view3 -t	store
tp-view4 -t	store
tp-view5 -t	store
tp-trace	store
tp-views -o new	store
tp-rank -t --only 1	view-rows all-rows
END
# what is not right and yet has another status than 2, by the page
status_of() { # PROGRAM KIND
	case $1,$2 in
	tp-window*,events|tp-window*,view-rows|tp-window*,all-rows|tp-window*,findings)
		echo 1 ;; # a stream without steps: no window to be had
	tp-window*,empty|tp-window*,blank|tp-window*,empty-gz|tp-window*,cut-gz)
		echo 3 ;; # a stream that was cut before its first record
	*) echo 2 ;;
	esac
}

names() { # what the line must have: the input and what it is or lacks
	case $1 in
	trace*) echo 'a Chrome trace|a JSON object' ;;
	store*|later-store|foreign-db) echo 'a store|store version 9|an SQLite database' ;;
	steps|window|events|*-rows|findings) echo 'a stream of records|rows of|no window' ;;
	later-stream) echo 'stream version 2|a stream of records' ;;
	folder) echo 'is a directory' ;;
	empty*|blank) echo 'empty|no record came' ;;
	cut-gz) echo 'gzip ends early' ;;
	zip) echo zip ;;
	zstd) echo 'zstd.*unpack' ;;
	nowhere) echo 'No such file' ;;
	pickle) echo pickle ;;
	program) echo ELF ;;
	table) echo CSV ;;
	*) echo 'text|JSON' ;;
	esac
}

while IFS='	' read -r program takes; do
	wrong=''
	for kind in $kinds; do
		case " $takes " in *" $kind "*) continue ;; esac
		rm -rf new
		# shellcheck disable=SC2086 # program and options
		$program $kind >out 2>err </dev/null
		got="$?/$(wc -c <out)/$(wc -l <err)/$(ls -d new 2>/dev/null)"
		[ "$got" = "$(status_of "$program" $kind)/0/1/" ] &&
			grep -Eq "^${program%% *}: .*($(names $kind))" err ||
			wrong="$wrong
$kind: status, bytes, lines, files $got: $(head -3 err)"
	done
	is "$wrong" '' "$program: what is not its own"
	for kind in $takes; do
		rm -rf new
		# shellcheck disable=SC2086
		$program $kind >out 2>err </dev/null || [ $? = 3 ] || echo "$program $kind: $(cat err)"
	done >bad
	is "$(cat bad)" '' 'and what is'
done <right

# the job is not started without a window, and the line says what came instead
for kind in $kinds; do
	[ $kind != window ] && [ $kind != nowhere ] && [ $kind != folder ] || continue
	rm -rf new started
	tp-capture -d new -- touch started <$kind >out 2>err
	got="$?/$(wc -c <out)/$(ls -d started new 2>/dev/null)"
	lines=$(wc -l <err)
	# of a cut stream: what is lost of it, and what follows
	case $kind in empty*|blank|cut-gz) lines=$((lines - 1)) ;; esac
	[ "$got/$lines" = 125/0//1 ] || echo "$kind: $got/$lines: $(cat err)"
done >bad
is "$(cat bad)" '' 'tp-capture: what has no window'
done_testing
