"""The executing line, inside the window.

torch.profiler's traces carry the line a function begins at.  Here each line of
the user's own code that begins, and each return to it, is noted with its time,
so that what happens at a time has the line that asked for it.  Library code is
not followed.

From Python 3.12 on through sys.monitoring: 0.5 us a line of the user's code and
nothing elsewhere once seen.  Before, through sys.settrace, for the thread that
makes the steps: 1 us a line, and 0.2 us for each call of any Python function."""
import _thread
import json
import os
import sys
import time

from .scope import is_user, untrace, user_frame

NOTES_MAX = 2_000_000   # 200 MB; a window of three steps has thousands


class Lines:
    def __init__(self, fail):
        self.fail = fail     # told where one of these functions raised
        self.notes = []      # (unix ns, thread, code or None, line)
        self.place = {}      # thread -> (code, line) it stands at
        self.full = False
        self.tool = None
        self.old_trace = None
        self.thread = None

    # -- on and off -----------------------------------------------------------

    def start(self, frame):
        """frame: the caller's; its functions are running already."""
        self.thread = _thread.get_native_id()
        here = user_frame(frame)
        if here is not None:
            self.note(here.f_code, here.f_lineno)
        if hasattr(sys, "monitoring"):
            self.start_monitoring(frame)
            return
        self.old_trace = sys.gettrace()
        if self.old_trace is not None:
            return  # a debugger or a coverage tool: theirs
        sys.settrace(self.on_call)
        while frame is not None:
            if is_user(frame.f_code.co_filename):
                frame.f_trace = self.on_event
            frame = frame.f_back

    def stop(self):
        if self.tool is not None:
            mon = sys.monitoring
            mon.set_events(self.tool, 0)
            for event in self.events:
                mon.register_callback(self.tool, event, None)
            mon.free_tool_id(self.tool)
            self.tool = None
        elif sys.gettrace() == self.on_call:
            sys.settrace(None)
            untrace(sys._getframe(), self.on_event)
        now = time.time_ns()
        for thread in list(self.place):
            self.notes.append((now, thread, None, 0))
        self.place.clear()

    # -- notes ------------------------------------------------------------------

    def note(self, code, line):
        thread = _thread.get_native_id()
        here = (code, line)
        if self.place.get(thread) == here or self.full:
            return
        self.place[thread] = here
        self.notes.append((time.time_ns(), thread, code, line))
        if len(self.notes) > NOTES_MAX:
            self.full = True

    def back_to(self, frame):
        """A function of the user's is left: its caller's line goes on."""
        frame = user_frame(frame)
        if frame is None:
            self.note(None, 0)
        else:
            self.note(frame.f_code, frame.f_lineno)

    # -- sys.settrace -----------------------------------------------------------

    def on_call(self, frame, event, arg):
        try:
            return self.on_event if is_user(frame.f_code.co_filename) else None
        except Exception:
            self.fail("lines")
            return None

    def on_event(self, frame, event, arg):
        try:
            if event == "line":
                self.note(frame.f_code, frame.f_lineno)
            elif event == "return":
                self.back_to(frame.f_back)
            return self.on_event
        except Exception:
            self.fail("lines")
            return None

    # -- sys.monitoring -----------------------------------------------------------

    def start_monitoring(self, frame):
        mon = sys.monitoring
        self.tool = next((i for i in range(5, -1, -1) if mon.get_tool(i) is None), None)
        if self.tool is None:
            return
        mon.use_tool_id(self.tool, "torch-profile")
        ev = mon.events
        back = self.at_leave
        self.events = {ev.LINE: self.at_line, ev.PY_RETURN: back, ev.PY_YIELD: back,
                       ev.PY_UNWIND: self.at_unwind}
        wanted = 0
        for event, fn in self.events.items():
            mon.register_callback(self.tool, event, fn)
            wanted |= event
        mon.restart_events()
        mon.set_events(self.tool, wanted)

    def at_line(self, code, line):
        try:
            if not is_user(code.co_filename):
                return sys.monitoring.DISABLE
            self.note(code, line)
        except Exception:
            self.fail("lines")
        return None

    def at_leave(self, code, offset, value):
        try:
            if not is_user(code.co_filename):
                return sys.monitoring.DISABLE
            self.back_to(sys._getframe(1).f_back)
        except Exception:
            self.fail("lines")
        return None

    def at_unwind(self, code, offset, error):
        try:
            # this event cannot be disabled in one place
            if is_user(code.co_filename):
                self.back_to(sys._getframe(1).f_back)
        except Exception:
            self.fail("lines")

    # -- the way out -------------------------------------------------------------

    def write(self, path, base_ns):
        """Events of a Chrome trace, to be put among the others: each stretch in
        which a thread stood at a line.  Returns how many."""
        open_at, n, pid = {}, 0, os.getpid()
        names = {}
        with open(path, "w", encoding="utf-8") as f:
            for at_ns, thread, code, line in self.notes:
                was = open_at.get(thread)
                if was is not None and was[1] is not None and at_ns > was[0]:
                    key = was[1:]
                    name = names.get(key)
                    if name is None:
                        name = names[key] = json.dumps("%s(%d): %s [line]" % (
                            key[0].co_filename, key[1], key[0].co_name))
                    f.write('%s{"ph":"X","cat":"python_function","name":%s,"pid":%d,'
                            '"tid":%d,"ts":%s,"dur":%s}\n' % (
                                "," if n else "", name, pid, thread,
                                micro(was[0] - base_ns), micro(at_ns - was[0])))
                    n += 1
                open_at[thread] = (at_ns, code, line)
        return n


def micro(ns):
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    return "%s%d.%03d" % (sign, ns // 1000, ns % 1000)
