#!/bin/sh
# What is faulty in a trace is repaired and counted, what cannot be read costs
# itself alone, and what is no trace is named.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'

# ev NAME TS [ARGS]: one operator
ev() { printf '{"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 1, "tid": 1, "ts": %s, "dur": 1%s}' "$1" "$2" "${3:-}"; }
object() { printf '{"schemaVersion": 1, "traceEvents": [\n%s\n]}\n' "$1"; }
names() { sqlite3 s.db "SELECT name FROM events ORDER BY ts_ns" | paste -sd ' '; }
count() { sqlite3 s.db "SELECT $1 FROM traces"; }

# fault STATUS COUNTER COUNT NAMES WHAT: t.json loads so
fault() {
	rm -f s.db
	runs "$1" "$5: loads" tp-ingest -o s.db t.json
	is "$(names)" "$4" "$5: every event"
	is "$(count "$2")" "$3" "$5: counted"
	holds err 't\.json: ' "$5: said"
}

a=$(ev a 1) b=$(ev b 2) c=$(ev c 3)
object "$a, $(ev 'C:\users\x' 2), $c" >t.json
fault 0 bad_escapes 1 'a C:\users\x c' 'lone backslashes'
object "$a, $(ev 'f("q", 1)' 2), $c" >t.json
fault 0 bare_quotes 1 'a f("q", 1) c' 'bare quotes'
object "$(ev "$(printf 'a\001')" 1), $b" >t.json
fault 0 control_names 1 "$(printf 'a\001') b" 'control bytes'
object "$a, $(ev b 2 ', "args": {"x": -nan(ind), "y": N/A}')" >t.json
fault 0 nonnumeric 2 'a b' 'no numbers'
object "$a, $b,
]" >t.json
sed -i '$d' t.json; echo '}' >>t.json
fault 0 trailing_commas 1 'a b' 'a trailing comma'
object "$a
$b" >t.json
fault 0 missing_commas 1 'a b' 'a missing comma'
object "$(ev a 9 ', "ts": 1'), $b" >t.json
fault 0 dup_keys 1 'a b' 'a key twice'
object "$a, {\"ph\": \"X\" oops}, $c" >t.json
fault 3 bad_events 1 'a c' 'an unreadable event'
object "$a, $b" >t.json
object "$c" >>t.json
fault 3 'trailing_bytes > 0' 1 'a b' 'a second document'
object "$a, $b, $c" | head -c 230 >t.json
fault 3 partial 1 'a b' 'a cut tail'
holds err 'byte 230' 'a cut tail: where'

# forms
printf '[%s, %s,' "$a" "$b" >t.json
rm -f s.db; runs 0 'an array with no bracket' tp-ingest -o s.db t.json
is "$(names)" 'a b' 'an array with no bracket: every event'
printf '\357\273\277{"traceEvents": [%s], "baseTimeNanoseconds": 1700000000000000000, "distributedInfo": {"rank": 5}}' "$a" >t.json
rm -f s.db; runs 0 'a mark of byte order, base and rank behind' tp-ingest -o s.db t.json
is "$(sqlite3 s.db 'SELECT ts_ns, rank FROM events')" '1700000000000001000|5' 'base and rank behind the events'

# named and refused, with no store made
refused() { # WHAT FILE
	rm -f s.db
	runs 2 "$1: refused" tp-ingest -o s.db "$2"
	holds err "$2: .*$1" "$1: named"
	ok test ! -e s.db -- "$1: no store"
}
sqlite3 n.sqlite 'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER)'
refused 'Nsight Systems' n.sqlite
echo '{"schema": "1.0.1", "pid": 1, "nodes": []}' >et.json
refused 'execution trace' et.json
printf '\200\004\225 device_traces' >m.pickle
refused 'memory snapshot' m.pickle
printf '<!DOCTYPE html>\n<html></html>\n' >p.html
refused 'HTML' p.html
printf '{"a": 1}\n{"a": 2}\n' >l.ndjson
refused 'no tp stream' l.ndjson
echo '{"traceEvents": 1}' >none.json
refused 'no traceEvents' none.json

# a log of 30 MB and an event of 6 MB cost no memory
case $TP_BUILD in *asan) limit= ;; *) limit='ulimit -v 300000;' ;; esac
{
	printf '{"INFO": ["'; head -c 30000000 /dev/zero | tr '\0' x
	printf '"], "traceEvents": [%s, {"ph": "X", "name": "' "$a"
	head -c 6000000 /dev/zero | tr '\0' y; printf '", "ts": 1}, %s]}' "$c"
} >t.json
rm -f s.db
runs 3 'a giant event' sh -c "$limit exec tp-ingest -o s.db t.json"
is "$(names)" 'a c' 'a giant event costs itself alone'
done_testing
