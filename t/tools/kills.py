"""kills - tp-ingest killed with SIGKILL, at random moments and at every call that
leaves the process.  After each kill the store opens, passes integrity_check and
holds exactly what it held or all of what was added; running again completes it.

    kills.py moments N [SEED]    N kills at random moments
    kills.py calls [STEP]        a kill at each STEP-th call, before it and torn

Stands in a scratch directory.  Prints `count` and `bad` lines (hurt.py).
"""
import os
import random
import shutil
import subprocess
import sys
import time

import hurt

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Scene:
    """A store before, the traces that are added, and what may be there after:
    `steps` holds the content after 0, 1, ... of the traces, each of which is
    one transaction."""

    def __init__(self, name, before, added):
        self.name, self.before = name, None
        self.argv = ["tp-ingest", "-q", "-o", "s.db"] + ["../" + t for t in added]
        if before:
            self.before = name + ".before.db"
            subprocess.run(["tp-ingest", "-q", "-o", self.before] + before, check=True)
        self.prepare()
        self.steps = [hurt.store_content("run/s.db")]
        # into a store each goes by itself, a new one appears with all of them
        for some in [[t] for t in added] if before else [added]:
            subprocess.run(self.argv[:4] + ["../" + t for t in some], cwd="run", check=True)
            self.steps.append(hurt.store_content("run/s.db"))

    def prepare(self):
        shutil.rmtree("run", ignore_errors=True)
        os.mkdir("run")
        if self.before:
            shutil.copy(self.before, "run/s.db")

    def judge(self, how):
        """After a kill a view reads the store, what it holds is whole, and the same
        run once more completes it."""
        if os.path.exists("run/s.db"):
            status, _, err = hurt.run(["tp-view1", "-j", "s.db"], cwd="run")
            if status != 0:
                hurt.bad("%s, %s: tp-view1: status %s, %s" % (self.name, how, status, err))
        got = hurt.store_content("run/s.db")
        if got not in self.steps:
            hurt.bad("%s, %s: the store is %s" % (self.name, how, got))
        status, _, err = hurt.run(self.argv, cwd="run")
        if status != 0 or hurt.store_content("run/s.db") != self.steps[-1]:
            hurt.bad("%s, %s: running again: status %s, %s" % (self.name, how, status, err))
        # what a process killed outright could not remove is hidden, and named so
        left = [n for n in os.listdir("run") if n != "s.db" and not n.startswith(".s.db.")
                and not n.startswith(".tp-sort.")]
        if left:
            hurt.bad("%s, %s: left behind: %s" % (self.name, how, left))


def scenes():
    for rank in range(4):
        hurt.small_trace("rank%d.json" % rank, rank, us=400, shift_us=rank)
    return [Scene("new", [], ["rank0.json"]),
            Scene("new, two", [], ["rank0.json", "rank1.json"]),
            Scene("add", ["rank0.json", "rank1.json"], ["rank2.json"]),
            Scene("add two", ["rank0.json", "rank1.json"], ["rank2.json", "rank3.json"])]


def moments(n, seed):
    rng = random.Random(seed)
    all_scenes, took, killed = scenes(), {}, 0
    for s in all_scenes:
        s.prepare()
        began = time.monotonic()
        subprocess.run(s.argv, cwd="run", check=True)
        took[s.name] = time.monotonic() - began
    i = 0
    while killed < n and i < 4 * n:
        s = all_scenes[i % len(all_scenes)]
        i += 1
        s.prepare()
        p = subprocess.Popen(s.argv, cwd="run", **QUIET)
        moment = rng.random() * took[s.name]
        time.sleep(moment)
        p.kill()
        if p.wait() == -9:
            killed += 1
        s.judge("killed after %.1f ms" % (moment * 1e3))
    if killed < n:
        hurt.bad("only %d of %d were alive to be killed" % (killed, n))
    hurt.count(killed, "kills at random moments")


def calls(step):
    state, killed = hurt.State("state"), 0
    for s in scenes():
        for action in ("kill", "torn"):
            n, fired = 1, True
            while fired:
                s.prepare()
                status, _, err = hurt.run(s.argv, "any:%d:%s" % (n, action), state, "run")
                fired = state.fired() > 0
                how = "%s at call %d (%s)" % (action, n, state.where())
                if fired and status != -9:
                    hurt.bad("%s, %s: status %s, %s" % (s.name, how, status, err))
                elif not fired and status != 0:
                    hurt.bad("%s: status %s without a fault, %s" % (s.name, status, err))
                killed += fired
                s.judge(how)
                n += step
    hurt.count(killed, "kills at a call")


if sys.argv[1] == "moments":
    moments(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
else:
    calls(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
hurt.end()
