#!/bin/bash
# bench.sh - how fast, as ratios to json_verify (yajl's own checker) on the same
# file in the same run, since machines are noisy: medians of alternating runs.
#
#	t/bench.sh [EVENTS [RUNS]]      default 1000000 5
#
# BENCH_PARTS says what to run, all of these by default:
#	goals   each program on a trace of EVENTS
#	growth  1, 4 and 16 times as many events, three times each
#	ranks   a quarter of EVENTS for each of 1, 2, 4 and 8 ranks, once each
#	hta     HolisticTraceAnalysis on the same trace, once, where HTA_PYTHON
#	        (else python3) has it: minutes, and gigabytes
# BENCH_TRACE is the trace that is laid end to end: else one of 52,000 events with
# memory samples beside the checkout ($TP_SHARED), else the bundled one.  Needs ten
# times EVENTS x 320 bytes in $TMPDIR; nothing is left behind.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$here/.build/release}
events=${1:-1000000}
runs=${2:-5}
parts=" ${BENCH_PARTS:-goals growth ranks hta} "
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tp-bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
PATH=$build/bin:$PATH
measure=$build/t/measure
multiply=$build/t/multiply
fail() { echo "bench: $*" >&2; exit 2; }
command -v json_verify >/dev/null || fail "json_verify is missing (yajl-tools)"

shared=${TP_SHARED:-$here/../shared}
source=${BENCH_TRACE:-$shared/traces/h200/gpt_item.mem.json.gz}
[ -e "$source" ] || source=$(find "$here/t/data" -name '*.json.gz' | head -n 1)
once=$(gzip -dc "$source" | grep -c '"ph"')
copies=$(((events + once - 1) / once))
size() { stat -c %s "$1"; }
# the N-th column's median of a file of measurements: 1 wall, 2 CPU, 3 peak KiB
median() { sort -n -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'; }
# once COMMAND...: "wall cpu peak" into $got
once() { "$measure" "$@" 3>"$tmp/once" >/dev/null </dev/null || fail "failed: $*"; got=$(cat "$tmp/once"); }
# least COMMAND...: the run with the least CPU time of three, into $got
least() {
	local best='' i
	for i in 1 2 3; do
		once "$@"
		best=$(printf '%s\n' "$got" "$best" | grep . | sort -n -k 2,2 | head -n 1)
	done
	got=$best
}
# views STORE: all five, one after the other
views() { for v in 1 2 3 4 5; do printf 'tp-view%d "%s"; ' "$v" "$1"; done; }

"$multiply" "$source" "$copies" >"$tmp/big.json"
tp-ingest -q -o "$tmp/ref.db" "$tmp/big.json"
tp-ingest -q "$tmp/big.json" >"$tmp/big.tp"
printf 'trace: %d events, %d MB of JSON, %d MB as a store (%s of it), %d MB as a stream\n' \
	"$((once * copies))" $(($(size "$tmp/big.json") / 1000000)) $(($(size "$tmp/ref.db") / 1000000)) \
	"$(awk -v a="$(size "$tmp/ref.db")" -v b="$(size "$tmp/big.json")" 'BEGIN { printf "%.2f", a / b }')" \
	$(($(size "$tmp/big.tp") / 1000000))

# NAME|COMMAND|GOAL, all run in turn, RUNS times over.
gzip -1 -k "$tmp/big.json"
cat >"$tmp/jobs" <<JOBS
json_verify|json_verify -q <"$tmp/big.json"|
gunzip|gzip -dc "$tmp/big.json.gz" >/dev/null|
ingest to a store|rm -f "$tmp/s.db"; exec tp-ingest -q -o "$tmp/s.db" "$tmp/big.json"|1.0
ingest to a stream|exec tp-ingest -q "$tmp/big.json" >/dev/null|1.0
a stream to a store|rm -f "$tmp/s.db"; exec tp-ingest -q -o "$tmp/s.db" "$tmp/big.tp"|0.8
ingest gzip to a store|rm -f "$tmp/s.db"; exec tp-ingest -q -o "$tmp/s.db" "$tmp/big.json.gz"|
tp-view1|exec tp-view1 "$tmp/ref.db" >/dev/null|0.15
tp-view2|exec tp-view2 "$tmp/ref.db" >/dev/null|0.15
tp-view3|exec tp-view3 "$tmp/ref.db" >/dev/null|0.15
tp-view4|exec tp-view4 "$tmp/ref.db" >/dev/null|0.15
tp-view5|exec tp-view5 "$tmp/ref.db" >/dev/null|0.15
all views into tp-rank|($(views "$tmp/ref.db")) \| tp-rank -t >/dev/null|0.6
JOBS
# read -r keeps a \| of a pipeline; it is no end of a field
each_job() { sed 's/\\|/\x01/g' "$tmp/jobs" | tr '|' '\t' | tr '\001' '|'; }

goals() {
	local i n name command goal
	for ((i = 0; i < runs; i++)); do
		n=0
		while IFS=$'\t' read -r name command goal; do
			n=$((n + 1))
			"$measure" sh -c "$command" 3>>"$tmp/result.$n" </dev/null || fail "$name failed"
		done < <(each_job)
	done
	printf '\n%-24s %9s %9s %9s %9s %6s %9s\n' "median of $runs" 'wall s' 'CPU s' \
		'wall' 'CPU' 'goal' 'peak MiB'
	n=0
	while IFS=$'\t' read -r name command goal; do
		n=$((n + 1))
		awk -v name="$name" -v goal="$goal" -v wall="$(median "$tmp/result.$n" 1)" \
			-v cpu="$(median "$tmp/result.$n" 2)" -v wall0="$(median "$tmp/result.1" 1)" \
			-v cpu0="$(median "$tmp/result.1" 2)" \
			-v rss="$(sort -n -k 3,3 "$tmp/result.$n" | tail -n 1 | cut -d ' ' -f 3)" \
			'BEGIN { printf "%-24s %9.3f %9.3f %9.2f %9.2f %6s %9.1f\n", name, wall / 1e9,
				cpu / 1e9, wall / wall0, cpu / cpu0, goal, rss / 1024 }'
	done < <(each_job)
}

# grown NAME STORE INGEST: a line of CPU as ratios to json_verify's, and peaks.
# INGEST: what measure said of making the store; its events follow the name.
grown() {
	local v peak=0 sum=0
	for v in 1 2 3 4 5; do
		least "tp-view$v" "$2"
		peak=$(awk -v m="$peak" '{ print ($3 > m ? $3 : m) }' <<<"$got")
		sum=$(awk -v s="$sum" '{ print $2 + s }' <<<"$got")
	done
	sh -c "$(views "$2")" >"$tmp/rows"
	least tp-rank -t "$tmp/rows"
	awk -v name="$1" -v ingest="$3" -v rank="$got" -v views="$sum" -v peak="$peak" -v cpu0="$cpu0" \
		-v mb="$(($(size "$2") / 1000000))" 'BEGIN { split(ingest, i, " "); split(rank, r, " ")
		printf "%-24s %9.2f %9.2f %9.3f %9.1f %9.1f %9.1f %8d\n", name, i[2] / cpu0,
			views / cpu0, r[2] / cpu0, i[3] / 1024, peak / 1024, r[3] / 1024, mb }'
	rm -f "$2" "$tmp/rows"
}
grown_head() {
	least sh -c "json_verify -q <'$tmp/big.json'"
	cpu0=$(cut -d ' ' -f 2 <<<"$got")
	printf '\n%-24s %29s %29s %8s\n' '' 'CPU, over json_verify' 'peak MiB' 'store'
	printf '%-24s %9s %9s %9s %9s %9s %9s %8s\n' "$1" 'ingest' 'views' 'tp-rank' \
		'ingest' 'a view' 'tp-rank' 'MB'
}

# From a pipe, so that no file of five gigabytes is needed.  Three runs of each, in
# turn, and of each the median: one alone can be a fifth off.
growth() {
	local times round
	grown_head 'events'
	for round in 1 2 3; do
		for times in 1 4 16; do
			rm -f "$tmp/g.db"
			"$multiply" "$source" $((copies * times)) |
				"$measure" tp-ingest -q -o "$tmp/g.db" 3>"$tmp/once" || fail "growth: tp-ingest failed"
			cat "$tmp/once" >>"$tmp/grown.$times"
			[ $round -lt 3 ] || grown "$((once * copies * times))" "$tmp/g.db" \
				"$(sort -n -k 2,2 "$tmp/grown.$times" | sed -n 2p)"
		done
	done
	printf '16 times the events take tp-ingest %.1f times the time, %.1f times the CPU\n' \
		"$(awk -v a="$(median "$tmp/grown.16" 1)" -v b="$(median "$tmp/grown.1" 1)" 'BEGIN { print a / b }')" \
		"$(awk -v a="$(median "$tmp/grown.16" 2)" -v b="$(median "$tmp/grown.1" 2)" 'BEGIN { print a / b }')"
}

ranks() {
	local n r quarter=$(((copies + 3) / 4))
	for ((r = 0; r < 8; r++)); do
		"$multiply" "$source" "$quarter" "$r" 8 >"$tmp/rank$r.json"
	done
	grown_head "ranks of $((once * quarter)) events"
	for n in 1 2 4 8; do
		rm -f "$tmp/g.db"
		for ((r = 0; r < n; r++)); do echo "$tmp/rank$r.json"; done | xargs "$measure" \
			tp-ingest -q -o "$tmp/g.db" 3>"$tmp/once" || fail "ranks: tp-ingest failed"
		grown "$n" "$tmp/g.db" "$(cat "$tmp/once")"
	done
	rm -f "$tmp"/rank?.json
}

hta() {
	local python=${HTA_PYTHON:-python3}
	"$python" "$here/t/tools/bench_hta.py" >/dev/null 2>&1 || {
		printf '\nHolisticTraceAnalysis: not installed (HTA_PYTHON names a python that has it)\n'
		return
	}
	once sh -c "json_verify -q <'$tmp/big.json'"
	cpu0=$(cut -d ' ' -f 2 <<<"$got")
	once "$python" "$here/t/tools/bench_hta.py" "$tmp/big.json.gz"
	local theirs=$got
	once sh -c "tp-ingest -q -o '$tmp/h.db' '$tmp/big.json.gz'; ($(views "$tmp/h.db")) | tp-rank -t"
	awk -v h="$theirs" -v o="$got" -v cpu0="$cpu0" 'BEGIN { split(h, t, " "); split(o, u, " ")
		printf "\n%-38s %9s %9s %9s %9s\n", "file to report, once", "wall s", "CPU s", "CPU", "peak MiB"
		printf "%-38s %9.2f %9.2f %9.1f %9.0f\n", "HolisticTraceAnalysis, six analyses",
			t[1] / 1e9, t[2] / 1e9, t[2] / cpu0, t[3] / 1024
		printf "%-38s %9.2f %9.2f %9.1f %9.0f\n", "tp-ingest, five views, tp-rank",
			u[1] / 1e9, u[2] / 1e9, u[2] / cpu0, u[3] / 1024 }'
}

for part in goals growth ranks hta; do
	case $parts in *" $part "*) "$part" ;; esac
done
