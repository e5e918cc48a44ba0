"""harm - capture does no harm: a job under tp-time and tp-capture (both engines) while
something goes wrong on our side, or on its own.  Each time its result is what it is
without us: what it says, what it writes, its status or signal; it is not held up, and
no process and no folder of ours is left.

    harm.py N SEED [CASE...]     each case N times under each of the three

Of what is said, lines of ours are left out: those that begin with "tp-time: " or
"tp-capture: ".  The status may be 125 where the job's is 0 and a line says why.  Where
we cannot even begin (a full TMPDIR) the job may not be started, with 125 and a line.
A job that a signal ends at a random moment has said and written a beginning of what it
would have.  Where a starter is killed outright the job runs on.

Random moments come from the seed, the case's name and the run's number.  Stands in a
scratch directory, best in a mount namespace of its own.  Prints `count` and `bad` lines
(hurt.py).
"""
import ctypes
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import hurt
from harm_faults import CASES, NOT_RUN

STARTERS = ("tp-time", "torch", "cupti")
HELD_S = 5.0     # beyond the plain run
SHOWN = 3        # of a case, in full
BOUND_S = 60.0   # nothing is waited for longer
SUBREAPER = 36   # PR_SET_CHILD_SUBREAPER: orphans become ours
OURS = re.compile(rb"(?:tp-time|tp-capture): [^\n]*\n")
JOB_ENDED = re.compile(rb"^tp-\w+: the job (?:ended with|was ended by) ")
MEASURED = re.compile(rb" (?:ready|ns_a_launch|max_rss_kib)=\S+")
C_JOB = os.path.join(hurt.BUILD, "t/cuda/job")
PY_JOB = os.path.join(hurt.TOP, "t/jobs/harm.py")
MOCK = os.path.join(hurt.TOP, "t/mock/site-packages")
SIM = os.path.join(hurt.BUILD, "t/cuda")


class Result:
    """Of a run: a status as Popen has it, what came out, what lies there."""

    def __init__(self, status, out, err, files, took):
        self.status, self.out, self.err, self.files, self.took = status, out, err, files, took


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def state(pid):
    """Z for one that nobody has waited for, "" for none."""
    return read("/proc/%d/stat" % pid).rpartition(b")")[2].split()[:1] or [b""]


def gone(pid):
    return state(pid)[0] in (b"", b"Z", b"X")


class Run:
    """One job under one starter, in a folder of its own: job/ is where it stands,
    tmp/ its TMPDIR, out/ what we write.  A case changes what it will, then calls
    start(), does what is to be done, and end()."""

    plain_runs = {}   # of this process

    def __init__(self, case, starter, number, seed):
        self.case, self.starter, self.number = case, starter, number
        self.rng = random.Random("%s %s %s %d" % (seed, case, starter, number))
        self.at = os.path.abspath("w%d" % os.getpid())
        self.c = starter == "cupti" and number % 2 == 1
        self.words = []                # of what was wrong
        self.how = "plain"             # what the job does
        self.steps = 12
        self.stream = number // 2 % 2 == 1  # our stdout is data; else -o or -d
        self.text = False
        self.out = "out"
        self.env, self.limits, self.options = {}, "", []
        self.bin = ""                  # another prefix than the build's
        self.python, self.mock = "python3", True
        self.tmp = os.path.join(self.at, "tmp")
        self.stdout = None             # a descriptor in place of the file
        self.c_options = ["-n", "30", "-i", "1"]
        self.may_refuse = self.may_cut = self.leaves_tmp = False
        self.ends = ()                 # other ends that are right
        self.also_files = ()           # files that only such an end has
        self.late_files = ()           # ... that any has
        self.extra_s = 0.0
        self.beside = None             # words that are not the job's: an expression
        self.refused = False
        self.process = self.result = None
        self.folders = set()
        if case.endswith("(torch)"):
            self.python, self.mock, self.c = REAL_TORCH, False, False
            self.extra_s = 10.0  # several at once take seconds more to import it

    # -- the job ------------------------------------------------------------------

    def job(self):
        argv = [C_JOB] + self.c_options if self.c else \
            [self.python, PY_JOB, self.how, str(self.steps)]
        return ["sh", "-c", "echo $$ >pid; " + self.limits + "exec \"$@\"", "job"] + argv

    def environment(self):
        e = dict(os.environ, TMPDIR=self.tmp, PYTHONDONTWRITEBYTECODE="1",
                 PYTHONWARNINGS="ignore", OMP_NUM_THREADS="1")
        for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "TP_CUPTI"):
            e.pop(name, None)
        if self.mock:
            e["PYTHONPATH"] = MOCK
        if self.starter == "cupti" and self.mock:
            e.update(LD_LIBRARY_PATH=SIM, CUDA_HOME="/nonexistent")
            if not self.c:
                e["HARM_CUDA"] = "1"
        e.update(self.env)
        return {k: v for k, v in e.items() if v is not None}

    def prepare(self):
        for name in ("job", "tmp", "out"):
            shutil.rmtree(os.path.join(self.at, name), ignore_errors=True)
            os.makedirs(os.path.join(self.at, name))
        self.began = time.monotonic()

    def snapshot(self):
        found, top = {}, os.path.join(self.at, "job")
        for where, folders, names in os.walk(top):
            for n in names + folders:
                path = os.path.join(where, n)
                short = os.path.relpath(path, top)
                if short != "pid":
                    found[short] = "folder" if n in folders else \
                        (os.stat(path).st_mode, read(path))
        return found

    def popen(self, argv, stdout):
        with open(os.path.join(self.at, "stderr"), "wb") as err:
            return subprocess.Popen(argv, cwd=os.path.join(self.at, "job"), stdin=subprocess.DEVNULL,
                                    stdout=err if stdout == "err" else stdout, stderr=err,
                                    env=self.environment(), start_new_session=True)

    def collect(self, status, stdout):
        return Result(status, MEASURED.sub(b"", read(stdout)),
                      MEASURED.sub(b"", read(os.path.join(self.at, "stderr"))),
                      self.snapshot(), time.monotonic() - self.began)

    def plain(self):
        """The job without us, once for each that is the same."""
        env = sorted((k, v) for k, v in self.env.items() if not k.startswith("TP_FAULT"))
        key = repr((self.job(), self.stream, env, self.tmp))
        if key not in self.plain_runs:
            self.prepare()
            name = os.path.join(self.at, "stdout")
            with open(name, "wb") as out:
                p = self.popen(self.job(), "err" if self.stream else out)
            self.plain_runs[key] = self.collect(p.wait(BOUND_S), name)
            self.reap()
        return self.plain_runs[key]

    def need_kib(self):
        """The address space that the job takes at most, without us."""
        key = ("need", self.c, self.starter == "cupti")
        if key not in self.plain_runs:
            self.prepare()
            with open(os.devnull, "wb") as null:
                p = self.popen(self.job(), null)
            peak = 0
            while p.poll() is None:
                found = re.search(rb"VmPeak:\s*(\d+)", read("/proc/%d/status" % p.pid))
                peak = max(peak, int(found.group(1)) if found else 0)
                time.sleep(0.001)
            self.plain_runs[key] = peak
        return self.plain_runs[key]

    # -- under a starter ------------------------------------------------------------

    def argv(self):
        out = os.path.join(self.at, self.out)
        name = "tp-time" if self.starter == "tp-time" else "tp-capture"
        argv = [os.path.join(self.bin, name) if self.bin else name]
        if name == "tp-capture":
            argv += ["--engine", self.starter]
            if self.starter == "torch":
                argv += ["--window", "4:6"]
        argv += self.options
        if self.stream:
            argv += ["-j" if self.text else "-z"]
        else:
            argv += ["-o", out + "/s.lz4"] if name == "tp-time" else ["-d", out + "/d"]
        return argv + ["--"] + self.job()

    def start(self):
        self.want = self.plain()
        self.prepare()
        if self.stdout is not None:
            self.process = self.popen(self.argv(), self.stdout)
            return self
        with open(os.path.join(self.at, "stdout"), "wb") as out:
            self.process = self.popen(self.argv(), out)
        return self

    def moment(self, share=1.2):
        """Somewhere in the run."""
        time.sleep(self.rng.random() * self.want.took * share)

    def until(self, what, seconds=BOUND_S):
        """Whether it came before we ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if what():
                return True
            if self.process.poll() is not None:
                return bool(what())
            time.sleep(0.001)
        return False

    def pid(self):
        """The job's, once it has begun; else None."""
        words = read(os.path.join(self.at, "job/pid"))
        return int(words) if words.endswith(b"\n") else None

    def job_file(self, name):
        return os.path.exists(os.path.join(self.at, "job", name))

    def private(self):
        """Our private folder, or None."""
        for n in os.listdir(self.tmp):
            if n.startswith("tp-") and os.path.exists(os.path.join(self.tmp, n, "s")):
                return os.path.join(self.tmp, n)
        return None

    def job_over(self):
        """Wait for the job alone; says when it was held up."""
        pid = self.pid()
        if pid is None:
            return
        end = self.began + self.want.took + HELD_S
        while not gone(pid) and time.monotonic() < end:
            time.sleep(0.002)
        if not gone(pid):
            self.words.append("the job is held up")

    def end(self):
        """Wait for the starter, and judge."""
        bound = self.want.took + HELD_S + self.extra_s
        try:
            status = self.process.wait(max(1.0, self.began + bound - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.words.append("not over %.1f s after it began, plain takes %.1f" % (
                bound, self.want.took))
            self.process.kill()
            self.process.wait()
            self.reap(kill=True)
            return self
        self.result = self.collect(status, os.path.join(self.at, "stdout"))
        self.judge(self.result, status)
        self.clean()
        return self

    def end_alone(self):
        """The starter was killed: the job is waited for here."""
        want, status = self.want, None
        if self.process.wait() != -9:
            return self.end()
        end = time.monotonic() + want.took + HELD_S
        while time.monotonic() < end:
            try:
                got, raw = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break  # it had ended before, or never began
            if got and got == self.pid():
                status = os.waitstatus_to_exitcode(raw)
                break
            if not got:
                time.sleep(0.002)
        else:
            self.words.append("the job is held up")
        r = self.collect(status, os.path.join(self.at, "stdout"))
        if status not in (None, want.status):
            self.words.append("its status is %s, plain %s" % (status, want.status))
        self.compare(r, self.pid() is not None)
        self.leaves_tmp = True
        self.clean()
        return self

    # -- what is right ---------------------------------------------------------------

    def judge(self, r, status):
        want = self.want.status if self.want.status >= 0 else 128 - self.want.status
        ours = OURS.findall(r.err)
        told = any(not JOB_ENDED.match(line) for line in ours)
        begun = self.pid() is not None
        if self.may_refuse and not begun and status == 125 and told:
            self.refused = True
            return
        if status == want or (status == 125 and want == 0 and told):
            self.compare(r, True)
        elif status in self.ends:
            self.compare(r, False)
        else:
            self.words.append("status %s, plain %s" % (status, want))
            self.compare(r, False)

    def compare(self, r, whole):
        """All of it, or where a signal ended it a beginning."""
        err = OURS.sub(b"", r.err)
        if self.beside:
            err = re.sub(self.beside, b"", err)
        out = b"" if self.stream else r.out
        for name, got, want in (("stdout", out, self.want.out), ("stderr", err, self.want.err)):
            if got != want and (whole or not want.startswith(got)) and \
                    not (self.may_cut and not whole and self.forgives(name, got, want)):
                self.words.append("%s is another: %r, plain %r" % (name, got[-600:], want[-600:]))
        for name in set(r.files) | set(self.want.files):
            got, want = r.files.get(name), self.want.files.get(name)
            if got == want or (not whole and (got is None or name in self.also_files)) or \
                    (want is None and name in self.late_files):
                continue
            if whole or got is None or want is None or not want[1].startswith(got[1]):
                self.words.append("the file %s is another: %r, plain %r" % (name, got, want))

    def forgives(self, name, got, want):
        """Both streams in one, or a traceback at its end: lines in order."""
        if self.how == "int" and b"KeyboardInterrupt" in got:
            return True
        rest = iter(want.splitlines())
        return all(any(line == other for other in rest) for line in got.splitlines())

    def clean(self):
        left = [] if self.leaves_tmp else os.listdir(self.tmp) if os.path.isdir(self.tmp) else []
        if not self.mock:  # the real torch leaves something itself
            left = [n for n in left if n.startswith("tp-")]
        left += [f for f in self.folders if os.path.exists(f) and not self.leaves_tmp]
        if left:
            self.words.append("left in TMPDIR: %s" % left)
        self.reap()

    def reap(self, kill=False):
        """Nothing of it runs on."""
        end = time.monotonic() + 3.0
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid:
                continue
            if kill or time.monotonic() > end:
                for child in children():
                    if not kill:
                        self.words.append("left running: %r" % read("/proc/%d/cmdline" % child))
                    os.kill(child, signal.SIGKILL)
            time.sleep(0.002)


def children():
    return [int(p) for p in read("/proc/self/task/%d/children" % os.getpid()).split()]


def one(work):
    """The words of what was wrong, and whether the job was not started."""
    case, starter, number, seed = work
    run = Run(case, starter, number, seed)
    try:
        CASES[case](run)
    except Exception as e:  # of the test
        run.words.append("%s: %s" % (type(e).__name__, e))
        run.reap(kill=True)
    words = ["%s, %s%s, run %d: %s" % (case, starter, " in C" if run.c else "", number, w)
             for w in run.words]
    if words and run.result:
        words[-1] += " | status %s | %s" % (
            run.result.status, run.result.err[-1200:].decode(errors="replace"))
    return case, words, run.refused


def worker():
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


REAL_TORCH = os.environ.get("HARM_TORCH", "")


def main(n, seed, chosen):
    print("seed %s" % seed, flush=True)
    # a sanitizer must come first in a process
    cupti = os.path.exists(os.path.join(SIM, "libcuda.so.1")) and \
        not hurt.BUILD.endswith(("asan", "tsan"))
    if not cupti:
        NOT_RUN.append("engine cupti: no capture library, or a sanitizer")
    if not REAL_TORCH:
        NOT_RUN.append("with the real torch")
    works = []
    for at, case in enumerate(CASES):
        if (chosen and case not in chosen) or (case.endswith("(torch)") and not REAL_TORCH):
            continue
        starters = CASES[case].starters or STARTERS
        times = max(1, n // 20) if case.endswith("(torch)") else n
        # few: one starter each, another one with another seed
        if n < len(starters):
            first = (at + seed) % len(starters)
            starters, times = starters[first:first + 1], n
        works += [(case, s, i, seed) for s in starters for i in range(times)
                  if s != "cupti" or cupti]
    total, failed, refused = {}, {}, 0
    with multiprocessing.Pool(2 * os.cpu_count(), worker) as pool:
        for case, words, was in pool.imap_unordered(one, works, chunksize=4):
            total[case] = total.get(case, 0) + (not words)
            refused += was
            failed[case] = failed.get(case, 0) + bool(words)
            for w in words:
                hurt.bad(w[:2000] if failed[case] <= SHOWN else "%s, again" % case)
    for case in CASES:
        if case in total and hurt.TORTURE:
            hurt.count(total[case], "jobs unharmed: " + case)
    hurt.count(sum(total.values()), "jobs unharmed by a fault")
    hurt.count(refused, "of them not started, and told so")
    for words in NOT_RUN:
        print("not run: " + words)
    hurt.end()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
