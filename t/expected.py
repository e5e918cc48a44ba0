"""expected.py VIEW STORE EXPECTED.json - compare a view's rows with reference numbers.

One TAP-less line a difference on stdout, nothing when all agree."""
import json
import subprocess
import sys

SPLIT = ("wall", "busy", "compute", "exposed_comm", "exposed_copy", "idle")


def rows(view, store, *options):
    out = subprocess.run([view, "-j", *options, store], stdout=subprocess.PIPE, check=True)
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
    shown = {r["device"] for r in got if r["kind"] == "view1.rank" and "device" in r}
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


with open(sys.argv[3], encoding="utf-8") as f:
    {"1": view1, "3": view3, "5": view5}[sys.argv[1]](sys.argv[2], json.load(f))
