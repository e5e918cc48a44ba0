"""A profiler that the script has of its own.

Under tp-time it stays off: the clock is to be honest.  Its calls still work
and find nothing recorded.  Under tp-capture it is the script's: where its
window and ours meet, ours gives way.  Its step() ends a step in both."""
import sys

OFF_NOTE = ("the script's own profiler stays off in this run "
            "(what it writes holds no events)")


class Profilers:
    def __init__(self, steps):
        self.steps = steps
        self.hook = steps.hook
        self.quiet = bool(self.hook.conf.get("profilers_off"))
        self.preparing = set()  # ids of the script's profilers that warm up
        mod = sys.modules.get("torch.profiler.profiler")
        if mod is None:
            return
        self.kineto = mod._KinetoProfile
        taps = steps.taps
        taps.add(mod.profile, "step", self.told_step)
        if self.quiet:
            taps.add(mod.profile, "start", self.silence)
            taps.add(mod.profile, "__enter__", self.silence)
            taps.add(self.kineto, "start", self.silence)
            for name in ("key_averages", "events", "export_chrome_trace",
                         "export_stacks", "export_memory_timeline"):
                taps.add(self.kineto, name, self.give_empty)
            legacy = sys.modules.get("torch.autograd.profiler")
            taps.add(getattr(legacy, "profile", None), "__enter__", self.silence_legacy)
        else:
            # torch.profiler keeps its own methods bound from the start; what it
            # calls below them is looked up each time
            legacy = getattr(sys.modules.get("torch.autograd.profiler"), "profile", None)
            taps.add(legacy, "_prepare_trace", self.script_prepares)
            taps.add(legacy, "_start_trace", self.script_starts)

    def told_step(self, prof):
        self.steps.guard(self.steps.profiler_turn)
        window = self.steps.window
        if window is not None:
            self.steps.guard(self.one_set_of_steps, prof, window.state == "recording")

    def one_set_of_steps(self, prof, ours):
        """While ours records, the script's profiler marks no steps in the trace:
        each would be there twice, under two numbers."""
        if ours and prof.record_steps:
            prof._tp_steps, prof.record_steps = True, False
        elif not ours and getattr(prof, "_tp_steps", False):
            prof._tp_steps, prof.record_steps = False, True

    # -- off ------------------------------------------------------------------

    def silence(self, prof):
        self.steps.guard(self.switch_off, prof)

    def switch_off(self, prof):
        if getattr(prof, "_tp_off", False):
            return
        prof._tp_off = True
        prof.record_steps = False
        prof.action_map = {}
        for name in ("prepare_trace", "start_trace", "stop_trace"):
            setattr(prof, name, _nothing)
        if hasattr(type(prof), "step"):
            prof.step = lambda: self.quiet_step(prof)
        self.hook.note(OFF_NOTE)

    def quiet_step(self, prof):
        # torch's own would complain that no profiler runs
        prof.step_num += 1
        self.steps.guard(self.steps.profiler_turn)

    def silence_legacy(self, prof):
        if getattr(prof, "enabled", False):
            self.steps.guard(self.switch_off_legacy, prof)

    def switch_off_legacy(self, prof):
        # `with ... as p` gives None when it is off from the start: it goes off
        # where it would have begun
        prof._prepare_trace = _nothing
        prof._start_trace = lambda: setattr(prof, "enabled", False)
        empty = sys.modules["torch.autograd.profiler_util"].EventList([])
        empty._build_tree()
        for name in ("function_events", "_function_events"):
            try:
                setattr(prof, name, empty)
            except AttributeError:
                pass  # a property in some versions
        prof.kineto_results = NoResults()
        if not hasattr(prof, "experimental_config"):
            prof.experimental_config = NoConfig()
        self.hook.note(OFF_NOTE)

    def give_empty(self, prof):
        if getattr(prof, "_tp_off", False) and getattr(prof, "profiler", None) is None:
            self.steps.guard(self.make_empty, prof)

    def make_empty(self, prof):
        legacy = sys.modules["torch.autograd.profiler"].profile(enabled=False)
        self.switch_off_legacy(legacy)
        prof.profiler = legacy

    # -- beside ours ----------------------------------------------------------

    def script_prepares(self, prof):
        if not self.steps.busy:
            self.preparing.add(id(prof))
            self.steps.guard(self.give_way)

    def script_starts(self, prof):
        self.preparing.discard(id(prof))

    def at_work(self):
        """Between its warm-up and its end; not to be asked while ours records."""
        return bool(self.preparing or self.hook.torch.autograd._profiler_enabled())

    def give_way(self):
        if self.steps.window:
            self.steps.window.give_way()


class NoResults:
    """What a finished profiler holds, empty."""

    def save(self, path):
        with open(path, "w", encoding="ascii") as f:
            f.write('{"schemaVersion": 1, "traceEvents": []}\n')

    def events(self):
        return []

    def experimental_event_tree(self):
        return []


class NoConfig:
    """A profiler that was never enabled has no configuration to ask."""

    def __getattr__(self, name):
        return False


def _nothing(*args, **kwargs):
    return None
