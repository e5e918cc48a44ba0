"""Where the main thread stands, some times a second: every 10 ms until the first
step has ended, every 25 ms for a second of ordinary steps, then every 100 ms, and
every 25 ms in the first 10 s of a step that is long already.
To look takes the GIL from the main thread, which has given it away for the length
of some operator: on a virtual machine whose threads wake slowly each look cost a
job that is bound by its host 1 ms, and 40 a second made its steps 4 % longer.

A thread made with _thread, so that the job's own view of its threads
(threading.enumerate and kin) does not change."""
import _thread
import sys
import threading
import time

STARTUP_S = 0.010
STEPS_S = 0.100
SOON_S = 0.025
SLOW_AFTER_NS = 120_000_000_000  # a startup beyond two minutes: 10 a second
SLOW_S = 0.100


class Sampler:
    def __init__(self, hook):
        self.hook = hook
        self.main_id = threading.main_thread().ident
        self.stopping = None   # a lock held while the thread shall run
        self.ended = None      # a lock held while it runs

    def start(self):
        if self.stopping is not None or not self.hook.alive or not self.hook.timed:
            return
        self.stopping, self.ended = _thread.allocate_lock(), _thread.allocate_lock()
        self.stopping.acquire()
        self.ended.acquire()
        try:
            _thread.start_new_thread(self.run, (self.stopping, self.ended))
        except RuntimeError:
            self.stopping = self.ended = None

    def stop(self):
        if self.stopping is None:
            return
        self.stopping.release()
        self.ended.acquire(True, 1.0)
        self.stopping = self.ended = None

    def forget(self):
        """In a forked child the thread does not exist."""
        self.stopping = self.ended = None

    def run(self, stopping, ended):
        began = last = time.monotonic_ns()
        pause = STARTUP_S
        try:
            while not stopping.acquire(True, pause):
                frame = sys._current_frames().get(self.main_id)
                if frame is None:
                    break
                now = time.monotonic_ns()
                pause = self.look(frame, now, began, now - last)
                last = now
                frame = None
                if pause is None:
                    break
        except Exception:
            pass  # a process on its way out; steps go on without lines
        finally:
            ended.release()

    def look(self, frame, now, began, waited_ns):
        """The pause until the next look, or None for none."""
        hook = self.hook
        if loader_worker():
            return None
        if hook.startup.open:
            hook.startup.sample(frame, now)
            return SLOW_S if now - began > SLOW_AFTER_NS else STARTUP_S
        if hook.steps is None:
            return STEPS_S
        return SOON_S if hook.steps.sample(frame, now, waited_ns) else STEPS_S


def loader_worker():
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return worker is not None and getattr(worker, "_worker_info", None) is not None
