"""What Python alone knows, as ranges for the capture library: what is named by
record_function (the script's own ranges, and PyTorch's Optimizer.step#...,
Optimizer.zero_grad#... and enumerate(DataLoader)#...), and the wait of a thread
in the backward pass, whose kernels another thread launches.  Inside the loader's
range its lines are followed (turns.py)."""
import _thread
import sys
import time

from .scope import user_frame
from .turns import FRAME, Turns, utf8

ANNOTATION = 1              # enum cap_range_kind of capwire.h
# beside the script's profiler each step would be there twice
STEP = "ProfilerStep#"
ENDED = "run_callbacks_on_exit"
OPEN_MAX = 4096  # ranges open at once, over all threads


class ExitTap:
    """record_function.__exit__ is looked up as the `with` begins, so a tap on it
    tells nothing of the end.  But it reads this attribute of its object first."""

    def __init__(self, told, fail):
        self.told, self.fail = told, fail

    def __get__(self, obj, owner=None):
        if obj is None:
            raise AttributeError(ENDED)
        try:
            self.told(obj)
        except Exception:
            self.fail("marks")
        try:
            return obj.__dict__[ENDED]
        except KeyError:
            raise AttributeError(ENDED) from None

    def __set__(self, obj, value):
        obj.__dict__[ENDED] = value

    def __delete__(self, obj):
        obj.__dict__.pop(ENDED, None)


class Marks:
    def __init__(self, steps, library, lines, named):
        self.steps, self.library = steps, library
        self.named = named
        self.open = {}      # id -> (record_function, begin, thread)
        self.enter_tap = None
        self.record_function = sys.modules["torch.autograd.profiler"].record_function
        self.backward = Backward(steps, library) if lines else None
        self.turns = Turns(library, steps.hook.fail) if lines else None

    def start(self):
        cls = self.record_function
        if (self.named or self.turns) and self.enter_tap is None and ENDED not in cls.__dict__:
            self.enter_tap = self.steps.taps.add(cls, "__enter__", self.range_begins)
            setattr(cls, ENDED, ExitTap(self.range_ends, self.steps.hook.fail))
        if self.backward:
            self.backward.start()

    def stop(self):
        if self.enter_tap is not None:
            self.steps.taps.drop(self.enter_tap)
            self.enter_tap = None
            delattr(self.record_function, ENDED)
            # a step ends inside Optimizer.step#...: to here it belongs to the window
            for obj, _, thread in list(self.open.values()):
                if thread == _thread.get_ident():
                    self.range_ends(obj)
            self.open.clear()
        if self.backward:
            self.backward.stop()

    def forget(self):
        """In a forked child: taken out, and nothing told."""
        self.open.clear()
        if self.turns:
            self.turns.stop()
            self.turns.forget()
        self.stop()

    def range_begins(self, obj):
        if self.steps.busy or len(self.open) >= OPEN_MAX:
            return
        now = time.monotonic_ns()
        self.open[id(obj)] = (obj, now, _thread.get_ident())
        name = getattr(obj, "name", None)
        if self.turns and isinstance(name, str):
            self.steps.guard(self.turns.begin, obj, name, now, sys._getframe(1))

    def range_ends(self, obj):
        was = self.open.pop(id(obj), None)
        if was is None:
            return
        now = time.monotonic_ns()
        if self.turns:
            self.turns.end(obj, now)
        name = getattr(obj, "name", None)
        if self.named and isinstance(name, str) and not name.startswith(STEP):
            self.library.range(ANNOTATION, utf8(name), was[1], now, None, 0)


class Backward:
    """From 3.12 on the one function in which a thread waits is watched by
    sys.monitoring.  Before, its look-up of the engine is seen, and then the
    return of the very next calls of C on that thread, by sys.setprofile."""

    def __init__(self, steps, library):
        self.steps, self.library = steps, library
        autograd = steps.hook.torch.autograd
        graph = sys.modules.get("torch.autograd.graph")
        fn = getattr(graph, "_engine_run_backward", None) or autograd.backward
        self.code = getattr(fn, "__code__", None)
        self.variable = getattr(autograd, "Variable", None)
        self.tool = self.tap = None
        self.waits = {}     # thread -> [(begin, frame's words), ...]

    def start(self):
        if self.code is None or self.tool is not None or self.tap is not None:
            return
        if hasattr(sys, "monitoring"):
            self.start_monitoring()
        elif self.variable is not None:
            self.tap = EngineTap(type(self.variable), self.engine_wanted,
                                 self.steps.hook.fail)

    def stop(self):
        if self.tool is not None:
            mon, tool, self.tool = sys.monitoring, self.tool, None
            mon.set_local_events(tool, self.code, 0)
            for event in (mon.events.PY_START, mon.events.PY_RETURN):
                mon.register_callback(tool, event, None)
            mon.free_tool_id(tool)
        if self.tap is not None:
            self.tap.remove()
            self.tap = None
        self.waits.clear()

    def begins(self, frame):
        """frame: of torch's function that is about to wait."""
        user = user_frame(frame)
        words = [] if user is None else [frame_words(user)]
        # by this name it is known for what it is, whatever torch calls it
        words.append(frame_words(frame, "_engine_run_backward"))
        return time.monotonic_ns(), words

    def ended(self, wait):
        begun, words = wait
        now = time.monotonic_ns()
        for name, file, line in words:
            self.library.range(FRAME, name, begun, now, file, line)

    # -- sys.monitoring -------------------------------------------------------------

    def start_monitoring(self):
        mon = sys.monitoring
        self.tool = next((i for i in range(5, -1, -1) if mon.get_tool(i) is None), None)
        if self.tool is None:
            return
        mon.use_tool_id(self.tool, "torch-profile")
        mon.register_callback(self.tool, mon.events.PY_START, self.at_start)
        mon.register_callback(self.tool, mon.events.PY_RETURN, self.at_return)
        mon.set_local_events(self.tool, self.code,
                             mon.events.PY_START | mon.events.PY_RETURN)

    def at_start(self, code, offset):
        try:
            # one that raised has no return: what it left is below ours
            self.waits.setdefault(_thread.get_ident(), []).append(
                self.begins(sys._getframe(1)))
        except Exception:
            self.steps.hook.fail("marks")

    def at_return(self, code, offset, value):
        try:
            waits = self.waits.get(_thread.get_ident())
            if waits:
                self.ended(waits.pop())
                del waits[:-8]
        except Exception:
            self.steps.hook.fail("marks")

    # -- sys.setprofile ---------------------------------------------------------------

    def engine_wanted(self):
        frame = sys._getframe(2)
        if sys.getprofile() is not None or frame.f_code.co_name not in (
                "_engine_run_backward", "backward", "grad"):
            return
        wait = self.begins(frame)

        def told(at, event, arg):
            if at is not frame or event not in ("c_return", "c_exception", "return"):
                return
            sys.setprofile(None)
            try:
                if event != "return":
                    self.ended(wait)
            except Exception:
                self.steps.hook.fail("marks")

        sys.setprofile(told)


class EngineTap:
    """Variable._execution_engine, an attribute of the class, by a descriptor of
    the class's class."""

    NAME = "_execution_engine"

    def __init__(self, meta, told, fail):
        self.meta, self.told, self.fail = meta, told, fail
        setattr(meta, self.NAME, self)

    def __get__(self, cls, owner=None):
        if cls is None:
            return self
        try:
            self.told()
        except Exception:
            self.fail("marks")
        for c in cls.__mro__:
            if self.NAME in c.__dict__:
                return c.__dict__[self.NAME]
        raise AttributeError(self.NAME)

    def __set__(self, cls, value):
        delattr(self.meta, self.NAME)
        setattr(cls, self.NAME, value)
        setattr(self.meta, self.NAME, self)

    def remove(self):
        if self.meta.__dict__.get(self.NAME) is self:
            delattr(self.meta, self.NAME)


def frame_words(frame, name=None):
    code = frame.f_code
    name = name or getattr(code, "co_qualname", code.co_name)
    return utf8(name), utf8(code.co_filename), frame.f_lineno or code.co_firstlineno
