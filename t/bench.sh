#!/bin/bash
# bench.sh - how fast, as ratios to json_verify (yajl's own checker) on the same
# file in the same run, since machines are noisy: medians of alternating runs.
#
#	t/bench.sh [EVENTS [RUNS]]      default 1000000 5
#
# The trace is the bundled one laid end to end; nothing is left behind.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$here/.build/release}
events=${1:-1000000}
runs=${2:-5}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tp-bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
PATH=$build/bin:$PATH
measure=$build/t/measure
command -v json_verify >/dev/null || { echo "bench: json_verify is missing (yajl-tools)" >&2; exit 2; }

source=$here/t/data/gpt_item.mem.json.gz
[ -e "$source" ] || source=$(find "$here/t/data" -name '*.json.gz' | head -n 1)
once=$(gzip -dc "$source" | grep -c '"ph"')
copies=$(( (events + once - 1) / once ))
"$build/t/multiply" "$source" "$copies" >"$tmp/big.json"
gzip -1 -k "$tmp/big.json"
tp-ingest -q -o "$tmp/ref.db" "$tmp/big.json"
tp-ingest -q "$tmp/big.json" >"$tmp/big.tp"
size() { stat -c %s "$1"; }
printf 'trace: %d events, %d MB of JSON, %d MB as a store (%s of it), %d MB as a stream\n' \
	"$((once * copies))" $(($(size "$tmp/big.json") / 1000000)) $(($(size "$tmp/ref.db") / 1000000)) \
	"$(awk -v a="$(size "$tmp/ref.db")" -v b="$(size "$tmp/big.json")" 'BEGIN { printf "%.2f", a / b }')" \
	$(($(size "$tmp/big.tp") / 1000000))

# NAME|COMMAND, all run in turn, RUNS times over.
cat >"$tmp/jobs" <<JOBS
json_verify|json_verify -q <"$tmp/big.json"
gunzip|gzip -dc "$tmp/big.json.gz" >/dev/null
ingest to a store|rm -f "$tmp/s.db"; exec tp-ingest -q -o "$tmp/s.db" "$tmp/big.json"
ingest to a stream|exec tp-ingest -q "$tmp/big.json" >/dev/null
a stream to a store|rm -f "$tmp/s.db"; exec tp-ingest -q -o "$tmp/s.db" "$tmp/big.tp"
ingest gzip to a store|rm -f "$tmp/s.db"; exec tp-ingest -q -o "$tmp/s.db" "$tmp/big.json.gz"
JOBS
all=
for v in 1 2 3 4 5; do
	[ -x "$build/bin/tp-view$v" ] || continue
	echo "tp-view$v|exec tp-view$v -j \"$tmp/ref.db\" >/dev/null" >>"$tmp/jobs"
	all="$all tp-view$v \"$tmp/ref.db\";"
done
if [ -x "$build/bin/tp-rank" ]; then
	echo "all views into tp-rank|($all) | tp-rank -t >/dev/null" >>"$tmp/jobs"
fi

i=0
while [ "$i" -lt "$runs" ]; do
	n=0
	while IFS='|' read -r name command; do
		n=$((n + 1))
		"$measure" sh -c "$command" 3>>"$tmp/result.$n" </dev/null ||
			{ echo "bench: $name failed" >&2; exit 2; }
	done <"$tmp/jobs"
	i=$((i + 1))
done

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
base=$(median "$tmp/result.1")
printf '%-26s %10s %10s %12s\n' "what (median of $runs)" 'seconds' 'ratio' 'peak MiB'
n=0
while IFS='|' read -r name command; do
	n=$((n + 1))
	awk -v name="$name" -v t="$(median "$tmp/result.$n")" -v base="$base" \
		-v rss="$(awk '{ if ($3 > m) m = $3 } END { print m }' "$tmp/result.$n")" \
		'BEGIN { printf "%-26s %10.3f %10.2f %12.1f\n", name, t / 1e9, t / base, rss / 1024 }'
done <"$tmp/jobs"
