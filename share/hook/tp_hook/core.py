"""One process of the job: configuration, life, the way out.

torch_found() is called while the job is about to import torch; the hook proper
starts when that import has ended.  The starter hears of this process then, and
of its steps from the first one on; a process that makes none stays silent."""
import _signal
import atexit
import json
import os
import sys
import time

from . import link, sampler, startup


class Hook:
    def __init__(self, conf, start_ns, imports):
        self.conf = conf
        self.pid = os.getpid()
        self.epoch_ns = conf["epoch_mono_ns"]
        self.timed = bool(conf.get("timed"))  # else steps are counted, and no more
        self.link = None
        self.alive = True
        self.torch = None
        self.rank, self.world = 0, 1
        self.parts = []  # what must be taken out again: off(), in this order
        self.startup = startup.Startup(self, start_ns, imports)
        self.sampler = sampler.Sampler(self)
        self.steps = None
        self.notes = set()

    def rel(self, mono_ns):
        return mono_ns - self.epoch_ns

    # -- life ---------------------------------------------------------------

    def begin(self):
        """torch is being imported: the main thread is sampled from here on."""
        os.register_at_fork(before=self.before_fork, after_in_parent=self.after_fork,
                            after_in_child=self.in_child)
        self.sampler.start()

    def attach(self):
        """torch has been imported."""
        from . import steps
        self.torch = sys.modules["torch"]
        self.link = link.Link(self.conf["socket"])
        self.link.put_record({
            "kind": "tp_hello", "pid": self.pid,
            "torch": str(getattr(self.torch, "__version__", "")),
            "python": "%d.%d.%d" % sys.version_info[:3]})
        self.link.flush(time.monotonic_ns())
        if self.timed:
            self.startup.attach(self.torch)
        self.steps = steps.Steps(self)
        self.parts.append(self.steps)
        self.steps.attach()
        atexit.register(self.leave)

    def first_step(self):
        """Called once, when step 1 has ended: who we are, and the startup."""
        self.rank, self.world = rank_of(self.torch)
        self.link.put_record(describe(self))

    def note(self, text):
        """One line for the person, once."""
        if text not in self.notes and self.link and not self.link.broken:
            self.notes.add(text)
            self.link.put_record({"kind": "tp_note", "text": text})

    def off(self, why=None):
        """Out of the job's way, for good."""
        if not self.alive:
            return
        self.alive = False
        quietly(self.sampler.stop, self.parts_off, lambda: self.say_off(why))

    def parts_off(self):
        while self.parts:
            quietly(self.parts.pop().off)

    def say_off(self, why):
        if self.link and not self.link.broken:
            if why:
                self.link.put_record({"kind": "tp_off", "text": why})
            self.link.finish(0.2)

    def fail(self, where):
        """From an except clause: the hook has a fault, the job goes on.  Whatever of
        the job's runs a function of ours has such a clause, or runs it by way of one.
        What a signal handler of the job's raised while we ran is the job's, and goes on."""
        kind, value, trace = sys.exc_info()
        if of_handler(trace):
            raise value
        try:
            self.off("%s: %s: %s" % (where, getattr(kind, "__name__", kind), value))
        except Exception:
            self.alive = False

    def leave(self):
        """atexit: the last steps, and word that this was a proper end."""
        if not self.alive or os.getpid() != self.pid:
            return
        try:
            self.sampler.stop()
            if self.steps:
                self.steps.finish()
            self.link.put_record({
                "kind": "tp_bye", "dropped": self.link.dropped})
            self.link.finish()
        except BaseException:
            # an interrupt that comes here would be told, with our lines, and change
            # nothing: the job has ended
            pass
        self.alive = False

    # -- fork ---------------------------------------------------------------
    # A thread of ours at fork() would make Python 3.12 warn on the job's
    # stderr, so it is stopped before.  It comes back at once when the process
    # has other threads anyway, else with the next step.

    def before_fork(self):
        try:
            if self.alive and os.getpid() == self.pid:
                self.sampler.stop()
        except Exception:
            self.fail("fork")

    def after_fork(self):
        try:
            if self.alive and os.getpid() == self.pid and other_threads():
                self.sampler.start()
        except Exception:
            self.fail("fork")

    def in_child(self):
        """A forked child does nothing, ever: no thread, no socket, no tap."""
        self.alive = False
        quietly(self.sampler.forget, self.close_link, self.parts_off)

    def close_link(self):
        if self.link:
            self.link.close()


def of_handler(trace):
    """Whether it came by way of a function that is installed for a signal."""
    handlers = [_signal.getsignal(n) for n in range(1, _signal.NSIG)]
    codes = [getattr(getattr(h, "__func__", h), "__code__", None) for h in handlers]
    while trace:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False


def quietly(*calls):
    """All of them, whichever fails."""
    for call in calls:
        try:
            call()
        except Exception:
            pass


def other_threads():
    try:
        with open("/proc/self/stat", "rb") as f:
            return int(f.read().rpartition(b")")[2].split()[17]) > 1
    except (OSError, ValueError, IndexError):
        return False


def rank_of(torch):
    dist = sys.modules.get("torch.distributed")
    try:
        if dist and dist.is_available() and dist.is_initialized():
            return dist.get_rank(), dist.get_world_size()
    except Exception:
        pass
    try:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except (KeyError, ValueError):
        return 0, 1


def describe(hook):
    torch = hook.torch
    record = {"kind": "run", "rank": hook.rank, "world_size": hook.world,
              "pid": hook.pid, "argv": list(getattr(sys, "argv", [])),
              "cwd": os.getcwd(), "torch": str(torch.__version__),
              "python": "%d.%d.%d" % sys.version_info[:3]}
    record.update(hook.steps.rule_words())
    try:
        if torch.cuda.is_initialized():
            p = torch.cuda.get_device_properties(torch.cuda.current_device())
            record["device"] = {"name": p.name, "sms": p.multi_processor_count,
                                "capacity_bytes": p.total_memory}
    except Exception:
        pass
    return record


# -- the import of torch -----------------------------------------------------

def watch_load(spec, done):
    """done(whole) is called when the module of this spec has been imported, or could
    not be.  importlib marks that on the spec, so no frame of ours stands around the
    module's own: its warnings and tracebacks have their lines."""
    kind = type(spec)

    class Watched(kind):
        @property
        def _initializing(self):
            return self.__dict__.get("_initializing", False)

        @_initializing.setter
        def _initializing(self, on):
            self.__dict__["_initializing"] = on
            if not on:
                self.__class__ = kind
                done(self.name in sys.modules)

    Watched.__name__, Watched.__qualname__ = kind.__name__, kind.__qualname__
    Watched.__module__ = kind.__module__
    spec.__class__ = Watched


def torch_found(spec, conf_path, start_ns, imports):
    try:
        with open(conf_path, encoding="utf-8") as f:
            conf = json.load(f)
    except (OSError, ValueError):
        return
    hook = Hook(conf, start_ns, imports)

    def done(whole):
        try:
            if whole:
                hook.attach()
            else:
                hook.off()
        except Exception:
            hook.fail("attach")

    watch_load(spec, done)
    hook.begin()
