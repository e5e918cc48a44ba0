#!/bin/sh
# Limits: what is beyond one is counted and told in one line, in bounded memory, and
# the rest is used; a bomb ends at a limit.  The figures are those of tp(7), LIMITS.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'
ask() { sqlite3 "$1" "$2" 2>&1 | tr '\n' ' '; }
asan=
case $TP_BUILD in *asan*) asan=1 ;; esac

# within MIB NAME CMD...: status in $?, peak memory at most that
within() {
	mib=$1 name=$2
	shift 2
	"$TP_BUILD/t/measure" "$@" >out 2>err 3>cost
	status=$?
	kib=$(sed -n 's/.*[^0-9]\([0-9][0-9]*\)$/\1/p' cost)
	# a sanitizer's own memory is not ours
	[ "$asan" ] || [ "${kib:-9999999}" -le $((mib * 1024)) ]
	t_result $? "$name: at most $mib MiB" || diag "$kib KiB: $*"
	return $status
}
one_line() { # STATUS RE NAME, of what within() ran
	is "$status $(grep -c . err)" "$1 1" "$3: status $1, one line" || diag "$(head -5 err)"
	holds err "$2" "$3: which says so"
}

# --- devices, threads, steps -------------------------------------------------------
kernels() { # DEVICES
	awk -v n="$1" 'BEGIN { print "{\"traceEvents\":["
		for (i = 0; i < n; i++) printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":%d,\"tid\":7,\"ts\":%d,\"dur\":9,\"args\":{\"device\":%d,\"stream\":7}},\n", i, i * 3, i
		print "{}]}" }'
}
kernels 65000 >devices.json
within 120 '65000 devices' tp-ingest -q -o d.db devices.json
one_line 3 'devices.json: 64744 events left out: more than .* 256 devices' '65000 devices'
is "$(ask d.db 'SELECT count(*), count(DISTINCT device) FROM events; SELECT partial, events
	FROM traces')" '256|256 1|65000 ' 'the first 256 are kept, the trace is marked'
runs 3 'and a view reads it' tp-view2 -j d.db
kernels 256 >devices.json
runs 0 '256 devices are no fault' tp-ingest -q -o e.db devices.json
is "$(ask e.db 'SELECT count(DISTINCT device) FROM events')" '256 ' 'all are there'

awk 'BEGIN { print "{\"traceEvents\":["
	for (i = 0; i < 70000; i++) printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":2},\n", i, i
	print "{}]}" }' >threads.json
within 200 '70000 threads' tp-ingest -q -o t.db threads.json
one_line 3 'threads.json: 4464 events left out: more than 65536 threads' '70000 threads'
is "$(ask t.db 'SELECT count(DISTINCT tid), count(*) FROM events')" '65536|65536 ' \
	'no thread has the records of another'

awk 'BEGIN { print "{\"traceEvents\":["
	for (i = 0; i < 200; i++) printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":9,\"args\":{\"device\":%d,\"stream\":7}},\n", i, i
	for (i = 0; i < 30000; i++) printf "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":2},\n", i, i * 2
	print "{}]}" }' >steps.json
within 250 '30000 steps of 200 devices' tp-ingest -q -o s.db steps.json
one_line 3 'steps.json: 9030 steps left out' '30000 steps of 200 devices'

# --- what a view cannot use ------------------------------------------------------------
{ printf '{"kind":"head","tp":1}\n'
	awk 'BEGIN { for (i = 1; i < 20; i++) printf "{\"kind\":\"step\",\"step\":%d,\"wall_ns\":%d}\n", i, 1000000 + i }'
	printf '{"kind":"step","step":0,"wall_ns":5}\n{"kind":"step","step":7,"wall_ns":-5}\n'
	printf '{"kind":"step","step":21}\n{"kind":"end","records":22,"complete":true}\n'
} >steps.ndjson
runs 3 'steps of no number or a length below 0' tp-window -j steps.ndjson
is "$(cat err)" 'tp-window: 3 steps left out: number or length absent, below 1 or too large' \
	'are counted and told'
is "$(grep -c '"kind":"step"' out) $(grep -c '"kind":"window"' out)" '22 1' \
	'passed on, and a window is chosen from the others'
awk -v n=40 'BEGIN { print "{\"traceEvents\":["
	for (i = 0; i < n; i++) printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":9,\"args\":{\"device\":0,\"stream\":7}},\n", i * 30
	print "{}]}" }' >gaps.json
tp-ingest -q -o g.db gaps.json
sqlite3 g.db 'UPDATE idle SET dur = dur + 5 WHERE id = (SELECT min(id) FROM idle)'
runs 2 'a store whose idle time does not add up' tp-view2 -j g.db
is "$(grep -c . err)" 1 'is refused in one line' || diag "$(cat err)"
holds err 'g.db: .* ns is not .*nothing is written' 'which has both numbers'
# as many kinds of collectives as there are: in a time that does not grow with their square
awk 'BEGIN { print "{\"traceEvents\":["
	for (i = 0; i < 40000; i++) printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":9,\"args\":{\"device\":0,\"stream\":7,\"Collective name\":\"allreduce\",\"In msg nelems\":4,\"dtype\":\"Float\",\"Process Group Name\":\"g%d\",\"Group size\":8}},\n", i * 30, i
	print "{}]}" }' >groups.json
tp-ingest -q -o c.db groups.json
runs 0 '40000 groups' timeout 20 tp-view4 -j c.db
is "$(grep -c '"kind":"view4.collective"' out)" 40000 'have a row each'

# --- lengths and depth ---------------------------------------------------------------
event() { # NAME: ten events, the fifth with that text in it
	awk -v text="$1" 'BEGIN { print "{\"traceEvents\":["
		for (i = 0; i < 10; i++) printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1%s},\n", i, i == 5 ? text : ""
		print "{}]}" }'
}
long() { head -c "$1" /dev/zero | tr '\0' "$2"; }
{ event ',"x":"' | sed '/"x":"/q' | tr -d '\n' | sed 's/},$//'; long 5000000 a; printf '"},\n'
	event '' | tail -5; } >string.json
within 60 'a string of 5 MB' tp-ingest -q -o l.db string.json
one_line 3 'string.json: .*(dropped|not read|too|larger|longer)' 'a string of 5 MB'
is "$(ask l.db 'SELECT count(*) >= 8 FROM events')" '1 ' 'the events around it are there'
{ event '' | head -5; printf '{"ph":"X","name":"deep","args":{"a":'; long 100000 '['; long 100000 ']'
	printf '}},\n'; event '' | tail -5; } >deep.json
within 60 '100000 brackets deep' tp-ingest -q -o p.db deep.json
one_line 3 'deep.json: ' '100000 brackets deep'
{ printf '{"kind":"head","tp":1}\n{"kind":"event","cat":"cpu_op","start_ns":1,"name":"'
	long 17000000 a; printf '"}\n{"kind":"event","cat":"cpu_op","start_ns":2,"name":"b"}\n'
	printf '{"kind":"end","records":2,"complete":true}\n'; } >line.json
within 100 'a line of 17 MB' tp-ingest -q -o n.db line.json
is "$status $(ask n.db 'SELECT count(*) FROM events')" '3 1 ' \
	'is a bad one, the next one is read'

# --- bombs: a thousand to one --------------------------------------------------------
bomb() { # PACK: 400 MB that are not what they should be, of 400 KB
	{ printf '{"traceEvents":[{"ph":"X","name":"'; long 400000000 ' '; } | $1
}
bomb 'gzip -9c' >bomb.gz
within 60 "gzip, $(wc -c <bomb.gz) bytes" tp-ingest -q -o b.db bomb.gz
one_line 3 'bomb.gz: events dropped: larger than 4 MiB' 'gzip'
is "$(ask b.db 'SELECT events, partial FROM traces')" '0|1 ' 'nothing came of it, and is marked'
rm b.db
{ long 400000000 ' '; } | lz4 -9c >bomb.lz4 2>/dev/null
within 60 "LZ4 of blanks, $(wc -c <bomb.lz4) bytes" tp-ingest -q -o b.db bomb.lz4
is "$status $(grep -c . err)" '2 1' 'ends in one line' || diag "$status $(head -3 err)"
for p in tp-window 'tp-rank -t'; do
	# shellcheck disable=SC2086 # two words
	within 100 "$p" $p <bomb.lz4
	[ $status != 0 ]
	t_result $? "$p takes no bomb for a stream"
done
ok test ! -e b.db -- 'no store is left'
done_testing
