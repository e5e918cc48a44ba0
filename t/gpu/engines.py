"""The part of `prove` for engine cupti: t/gpu/prove cupti.

What the engine must be held against: torch.profiler on the same window of the same
job (kernels, copies, times, the planted lines), the plain job (time, memory, output,
status), and a CUDA program's own counts.  The most important comes first; each part
ends by itself when the time is up.

A job starts in `gate.py`: it imports torch and starts CUDA, then waits for its turn,
so that starts overlap and runs on the device never do.  Where time is compared, they
take turns: see overhead.py."""
import collections
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from overhead import Overhead

# steps that a job runs, and its window
WINDOWS = {"gpt_item": (16, "9:11"), "rnn_tiny": (16, "9:11"), "graphs": (60, "40:42"),
           "cnn_loader": (10, "5:7"), "gpt_clean": (16, "9:11"), "curriculum": (24, "9:11"),
           "prefetch": (16, "9:11")}
# what a step is, where telling takes longer than the window is away
RULES = {"rnn_tiny": ["--step", "forward"], "graphs": ["--step", "forward"]}
PLANTED = {  # job: (cause, lines, among the first so many sites)
    "gpt_item": [("sync", {42}, 3), ("sync", {68}, 8), ("host", {67}, 5)],
    "cnn_loader": [("input", set(range(18, 23)) | {36, 37}, 3)],
    "rnn_tiny": [("host", {12, 13, 14, 28, 29, 30, 31}, 3)],
    "curriculum": [("sync", {12}, 5)],
    "graphs": [(None, {34, 35, 36}, 3)],
}
FINDINGS = {"gpt_item": {42}, "cnn_loader": set(range(18, 23)) | {36, 37},
            "rnn_tiny": set(range(12, 15)) | set(range(26, 33)), "prefetch": {26, 31, 33}}
GATE = '''
import atexit, os, resource, runpy, sys, time
name = os.environ["GATE"]
job, sys.argv = sys.argv[1], sys.argv[1:]
sys.path.insert(0, os.path.dirname(job))
import torch
if torch.cuda.is_available():
    torch.zeros(8, device="cuda").sum().item()
open(name + ".ready", "w").close()
while not os.path.exists(name + ".go"):
    time.sleep(0.01)
began = time.monotonic()
def left():
    with open(name + ".part", "w") as f:
        f.write("%f %d" % (time.monotonic() - began,
                           resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
    os.rename(name + ".part", name + ".left")
atexit.register(left)
runpy.run_path(job, run_name="__main__")
'''


class Run:
    """A job under some starter: its output, status, seconds, ticks."""
    n = 0

    def __init__(self, place, starter, job, steps, out=None, then="", env=None):
        Run.n += 1
        self.gate = "%s/run.%d" % (place, Run.n)
        self.out = out or self.gate + ".stdout"
        line = [sys.executable, place + "/gate.py", job, str(steps)]
        args = starter + (["--"] if starter else []) + line
        words = " ".join("'%s'" % a for a in args) + (then or " >'%s'" % self.out)
        with open(self.gate + ".stderr", "w", encoding="utf-8") as err:
            self.process = subprocess.Popen(
                ["bash", "-c", words + "; exit ${PIPESTATUS[0]}"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=err, cwd=place, start_new_session=True,
                env=dict(os.environ, GATE=self.gate, **env or {}))
        self.seconds = self.rss_kb = self.status = None

    def is_there(self, what):
        return os.path.exists(self.gate + what)

    def await_(self, what, limit_s):
        until = time.time() + limit_s
        while time.time() < until and not self.is_there(what):
            if self.process.poll() is not None:
                return self.is_there(what)
            time.sleep(0.005)
        return self.is_there(what)

    def go(self):
        open(self.gate + ".go", "w", encoding="ascii").close()

    def turn(self, limit_s=90):
        """Its time on the device, alone."""
        ok = self.await_(".ready", limit_s)
        self.go()
        if ok:
            self.await_(".left", limit_s)
        return ok

    def end(self, limit_s=60):
        try:
            self.status = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.status = "hangs"
        if self.is_there(".left"):
            with open(self.gate + ".left", encoding="ascii") as f:
                seconds, rss = f.read().split()
            self.seconds, self.rss_kb = float(seconds), int(rss)
        return self

    def words(self, what=".stderr"):
        try:
            with open(self.gate + what, encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return ""


def in_turn(plans, ahead=3):
    """Runs, each with the device to itself; those behind it start meanwhile."""
    runs, started = [], []
    for i, plan in enumerate(plans):
        while len(started) <= min(i + ahead, len(plans) - 1):
            started.append(plans[len(started)]())
        started[i].turn()
        runs.append(started[i])
    return [r.end() for r in runs]


class Engines:
    def __init__(self, prove):
        self.p = prove
        self.place = prove["WORK"] + "/engines"
        shutil.rmtree(self.place, ignore_errors=True)
        os.makedirs(self.place)
        with open(self.place + "/gate.py", "w", encoding="ascii") as f:
            f.write(GATE)
        for name in os.listdir(prove["JOBS"]):
            if name.endswith(".py"):
                shutil.copy(os.path.join(prove["JOBS"], name), self.place)
        self.left = prove["left"]
        self.figures = prove["results"].setdefault("cupti", {})

    def check(self, ok, name, detail=""):
        self.p["check"](ok, name, str(detail))

    def job(self, name):
        return "%s/%s.py" % (self.place, name)

    def time_for(self, what, need_s):
        if self.left() > need_s:
            return True
        print("no time left for " + what, flush=True)
        return False

    # -- the same window by both engines ----------------------------------------------

    def captures(self, jobs):
        plans = []
        for job in jobs:
            steps, window = WINDOWS[job]
            for engine in ("torch", "cupti"):
                def plan(job=job, steps=steps, window=window, engine=engine):
                    folder = "%s/%s.%s" % (self.place, job, engine)
                    more = ["--no-lines", "--warmup", "2"] if engine == "torch" else []
                    return Run(self.place, ["tp-capture", "--engine", engine, "-d", folder,
                                            "--window", window, "--then", "stop"] + more +
                               RULES.get(job, []),
                               self.job(job), steps)
                plans.append(plan)
        return dict(zip([(j, e) for j in jobs for e in ("torch", "cupti")], in_turn(plans)))

    def equal(self):
        jobs = [job for job in WINDOWS if job in self.p["ONLY"]]
        for some in (jobs[:3], jobs[3:5], jobs[5:]):
            if not some or not self.time_for("equality of " + " ".join(some), 30 * len(some)):
                continue
            runs = self.captures(some)
            for job in some:
                self.judge_equal(job, runs[job, "torch"], runs[job, "cupti"])

    def store(self, job, engine, run):
        folder = "%s/%s.%s" % (self.place, job, engine)
        files = [folder + "/" + f for f in os.listdir(folder)] if os.path.isdir(folder) else []
        name = folder + ".db"
        got = self.p["run"](["tp-ingest", "-o", name] + files) if files else None
        ok = got and got.returncode == 0
        self.check(ok, "%s: engine %s has a whole window" % (job, engine),
                   "" if ok else "%s %s" % (run.status, (run.words() + (got.stderr if got else ""))[-400:]))
        if engine == "cupti" and run.words().strip():
            print("  it said: " + run.words().strip()[-300:])
        return name if got and os.path.exists(name) else None

    def judge_equal(self, job, torch, cupti):
        stores = [self.store(job, "torch", torch), self.store(job, "cupti", cupti)]
        if not all(stores):
            return
        a, b = (window_of(s) for s in stores)
        self.check(sum(a["kernels"].values()) == sum(b["kernels"].values()) > 0,
                   job + ": as many kernels", "%d, %d" % (
                       sum(a["kernels"].values()), sum(b["kernels"].values())))
        self.check(a["kernels"] == b["kernels"], job + ": the same kernels in each step",
                   unlike(a["kernels"], b["kernels"]))
        self.check(a["copies"] == b["copies"], job + ": the same copies, with their bytes",
                   unlike(a["copies"], b["copies"]) or "%d" % sum(a["copies"].values()))
        off = [y / x - 1 for x, y in zip(a["time"], b["time"]) if x]
        self.check(off and abs(sorted(off)[len(off) // 2]) <= 0.02,
                   job + ": kernel time of a step within 2 %",
                   ", ".join("%+.2f %%" % (100 * x) for x in off))
        self.figures.setdefault("equal", {})[job] = {
            "kernels": sum(a["kernels"].values()), "off": off, "torch_s": torch.seconds,
            "cupti_s": cupti.seconds, "events": b["events"]}
        self.planted(job, stores[1])

    def planted(self, job, store):
        rows = self.p["records"](["tp-view2", "-j", store])
        views = self.p["run"](["bash", "-c", "for v in 1 2 3 4 5; do tp-view$v -z '%s'; done |"
                               " tp-rank -j" % store])
        found = [json.loads(x) for x in views.stdout.splitlines()
                 if x.startswith('{"kind":"finding"')]
        at = self.p["at"]
        for cause, lines, top in PLANTED.get(job, []):
            sites = [r for r in rows if r.get("kind") == "view2.site" and
                     (r.get("cause") == cause if cause else r.get("cause") in ("sync", "host"))]
            sites.sort(key=lambda r: -r.get("cost_ns", 0))
            here = [r for r in sites[:top] if r.get("line") in lines and
                    at(r).startswith(job + ".py") and r.get("how") in ("line", "between", "other_thread")]
            self.check(here, "%s: cupti names line %s (%s)" % (
                job, "/".join(map(str, sorted(lines))), cause or "host or sync"),
                ", ".join("%s %s %s %.2f ms" % (r.get("cause"), at(r), r.get("how"),
                                                r["cost_per_step_ns"] / 1e6) for r in sites[:top]))
        if job in FINDINGS:
            self.check(any(f.get("line") in FINDINGS[job] and at(f).startswith(job + ".py")
                           for f in found), job + ": cupti's finding is at the planted line",
                       ", ".join("%s %s %s" % (f.get("cause"), at(f), f.get("how")) for f in found[:4]))
        if job == "gpt_clean":
            host = [f for f in found if f.get("cause") in ("sync", "host", "input", "alloc")
                    and f.get("cost_share", 0) > 0.03]
            self.check(not host, job + ": cupti has no host-side finding above 3 %")
        known = [r for r in rows if r.get("kind") == "view2.site" and r.get("cost_ns")
                 and r.get("cause") in ("sync", "host", "launch", "input", "alloc")]
        exact = sum(r["cost_ns"] for r in known if r.get("line"))
        whole = sum(r["cost_ns"] for r in known)
        wall = sum(r["wall_ns"] for r in rows
                   if r.get("kind") == "view2.ledger" and "step" not in r)
        if whole * 1000 > wall:  # else there is nothing to be told
            self.check(exact * 2 > whole, job + ": most of the host's idle time has a line",
                       "%d of %d us" % (exact // 1000, whole // 1000))
        else:
            print("  %s: no idle time of the host to have lines (%d us)" % (job, whole // 1000))
        self.figures.setdefault("findings", {})[job] = found[:6]

    # -- what it costs ------------------------------------------------------------------

    def run(self, starter, path, steps, job, env):
        return Run(self.place, starter and starter + RULES.get(job, []), path, steps, env=env)

    def overhead(self, where):
        for job in [j for j in ("gpt_item", "rnn_tiny") if j in self.p["ONLY"]]:
            if self.time_for("%s: what it costs %s" % (job, where), 180 if where == "outside" else 100):
                getattr(Overhead(self, job), where)()

    def inside(self):
        self.overhead("inside")

    def outside(self):
        self.overhead("outside")

    # -- long, stalled, killed ------------------------------------------------------------

    def long(self, job="graphs", steps=10000):
        if not self.time_for("%d steps" % steps, 60):
            return
        d = self.place + "/long"
        plain, native = in_turn([
            lambda: Run(self.place, [], self.job(job), steps),
            lambda: Run(self.place, ["tp-capture", "--engine", "cupti", "-d", d],
                        self.job(job), steps)])
        files = [d + "/" + f for f in os.listdir(d)] if os.path.isdir(d) else []
        more_kb = (native.rss_kb or 1 << 30) - (plain.rss_kb or 0)
        end = last_record(self.p, files[0]) if files else {}
        self.check(native.status == plain.status == 0 and native.words(".stdout") ==
                   plain.words(".stdout"), "%d steps of %s: status and output are the job's"
                   % (steps, job), (native.status, native.words()[-200:]))
        self.check(more_kb < 64 << 10, "%d steps: under 64 MiB in the job" % steps,
                   "%.1f MB more" % (more_kb / 1e3))
        self.check(end.get("complete") is True, "%d steps: nothing was dropped" % steps,
                   "%s records, dropped %s" % (end.get("records"), end.get("dropped")))
        self.figures["long"] = {"job": job, "steps": steps, "more_kb": more_kb, "end": end,
                                "plain_s": plain.seconds, "cupti_s": native.seconds,
                                "bytes": sum(os.path.getsize(f) for f in files)}

    def readers(self, job="rnn_tiny", steps=300):
        if not self.time_for("stalled and killed readers", 60):
            return
        base, path = ["tp-capture", "--engine", "cupti", "-z"], self.job(job)
        held, gone = self.place + "/held.z", self.place + "/gone.z"
        hold = "while [ ! -e \"$GATE.left\" ]; do sleep 0.1; done"
        plain, read, stalled, killed, full = in_turn([
            lambda: Run(self.place, [], path, steps),
            lambda: Run(self.place, base, path, steps, then=" | cat >'%s'" % self.place + "/read.z"),
            lambda: Run(self.place, base, path, steps,
                        then=" | { %s; cat >'%s'; }" % (hold, held)),
            lambda: Run(self.place, base, path, steps,
                        then=" | head -c 100000 >'%s'" % gone),
            lambda: Run(self.place, base, path, steps, then=" >/dev/full")])
        for name, r in (("stalls", stalled), ("dies", killed), ("is a full disk", full)):
            self.check(r.seconds and r.seconds < read.seconds * 1.15 + 1,
                       "a reader that %s does not hold the job" % name,
                       "%.2f s, with one that reads %.2f s, plain %.2f s" % (
                           r.seconds or -1, read.seconds or -1, plain.seconds or -1))
            self.check(r.words(".stderr").count("torch.Size") == 1,
                       "a reader that %s: the job's output is there" % name, r.words()[-200:])
        end = last_record(self.p, held)
        self.check(end.get("complete") is False and end.get("dropped", 0) > 0 or
                   end.get("complete") is True, "a reader that stalls: what was dropped is counted", end)
        self.check(killed.status == 0, "a reader that dies: the job's own status", killed.status)
        self.check(full.status == 125, "a full disk is told", (full.status, full.words()[-200:]))
        self.figures["readers"] = {n: r.seconds for n, r in (
            ("plain", plain), ("read", read), ("stalled", stalled), ("killed", killed), ("full", full))}

    # -- processes that end as they should not ----------------------------------------------

    ENDS = {
        "os._exit": "print('before', flush=True); os._exit(3)",
        "SIGKILL": "print('before', flush=True); os.kill(os.getpid(), 9)",
        "fork": "pid = os.fork()\nif pid == 0:\n    print('child', flush=True); os._exit(0)\n"
                "os.waitpid(pid, 0)\ny = (x @ x).sum().item(); print('parent', flush=True)",
        "exception": "print('before', flush=True); raise SystemExit(7)",
    }

    def ends(self):
        if not self.time_for("jobs that end as they should not", 40):
            return
        plans, outs = [], []
        for name, code in self.ENDS.items():
            path = "%s/end_%s.py" % (self.place, name.replace(".", ""))
            with open(path, "w", encoding="ascii") as f:
                f.write("import os, torch\nx = torch.ones(512, 512, device='cuda')\n"
                        "for i in range(50):\n    x = x @ x / 512\nx.sum().item()\n" + code + "\n")
            outs.append(path + ".z")
            plans.append(lambda path=path: Run(self.place, [], path, 0))
            plans.append(lambda path=path: Run(self.place, ["tp-capture", "--engine", "cupti"], path,
                                               0, out=path + ".z"))
        runs = in_turn(plans, ahead=5)
        for name, out, plain, got in zip(self.ENDS, outs, runs[::2], runs[1::2]):
            said = got.words().splitlines()  # among ours
            self.check(got.status == plain.status and plain.words(".stdout") and
                       all(x in said for x in plain.words(".stdout").splitlines()),
                       "%s: status and output are the job's" % name,
                       "%s, %s: %s" % (got.status, plain.status, got.words()[-200:]))
            end = last_record(self.p, out)
            whole = name in ("fork", "exception")
            self.check(end.get("complete") is whole, "%s: the stream says %s" % (
                name, "that it is whole" if whole else "that it is not"), end)
        bad = dict(os.environ, TP_CAPTURE="/nonexistent", CUDA_INJECTION64_PATH=os.path.join(
            self.p["ROOT"], "lib", "libtpcapture.so"))
        got = self.p["run"]([sys.executable, self.place + "/end_exception.py"], env=bad)
        self.check(got.returncode == 7 and got.stdout == "before\n" and not got.stderr,
                   "no socket to write to: the job does not know", (got.returncode, got.stderr[-200:]))

    # -- a script that profiles itself -------------------------------------------------------

    OWN = """
import json, sys, torch
from torch.profiler import ProfilerActivity, profile
model = torch.nn.Linear(64, 64, device="cuda")
opt = torch.optim.SGD(model.parameters(), lr=0.01)
def turn():
    opt.zero_grad(); model(torch.ones(8, 64, device="cuda")).sum().backward(); opt.step()
for i in range(12):
    turn()
torch.cuda.synchronize()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    for i in range(4):
        turn()
    torch.cuda.synchronize()
prof.export_chrome_trace(sys.argv[1])
with open(sys.argv[1]) as f:
    events = json.load(f)["traceEvents"]
print("kernels", sum(e.get("cat") == "kernel" for e in events),
      "calls", sum(e.get("name") == "cudaLaunchKernel" for e in events))
turn()
torch.cuda.synchronize()
"""

    def own(self):
        """The script's own profiler has all that it would have; ours leaves CUPTI to it."""
        if not self.time_for("a script that profiles itself", 30):
            return
        path, out = self.place + "/own.py", self.place + "/own.z"
        with open(path, "w", encoding="ascii") as f:
            f.write(self.OWN)
        plain, got = in_turn([
            lambda: Run(self.place, [], path, path + ".plain.json"),
            lambda: Run(self.place, ["tp-capture", "--engine", "cupti"], path,
                        path + ".ours.json", out=out)])
        said = plain.words(".stdout")
        self.check(plain.status == got.status == 0 and said.startswith("kernels ")
                   and said.strip() in got.words(), "a script's own profiler sees what it would",
                   "%s: %s" % (said.strip(), got.words()[-300:]))
        kernels = self.p["run"](["bash", "-c", "tp-ingest -j '%s' | grep -c '\"cat\":\"kernel\"'" % out])
        self.check(int(kernels.stdout or 0) > 12, "and ours has what came before", kernels.stdout.strip())
        self.check("own profiler" in got.words(), "which is said")

    # -- CUPTI goes behind the window ------------------------------------------------------

    BEHIND = """
import sys, threading, torch
from torch.profiler import ProfilerActivity, profile
torch.manual_seed(0)
model = torch.nn.Linear(64, 64, device="cuda")
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, still, done = torch.ones(8, 64, device="cuda"), torch.ones(8, 64, device="cuda"), False
def turn():
    opt.zero_grad(); model(x).sum().backward(); opt.step()
def beside():
    y = torch.ones(64, 64, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        while not done:
            y = y @ y / 64
            if torch.isnan(y).any().item():
                print("broken")
def graph():
    g, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(side):
        still.sin().sum()
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(g, capture_error_mode="thread_local"):
        out = still.sin().sum()
    return g, out
early, early_out = graph()
alone = sys.argv[1] == "1"
def start():
    thread = threading.Thread(target=(lambda: None) if alone else beside)
    thread.start()
    return thread
thread = start()
seen = []
for i in range(60):
    turn()
    if i == 16:
        done = True
        thread.join()
        late, late_out = graph()
        done = False
        thread = start()
    still.fill_(i)
    early.replay()
    seen.append(early_out.item())
    if i >= 16:
        late.replay()
        seen.append(late_out.item())
done = True
thread.join()
with profile(activities=[ProfilerActivity.CUDA]) as prof:
    turn(); late.replay(); torch.cuda.synchronize()
print(len(prof.events()) > 5, seen, model.weight.sum().item())
"""

    def behind(self, rounds=2):
        """Of a window with a graph's capture in it, one before, one behind; with a thread
        that launches beside, and without: the job is as it would be, and a profiler that
        comes later works.  CUPTI stays beside the thread, and goes without it."""
        if not self.time_for("windows that CUPTI goes behind", 60):
            return
        path = self.place + "/behind.py"
        with open(path, "w", encoding="ascii") as f:
            f.write(self.BEHIND)
        windows = ["8:9", "15:18", "30:33", "57:57"] * rounds
        plans = [lambda: Run(self.place, [], path, 1)] + [
            lambda w=w, i=i: Run(self.place, ["tp-capture", "--engine", "cupti", "-d", path + ".d",
                                              "--window", w], path, (i // 4) % 2)
            for i, w in enumerate(windows)]
        plain, *runs = in_turn(plans, ahead=6)
        want = plain.words(".stdout")
        bad = [(w, r.status, r.words()[-300:], r.words(".stdout")[:100]) for w, r in zip(windows, runs)
               if r.status != 0 or r.words(".stdout") != want]
        stayed = "".join("ny"["CUPTI stays behind the window" in r.words()] for r in runs)
        self.check(plain.status == 0 and want.startswith("True ") and not bad,
                   "%d windows that CUPTI goes behind: the same job" % len(runs),
                   bad or want[:60])
        self.check(stayed == "yyyynnnn" * (rounds // 2), "it stays beside a thread that launches alone",
                   stayed)
        files = [path + ".d/" + f for f in os.listdir(path + ".d")]
        ends = [last_record(self.p, f) for f in files]
        self.check(len(ends) == len(runs) and all(e.get("complete") is True for e in ends),
                   "and each is whole", "%d streams" % len(ends))

    # -- a CUDA program ------------------------------------------------------------------------

    def program(self):
        """Another script, which knows its program's counts."""
        if not self.time_for("the CUDA program", 70):
            return
        got = self.p["run"]([sys.executable, os.path.join(self.p["ROOT"], "t", "gpu", "native")],
                            env=dict(os.environ, OUT=self.p["OUT"]))
        lines = [x.split(" ", 1) for x in got.stdout.splitlines() if x[:5] in ("PASS ", "FAIL ")]
        for word, rest in lines:
            self.check(word == "PASS", "CUDA program: " + rest)
        if not lines or got.returncode not in (0, 1):
            self.check(False, "the CUDA program's own proof ran", (got.stdout + got.stderr)[-400:])

    # -- all of it ---------------------------------------------------------------------------

    def profile(self, job="gpt_item"):
        if not self.time_for("tp-profile --engine cupti", 60):
            return
        place = self.place + "/profile"
        got = self.p["run"](["tp-profile", "--engine", "cupti", "-w", place, "--", sys.executable,
                             self.job(job), "40"], cwd=self.place)
        report = place + "/commits/no-commit/report.md"
        self.check(got.returncode == 0 and os.path.exists(report), "tp-profile --engine cupti",
                   got.stderr[-300:] if got.returncode else "")
        if os.path.exists(report):
            shutil.copy(report, self.p["OUT"] + "/report.cupti.md")

    def live(self):
        """A store while the job runs, and the first record within a second."""
        out = self.place + "/live.json"
        path = self.place + "/slow.py"
        with open(path, "w", encoding="ascii") as f:
            f.write("import torch, time\nx = torch.ones(64, 64, device='cuda')\ny = x @ x\n"
                    "torch.cuda.synchronize()\nopen('%s.began', 'w').close()\ntime.sleep(3)\n" % path)
        job = subprocess.Popen(["bash", "-c", "tp-capture --engine cupti -- %s %s | tp-ingest -j >%s" % (
            sys.executable, path, out)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        until = time.time() + 40
        while time.time() < until and not os.path.exists(path + ".began"):
            time.sleep(0.01)
        began, there = time.time(), False
        if not os.path.exists(path + ".began"):
            job.kill()
            self.check(False, "the job of the first record ran", job.stderr.read()[-500:])
            return
        while time.time() < began + 2.5 and not there:
            time.sleep(0.02)
            with open(out, encoding="utf-8") as f:
                there = '"cat":"kernel"' in f.read()
        took = time.time() - began
        job.wait(30)
        self.check(there and took < 1, "a kernel is on the stream within a second", "%.2f s" % took)

    def all(self, parts):
        for part in ("live", "equal", "inside", "outside", "long", "program", "readers", "ends", "own",
                     "behind", "profile"):
            if parts and part not in parts:
                continue
            began = time.time()
            try:
                getattr(self, part)()
            except Exception as e:  # one part that fails must not cost the others
                import traceback
                traceback.print_exc()
                self.check(False, "part %s of the proof" % part, repr(e))
            print("  (%s took %.0f s, %.0f left)" % (part, time.time() - began, self.left()), flush=True)
            self.p["keep"]()


def window_of(store):
    """What a store has of the ops that were launched inside its steps: how often each
    kernel (by step) and copy, and the time of the kernels of each step."""
    db = sqlite3.connect(store)
    steps = db.execute("SELECT host_ts_ns, host_ts_ns + host_dur_ns FROM steps GROUP BY idx"
                       " ORDER BY 1").fetchall()
    calls = dict(db.execute("SELECT corr, min(ts_ns) FROM events WHERE cat IN ('runtime', 'driver')"
                            " AND corr IS NOT NULL GROUP BY corr"))
    got = {"kernels": collections.Counter(), "copies": collections.Counter(),
           "time": [0] * len(steps), "steps": len(steps),
           "events": db.execute("SELECT count(*) FROM events").fetchone()[0]}
    for cat, name, dur, corr, nbytes in db.execute(
            "SELECT cat, name, dur_ns, corr, nbytes FROM events WHERE cat IN"
            " ('kernel', 'comm', 'memcpy', 'memset')"):
        at = calls.get(corr)
        k = next((i for i, (a, b) in enumerate(steps) if at is not None and a <= at < b), None)
        if k is None:
            continue
        if cat in ("kernel", "comm"):
            got["kernels"][k, name] += 1
            got["time"][k] += dur
        else:
            got["copies"][k, name, nbytes] += 1
    return got


def unlike(a, b):
    """The first differences of two counters, in words."""
    keys = [k for k in sorted(set(a) | set(b), key=str) if a[k] != b[k]]
    return "; ".join("%s: %d, %d" % (str(k)[:120], a[k], b[k]) for k in keys[:4]) + (
        " and %d more" % (len(keys) - 4) if len(keys) > 4 else "")


def last_record(prove, path):
    """The end of a stream, as tp-ingest -j passes it on."""
    got = prove["run"](["bash", "-c", "tp-ingest -j '%s' 2>/dev/null | tail -n 1" % path])
    try:
        return json.loads(got.stdout)
    except ValueError:
        return {}
