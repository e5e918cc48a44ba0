"""faults - every program with its Nth read, write, open, close, rename, fsync,
malloc, mmap or fork failing, N = 1, 2, ... until the run succeeds.

Right is, each time: the same status and the same bytes as without the fault, or
a status that says failure, a line that says why, and every file as it was
before; a store may also hold all of a trace.  Never a crash, never a hang, never
status 0 with something missing.

    faults.py [-e] [-s] [-k KIND] [CASE...]
        -e   exhaustive: every N (of malloc: every place that allocates)
        -s   signals instead: SIGINT and SIGTERM at the Nth call.  Right is to end by
             it, with every file as it was or as it was to be; or, for what runs a
             job, to hand it on and end as the job did

Stands in a scratch directory.  Prints `count` and `bad` lines (hurt.py).
"""
import errno
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys

import hurt

# without the shim, and the sanitizer that comes with it: its leaks are not ours
JOB = ["env", "-u", "LD_PRELOAD", "python3", "-I", "-S", os.path.join(hurt.TOP, "t/tools/stand_in.py"), "../rank0.json"]

# what fails, how: the errno, and whether it goes on failing
FAULTS = {
    "read": [(errno.EIO, "")],
    "write": [(errno.ENOSPC, "+"), (errno.EIO, "")],
    "open": [(errno.EMFILE, ""), (errno.EACCES, "+")],
    "close": [(errno.EIO, "")],
    "rename": [(errno.EACCES, "")],
    "fsync": [(errno.EIO, "")],
    "malloc": [(errno.ENOMEM, "")],
    "mmap": [(errno.ENOMEM, "")],
    "fork": [(errno.EAGAIN, "")],
}
# what is no fault: nothing may change
HARMLESS = {"read": ["short", errno.EINTR], "write": ["short", errno.EINTR]}
# zlib writes the trace file, and takes EINTR for an error; no signal of tp-capture's
# has a handler that could return
ZLIB_WRITES = (errno.EINTR,)

NUMBERS = re.compile(rb"\d+")
RANDOM_NAME = re.compile(rb"/tp-[A-Za-z0-9]{6}/")


def bytes_as_they_are(data):
    return data


def but_for_time(data):
    """Output that holds times and process ids."""
    if data[:4] == b"\x04\x22\x4d\x18":
        p = subprocess.run(["lz4", "-dc"], input=data, capture_output=True, check=False)
        data = p.stdout if p.returncode == 0 else b"cut short"
    return NUMBERS.sub(b"0", RANDOM_NAME.sub(b"/tp-/", data))


class Case:
    def __init__(self, name, argv, stdin=None, before=(), own_failure=2,
                 normal=bytes_as_they_are, partial=False, skip=(),
                 sample=4):
        self.name, self.argv, self.stdin = name, argv, stdin
        self.before = dict(before)        # name in the folder: file to copy there
        self.own_failure = own_failure
        self.normal = normal
        self.skip = skip
        self.script = name in ("views", "profile")
        self.sample = sample              # of each kind, in make check
        self.partial = partial            # 3 is right when a stage of it failed

    def prepare(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name, source in self.before.items():
            shutil.copy(source, os.path.join(folder, name))

    def files(self, folder):
        """{name: content} of all that lies there, folders flattened."""
        found = {}
        for where, _, names in os.walk(folder):
            for n in names:
                path = os.path.join(where, n)
                short = os.path.relpath(path, folder)
                if n.endswith(".db"):
                    found[short] = hurt.store_content(path)
                    if self.normal is but_for_time and len(found[short]) == 64:
                        found[short] = "a whole store"  # it holds names with process ids
                else:
                    with open(path, "rb") as f:
                        found[re.sub(r"\.\d+\.json", ".PID.json", short)] = \
                            hurt.digest(self.normal(gunzip(path, f.read())))
        return found


def gunzip(path, data):
    if not path.endswith(".gz"):
        return data
    p = subprocess.run(["gzip", "-dc"], input=data, capture_output=True, check=False)
    return p.stdout


def cases():
    own = {"own_failure": 125, "normal": but_for_time}
    yield Case("ingest into a new store", ["tp-ingest", "-q", "-o", "s.db", "../rank0.json"])
    yield Case("ingest gzip and a stream", ["tp-ingest", "-q", "-o", "s.db", "../rank0.json.gz",
                                            "../steps.lz4"], partial=True)
    yield Case("ingest into a store", ["tp-ingest", "-q", "-o", "s.db", "../rank1.json"],
               before={"s.db": "rank0.db"})
    yield Case("ingest to records", ["tp-ingest", "-z", "../rank0.json"])
    yield Case("ingest -n", ["tp-ingest", "-n", "../rank0.json"])
    for v in "12345":
        yield Case("view%s records" % v, ["tp-view" + v, "-z", "../two.db"])
        yield Case("view%s to a file" % v, ["tp-view" + v, "-t", "-o", "v.txt", "../two.db"],
                   before={"v.txt": "old.txt"})
    yield Case("rank", ["tp-rank", "-t", "-o", "report.md", "../rows.lz4"],
               before={"report.md": "old.txt"})
    yield Case("rank records", ["tp-rank", "-j"], stdin="rows.lz4")
    yield Case("trace", ["tp-trace", "-o", "v.json", "../two.db"])
    yield Case("window", ["tp-window", "-o", "w.lz4", "../timed.lz4"])
    yield Case("window records", ["tp-window", "-j"], stdin="timed.lz4")
    yield Case("time", ["tp-time", "-q", "-j", "--"] + JOB, **own)
    yield Case("time to a file", ["tp-time", "-q", "-o", "t.lz4", "--"] + JOB, **own)
    yield Case("capture", ["tp-capture", "-q", "-d", "trace", "--"] + JOB, stdin="steps.lz4",
               skip=ZLIB_WRITES, **own)
    yield Case("capture to records", ["tp-capture", "-q", "-j", "--"] + JOB, stdin="steps.lz4",
               skip=ZLIB_WRITES, **own)
    if os.path.exists(os.path.join(hurt.BUILD, "lib/libtpcapture.so")):
        # wireplay is what the capture library is to tp-capture; like it, it does
        # nothing where the job is not told of, or nobody hears
        native = ["--", "sh", "-c", "[ -z \"$TP_CAPTURE\" ] || '%s' send ../wire.txt || :" %
                  os.path.join(hurt.BUILD, "t/wireplay")]
        yield Case("native capture", ["tp-capture", "-q", "--engine", "cupti", "-d", "trace"] +
                   native, **own)
        yield Case("native capture to records", ["tp-capture", "-q", "--engine", "cupti", "-z"] +
                   native, **own)
    yield Case("views", ["tp-views", "-o", "views", "--trace", "v.json", "../two.db"],
               sample=1)
    if not hurt.ASAN:  # which finds a fault in mawk first
        yield Case("profile", ["tp-profile", "-q", "-w", "ws", "--"] + JOB, normal=but_for_time,
                   partial=True, skip=ZLIB_WRITES, sample=1)


def set_up():
    """What the cases read."""
    sh = {"shell": True, "check": True, "executable": "/bin/sh"}
    for rank in range(2):
        hurt.small_trace("rank%d.json" % rank, rank, world=2, shift_us=rank)
        subprocess.run("tp-ingest -q -o rank%d.db rank%d.json" % (rank, rank), **sh)
    with open("wire.txt", "w", encoding="ascii") as f:
        f.write("hello 4711 1790857026123456789\ncode 1 60 /home/u/train.py main\nstack 1 1:67\n")
        for i in range(2000):
            f.write("call 11 runtime %d %d %d 1 cudaLaunchKernel\n" % (i * 9000, i * 9000 + 5000, i))
            f.write("kernel %d %d %d 0 7 264 some_kernel\n" % (i * 9000 + 6000, i * 9000 + 8000, i))
        f.write("step 11 1 0 18000000\nbye\n")
    with open("old.txt", "w", encoding="ascii") as f:
        f.write("what was there before\n")
    os.mkdir("at")
    job = " ".join(JOB)
    subprocess.run("gzip -k rank0.json && tp-ingest -q -o two.db rank0.json rank1.json &&"
                   " for v in 1 2 3 4 5; do tp-view$v -z two.db; done >rows.lz4 && cd at &&"
                   " tp-time -q -o ../timed.lz4 -- %s &&"
                   " tp-window -o ../steps.lz4 ../timed.lz4" % job, **sh)


class Sweep:
    """One case: the run without a fault, then all with one."""

    def __init__(self, case, folder):
        self.case, self.folder = case, os.path.abspath(folder)
        self.state = hurt.State(folder + ".state")
        self.tmp = os.path.abspath(folder + ".tmp")
        self.bad, self.fired, self.runs = [], 0, 0
        status, self.out, err = self.run("any:0:5")
        self.status, self.calls = status, self.state.calls()
        self.whole = case.files(self.folder)
        if status != 0:
            self.bad.append("%s: status %s without a fault: %s" % (case.name, status, err))

    def run(self, fault, sites=None):
        c = self.case
        c.prepare(self.folder)
        shutil.rmtree(self.tmp, ignore_errors=True)
        os.mkdir(self.tmp)
        self.before = c.files(self.folder)
        env = dict(os.environ, TMPDIR=self.tmp, GIT_DIR="/nonexistent")
        if sites:
            env["TP_FAULT_SITES"] = sites
        stdin = c.stdin and os.path.abspath(c.stdin)
        status, out, err = hurt.run(c.argv, fault, self.state, self.folder, stdin, env)
        return status, hurt.digest(c.normal(out)), err

    def complain(self, fault, words):
        self.bad.append("%s, %s (%s): %s" % (self.case.name, fault, self.state.where(), words))

    def one(self, fault, harmless=False):
        status, out, err = self.run(fault)
        self.runs += 1
        if not self.state.fired():
            return False
        self.fired += 1
        files = self.case.files(self.folder)
        if status is None or status < 0 or status in (98, 99) or 128 < status < 160:
            self.complain(fault, "status %s: %s" % (status, err[-1500:]))
        elif status == 0 or harmless:
            if status != 0 or out != self.out or files != self.whole:
                self.complain(fault, "status %s, and not the whole output: %s %s" % (
                    status, difference(files, self.whole), err))
        elif status == 3 and self.case.partial:
            self.judge_words(fault, status, err)
        else:
            self.judge_failure(fault, status, err, files)
        left = os.listdir(self.tmp)
        if left:
            self.complain(fault, "status %s, left in TMPDIR: %s" % (status, left))
        return True

    def interrupted(self, signal_name, n):
        """SIGINT or SIGTERM at the Nth call of the program (and of what it runs of ours:
        a script goes on to say which of its stages ended)."""
        fault = "any:%d:%s" % (n, signal_name)
        status, out, err = self.run(fault)
        if not self.state.fired():
            return
        self.fired += 1
        number = {"int": signal.SIGINT, "term": signal.SIGTERM}[signal_name]
        files = self.case.files(self.folder)
        ends = {-number, 0} if self.case.own_failure == 2 else {128 + number, 0, 125}
        if self.case.script:
            ends = {2, 3, 0}
        # before the job is begun no one waits for it
        begun = files != self.before or out != hurt.digest(self.case.normal(b""))
        if status not in ends and (begun or status != -number):
            self.complain(fault, "status %s: %s" % (status, err[-800:]))
        for name, content in files.items():
            if content not in (self.before.get(name), self.whole.get(name)) and \
                    not (name.endswith(".db-journal") and name[:-8] in self.before) and \
                    not self.is_marked(name) and not (self.case.script and status in (0, 3)):
                self.complain(fault, "status %s, %s is left" % (status, name))
        if status == 0 and files != self.whole:
            self.complain(fault, "status 0, and not the whole output: %s" %
                          difference(files, self.whole))
        left = os.listdir(self.tmp)
        if left:
            self.complain(fault, "status %s, left in TMPDIR: %s" % (status, left))

    def all_signals(self, exhaustive):
        rng = random.Random(self.case.name)
        n = self.calls["any"]
        for name in ("int", "term"):
            for i in range(1, n + 1) if exhaustive else rng.sample(range(1, n + 1), min(n, 8)):
                self.interrupted(name, i)

    def judge_words(self, fault, status, err):
        lines = [line for line in err.splitlines() if line.startswith("tp-")]
        if not lines or len(lines) > 12:
            self.complain(fault, "status %s with %d lines: %s" % (status, len(lines), err))

    def judge_failure(self, fault, status, err, files):
        if status != self.case.own_failure:
            self.complain(fault, "status %s: %s" % (status, err))
        self.judge_words(fault, status, err)
        for name, content in files.items():
            # a hot journal: the next to open the store rolls back
            if name.endswith(".db-journal") and name[:-8] in self.before:
                continue
            if content not in (self.before.get(name), self.whole.get(name)) and \
                    not self.is_marked(name):
                self.complain(fault, "status %s, %s is left: %s" % (status, name, err))
        if any(name not in files for name in self.before):
            self.complain(fault, "status %s, a file is gone" % status)

    def is_marked(self, name):
        """What tp-time heard before the link to the job broke, or before the job was
        ended, is kept, and says so.  What tp-profile made so far is used again, and the
        mark that a part of it is missing stays with it."""
        if self.case.name == "profile" and name.endswith("/partial"):
            return True
        if self.case.own_failure != 125 or name.endswith((".gz", ".json")):
            return False
        p = subprocess.run(["lz4", "-dc", os.path.join(self.folder, name)],
                           capture_output=True, check=False)
        end = p.stdout.rstrip().rsplit(b"\n", 1)[-1]
        return b'"complete":false' in end or b'"job_status":1' in end

    def numbers(self, kind, exhaustive, rng):
        n = self.calls[kind]
        if kind == "malloc" and n:
            return self.malloc_numbers(n, exhaustive, rng)
        if exhaustive:
            return list(range(1, n + 1))
        return sorted(rng.sample(range(1, n + 1), min(n, self.case.sample)))

    def malloc_numbers(self, n, exhaustive, rng):
        sites = self.folder + ".sites"
        with open(sites, "w", encoding="ascii"):
            pass
        self.run("any:0:5", sites)
        with open(sites, encoding="ascii") as f:
            places = [int(line) for line in f]
        if exhaustive:
            return places
        return sorted(rng.sample(places, min(len(places), self.case.sample)))

    def all(self, kinds, exhaustive):
        rng = random.Random(self.case.name)
        for kind in kinds:
            for n in self.numbers(kind, exhaustive, rng):
                for error, lasting in FAULTS[kind]:
                    self.one("%s:%d%s:%d" % (kind, n, lasting, error))
                for action in HARMLESS.get(kind, []):
                    if kind == "write" and action in self.case.skip:
                        continue
                    self.one("%s:%d:%s" % (kind, n, action), harmless=True)


def difference(a, b):
    return sorted(k for k in set(a) | set(b) if a.get(k) != b.get(k))


def sweep(work):
    """One case, in a process of its own: its name, what was bad, how many faults."""
    case, number, kinds, exhaustive = work
    s = Sweep(case, "case%d.%s" % (number, "-".join(kinds) if len(kinds) < 3 else "all"))
    if kinds == ["signals"] and not s.bad:
        s.all_signals(exhaustive)
    elif not s.bad:
        s.all(kinds, exhaustive)
    return case.name, s.bad, s.fired


def main(args):
    exhaustive = "-e" in args
    kinds = ["signals"] if "-s" in args else hurt.KINDS
    if "-k" in args:
        kinds = [args.pop(args.index("-k") + 1)]
    chosen = [a for a in args if not a.startswith("-")]
    set_up()
    work = [(c, i, [k] if exhaustive else kinds, exhaustive)
            for i, c in enumerate(cases()) if not chosen or c.name in chosen
            for k in (kinds if exhaustive else kinds[:1])]
    fired = 0
    with multiprocessing.Pool(os.cpu_count() if exhaustive else 1) as pool:
        for name, bads, n in pool.imap_unordered(sweep, work):
            fired += n
            for words in bads:
                hurt.bad(words)
    hurt.count(fired, "signals at a call" if "-s" in args else "faults injected")
    hurt.end()


if __name__ == "__main__":
    main(sys.argv[1:])
