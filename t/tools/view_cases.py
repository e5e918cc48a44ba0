"""view_cases.py CASES - the values that the case folders name for views 1, 3, 5.

Runs each case's own tp-ingest commands in a copy of its folder, then compares.
A line for each value: case and value, then a tab and what was found instead."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

CLASSES = {"collective": "communication"}


def rows(view, store):
    out = subprocess.run([view, "-j", "--clock", "host", store], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in out.stdout.splitlines()]


def is_step(row, value, device):
    return (row["kind"] == "view1.step" and row.get("step") == int(value["n"])
            and row.get("rank") == int(value["rank"])
            and (row.get("device") == device if device else not row.get("any_device")))


def picks(found, value, names):
    """What the rows say, under the names of the value line."""
    return [{k: row.get(field) for k, field in names.items() if k in value} for row in found]


WALLS = {"wall_ns": "wall_ns", "busy_ns": "busy_ns", "idle_ns": "idle_ns"}


def find(kind, value, got):
    one = {k: [r for r in got if r["kind"] == k] for k in
           ("view1.step", "view1.rank", "view3.kernel", "view3.class", "view5.device")}
    if kind in ("step", "devbusy", "anybusy"):
        device = {"devbusy": value.get("dev"), "anybusy": "any_device"}.get(kind)
        return picks([r for r in got if is_step(r, value, device)], value, WALLS)
    if kind == "whole":
        return picks([r for r in one["view1.step"] if "whole_window" in r["flags"]], value, WALLS)
    if kind == "tail":
        return picks(one["view1.rank"], value, {"after_last_step_ns": "tail_ns"})
    if kind == "ktotal":
        return picks([r for r in one["view3.kernel"] if r["name"] == value["name"]], value,
                     {"calls": "count", "total_ns": "time_ns"})
    if kind == "class":
        wanted = CLASSES.get(value[""], value[""])
        return picks([r for r in one["view3.class"] if r["class"] == wanted], value,
                     {"n": "count", "total_ns": "time_ns"})
    if kind == "mem":
        return picks([r for r in one["view5.device"] if r["device"] == "0"], value,
                     {"peak_alloc": "peak_allocated_bytes", "peak_reserved": "peak_reserved_bytes",
                      "headroom": "headroom_bytes", "last_alloc": "last_allocated_bytes"})
    if kind == "memrel":
        return picks([r for r in one["view5.device"] if r["device"] == "0"], value,
                     {"peak_rel": "relative_peak_bytes", "last_rel": "relative_last_bytes"})
    return None


def values(case):
    with open(os.path.join(case, "expect.md"), encoding="utf-8") as f:
        block = re.search(r"```values\n(.*?)```", f.read(), re.S).group(1)
    for line in block.splitlines():
        words = shlex.split(line)
        value = dict(w.split("=", 1) if "=" in w else ("", w) for w in words[1:])
        yield line, words[0] if words else "", value


def check(case, name):
    with open(os.path.join(case, "cmd"), encoding="utf-8") as f:
        loads = re.findall(r"tp-ingest -o (\S+) ([^;&|\n]+)", f.read())
    if not loads or name[:3] in ("C08", "C37", "C47", "C63", "C65", "C66"):
        return  # several stores, or made input: other tests
    shutil.copytree(case, name)
    for store, files in loads[:1]:
        subprocess.run(f"tp-ingest -o {store} {files}", shell=True, cwd=name,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        path = os.path.join(name, store)
        if not os.path.exists(path):
            continue
        got = [r for v in (1, 3, 5) for r in rows(f"tp-view{v}", path)]
        for line, kind, value in values(case):
            found = find(kind, value, got)
            if found is None:
                continue
            want = {k: int(v) for k, v in value.items()
                    if k in ("wall_ns", "busy_ns", "idle_ns", "after_last_step_ns", "calls",
                             "total_ns", "peak_alloc", "peak_reserved", "headroom", "last_alloc",
                             "peak_rel", "last_rel") or (k == "n" and kind == "class")}
            print(f"{name[:3]} {line}" + ("" if found == [want] else f"\t{found}"))


for folder in sorted(glob.glob(sys.argv[1] + "/C*")):
    shutil.rmtree("case", ignore_errors=True)
    check(folder, os.path.basename(folder))
