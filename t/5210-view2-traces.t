#!/bin/sh
# tp-view2 on real traces: causes are wall - busy, sites are idle, and the planted
# causes of the workloads come first.
. "$(dirname "$0")/lib.sh"
[ -d "$TP_SHARED/traces" ] || skip_all 'no real traces (../shared, or $TP_SHARED)'
command -v python3 >/dev/null || skip_all 'no python3'

cat >check.py <<'EOF'
"""check.py STORE [PLANTED JOB]: one line a fault."""
import json
import subprocess
import sys

HOST = ("sync", "alloc", "input", "host", "unknown")


def rows(view):
    out = subprocess.run([view, "-j", sys.argv[1]], stdout=subprocess.PIPE)
    if out.returncode not in (0, 3):
        print(f"{view}: status {out.returncode}")
    return [json.loads(line) for line in out.stdout.splitlines()]


def causes(row):
    return sum(v for k, v in row.items() if k.endswith("_ns") and k not in ("wall_ns", "idle_ns"))


one, two = rows("tp-view1"), rows("tp-view2")
place = lambda r: (r["trace"], r.get("device"), r.get("idx"))
idle = {place(r): r for r in one if r["kind"] == "view1.step"}
ledger = [r for r in two if r["kind"] == "view2.ledger"]
sites = [r for r in two if r["kind"] == "view2.site"]
for r in ledger:
    if "idle_ns" in r and causes(r) != r["idle_ns"]:
        print(r["key"], "causes", causes(r), "idle", r["idle_ns"])
    if "steps" not in r and "idle_ns" in r and idle[place(r)].get("idle_ns") != r["idle_ns"]:
        print(r["key"], "idle", r["idle_ns"], "but view1 has", idle[place(r)].get("idle_ns"))
    if "steps" in r:
        mine = [s for s in sites if s["trace"] == r["trace"] and s.get("device") == r.get("device")]
        if sum(s["cost_ns"] for s in mine) != r["idle_ns"]:
            print(r["key"], "sites do not add up")
        for c in HOST + ("launch", "queued", "turnaround", "profiler", "load", "unlinked", "after_last"):
            if sum(s["cost_ns"] for s in mine if s["cause"] == c) != r[c + "_ns"]:
                print(r["key"], c, "of sites and ledger differ")
keys = [r["key"] for r in two if "key" in r]
if len(keys) != len(set(keys)):
    print("keys repeat")
for s in sites:
    if not 0 <= s["in_run_ns"] <= s["cost_ns"] or len(s["slices"]) > 64:
        print(s["key"], "in_run_ns or slices")
    if s["how"] not in ("line", "function", "op", "other_thread", "between") if "how" in s else False:
        print(s["key"], "how", s["how"])
if len(sys.argv) > 2:
    wall = sum(r["wall_ns"] for r in ledger if "steps" in r)
    for line in open(sys.argv[2]).read().splitlines()[1:]:
        job, cause, file, _, func, _ = line.split("\t")
        if job != sys.argv[3] or cause not in HOST:
            continue
        hit = [i for i, s in enumerate(sites) if s["cause"] == cause and s.get("func") == func
               and s.get("file", "").endswith(file)]
        cost = sum(sites[i]["cost_ns"] for i in hit)
        if cost >= wall / 100 and hit[0] >= 5:
            print("planted", cause, func, "is site", hit[0] + 1)
        if not hit and job != "gpt_item":
            print("planted", cause, func, "is no site")
    if sys.argv[3] in ("gpt_clean", "prefetch"):
        if sum(r["idle_ns"] for r in ledger if "steps" in r) * 100 > 3 * wall:
            print("idle above 3 %")
        if [s for s in sites if s["cause"] in HOST and s["cost_ns"] * 1000 > wall]:
            print("a host-side site in a job that the device binds")
EOF

for f in "$TP_SHARED"/traces/h200/*.gz; do
	name=$(basename "$f" .json.gz)
	job=${name%.*}
	rm -f s.db
	tp-ingest -q -o s.db "$f" 2>err
	# without stacks there are no functions to find
	case $name in
	*.prof) set -- ;;
	*) set -- "$TP_SHARED/workloads/planted.tsv" "$job" ;;
	esac
	is "$(python3 check.py s.db "$@" 2>&1 | tail -3)" '' "$name"
done

find "$TP_SHARED/traces/public" -name '*.json.gz' -size -400k ! -path '*/rel-*' | sort >files
while read -r f; do
	rm -f s.db
	tp-ingest -q -o s.db "$f" 2>err
	[ -f s.db ] || continue
	python3 check.py s.db 2>&1 | sed "s|^|$f: |"
done <files >faults
is "$(head -5 faults)" '' 'public traces'
[ "$(grep -c . files)" -gt 20 ]
t_result $? 'there were some'

# the replays of one graph share a correlation: they are busy time
rm -f s.db
tp-ingest -q -o s.db "$TP_SHARED/traces/h200/graphs.prof.json.gz" 2>err
runs 0 'graphs' tp-view2 -j s.db
grep '"view2.ledger"' out | grep '"steps":' >all
[ "$(sed -n 's/.*"wall_ns":\([0-9]*\),"idle_ns":\([0-9]*\).*/\1 \2/p' all |
	awk '{ print ($2 * 2 < $1) }')" = 1 ]
t_result $? 'replays are busy'
done_testing
