"""The device's clock and memory, read late and without a synchronisation.

At each boundary a CUDA event goes into the current stream (6 us).  Events are
read beside a send, all that the device has passed by then: step records wait here
in order.  To read each at the next boundary took 11 us a step more than 4 (on a CPU):
code that ran a step ago has left the caches.  Memory is read beside a send too (the
allocator's table takes 15 us)."""
import collections
import time

READ_AT = 64    # steps that wait; then they are read without a send
WAIT_MAX = 256  # steps that the device may lag behind; then no device time
FINISH_S = 0.5  # at the job's end the device has so long for the last ones


class Device:
    def __init__(self, hook):
        self.hook = hook
        self.torch = hook.torch
        self.cuda = hook.torch.cuda
        self.wait = collections.deque()  # (record, event before, event after)
        self.spare = []
        self.usable = hook.timed
        self.last = None                 # the event at the last boundary
        self.peak_allocated = self.peak_reserved = None

    def mark(self):
        """An event at this boundary, or None without a device at work."""
        cuda = self.cuda
        if not self.usable or not cuda.is_initialized():
            return None
        try:
            if cuda.is_current_stream_capturing():
                return None
            event = self.spare.pop() if self.spare else cuda.Event(enable_timing=True)
            event.record()
            return event
        except Exception:
            self.usable = False
            return None

    def begin(self):
        self.last = self.mark()

    def step(self, record, late, event, due):
        """A step has ended: its record goes out once the device has passed it.
        late: its boundary is past already, with the event made there, if any.
        due: a send follows."""
        before, self.last = self.last, event if late else self.mark()
        self.wait.append((record, before, self.last))
        if due or len(self.wait) % READ_AT == 0:
            self.drain()

    def drain(self):
        wait = self.wait
        if self.usable and wait and wait[0][2] is not None and self.capturing():
            return
        while wait:
            record, before, after = wait[0]
            if after is not None and self.usable and len(wait) <= WAIT_MAX:
                try:
                    if not after.query():
                        return
                    if before is not None:
                        record["device_ns"] = round(before.elapsed_time(after) * 1e6)
                except Exception:
                    pass
            if before is not None:
                self.spare.append(before)
            wait.popleft()
            self.hook.link.put(step_line(record))

    def capturing(self):
        """Asking an event during a graph's capture would spoil the capture."""
        try:
            return self.cuda.is_current_stream_capturing()
        except Exception:
            return True

    def behind(self):
        return self.wait and self.wait[0][2] is not None and not self.capturing()

    def finish(self):
        """At the end, which waits for the device anyway: what it has not passed in
        FINISH_S goes without."""
        self.drain()
        until = time.monotonic() + FINISH_S
        while self.behind() and time.monotonic() < until:
            time.sleep(0.001)
            self.drain()
        self.usable = False
        self.drain()

    def memory(self, record):
        """Allocated and reserved bytes of the current device, now."""
        if not self.cuda.is_initialized():
            return
        try:
            stats = self.torch._C._cuda_memoryStats(self.cuda.current_device())
            allocated, reserved = stats["allocated_bytes"]["all"], stats["reserved_bytes"]["all"]
        except Exception:
            return
        record["allocated_bytes"] = allocated["current"]
        record["reserved_bytes"] = reserved["current"]
        # the script may reset the allocator's own peaks
        self.peak_allocated = max(self.peak_allocated or 0, allocated["peak"])
        self.peak_reserved = max(self.peak_reserved or 0, reserved["peak"])


def step_line(record):
    """As link.to_line for the plain step, at a quarter of its cost (1.5 us)."""
    extra = record.pop("extra", None)
    text = ",".join(['"%s":%d' % pair for pair in record.items()])
    if extra:
        from .link import to_line
        return b'{"kind":"step",' + text.encode() + b"," + to_line(extra)[1:]
    return b'{"kind":"step",' + text.encode() + b"}\n"
