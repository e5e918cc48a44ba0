#!/bin/sh
# demo.sh - from a trace to its views, on the screen; leaves nothing behind.
# Needs the programs on PATH, as `make demo` gives them.
here=$(cd "$(dirname -- "$0")" && pwd -P) || exit 2
trace=${1:-$here/../t/data/demo.json.gz}
work=$(mktemp -d "${TMPDIR:-/tmp}/tp-demo.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}
cd "$work" || exit 2
cp -- "$trace" trace.json.gz || exit 2
show tp-ingest -v -o store.db trace.json.gz || exit
for n in 1 2 3 4 5; do
	command -v "tp-view$n" >/dev/null || continue
	show "tp-view$n" -t --top 5 store.db || exit
done
if command -v tp-rank >/dev/null && command -v tp-view2 >/dev/null; then
	# shellcheck disable=SC2016 # the words of the pipeline, not their values
	printf '\n$ %s\n' 'for v in 1 2 3 4 5; do tp-view$v store.db; done | tp-rank -t'
	for n in 1 2 3 4 5; do "tp-view$n" store.db; done | tp-rank -t || exit
fi
# make demo has them on a PATH of its own
top=${here%/share}
[ -x "$top/bin/tp-ingest" ] && printf '\nFirst: PATH=%s/bin:$PATH' "$top"
printf '\nYour own: tp-ingest -o store.db trace.json && tp-views -o views store.db\n'
