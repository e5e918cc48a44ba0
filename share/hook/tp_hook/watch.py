"""--step FILE:LINE and --step MODULE:FUNC: a step begins each time that line
is reached, or that function entered.

From Python 3.12 on through sys.monitoring, which costs nothing outside the
watched function.  Before, through sys.settrace: every call of the job's Python
code pays about 0.2 us, which the starter says."""
import os
import sys
import time

from .scope import untrace


class Watch:
    def __init__(self, steps, wish):
        self.steps = steps
        place, _, what = wish.rpartition(":")
        self.line = int(what) if what.isdigit() else None
        self.func = None if self.line else what
        self.place = place
        self.tool = None
        self.old_trace = None
        if hasattr(sys, "monitoring"):
            self.start_monitoring()
        else:
            self.old_trace = sys.gettrace()
            sys.settrace(self.on_call)
            import threading
            threading.settrace(self.on_call)
            self.trace_running(sys._getframe())

    def off(self):
        if self.tool is not None:
            mon = sys.monitoring
            mon.set_events(self.tool, 0)
            mon.free_tool_id(self.tool)
            self.tool = None
        elif not hasattr(sys, "monitoring") and sys.gettrace() == self.on_call:
            sys.settrace(self.old_trace)
            untrace(sys._getframe(), self.on_line)

    def reached(self):
        steps = self.steps
        if steps.rule is None:
            steps.rule, steps.leader_words = "line", steps.wish
        now = time.monotonic_ns()
        if steps.t0 is None:
            steps.guard(steps.begin, now)
        else:
            steps.guard(steps.boundary, now)

    def mine(self, code):
        """Is this code in the file, or of the module, that is watched?"""
        name = code.co_filename
        if self.line is not None:
            return (name == self.place or name.endswith("/" + self.place)
                    or os.path.basename(name) == self.place)
        if code.co_name != self.func and getattr(code, "co_qualname", "") != self.func:
            return False
        path = os.path.splitext(name)[0].replace(os.sep, ".")
        return self.place == "__main__" or ("." + path).endswith("." + self.place)

    # -- sys.settrace -----------------------------------------------------------

    def trace_running(self, frame):
        while frame is not None:
            if self.line is not None and self.mine(frame.f_code):
                frame.f_trace = self.on_line
            frame = frame.f_back

    def on_call(self, frame, event, arg):
        try:
            if not self.steps.hook.alive or not self.mine(frame.f_code):
                return None
            if self.func:
                self.reached()
                return None
            return self.on_line
        except Exception:
            self.steps.hook.fail("watch")
            return None

    def on_line(self, frame, event, arg):
        try:
            if event == "line" and frame.f_lineno == self.line:
                self.reached()
            return self.on_line
        except Exception:
            self.steps.hook.fail("watch")
            return None

    # -- sys.monitoring -----------------------------------------------------------

    def start_monitoring(self):
        mon = sys.monitoring
        self.tool = next((i for i in range(5, -1, -1) if mon.get_tool(i) is None), None)
        if self.tool is None:
            raise RuntimeError("no free tool id of sys.monitoring")
        mon.use_tool_id(self.tool, "torch-profile")
        mon.register_callback(self.tool, mon.events.PY_START, self.at_start)
        mon.register_callback(self.tool, mon.events.LINE, self.at_line)
        mon.set_events(self.tool, mon.events.PY_START)
        self.watch_running(sys._getframe())

    def watch_running(self, frame):
        """Functions that began before us get no start event."""
        while frame is not None:
            if self.line is not None and self.mine(frame.f_code):
                self.at_start(frame.f_code, 0)
            frame = frame.f_back

    def at_start(self, code, offset):
        mon = sys.monitoring
        try:
            if not self.mine(code):
                return mon.DISABLE
            if self.func:
                self.reached()
                return None
            mon.set_local_events(self.tool, code, mon.events.LINE)
        except Exception:
            self.steps.hook.fail("watch")
        return mon.DISABLE

    def at_line(self, code, line):
        try:
            if line != self.line:
                return sys.monitoring.DISABLE
            self.reached()
        except Exception:
            self.steps.hook.fail("watch")
        return None
