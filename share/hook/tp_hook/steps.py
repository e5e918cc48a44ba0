"""What a step is, and when one ends.

A step runs from one boundary to the next.  --step optimizer: a boundary is the
end of a turn of the first optimizer seen; a turn that a gradient scaler skips
is one too.  --step forward: the begin of a call of the leading module
(forward.py).  prof.step() of a script is followed where it is called.  The
first step begins at the first outermost module call."""
import sys
import time
import weakref

from . import device, forward, hookless, slow, taps
from .link import host_rss_bytes

# auto: this many leading calls, all without gradients, are inference; with
# gradients an optimizer is waited for longer (accumulation over many calls).
# A framework's sanity check before training is 2 calls by default.
INFER_CALLS = 4
GRAD_CALLS = 64
OPTIMIZER_MADE = 16  # times as many where an optimizer was made


class Steps:
    def __init__(self, hook):
        self.hook = hook
        self.taps = taps.Taps(hook.fail)
        self.wish = hook.conf.get("step", "auto")
        self.rule = None
        self.busy = False       # we are at work: module calls are not the job's
        self.n = 0              # steps ended
        self.t0 = None          # begin of the one that runs
        self.flags = {}
        self.leader = None      # weakref of the optimizer that counts
        self.leader_words = None
        self.depth = 0          # optimizer steps inside one another
        self.scaled = False     # a gradient scaler was asked since its last update
        self.stepped = False    # ... and the leader did step
        self.calls, self.grad_calls, self.pending = 0, 0, []
        self.optimizer_made = False
        self.forward = self.hookless = None
        self.handles = []
        self.device = device.Device(hook)
        self.slow = slow.Slow()
        self.window = None
        self.watch = None
        self.compiled = 0
        self.attached_ns = time.monotonic_ns()

    # -- life ---------------------------------------------------------------

    def attach(self):
        conf = self.hook.conf
        if self.wish in ("auto", "optimizer"):
            self.attach_optimizer()
        if self.wish in ("auto", "optimizer", "forward"):
            self.forward = forward.Forward(self)
        else:
            from . import watch
            self.watch = watch.Watch(self, self.wish)
        from . import profilers
        self.profilers = profilers.Profilers(self)
        if conf.get("engine") == "cupti":
            from . import native
            self.window = native.Native(self, conf)
        elif conf.get("window"):
            from . import window
            self.window = window.Window(self, conf["window"])

    def attach_optimizer(self):
        opt = sys.modules["torch.optim.optimizer"]
        self.handles = [opt.register_optimizer_step_pre_hook(self.optimizer_begins),
                        opt.register_optimizer_step_post_hook(self.optimizer_ends)]
        if hookless.needed(self.hook.torch):
            self.hookless = hookless.Hookless(self)
        self.taps.add(opt.Optimizer, "add_param_group", self.optimizer_born)
        for name in ("torch.amp.grad_scaler", "torch.cuda.amp.grad_scaler"):
            cls = getattr(sys.modules.get(name), "GradScaler", None)
            if cls is not None and "step" in cls.__dict__:
                self.taps.add(cls, "step", self.scaler_steps)
                self.taps.add(cls, "update", self.scaler_updates)

    def off(self):
        if self.window:
            self.window.off()
        if self.watch:
            self.watch.off()
        for handle in self.handles:
            handle.remove()
        self.handles = []
        self.taps.drop_all()

    def guard(self, fn, *args):
        """Our own faults end the hook, never the job; SystemExit is meant."""
        if not self.hook.alive:
            return
        was, self.busy = self.busy, True
        try:
            fn(*args)
        except Exception:
            self.hook.fail("steps")
        finally:
            self.busy = was

    # -- what the rules report ----------------------------------------------

    def optimizer_born(self, optimizer):
        self.optimizer_made = True
        if self.hookless:
            self.guard(self.hookless.watch, type(optimizer))

    def optimizer_begins(self, optimizer, args, kwargs):
        self.depth += 1
        if self.hookless:
            self.guard(self.drop_hookless)

    def drop_hookless(self):
        self.hookless.off()
        self.hookless = None

    def optimizer_ends(self, optimizer, args, kwargs):
        self.depth = max(0, self.depth - 1)
        if self.depth == 0:
            self.guard(self.optimizer_turn, optimizer)

    def optimizer_turn(self, optimizer):
        if self.leads(optimizer):
            self.stepped = True
            self.turn("optimizer")

    def leads(self, optimizer):
        leader = self.leader() if self.leader else None
        if leader is None:
            self.leader = weakref.ref(optimizer)
            self.leader_words = type(optimizer).__qualname__
        return leader is None or leader is optimizer

    def scaler_steps(self, scaler):
        # a step that raised (out of memory, caught by the job) ran no end hook
        self.depth = 0
        self.scaled = True

    def scaler_updates(self, scaler):
        skipped = self.scaled and not self.stepped
        self.scaled = self.stepped = False
        if skipped:
            self.flags["skipped"] = 1
            self.guard(self.turn, "optimizer")

    def profiler_turn(self):
        if self.wish == "auto":
            self.turn("prof.step")

    def forward_turn(self, now, late=False):
        if self.t0 is None:
            self.begin(now)
            if self.rule is None:
                self.undecided(now, late)
        elif self.rule == "forward":
            self.boundary(now, late, moved=late)
        elif self.rule is None:
            self.undecided(now, late)

    def undecided(self, now, late=False):
        self.calls += 1
        if self.calls > 1:
            self.pending.append((now, None if late else self.device.mark(), late))
        if self.hook.torch.is_grad_enabled():
            self.grad_calls += 1
        enough = INFER_CALLS if self.grad_calls == 0 else GRAD_CALLS
        if self.optimizer_made:
            enough *= OPTIMIZER_MADE
        if self.wish == "forward" or (self.wish == "auto" and self.calls >= enough):
            self.settle("forward")

    # -- boundaries ---------------------------------------------------------

    def settle(self, rule):
        """The rule is known (or known better)."""
        self.rule = rule
        pending, self.pending = self.pending, []
        if rule == "forward":
            for at_ns, event, moved in pending:
                self.boundary(at_ns, late=True, event=event, moved=moved)
        elif self.forward:
            self.forward.off()

    def turn(self, rule, now=None):
        """A turn of an optimizer or of the script's own profiler."""
        now = now or time.monotonic_ns()
        if self.rule == rule:
            self.boundary(now)
            return
        if self.rule == "prof.step":
            return
        had = self.rule
        self.settle(rule)
        if rule == "prof.step" and had == "optimizer":
            # the same turn, counted just now: only the boundary moves here
            self.t0 = now
            return
        if self.t0 is None:
            self.begin(self.attached_ns)
        self.boundary(now)

    def begin(self, now):
        self.t0 = now
        self.hook.startup.first_step_ns = now
        self.device.begin()
        if self.window:
            self.window.boundary(1)

    def boundary(self, now, late=False, event=None, moved=False):
        """The running step ends here and the next one begins; event: the device's
        mark of a boundary that was late in being known; moved: it would be late in
        any run, since another module had the lead then."""
        hook, t0 = self.hook, self.t0
        self.t0 = now
        self.n += 1
        if self.n == 1:
            self.first(now)
        due = hook.link.due(now)
        if hook.timed:
            if moved:
                self.flags["late"] = 1
            self.record(t0, now, late, event, due)
        else:
            self.slow.learn(now - t0)
        if due:
            hook.link.flush(now)
        if self.window:
            self.window.boundary(self.n + 1, late)
        if self.n == hook.conf.get("stop_after"):
            self.stop("--steps %d" % self.n)

    def first(self, now):
        hook = self.hook
        hook.first_step()
        if hook.timed:
            for record in hook.startup.records(now):
                hook.link.put_record(record)

    def record(self, t0, now, late, event, due):
        """What is told of the step that ended now."""
        record = {"rank": self.hook.rank, "step": self.n, "start_ns": self.hook.rel(t0),
                  "wall_ns": now - t0}
        self.remark(record, now - t0)
        if due:
            self.device.memory(record)
            rss = host_rss_bytes()
            if rss is not None:
                record["host_bytes"] = rss
            if self.hook.sampler.stopping is None:
                self.hook.sampler.start()
        self.device.step(record, late, event, due)

    def remark(self, record, wall_ns):
        """What is to be said of this step beside its times."""
        if self.flags:
            record.update(self.flags)
            self.flags = {}
        dynamo = sys.modules.get("torch._dynamo.utils")
        if dynamo is not None:
            graphs = dynamo.counters["stats"].get("unique_graphs", 0) or \
                dynamo.counters["frames"].get("ok", 0)  # before 2.2
            if graphs != self.compiled:
                record["compiled"] = max(0, graphs - self.compiled)
                self.compiled = graphs
        lines = self.slow.step_ended(wall_ns)
        if lines:
            record["extra"] = {"lines": lines}

    def median_ns(self):
        """Of the last steps, or None."""
        return self.slow.median_ns

    def sample(self, frame, now, waited_ns):
        """The main thread's frame, so long after the last one; whether to look again
        soon."""
        t0 = self.t0
        return t0 is not None and self.slow.sample(frame, max(0, now - t0), waited_ns)

    # -- the end ------------------------------------------------------------

    def stop(self, why):
        """End the job as its own sys.exit(0) would: finally clauses, handlers
        and atexit run.  Every rank stops at its own step of the same number."""
        self.ended_by = why
        self.hook.conf["stop_after"] = None
        raise SystemExit(0)

    def finish(self):
        if self.rule is None and self.pending and self.wish in ("auto", "forward"):
            self.settle("forward")
        if self.window:
            self.window.off()
        if self.n == 0:
            return
        if self.rule in ("forward", "line") and getattr(self, "ended_by", None) is None:
            self.flags["last"] = 1
            self.boundary(time.monotonic_ns(), late=True)
        self.device.finish()
        self.hook.link.put_record(self.totals())

    def totals(self):
        import resource
        record = {"kind": "run", "rank": self.hook.rank, "steps": self.n,
                  "peak_host_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                  "peak_allocated_bytes": self.device.peak_allocated,
                  "peak_reserved_bytes": self.device.peak_reserved,
                  "ended_by": getattr(self, "ended_by", None)}
        record.update(self.rule_words())
        return record

    def rule_words(self):
        words = self.leader_words
        if self.rule == "forward":
            words = self.forward.leader_words
        return {"step_rule": self.rule if self.rule else self.wish, "step_by": words}
