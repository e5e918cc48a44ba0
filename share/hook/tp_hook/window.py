"""The profiled window: torch.profiler, put in from outside.

boundary(k) is called as step k begins, or after the fact where that is known late
(another module takes the lead): a window cannot begin or go on there.  The profiler
is made ready `warmup` steps before the window, so that its start is not in it.  The
script's own profiler comes first: where it is at work ours waits, and where it
begins ours gives way."""
import os
import re
import sys
import time

from . import lines

PASSED = "the window (steps %d-%d) was passed before it could begin"
KNOWN_LATE = ("what a step is was known only after the window (steps %d-%d) began: "
              "nothing of it is kept; a later window will do, or --step")
TRACE_HEAD = 1 << 20   # baseTimeNanoseconds stands in the first or the last bytes


class Window:
    def __init__(self, steps, conf):
        self.steps, self.hook = steps, steps.hook
        self.torch = steps.hook.torch
        self.first, self.last = conf["first"], conf["last"]
        self.ready_at = max(1, self.first - conf["warmup"])
        self.conf = conf
        self.state = "idle"      # idle, ready, recording, done
        self.prof = None
        self.kineto = False      # it has been begun by us
        self.step_range = None
        self.lines = None
        self.late_taps = []
        self.step = 0

    def off(self):
        if os.getpid() != self.hook.pid:
            self.forget()
            return
        if self.state in ("ready", "recording"):
            if self.state == "recording":
                self.hook.note("the job ended in step %d, inside the window: "
                               "nothing is kept" % self.step)
            self.drop()
        elif self.state == "idle" and self.hook.alive and self.steps.n:
            self.hook.note("the job ended after %d steps, before the window "
                           "(steps %d-%d)" % (self.steps.n, self.first, self.last))
        self.state = "done"

    def forget(self):
        """In a forked child: its Kineto is not to be asked for anything, and hangs
        where it is torn down."""
        self.state, self.prof = "done", None
        if self.lines:
            self.lines.stop()
        if self.kineto:
            exit_without_kineto()

    def boundary(self, k, late=False):
        self.step = k
        if self.state == "done":
            return
        if late and (self.state == "recording" or k == self.first):
            self.missed(late)
        elif self.state == "recording":
            self.leave_step()
            if k > self.last:
                self.finish()
            else:
                self.enter_step(k)
        elif k > self.first:
            self.missed()
        elif k >= self.ready_at:
            self.approach(k)

    def approach(self, k):
        if self.script_profiles():
            if k == self.first:
                self.wait_for_script()
            return
        if self.state == "idle":
            self.make_ready()
        if k == self.first and self.state == "ready":
            self.record(k)

    def missed(self, late=False):
        """late: another module has the lead, from some calls ago on."""
        if self.script_profiles():
            self.give_way()
            return
        self.drop()
        self.hook.note((KNOWN_LATE if late else PASSED) % (self.first, self.last))

    # -- the profiler -------------------------------------------------------------

    def make_ready(self):
        profiler = self.torch.profiler
        kinds = [profiler.ProfilerActivity.CPU]
        if self.torch.cuda.is_available():
            kinds.append(profiler.ProfilerActivity.CUDA)
        more = {}
        if "acc_events" in profiler._KinetoProfile.__init__.__code__.co_varnames:
            more["acc_events"] = True  # else a warning of it in the job's stderr
        self.prof = profiler._KinetoProfile(
            activities=kinds, record_shapes=bool(self.conf.get("shapes")),
            profile_memory=bool(self.conf.get("memory")),
            with_stack=bool(self.conf.get("stacks")), **more)
        # what Kineto logs would be in the job's stderr
        was = os.environ.get("KINETO_LOG_LEVEL")
        os.environ["KINETO_LOG_LEVEL"] = "99"
        self.kineto = True
        self.prof.prepare_trace()
        if was is None:
            del os.environ["KINETO_LOG_LEVEL"]
        else:
            os.environ["KINETO_LOG_LEVEL"] = was
        self.state = "ready"

    def record(self, k):
        self.state = "recording"
        self.prof.start_trace()
        if self.conf.get("lines"):
            self.lines = lines.Lines(self.hook.fail)
        self.enter_step(k)
        if self.lines:
            self.lines.start(sys._getframe(1))

    def enter_step(self, k):
        self.step_range = self.torch.autograd.profiler.record_function(
            "ProfilerStep#%d" % k)
        self.step_range.__enter__()

    def leave_step(self):
        step, self.step_range = self.step_range, None
        if step is not None:
            step.__exit__(None, None, None)

    def finish(self):
        self.state = "done"
        if self.lines:
            self.lines.stop()
        self.prof.stop_trace()
        folder, pid = self.conf["dir"], os.getpid()
        path = os.path.join(folder, "trace.%d.json" % pid)
        self.prof.export_chrome_trace(path)
        record = {"kind": "tp_trace", "rank": self.hook.rank, "world_size": self.hook.world,
                  "pid": pid, "path": path,
                  "first_step": self.first, "steps": self.last - self.first + 1}
        if self.lines:
            record["lines"] = os.path.join(folder, "lines.%d.json" % pid)
            self.lines.write(record["lines"], trace_base(path))
            if self.lines.full:
                self.hook.note("more lines than are kept were run in the window: "
                               "the rest of it has lines of functions only")
        self.prof = self.lines = None
        self.hook.link.put_record(record)
        self.hook.link.flush(time.monotonic_ns())
        if self.conf.get("then") == "stop":
            self.steps.stop("the window")

    def drop(self):
        """Out, with nothing kept."""
        was, self.state = self.state, "done"
        if self.lines:
            self.lines.stop()
        self.leave_step()
        if self.prof is not None and was in ("ready", "recording"):
            try:
                if was == "ready":
                    self.prof.start_trace()
                self.prof.stop_trace()
            except Exception:
                pass
        self.prof = self.lines = None

    # -- the script's own profiler -------------------------------------------------

    def script_profiles(self):
        return self.state == "idle" and self.steps.profilers.at_work()

    def give_way(self):
        """The script's profiler begins, or is still at work when ours must."""
        if self.state != "done" and (self.state != "idle" or self.step > self.first):
            self.drop()
            self.hook.note("the script's own profiler works in the window: "
                           "ours gave way, nothing is recorded")
            self.hook.link.put_record({"kind": "tp_gave_way"})

    def wait_for_script(self):
        """The script's profiler may be just about to end: prof.step() is where a
        step ends and where its window does, in this order.  So look again at the
        first thing that the new step does."""
        torch, optimizer = self.torch, sys.modules["torch.optim.optimizer"]
        loader = sys.modules.get("torch.utils.data.dataloader")
        told = self.told_late
        for cls, name in ((optimizer.Optimizer, "zero_grad"),
                          (torch.nn.Module, "__call__"),
                          (getattr(loader, "_BaseDataLoaderIter", None), "__next__")):
            self.late_taps.append(self.steps.taps.add(cls, name, told))

    def told_late(self, obj):
        if self.steps.busy:
            return
        for tap in self.late_taps:
            if tap:
                self.steps.taps.drop(tap)
        self.late_taps = []
        if self.state == "idle" and self.step == self.first:
            self.steps.guard(self.begin_late)

    def begin_late(self):
        if self.script_profiles():
            self.give_way_late()
            return
        self.make_ready()
        self.record(self.first)

    def give_way_late(self):
        self.step = self.first + 1
        self.give_way()


def exit_without_kineto():
    """exit() of this process leaves out what was there before the fork.  Kineto waits
    there for a thread of the parent's (pthread_cond_destroy in ~ConfigLoader, seen with
    torch 2.15), for ever; without us the job may never have begun it."""
    import ctypes
    libc = ctypes.CDLL(None)
    # the last to come is the first to be called
    libc.on_exit(libc._exit, None)
    libc.__cxa_atexit(libc.fflush, None, None)


def trace_base(path):
    """baseTimeNanoseconds of a trace, which stands before or behind the events;
    0 in files of before May 2024, whose times are absolute."""
    with open(path, "rb") as f:
        head = f.read(TRACE_HEAD)
        f.seek(0, os.SEEK_END)
        f.seek(max(0, f.tell() - TRACE_HEAD))
        tail = f.read()
    for part in (head, tail):
        found = re.search(rb'"baseTimeNanoseconds"\s*:\s*(\d+)', part)
        if found:
            return int(found.group(1))
    return 0
