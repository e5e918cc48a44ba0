# hosts.sh - far hosts for the tests of streams over ssh: a real sshd on loopback,
# or one in each of several network namespaces.  After lib.sh.
#
#	hosts_need                  or the whole file is skipped
#	host_start NAME [NETNS ADDRESS]
#	(far NAME COMMAND)          a shell on that host; PATH is ours
#	session NAME COMMAND [NEAR COMMAND]
#	all_gone                    no process but the sshds has $SCRATCH in its words
#	hosts_stop                  done at the exit of the test too
#
# A connection that says nothing for two seconds is dead at both ends, as
# tp-stream(5) advises (there with longer times).
# shellcheck shell=sh

SSHD=$(command -v sshd || echo /usr/sbin/sshd)
HOSTS_PIDS='' HOSTS_DIR='' hosts_status=0

hosts_need() {
	if ! [ -x "$SSHD" ] || ! command -v ssh >/dev/null; then
		skip_all 'no sshd'
	fi
	# as root it wants this directory
	if [ "$(id -u)" = 0 ] && ! [ -d /run/sshd ]; then
		mkdir -m 755 /run/sshd 2>/dev/null || skip_all 'no /run/sshd'
		HOSTS_DIR=/run/sshd
	fi
	trap 'hosts_status=$?; hosts_stop; (exit $hosts_status); t_exit' EXIT
	ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -q -t ed25519 -N '' -f hostkey ||
		skip_all 'no ssh-keygen'
	cp key.pub authorized
	cat >near.conf <<-END
		Host *
		User $(id -un)
		IdentityFile $SCRATCH/key
		IdentitiesOnly yes
		UserKnownHostsFile $SCRATCH/known
		StrictHostKeyChecking yes
		BatchMode yes
		LogLevel QUIET
		ControlMaster no
		ServerAliveInterval 1
		ServerAliveCountMax 2
		ConnectTimeout 5
	END
}

# sshd_start NAME ADDRESS PORT [WORDS BEFORE IT]: 1 when the port is taken
sshd_start() {
	cat >"$1.conf" <<-END
		Port $3
		ListenAddress $2
		HostKey $SCRATCH/hostkey
		AuthorizedKeysFile $SCRATCH/authorized
		PidFile none
		StrictModes no
		UsePAM no
		PasswordAuthentication no
		PermitRootLogin yes
		ClientAliveInterval 1
		ClientAliveCountMax 2
		MaxStartups 100
	END
	t_name=$1 t_address=$2 t_port=$3
	shift 3
	# shellcheck disable=SC2086 # -E: its log
	"$@" "$SSHD" -D -f "$SCRATCH/$t_name.conf" -E "$SCRATCH/$t_name.log" >/dev/null 2>&1 &
	t_pid=$! t_tries=50
	while [ $t_tries -gt 0 ] && kill -0 $t_pid 2>/dev/null; do
		if grep -q 'Server listening' "$t_name.log" 2>/dev/null; then
			HOSTS_PIDS="$HOSTS_PIDS $t_pid"
			printf 'Host %s\nHostName %s\nPort %s\n' "$t_name" "$t_address" "$t_port" |
				cat - near.conf >near.new && mv near.new near.conf
			echo "[$t_address]:$t_port $(cat hostkey.pub)" >>known
			return 0
		fi
		t_tries=$((t_tries - 1))
		sleep 0.1
	done
	kill $t_pid 2>/dev/null
	return 1
}

host_start() {
	if [ $# -gt 1 ]; then
		# a host of its own has its own name too
		sshd_start "$1" "$3" 2222 ip netns exec "$2" unshare -u \
			sh -c "hostname $1; exec \"\$@\"" host
		return
	fi
	t_from=$((20000 + $$ % 20000))
	for t_port in $t_from $((t_from + 1)) $((t_from + 2)) $((t_from + 3)); do
		sshd_start "$1" 127.0.0.1 "$t_port" env && return
	done
	return 1
}

# In a subshell, which becomes ssh.  $NEAR: words before it (ip netns exec ...);
# $SSH_PID: the file that gets its number.
far() {
	[ ! "${SSH_PID:-}" ] || sh -c 'echo $PPID' >"$SSH_PID"
	# shellcheck disable=SC2086,SC2029 # NEAR is several words; it expands here
	exec ${NEAR:-} ssh -F "$SCRATCH/near.conf" "$1" "cd '$SCRATCH' && LC_ALL=C TZ=UTC \
		PATH='$PATH' ASAN_OPTIONS='$ASAN_OPTIONS' LSAN_OPTIONS='$LSAN_OPTIONS' \
		UBSAN_OPTIONS='$UBSAN_OPTIONS'; export LC_ALL TZ PATH ASAN_OPTIONS \
		LSAN_OPTIONS UBSAN_OPTIONS; $2"
}

# session NAME COMMAND [NEAR COMMAND]: in the background, COMMAND on that host into
# the near command, `tp-ingest -q -o cut.db` if none is given.  COMMAND leaves its
# numbers in far.pid; the rest is seen to here: near.pid, ssh.pid, `peer` (the sshd
# of the connection), and when it is over `status` and `err`.
session() {
	rm -f half go peer far.pid near.pid ssh.pid status err cut.db
	t_host=$1 t_command="echo \$PPID >peer; $2"
	shift 2
	[ $# -gt 0 ] || set -- tp-ingest -q -o cut.db
	(
		(SSH_PID=ssh.pid && far "$t_host" "$t_command") </dev/null 2>far.err |
			sh -c 'echo $$ >near.pid; exec "$@"' near "$@" 2>err
		echo $? >status
	) &
	SESSION=$!
}
# numbered COMMAND: it leaves its number in far.pid
numbered() { printf "sh -c 'echo \$\$ >far.pid; exec %s'" "$1"; }

# cut_kept EVENTS NAME: what session() gave is a store of so many events, marked
cut_kept() {
	wait "$SESSION"
	is "$(cat status) $(grep -c . err)" '3 1' "$2: status 3, one line" ||
		diag "$(cat err)"
	is "$(sqlite3 cut.db 'SELECT events, partial FROM traces; SELECT count(*) FROM
		events; PRAGMA integrity_check' 2>&1 | tr '\n' ' ')" "$1|1 $1 ok " \
		"$2: what arrived is kept, and marked"
	: >go
	all_gone "$2: nothing is left"
}

# wait_for FILE: until it is there, ten seconds at most
wait_for() {
	t_tries=100
	while ! [ -e "$1" ] && [ $t_tries -gt 0 ]; do
		t_tries=$((t_tries - 1))
		sleep 0.1
	done
	[ -e "$1" ]
}

# processes that name this test's directory, ssh and sshd of other connections too
t_ours() {
	for t_p in /proc/[0-9]*; do
		t_p=${t_p#/proc/}
		case " $HOSTS_PIDS $$ " in *" $t_p "*) continue ;; esac
		tr '\0' ' ' <"/proc/$t_p/cmdline" 2>/dev/null | grep -qF "$SCRATCH" &&
			echo "$t_p $(tr '\0' ' ' <"/proc/$t_p/cmdline" | cut -c1-100)"
	done 2>/dev/null
}

all_gone() { # NAME: within ten seconds
	t_tries=100
	while [ $t_tries -gt 0 ]; do
		t_left=$(t_ours)
		[ "$t_left" ] || break
		t_tries=$((t_tries - 1))
		sleep 0.1
	done
	is "$t_left" '' "$1"
}

hosts_stop() {
	# shellcheck disable=SC2086 # several
	[ ! "$HOSTS_PIDS" ] || kill $HOSTS_PIDS 2>/dev/null
	HOSTS_PIDS=
	[ ! "$HOSTS_DIR" ] || rmdir "$HOSTS_DIR" 2>/dev/null
}

# emit RANK FIRST REST: a stream of FIRST events, a wait for the file `go` (half a
# minute at most), REST events, and its end.  The file `half` is made before the
# wait.  $SCRATCH in its words: all_gone sees it.
hosts_emitter() {
	cat >emit <<'END'
#!/bin/sh
rank=$1 first=$2 rest=$3 dir=${0%/*}
events() { # FROM TO
	awk -v rank="$rank" -v i="$1" -v to="$2" 'BEGIN { for (; i < to; i++) printf \
		"{\"kind\":\"event\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":\"0\",\"tid\":\"7\",\"start_ns\":%d,\"dur_ns\":700,\"corr\":%d,\"device\":\"0\",\"stream\":\"7\"}\n", \
		i % 9, i * 1000 + rank, i }'
}
printf '{"kind":"head","tp":1,"program":"emit","host":"h%s","epoch_ns":"1700000000000000000"}\n' "$rank"
events 0 "$first"
if [ "$rest" != 0 ]; then
	: >"$dir/half"
	tries=300
	while ! [ -e "$dir/go" ] && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	events "$first" $((first + rest))
fi
printf '{"kind":"run","rank":%s,"world_size":8}\n' "$rank"
printf '{"kind":"end","records":%s,"complete":true}\n' $((first + rest + 1))
END
	# hold: until `go`, half a minute at most
	sed -n '/^tries=/d; s,^\t\(tries=300\|while.*\|\ttries=.*\|\tsleep.*\|done\)$,\1,p' emit |
		{ printf '#!/bin/sh\ndir=${0%%/*}\n'; cat; } >hold
	chmod +x emit hold
}
