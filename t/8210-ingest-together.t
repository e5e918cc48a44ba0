#!/bin/sh
# Two, then eight tp-ingest at once into one store, new or there, with readers on
# it: all ranks are there, nobody fails, no wait passes the bound of a minute.
. "$(dirname "$0")/lib.sh"
for need in python3 sqlite3; do
	command -v $need >/dev/null || skip_all "no $need"
done
export PYTHONDONTWRITEBYTECODE=1
rounds=1
[ ! "${TP_TORTURE:-}" ] || rounds=20

together() { # NAME WRITERS READERS [new]
	name=$1
	shift
	python3 "$TOP/t/tools/together.py" "$1" "$2" $rounds ${3:-} >said 2>err
	st=$?
	sed -n 's/^count/# count/p; s/^longest/# &/p' said
	[ $st = 0 ] && grep -q '^count [1-9].* writers' said && ! grep -q '^bad' said
	t_result $? "$name" || diag "$(cat said; tail -5 err)"
	rm -f s.db
}
together 'two at once into a new store, one reads' 2 1 new
together 'two at once into a store, two read' 2 2
together 'eight at once into a new store, two read' 8 2 new
together 'eight at once into a store, four read' 8 4

# --- someone holds the store for more than the bound ------------------------------
[ "${TP_TORTURE:-}" ] || { done_testing; exit 0; }
tp-ingest -q -o s.db rank0.json
cp s.db keep.db
mkfifo hold
sqlite3 s.db >/dev/null <hold & holder=$!
exec 9>hold
echo 'BEGIN IMMEDIATE;' >&9
sleep 0.3
began=$(date +%s)
runs 2 'a writer waits its minute, and then ends with 2' tp-ingest -o s.db rank1.json
took=$(($(date +%s) - began))
[ $took -ge 58 ] && [ $took -le 75 ]
t_result $? 'which is a minute' || diag "$took s"
is "$(grep 's\.db' err)" 'tp-ingest: s.db: another program writes to it, waiting up to 60 s
tp-ingest: s.db: store is in use' 'it says so, once each'
runs 0 'a view reads meanwhile' tp-view1 -j s.db
exec 9>&-
wait $holder
same s.db keep.db 'and the store is as it was'
done_testing
