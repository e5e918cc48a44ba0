#!/bin/sh
# Streams between hosts whose link is cut: network namespaces with an sshd each.
# TP_TORTURE=1: eight hosts, and the cut at many moments.
. "$(dirname "$0")/lib.sh"
. "$TOP/t/hosts.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'
[ "$(id -u)" = 0 ] || skip_all 'network namespaces need root'
command -v ip >/dev/null || skip_all 'no ip (iproute2)'
hosts=3 rounds=2
[ ! "${TP_TORTURE:-}" ] || hosts=8 rounds=25

# --- a network: one near host, the others each behind a link of its own ------------
net=tp$$
net_gone() {
	hosts_stop
	for n in near $(seq $hosts); do ip netns del "$net-$n"; done 2>/dev/null
}
hosts_need
# shellcheck disable=SC2154 # set in the trap itself
trap 'hosts_status=$?; net_gone; (exit $hosts_status); t_exit' EXIT
net_make() {
	ip netns add "$net-near" && ip -n "$net-near" link set lo up || return
	for n in $(seq $hosts); do
		ip netns add "$net-$n" &&
			ip link add "v$n" netns "$net-near" type veth peer name far netns "$net-$n" &&
			ip -n "$net-near" addr add "10.9.$n.1/24" dev "v$n" &&
			ip -n "$net-$n" addr add "10.9.$n.2/24" dev far &&
			ip -n "$net-near" link set "v$n" up &&
			ip -n "$net-$n" link set far up && ip -n "$net-$n" link set lo up || return
	done
}
net_make 2>net.err || skip_all "no network namespaces here: $(head -1 net.err)"
for n in $(seq $hosts); do
	host_start "gpu$n" "$net-$n" "10.9.$n.2" ||
		skip_all "sshd does not start in a namespace: $(tail -1 "gpu$n.log")"
done
NEAR="ip netns exec $net-near"
(far gpu1 true) </dev/null || skip_all "no way in over sshd: $(tail -1 gpu1.log)"
hosts_emitter
link() { ip -n "$net-near" link set "v$1" "$2"; }

# --- a link that goes -------------------------------------------------------------
emitting="'$SCRATCH/emit' 1 5000 5000 | tp-ingest -z"
session gpu1 "$emitting"
wait_for half && sleep 0.5
link 1 down
cut_kept 5000 'the link goes at the half'
link 1 up
is "$(sqlite3 cut.db 'SELECT host FROM traces')" h1 'the store knows whose it is'

# for less than what counts as dead: nothing is lost
session gpu1 "$emitting"
wait_for half && link 1 down
: >go
sleep 0.7
link 1 up
wait "$SESSION"
is "$(cat status) $(cat err) $(sqlite3 cut.db 'SELECT events, partial FROM traces')" \
	'0  10000|0' 'a link that comes back: all of it is there'
all_gone 'and nothing is left'

# --- at any moment: the first host's link goes, the others' streams are whole ---------
round=0
while [ $round -lt $rounds ]; do
	round=$((round + 1))
	rm -f half go all.db status.* err.*
	loading=
	for n in $(seq $hosts); do
		(
			(far "gpu$n" "'$SCRATCH/emit' $n 40000 0 | tp-ingest -z") </dev/null |
				tp-ingest -q -o all.db 2>"err.$n"
			echo $? >"status.$n"
		) &
		loading="$loading $!"
	done
	sleep "$(awk -v r=$round "BEGIN { print 0.6 + r * 37 % 100 / 100 }")"
	link 1 down
	# shellcheck disable=SC2086 # several
	wait $loading
	link 1 up
	# at hand when it was cut: nothing (2), a part (3) or all (0)
	want=2:0
	[ "$(cat status.1)" = 2 ] || want=$(cat status.1):1
	rows=$(sqlite3 all.db 'SELECT count(*) FROM traces WHERE rank = 1 OR rank IS NULL OR
		host = "h1"')
	is "$(cat status.1):$rows $(grep -c . err.1)" "$want $([ "$(cat status.1)" = 0 ]
		echo $?)" "round $round: the cut one ends with $(cat status.1), in one line" ||
		diag "$(cat err.1)"
	is "$(cat status.[2-9] | sort -u)" 0 'the others with 0' || diag "$(cat err.[2-9])"
	is "$(sqlite3 all.db 'SELECT count(*) FROM traces WHERE host <> "h1" AND
		events = 40000 AND NOT partial; PRAGMA integrity_check' | tr '\n' ' ')" \
		"$((hosts - 1)) ok " 'and they are whole'
	all_gone 'nothing is left'
done
echo "# count $((rounds + 2)) links cut"
echo "# count $((rounds * hosts)) hosts into one store"
done_testing
