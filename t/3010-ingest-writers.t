#!/bin/sh
# The store's file: made whole or not at all, several writers, odd names, no room.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'

trace() { # RANK WORLD MARK: a small trace, other bytes for each MARK
	printf 'user_annotation\tProfilerStep#1\t1\t%s\t1000\ncuda_runtime\tcudaLaunchKernel\t1\t%s\t9\t"correlation": 5\nkernel\tk%s\t7\t%s\t300\t"correlation": 5\n' \
		"$4" "$4" "$3" "$4" |
	awk -v rank="$1" -v world="$2" -v host=n -f "$TOP/t/tools/trace.awk"
}
trace 0 2 a 1000 >rank0.json
trace 1 2 b 1000 >rank1.json
left() { find . -name "$1*" ! -name "$1" | wc -l; }

# --- two at once --------------------------------------------------------------
round=0
while [ $round -lt 8 ]; do
	round=$((round + 1))
	rm -f s.db
	tp-ingest -q -o s.db rank0.json & a=$!
	tp-ingest -q -o s.db rank1.json & b=$!
	wait $a; ra=$?
	wait $b; rb=$?
	echo "$ra $rb $(sqlite3 s.db 'SELECT count(*) FROM traces; PRAGMA integrity_check' | tr '\n' ' ')"
done | sort -u >rounds
is "$(cat rounds)" '0 0 2 ok ' 'two writers of one new store: both are in, every time'
is "$(left s.db)" 0 'and nothing is left beside it'

# --- the same rank again ------------------------------------------------------
rm -f s.db
tp-ingest -q -o s.db rank0.json
trace 0 2 c 1000 >again.json
trace 0 2 d 90000 >later.json
runs 0 'the same rank at another time' tp-ingest -o s.db later.json
holds err 'later.json: rank 0 as rank0.json is' 'is said'
runs 3 'other bytes with the same rank and time' tp-ingest -o s.db again.json
holds err 'again.json: rank 0 at the same time as rank0.json' 'are said'
is "$(sqlite3 s.db 'SELECT count(*), count(DISTINCT trace) FROM steps')" '3|3' \
	'and kept as traces of their own'
is "$(sqlite3 s.db 'SELECT trace FROM traces JOIN trace t USING (path) ORDER BY t.hash' | tr '\n' ' ')" \
	'1 2 3 ' 'numbered in order of their hash'
holds err 'world size 2, 1 of these ranks here, absent: 1' 'ranks that are not there are named'

# --- ranks nobody tells -------------------------------------------------------
sed '/distributedInfo/d' rank0.json >noname.json
sed '/distributedInfo/d' rank1.json >alone.json
sed '/distributedInfo/d' later.json >x_rank3.json
runs 0 'files without a rank' tp-ingest -o u.db noname.json alone.json x_rank3.json
is "$(sqlite3 u.db 'SELECT path, rank, rank_from FROM trace ORDER BY rank' | tr '\n' ' ')" \
	'noname.json|0|assumed alone.json|1|assumed x_rank3.json|3|name ' \
	'get one by their name, else none that another has'
runs 0 '--rank' tp-ingest --rank 6 -o v.db noname.json
is "$(sqlite3 v.db 'SELECT rank FROM traces')" 6 'says it'
runs 2 '--rank for two files' tp-ingest --rank 6 -o v.db noname.json alone.json

# --- what is no store -----------------------------------------------------------
sqlite3 other.db 'CREATE TABLE t (a)'
cp other.db other.keep
echo 'not a database, but long enough to have a header' >text.db
for f in other.db text.db .; do
	runs 2 "$f is no store" tp-ingest -o $f rank0.json
	is "$(wc -l <err)" 1 'one line says so'
done
same other.db other.keep 'another database is left as it was'
cp s.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 9'
runs 2 'a newer store' tp-ingest -o newer.db rank1.json
holds err 'newer.db: store version 9, this program knows 1' 'is refused with one line'
: >empty.db
runs 0 'an empty file' tp-ingest -q -o empty.db rank0.json
is "$(sqlite3 empty.db 'SELECT count(*) FROM traces')" 1 'becomes a store'

# --- someone else writes ----------------------------------------------------------
mkfifo hold
sqlite3 s.db >/dev/null <hold & holder=$!
exec 9>hold
echo 'BEGIN IMMEDIATE; INSERT INTO how VALUES (99, 1);' >&9
sleep 0.3
(sleep 1.2; echo 'ROLLBACK;' >&9) &
runs 0 'while another writes' tp-ingest -o s.db rank1.json
holds err 's.db: another program writes to it, waiting up to 60 s' 'it waits, and says so once'
exec 9>&-
wait $holder
is "$(sqlite3 s.db 'SELECT count(*) FROM traces')" 4 'and then writes'

# --- names ------------------------------------------------------------------------
for name in 'a b.json' 'new
line.json' '-o.json' 'pct%s%n.json' "q'uote\".json" 'file:x?mode=ro#y.json'; do
	cp rank0.json "./$name"
	tp-ingest -o 'st ore?mode=ro#1.db' -- "$name" 2>err
	echo "$? $(sqlite3 'st ore?mode=ro#1.db' 'SELECT count(*) FROM steps') $(wc -l <err)"
	rm -f 'st ore?mode=ro#1.db' "./$name"
done | sort -u >names
is "$(cat names)" '0 1 1' 'names with blanks, quotes, %, newline, and of URIs'
cp rank0.json x.json
runs 0 'a store called like a URI' tp-ingest -q -o 'file:z.db?mode=memory' x.json
ok test -f 'file:z.db?mode=memory' -- 'has exactly that name'

# --- no room ----------------------------------------------------------------------
rm -f k.db
tp-ingest -q -o k.db rank0.json
cp k.db k.keep
full() { (trap '' XFSZ; ulimit -f "$1"; shift; "$@" 2>&1 >/dev/null; echo $?) | cat; }
full 8 tp-ingest -o small.db rank0.json >said
is "$(tail -1 said)" 2 'a new store with no room for it'
holds said 'small.db: .*(large|full)' 'says what could not be written'
is "$(find . -name 'small*' | wc -l)" 0 'and is not left'
full 8 tp-ingest -o k.db rank1.json >said
is "$(tail -1 said)" 2 'more into one with no room'
same k.db k.keep 'which stays as it was'
is "$(find . -name 'k.db?*' | wc -l)" 0 'with nothing beside it'
done_testing
