"""view_expected.py SHARED STORE - compare rows of views 1, 3 and 5 with the
numbers of an independent reference, for every trace that has some.

A line for each trace and view: its name, then a tab and what differs."""
import contextlib
import glob
import io
import json
import os
import subprocess
import sys

SPLIT = ("wall", "busy", "compute", "exposed_comm", "exposed_copy", "idle")


def rows(view, store, *options):
    out = subprocess.run([view, "-j", *options, store], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    if out.returncode not in (0, 3):
        raise subprocess.CalledProcessError(out.returncode, view)
    return [json.loads(line) for line in out.stdout.splitlines()]


def differ(what, got, want):
    if got != want:
        print(f"{what}: got {got}, want {want}")


def split_differs(what, row, want, prefix=""):
    for part in SPLIT:
        differ(f"{what} {part}", row.get(f"{prefix}{part}_ns"), want[part])


def steps_differ(device, got, want, clock):
    if not want:
        return
    differ(f"device {device} {clock} steps", [r.get("name") for r in got], [s["name"] for s in want])
    for row, step in zip(got, want):
        what = f"device {device} {clock} {step['name']}"
        split_differs(what, row, step)
        if "host_wall" in step:
            differ(f"{what} host_wall", row["host_wall_ns"], step["host_wall"])


def view1(store, want):
    for clock, key in (("drain", "steps"), ("host", "steps_host_clock")):
        got = rows("tp-view1", store, "--clock", clock)
        for device, facts in want["devices"].items():
            mine = [r for r in got if r.get("device") == device]
            steps_differ(device, [r for r in mine if r["kind"] == "view1.step"], facts.get(key), clock)
            rank = [r for r in mine if r["kind"] == "view1.rank"]
            differ(f"device {device} rank rows", len(rank), 1)
            if len(rank) == 1:
                split_differs(f"device {device} window", rank[0], facts["window"], "window_")
                differ(f"device {device} ops", rank[0]["ops"], facts["device_ops"])
                differ(f"device {device} main stream", rank[0].get("main_stream"), facts["main_stream"])
    shown = {r["device"] for r in got if r["kind"] == "view1.rank" and "device" in r
             and not r.get("any_device")}
    differ("devices", sorted(shown), sorted(want["devices"]))


def view3(store, want):
    got = rows("tp-view3", store)
    for device, facts in want["devices"].items():
        kernel = {r["name"]: r for r in got if r["kind"] == "view3.kernel" and r["device"] == device}
        for k in facts["kernels"]:
            row = kernel.get(k["name"])
            if row is None:
                print(f"device {device}: no row of {k['name']}")
                continue
            differ(f"{k['name']} count", row["count"], k["count"])
            differ(f"{k['name']} time", row["time_ns"], k["time"])
            if k["bytes"]:  # 0: the reference looks at memcpy args alone
                differ(f"{k['name']} bytes", row.get("bytes"), k["bytes"])
        top = sorted((r["time_ns"] for r in kernel.values()), reverse=True)[:len(facts["kernels"])]
        differ(f"device {device} top times", top, [k["time"] for k in facts["kernels"]])
        differ(f"device {device} own times", sum(r["window_own_ns"] for r in kernel.values()),
               facts["window"]["busy"])


def view5(store, want):
    got = {r["device"]: r for r in rows("tp-view5", store) if r["kind"] == "view5.device"}
    for device, facts in want["memory"].items():
        row = got.get(device)
        if row is None:
            print(f"device {device}: no memory row")
            continue
        differ(f"device {device} events", row["events"], facts["n"])
        if facts["peak_reserved"]:
            differ(f"device {device} allocated", row.get("peak_allocated_bytes"), facts["peak_allocated"])
            differ(f"device {device} reserved", row.get("peak_reserved_bytes"), facts["peak_reserved"])


def check(view, store, want):
    """Differences of one view, as lines."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            {1: view1, 3: view3, 5: view5}[view](store, want)
        except (subprocess.CalledProcessError, ValueError, KeyError) as e:
            print(f"{type(e).__name__}: {e}")
    return said.getvalue().splitlines()


def main(shared, store):
    for path in sorted(glob.glob(f"{shared}/expected/*.json")):
        name = os.path.basename(path)[:-len(".json")]
        with open(path, encoding="utf-8") as f:
            want = json.load(f)
        trace = f"{shared}/traces/" + name.replace("__", "/")
        if not want["devices"] or not os.path.exists(trace):
            continue
        if os.path.exists(store):
            os.remove(store)
        load = subprocess.run(["tp-ingest", "-o", store, trace], stderr=subprocess.DEVNULL)
        if load.returncode not in (0, 3):
            print(f"{name}\ttp-ingest: status {load.returncode}")
            continue
        for view in (1, 3, 5):
            lines = check(view, store, want)
            print("\t".join([f"{name} view {view}", *lines[:5]]))


main(sys.argv[1], sys.argv[2])
