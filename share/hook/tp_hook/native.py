"""The capture library's side of the hook (engine cupti).

libtpcapture.so is loaded by CUDA's driver, or here just before; it records what
CUDA does, and reads the Python stack at each call.  What only Python knows is
told to it from here: steps, the window's edges, what the script names
(marks.py), and with `operators` PyTorch's operators, by way of NVTX.

As Window of window.py it is told of the boundaries of steps.  Where the script
runs a profiler of its own, CUPTI's records and settings become that one's, and
stay so when it is over: ours gives way for good, also before and behind the
window, since only one can subscribe to CUPTI."""
import _thread
import ctypes
import os
import sys
import time

from . import marks
from .window import KNOWN_LATE, PASSED

LIBRARY = "libtpcapture.so"
SOURCE = "CUDA_INJECTION64_PATH"  # where the driver finds it
# What the device still has to do is run-ahead: a step or two, of seconds at most.
# Where it stands still for want of this very thread, NCCL gives up after 600.
DRAIN_S = 30
# Behind the window CUPTI is taken out, if no thread calls CUDA for two steps: then a
# loader's thread has nothing left to do, and one that polls was seen.
QUIET_S, QUIET_MAX_S, LOOK_S = 0.5, 2, 0.01


class Library:
    """What capture.h declares.  Calls that only put something into memory keep
    the GIL: giving it away costs a thread its turn; so does detach, beside which no
    other should begin a call."""

    def __init__(self, path):
        held, free = ctypes.PyDLL(path), ctypes.CDLL(path)
        self.python, self.step, self.range = (
            held.tp_capture_python, held.tp_capture_step, held.tp_capture_range)
        self.warm = free.tp_capture_warm
        self.start, self.stop = free.tp_capture_start, free.tp_capture_stop
        self.ready, self.leave = free.tp_capture_ready, free.tp_capture_leave
        self.watch, self.detach = free.tp_capture_watch, held.tp_capture_detach
        self.hold, self.release = free.tp_capture_hold, free.tp_capture_release
        ns, text = ctypes.c_int64, ctypes.c_char_p
        self.step.argtypes = [ns, ns, ns]
        self.range.argtypes = [ctypes.c_int, text, ns, ns, text, ctypes.c_int]
        for fn in (self.step, self.range, self.warm, self.start, self.stop, self.release,
                   self.leave):
            fn.restype = None


def find_library(hook):
    """The library, or None."""
    path = os.environ.get(SOURCE, "")
    if os.path.basename(path) != LIBRARY:
        return None  # tp-capture has said why
    try:
        return Library(path)
    except (OSError, AttributeError) as e:
        hook.note("the capture library cannot be loaded: %s" % e)
        return None


def prove(library):
    """From within a generator too: its frame lies elsewhere."""
    yield library.python(sys.hexversion)


class Native:
    def __init__(self, steps, conf):
        self.steps, self.hook = steps, steps.hook
        self.torch = steps.hook.torch
        self.pid = os.getpid()
        self.conf = conf
        window = conf.get("window") or {}
        self.first, self.last = window.get("first", 1), window.get("last")
        self.ready_at = max(1, self.first - window.get("warmup", 0))
        self.then = window.get("then")
        self.library = find_library(self.hook)
        self.state = "idle"     # idle, warm, on, away (for good), done
        self.left = False
        self.step_ns = None     # begin of the step that runs
        self.nvtx = self.nvtx_tap = None
        self.marks = None
        if self.library is None:
            self.state = "done"
            return
        if conf.get("lines"):
            self.prepare_lines()
        self.marks = marks.Marks(steps, self.library, bool(conf.get("lines")),
                                 not conf.get("operators"))
        if self.last is None:
            # recorded from the start, by the library itself
            self.state = "on"
            self.marks.start()

    def prepare_lines(self):
        how = next(prove(self.library))
        version = "%d.%d" % sys.version_info[:2]
        if how == 1:
            self.hook.note("Python %s: its stacks are not read in place but asked for, "
                           "which takes the GIL at each kernel launch" % version)
        elif how != 0:
            self.hook.note("Python %s: its stacks cannot be read in place, and are left out "
                           "(TP_PYTHON_ASK=1 has it asked for them, which takes the GIL at "
                           "each kernel launch and can hang a job)" % version)

    def off(self):
        if self.library is None:
            return
        if os.getpid() != self.pid:
            self.marks.forget()
            return
        if self.state in ("idle", "warm") and self.hook.alive and self.steps.n:
            self.hook.note("the job ended after %d steps, before the window "
                           "(steps %d-%d)" % (self.steps.n, self.first, self.last))
        self.quiet()
        self.state = "done"
        # threads may live on while Python ends
        self.library.python(0)

    # -- steps --------------------------------------------------------------------

    def boundary(self, k, late=False):
        """Step k begins, or has begun: late, told after the fact."""
        begun, self.step_ns = self.step_ns, self.steps.t0
        if self.library is None:
            return
        if begun is not None and self.first < k <= (self.last or k) + 1:
            self.library.step(k - 1, begun, self.step_ns)
        if self.state == "done":
            return
        if self.last is not None and k > self.last:
            self.finish()
        elif self.state in ("idle", "warm") and k >= self.ready_at:
            self.approach(k, late)
        elif self.state == "on":
            self.operators_on()

    def approach(self, k, late):
        """CUPTI's start, the first sight of each name and line, NVTX: what is done
        once is done in the steps before the window, whose records are not sent."""
        if self.steps.profilers.at_work():
            self.give_way()
            return
        if k > self.first or (late and k == self.first):
            self.missed(late)
            return
        if k == self.first:
            self.state = "on"
            self.library.start()
            self.marks.start()
        elif self.state == "idle":
            self.state = "warm"
            self.library.warm()
        self.operators_on()

    def finish(self):
        if self.state in ("idle", "warm"):
            self.missed()
            return
        was, self.state = self.state, "done"
        if was == "on":
            self.stop()
        if self.then == "stop":
            self.steps.stop("the window")
        elif was == "on" and self.library.ready() == 1:
            self.detach()

    def missed(self, late=False):
        was, self.state = self.state, "done"
        if was == "warm":
            self.quiet()
            self.library.stop()
        self.hook.note((KNOWN_LATE if late else PASSED) % (self.first, self.last))

    def stop(self):
        self.quiet()
        self.drain()
        self.library.stop()

    def detach(self):
        """CUPTI makes launches slower also where nothing is recorded any more.  A wait
        for a part of a step tells nothing."""
        step_ns = self.steps.median_ns()
        if step_ns is None:
            why = "how long a step takes is not known yet"
        elif 2 * step_ns > QUIET_MAX_S * 1e9:
            why = "two steps are more than %d s to wait" % QUIET_MAX_S
        else:
            self.wait_quiet(max(QUIET_S, 2e-9 * step_ns))
            gone = self.library.detach()
            if gone == 1:
                return
            why = "a thread called CUDA meanwhile" if gone == 0 else \
                "a call or a capture of the window is not over, or CUDA is older than 12.6"
        self.hook.note("CUPTI stays behind the window, and launches stay slower: " + why)

    def wait_quiet(self, seconds):
        """Until a thread calls CUDA, at most so long; signals are handled meanwhile."""
        moment = _thread.allocate_lock()
        moment.acquire()
        end_ns = time.monotonic_ns() + int(seconds * 1e9)
        try:
            while self.library.watch() and time.monotonic_ns() < end_ns:
                moment.acquire(timeout=LOOK_S)
        except BaseException:
            self.library.leave()  # it watches all calls
            raise

    def quiet(self):
        if self.marks:
            self.marks.stop()
        self.operators_off()

    def idle_device(self):
        """CUDA is there, and not at a graph, whose capture a wait would spoil."""
        cuda = self.torch.cuda
        try:
            return cuda.is_initialized() and not cuda.is_current_stream_capturing()
        except Exception:
            return False

    def drain(self):
        """What the device has not done yet would have no times.  But a wait for it
        spoils also another thread's capture; and what the device waits for can be
        this thread's to do, so another one waits, and this one for it, not for ever."""
        if not self.idle_device() or not self.library.hold():
            return
        done = _thread.allocate_lock()
        done.acquire()
        try:
            _thread.start_new_thread(self.wait, (self.devices(), done))
        except Exception:
            self.library.release()
            return
        if not done.acquire(timeout=DRAIN_S):
            self.hook.note("the device was not done %g s after the window: what it had "
                           "not done has no times" % DRAIN_S)

    def devices(self):
        """Those that this process has begun to use: a wait for another would begin it."""
        cuda = self.torch.cuda
        begun = getattr(self.torch._C, "_cuda_hasPrimaryContext", None)
        if begun is None:
            return [cuda.current_device()]
        return [i for i in range(cuda.device_count()) if begun(i)]

    def wait(self, devices, done):
        try:
            for device in devices:
                self.torch.cuda.synchronize(device)
        except Exception:
            pass
        finally:
            self.library.release()
            done.release()

    # -- operators ----------------------------------------------------------------

    def operators_on(self):
        """PyTorch names its operators to NVTX, whose tool the library is.  Before
        the job has begun CUDA this would; then the next step may have."""
        if not self.conf.get("operators") or self.nvtx or not self.idle_device():
            return
        nvtx = self.torch.autograd.profiler.emit_nvtx()
        if self.nvtx_tap is None:
            self.nvtx_tap = self.steps.taps.add(type(nvtx), "__enter__", self.script_names)
        try:
            nvtx.__enter__()
            self.nvtx = nvtx
        except RuntimeError as e:
            self.conf["operators"] = False
            self.hook.note("no operators: %s" % e)
            self.marks.named = True
            if self.state == "on":
                self.marks.start()

    def script_names(self, nvtx):
        """The script has an emit_nvtx of its own, and torch refuses a second; its
        names come to the library as ours do."""
        if not self.steps.busy:
            self.operators_off()
            self.conf["operators"] = False

    def operators_off(self):
        nvtx, self.nvtx = self.nvtx, None
        if nvtx is not None:
            try:
                nvtx.__exit__(None, None, None)
            except Exception:
                pass

    # -- the script's own profiler ------------------------------------------------

    def give_way(self):
        if self.library is None or self.left or os.getpid() != self.pid:
            return
        self.left = True
        if self.state in ("warm", "on"):
            self.quiet()
        if self.state == "on":
            self.drain()
        self.library.leave()
        if self.state != "done":
            self.say_away()

    def say_away(self):
        self.state = "away"
        self.hook.note("the script's own profiler works: nothing is recorded from here on")
        self.hook.link.put_record({"kind": "tp_gave_way"})
