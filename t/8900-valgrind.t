#!/bin/sh
# Every unit test, and every program on the demo trace, under valgrind: no bad read
# or write, nothing uninitialised that decides, no leak.  `make torture
# TORTURE=valgrind`, some minutes; the release build (a sanitizer and valgrind
# exclude each other).
. "$(dirname "$0")/lib.sh"
[ "${TP_TORTURE:-}" ] || skip_all 'takes minutes: make torture TORTURE=valgrind'
command -v valgrind >/dev/null || skip_all 'no valgrind'
case $TP_BUILD in */release|*/debug) ;; *) skip_all 'an instrumented build' ;; esac

# what a fork leaves behind in a child that execs or exits is no leak of ours
guard() {
	valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect,possible \
		--errors-for-leak-kinds=definite,indirect,possible --child-silent-after-fork=yes "$@"
}
clean() { # STATUS NAME COMMAND...
	want=$1 name=$2
	shift 2
	guard "$@" >out 2>err </dev/null
	st=$?
	[ $st = "$want" ]
	t_result $? "$name" || { diag "status $st"; diag "$(grep '^==' err | head -30)"; }
	runs_done=$((runs_done + 1))
}
runs_done=0

# these measure their own memory, or write gigabytes of their own
slow=' load limits '
for c in "$TOP"/t/unit/*.c; do
	u=$(basename "$c" .c)
	case $slow in *" $u "*) continue ;; esac
	clean 0 "unit $u" "$TP_BUILD/t/$u"
done

trace=$TOP/t/data/demo.json.gz
clean 0 'tp-ingest' tp-ingest -q -o s.db "$trace"
clean 0 'tp-ingest, again' tp-ingest -q -o s.db "$trace"
clean 0 'tp-ingest -n' tp-ingest -q -n "$trace"
clean 0 'tp-ingest, records' tp-ingest -q -z "$trace"
mv out events.tp
clean 0 'tp-ingest of records' tp-ingest -q -o r.db events.tp
for v in 1 2 3 4 5; do
	clean 0 "tp-view$v" tp-view$v -j s.db
	mv out $v.rows
	clean 0 "tp-view$v -t" tp-view$v -t --all s.db
done
clean 0 'tp-trace' tp-trace s.db
clean 0 'tp-rank' tp-rank -j [1-5].rows
clean 0 'tp-rank -t' tp-rank -t [1-5].rows
clean 0 'tp-time' tp-time -j -- true
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	echo "{\"kind\":\"step\",\"step\":$n,\"wall_ns\":$((1000000 + n % 3))}"
done >steps
{ echo '{"kind":"head","tp":1}'; cat steps; echo '{"kind":"end","records":20}'; } >steps.tp
clean 0 'tp-window' tp-window -j steps.tp
clean 125 'tp-capture' tp-capture --window 1:2 -d traces -- true
head -c 100000 "$trace" >cut.json.gz
clean 3 'a trace that is cut' tp-ingest -q -o cut.db cut.json.gz
clean 2 'a store that is none' tp-view1 steps.tp
echo "# count $runs_done programs under valgrind"
done_testing
