"""hurt - what the tests that make the machine fail have in common: a small real
trace, the content of a store, a run of a program with a fault planned
(t/shim/fault.c), and the lines they print.

    count(N, WHAT)    a line that t/torture adds up
    bad(WORDS)        something was lost or broken; end() makes it the status
"""
import gzip
import hashlib
import json
import mmap
import os
import signal
import sqlite3
import struct
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TP_BUILD", os.path.join(TOP, ".build/release"))
SHIM = os.path.join(BUILD, "t/fault.so")
ASAN = "asan" in os.path.basename(BUILD)
TORTURE = os.environ.get("TP_TORTURE") == "1"
DEMO = os.path.join(TOP, "t/data/demo.json.gz")
KINDS = ["read", "write", "open", "close", "rename", "fsync", "malloc", "mmap", "fork"]

BADS = int(os.environ.get("TP_BADS", 40))  # lines at most

_bad = 0


def bad(words):
    global _bad
    _bad += 1
    if _bad <= BADS:
        print("bad: " + " | ".join(words.split("\n")), flush=True)


def count(n, what):
    print("count %d %s" % (n, what), flush=True)


def end():
    if _bad > BADS:
        print("bad: %d more" % (_bad - BADS))
    sys.exit(1 if _bad else 0)


def small_trace(name, rank, world=4, us=1500, shift_us=0):
    """The bundled trace cut to the first microseconds of each of its steps, as
    the trace of one rank."""
    trace = json.loads(gzip.open(DEMO).read())
    events = trace["traceEvents"]
    starts = [e["ts"] for e in events
              if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep")]
    kept = [e for e in events if e["ph"] == "M" or
            any(0 <= e.get("ts", 0) - s < us for s in starts)]
    for e in kept:
        if e["ph"] != "M":
            e["ts"] = round(e["ts"] + shift_us, 3)
    trace["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world}
    # the events last, a line each, as the profiler writes them
    del trace["traceEvents"]
    head = json.dumps(trace)[:-1]
    with open(name, "w") as f:
        f.write(head + ', "traceEvents": [\n')
        f.write(",\n".join(json.dumps(e) for e in kept))
        f.write("\n]}\n")
    return len(kept)


def store_content(path):
    """A digest of all tables, or a word on what is wrong with the store."""
    if not os.path.exists(path):
        return "absent"
    if os.path.getsize(path) == 0:
        return "empty"
    db = sqlite3.connect(path)
    try:
        verdict = db.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            return "broken: " + verdict
        digest = hashlib.sha256()
        for line in db.iterdump():
            digest.update(line.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()
    except sqlite3.Error as e:
        return "broken: %s" % e
    finally:
        db.close()


def digest(data):
    return hashlib.sha256(data).hexdigest()


class State:
    """The shim's counters, shared with every process of a run."""
    SIZE = 8 * (len(KINDS) + 2) + 64

    def __init__(self, path):
        self.path = os.path.abspath(path)
        with open(self.path, "wb") as f:
            f.write(b"\0" * self.SIZE)
        self.file = open(self.path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), self.SIZE)

    def clear(self):
        self.map[:] = b"\0" * self.SIZE

    def calls(self):
        n = struct.unpack_from("%dq" % (len(KINDS) + 1), self.map)
        return dict(zip(KINDS + ["any"], n))

    def fired(self):
        return struct.unpack_from("q", self.map, 8 * (len(KINDS) + 1))[0]

    def where(self):
        return self.map[8 * (len(KINDS) + 2):].split(b"\0")[0].decode()


def preload():
    """Under the address sanitizer its run time has to come first; its malloc
    then stands before the shim's, so no allocation fails there."""
    if not ASAN:
        return SHIM
    lib = subprocess.check_output(
        [os.environ.get("CC", "gcc"), "-print-file-name=libasan.so"], text=True).strip()
    return lib + ":" + SHIM


def run(argv, fault=None, state=None, cwd=None, stdin=None, env=None, timeout=60):
    """(status, stdout, stderr); a negative status is a signal, None a hang."""
    e = dict(os.environ if env is None else env)
    if fault:
        state.clear()
        e.update(LD_PRELOAD=preload(), TP_FAULT=fault, TP_FAULT_STATE=state.path)
    with open(stdin or "/dev/null", "rb") as f:
        p = subprocess.Popen(argv, cwd=cwd, env=e, stdin=f, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = p.communicate(timeout=timeout)
        return p.returncode, out, err.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, err = p.communicate()
        return None, out, err.decode(errors="replace")
