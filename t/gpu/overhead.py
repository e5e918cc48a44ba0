"""What a capture costs a job: processes that take turns.

A lent machine's speed drifts by a third from one minute to the next, so runs one after
the other tell nothing of 2 %.  Here the variants of a job (plain, under an engine) run
side by side, one at a time: after some turns of its loop (a slice) a process hands a
token to the next and waits until it comes round.  Of each process the median is told, over
the slices, of its slice against the plain ones of the same round.  Two plain processes
differ too, by where they lie in memory: so there are several of each variant, whose mean
counts, and each plain one against the other plain ones is the noise.  All keep to the
same few cores, since cores differ too.

A variant whose window ends writes its trace while it holds the token."""
import os
import statistics
import time

CORES = 4  # the job's thread, autograd's, a capture's

# what is put before the job: _tick() at the end of each turn of its loop.  The file of
# the ticks has two lines: the ns of each turn from the second on, without the waits for the
# token, and the CPU's ns of all its threads.
TICKS = r'''
import atexit, os
from time import perf_counter_ns as _now, process_time_ns as _cpu
_took, _used, _at, _token = [], [], [0, 0], [False]
_slice = int(os.environ.get("SLICE", 0))
_mine, _next = (os.open(os.environ[n], os.O_RDWR) for n in ("MINE", "NEXT")) if _slice else (0, 0)
def _end():
    with open(os.environ["GATE"] + ".ticks", "w") as f:
        f.write(" ".join(map(str, _took)) + "\n" + " ".join(map(str, _used)))
    if _token[0]:
        os.write(_next, b".")
atexit.register(_end)
def _tick():
    now, cpu = _now(), _cpu()
    if _at[0]:
        _took.append(now - _at[0])
        _used.append(cpu - _at[1])
    if _slice and len(_took) % _slice == 0:
        if _at[0]:
            _token[0] = False
            os.write(_next, b".")
        os.read(_mine, 1)
        _token[0] = True
        now, cpu = _now(), _cpu()
    _at[:] = now, cpu
'''


def clocked(source, path, turn):
    """A copy of a job that ticks after the line that starts with `turn`."""
    with open(source, encoding="utf-8") as f:
        lines = f.read().splitlines(True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(TICKS)
        for line in lines:
            f.write(line)
            if line.strip().startswith(turn):
                f.write(line[:len(line) - len(line.lstrip())] + "_tick()\n")
    return path


def round_and_round(place, plans, turns, limit_s):
    """Runs that share the device, `turns` each; a plan gets what its environment needs.
    One that dies with the token, or never starts, ends it for all."""
    names = ["%s/token.%d" % (place, i) for i in range(len(plans))]
    for name in names:
        os.mkfifo(name)
    # open here too: a FIFO that nobody holds forgets the token
    held = [os.open(name, os.O_RDWR) for name in names]
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:CORES])
    try:
        runs = [plan({"SLICE": str(turns), "MINE": names[i], "NEXT": names[(i + 1) % len(names)]})
                for i, plan in enumerate(plans)]
        whole = all([run.await_(".ready", 90) for run in runs])
        if whole:
            for run in runs:
                run.go()
            os.write(held[0], b".")
        until = time.time() + limit_s
        while whole and time.time() < until and not all(r.is_there(".left") for r in runs):
            whole = not any(r.process.poll() is not None and not r.is_there(".left") for r in runs)
            time.sleep(0.02)
        return [run.end(20 if whole and run.is_there(".left") else 0.1) for run in runs]
    finally:
        os.sched_setaffinity(0, cores)
        for fd, name in zip(held, names):
            os.close(fd)
            os.remove(name)


def slices(run, row, turns, first, last):
    """Medians, in ns, of a run's slices first..last, from 0, without the two turns after
    the wait (the device was idle) and the last one (a window may end there)."""
    rows = run.words(".ticks").split("\n")
    took = [int(x) for x in rows[row].split()] if row < len(rows) else []
    if len(took) < (last + 1) * turns:
        return []
    return [statistics.median(took[k * turns + 2:(k + 1) * turns - 1])
            for k in range(first, last + 1)]


def factors(runs, row, turns, first, last):
    """Of each variant, by process: by what its slices are longer than those of the plain
    processes in the same round, a plain one's than those of the other plain ones.
    runs: (variant, run) in the order of the ring.  And the plain ns of a turn."""
    got = [(name, slices(run, row, turns, first, last)) for name, run in runs]
    factor = {}
    for name, mine in got:
        plain = list(zip(*[other for n, other in got
                           if n == "plain" and other and other is not mine]))
        if mine and plain:
            factor.setdefault(name, []).append(statistics.median(
                x / statistics.mean(base) for x, base in zip(mine, plain)))
    plain_ns = [statistics.median(mine) for name, mine in got if name == "plain" and mine]
    return factor, statistics.median(plain_ns or [0])


def words(factor):
    """The mean of each variant's processes, and each, in %."""
    return ", ".join("%s %+.1f %% (%s)" % (name, 100 * (statistics.mean(fs) - 1), " ".join(
        "%+.1f" % (100 * (f - 1)) for f in fs)) for name, fs in sorted(factor.items()))


class Overhead:
    """The checks, on what engines.py offers: where it runs jobs and tells of them."""
    # the order of the ring, turns of a slice, the window, the slices that count
    INSIDE = {"ring": ("plain", "torch", "cupti", "plain", "torch_stacks", "cupti_lines"),
              "turns": 8, "window": (18, 57), "slices": (2, 6)}
    OUTSIDE = {"ring": ("plain", "cupti", "cupti_lines") * 5,
               "turns": 8, "window": (10, 13), "slices": (4, 27)}

    def __init__(self, engines, job):
        self.e, self.job = engines, job
        self.path = clocked(engines.job(job), "%s/clock_%s.py" % (engines.place, job),
                            engines.p["TURN"][job])

    def variant(self, name, number, window):
        """The starter of a variant, and its arguments."""
        base = ["-d", "%s/over.%s.%d" % (self.e.place, self.job, number),
                "--window", "%d:%d" % window]
        torch = ["tp-capture", "--engine", "torch", "--warmup", "2", "--no-lines"]
        return {"plain": [],
                "torch": torch + base, "torch_stacks": torch + ["--stacks"] + base,
                "cupti": ["tp-capture", "--engine", "cupti", "--no-lines"] + base,
                "cupti_lines": ["tp-capture", "--engine", "cupti"] + base}[name]

    def runs(self, what):
        """Rounds until one slice after the last that counts: by what each variant is
        longer, in %."""
        steps = what["turns"] * (what["slices"][1] + 2) + 1
        plans = [lambda env, i=i, n=n: self.e.run(self.variant(n, i, what["window"]), self.path,
                                                  steps, self.job, env)
                 for i, n in enumerate(what["ring"])]
        runs = list(zip(what["ring"], round_and_round(self.e.place, plans, what["turns"],
                                                      self.e.left() - 20)))
        bad = [(n, r.status, r.words()[-200:]) for n, r in runs
               if r.status != 0 or what is self.OUTSIDE and "CUPTI stays" in r.words()]
        self.e.check(not bad, "%s: every run for the clock ended well (%d)" % (
            self.job, len(runs)), bad or "")
        wall, wall_ns = factors(runs, 0, what["turns"], *what["slices"])
        cpu, cpu_ns = factors(runs, 1, what["turns"], *what["slices"])
        print("  %s, a turn of %.2f ms: %s\n  its CPU time, %.2f ms: %s" % (
            self.job, wall_ns / 1e6, words(wall), cpu_ns / 1e6, words(cpu)))
        self.e.figures.setdefault("overhead", {}).setdefault(self.job, []).append(
            {"window": what["window"], "wall": wall, "cpu": cpu, "wall_ns": wall_ns})
        return {n: 100 * (statistics.mean(fs) - 1) for n, fs in wall.items()}, wall.get("plain", [])

    def inside(self):
        more, _ = self.runs(self.INSIDE)
        for mine, theirs, share, name in (
                ("cupti", "torch", 0.7, "without stacks at most 0.7 of torch.profiler's"),
                ("cupti_lines", "torch_stacks", 1, "with lines at most with_stack")):
            self.e.check(mine in more and theirs in more and more[mine] <= share * more[theirs],
                         "%s: %s" % (self.job, name), "%.1f %% of %.1f %%" % (
                             more.get(mine, -1), more.get(theirs, -1)))

    def outside(self):
        """Behind the window, once CUPTI has gone; before it, nothing has come yet."""
        more, plain = self.runs(self.OUTSIDE)
        worst = max(more.get(n, 100) for n in ("cupti", "cupti_lines"))
        # a mean of five is as uncertain as the plain ones differ, over the root of five
        spread = 100 * statistics.stdev(plain) / len(plain) ** 0.5 if len(plain) > 1 else 0
        self.e.check(worst <= 2, self.job + ": outside its window within 2 % of plain",
                     "%+.2f %%; a mean is good to %.1f %%, one plain process is off by up to %.1f %%"
                     % (worst, spread, max([100 * abs(f - 1) for f in plain] or [-1])))
