#!/bin/sh
# Streams over a real sshd on loopback: each end killed, the connection cut, a
# reader that stalls, eight hosts into one store.  What arrived whole is kept and
# marked, status 3, one line; no process is left behind.
. "$(dirname "$0")/lib.sh"
. "$TOP/t/hosts.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'
hosts_need
host_start gpu7 || skip_all "sshd does not start: $(tail -1 gpu7.log)"
(far gpu7 true) </dev/null || skip_all "no way in over sshd: $(tail -1 gpu7.log)"
hosts_emitter
ask() { sqlite3 "$1" "$2" 2>&1 | tr '\n' ' '; }

# --- whole ---------------------------------------------------------------------
./emit 3 20000 0 | tp-ingest -q -o here.db
(far gpu7 "'$SCRATCH/emit' 3 20000 0 | tp-ingest -z") </dev/null | tp-ingest -q -o far.db 2>err
is "$?" 0 'a whole stream over ssh: status 0'
is "$(cat err)" '' 'and no word'
ask here.db 'SELECT * FROM events; SELECT rank, host, events, partial FROM traces' >here.rows
ask far.db 'SELECT * FROM events; SELECT rank, host, events, partial FROM traces' >far.rows
same far.rows here.rows 'the store is that of a stream from here'
all_gone 'and nothing is left'

# --- cut: of 5000 + 5000 events the second half never comes ------------------------
emitting="'$SCRATCH/emit' 2 5000 5000 | $(numbered 'tp-ingest -z')"
at_half() { # the first half is through
	session gpu7 "$emitting"
	wait_for half && sleep 0.5
}
at_half
kill -9 "$(cat far.pid)"
cut_kept 5000 'the far program killed'
at_half
kill -9 "$(cat peer)"
cut_kept 5000 'the connection killed at the far end'
at_half
kill -9 "$(cat ssh.pid)"
cut_kept 5000 'ssh killed at the near end'

# in the middle of a frame: three frames, of the last one a half
for part in 1 2 3; do
	./emit 4 4000 0 | sed -n "$((part * 1500 - 1499)),$((part * 1500))p" | lz4 -c
done >three.lz4
size=$(wc -c <three.lz4)
session gpu7 "head -c $((size - size / 6)) '$SCRATCH/three.lz4'; : >half; '$SCRATCH/hold'"
wait_for half && sleep 0.5
kill -9 "$(cat peer)"
wait "$SESSION"
is "$(cat status) $(grep -c . err)" '3 1' 'cut in a frame: status 3, one line' ||
	diag "$(cat err)"
got=$(sqlite3 cut.db 'SELECT count(*) FROM events')
[ "$got" -ge 2999 ] && [ "$got" -lt 4000 ]
t_result $? 'the frames before it are kept, and blocks of it' || diag "$got events"
: >go
all_gone 'nothing is left'

# --- the near end dies ----------------------------------------------------------------
for signal in KILL TERM; do
	at_half
	kill -$signal "$(cat near.pid)"
	: >go
	wait "$SESSION"
	all_gone "the near program gone by SIG$signal: nothing is left"
	ok test ! -e cut.db -- 'and no store either'
done

# a job of the far end does not notice
rm -f ran job
(far gpu7 "tp-time -q -- sh -c 'sleep 1; : >ran; exit 7'; echo \$? >job") </dev/null |
	head -c 7 >/dev/null
wait_for job
is "$(cat job) $(ls ran)" '7 ran' 'the reader of tp-time goes away: the job runs on'
rm -f ran job peer
(far gpu7 "echo \$PPID >peer; tp-time -q -- sh -c 'sleep 1; : >ran; exit 7'; echo \$? >job") \
	</dev/null >out 2>&1 &
timing=$!
wait_for peer && sleep 0.3
kill -9 "$(cat peer)"
wait_for job
is "$(cat job) $(ls ran)" '7 ran' 'its connection is cut: the job runs on'
wait $timing
all_gone 'nothing is left'

# --- a reader that stalls ---------------------------------------------------------------
stall=2
[ ! "${TP_TORTURE:-}" ] || stall=60
session gpu7 "'$SCRATCH/emit' 5 60000 0 | tp-ingest -j" \
	sh -c "sleep $stall; exec tp-ingest -q -o cut.db"
wait "$SESSION"
is "$(cat status) $(cat err) $(sqlite3 cut.db 'SELECT events, partial FROM traces')" \
	'0  60000|0' "a reader that stalls for $stall s gets it all"

# --- eight hosts into one store -----------------------------------------------------------
loading=
for rank in 0 1 2 3 4 5 6 7; do
	(
		(far gpu7 "'$SCRATCH/emit' $rank 500 0 | tp-ingest -z") </dev/null |
			tp-ingest -q -o all.db 2>"err.$rank"
		echo "$rank $?" >"status.$rank"
	) &
	loading="$loading $!"
done
# shellcheck disable=SC2086 # several; a bare wait would wait for sshd
wait $loading
is "$(cat status.* | tr '\n' ' ')" '0 0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 ' \
	'eight hosts into one store at once: status 0 each' || diag "$(cat err.*)"
is "$(sqlite3 all.db 'SELECT rank, host, events, partial FROM traces ORDER BY rank;
	PRAGMA integrity_check' | tr '\n' ' ')" \
	"$(for rank in 0 1 2 3 4 5 6 7; do printf '%s|h%s|500|0 ' $rank $rank; done)ok " \
	'and all of each is there'
all_gone 'nothing is left'
echo '# count 8 hosts into one store'
echo '# count 7 connections or ends cut'
done_testing
