"""The executing lines inside the loader's turn (engine cupti).

Stacks are read at calls into CUDA.  A data set that runs in the main process
makes none, so in its turn each line of the user's own code is followed, by
lines.py: on as the turn begins, off as it ends.  A loader with workers runs none
of it here: of its turn the line of the loop is told, and nothing is followed."""
import _thread
import time

from .lines import Lines

FRAME = 3               # enum cap_range_kind of capwire.h
LOADER = "enumerate(DataLoader)#"
WITHOUT_WORKERS = LOADER + "_SingleProcessDataLoaderIter"
# A shorter stretch is given to the one that follows: a data set that computes in
# Python begins a line each 0.1 us, and to tell of one takes 2 us.
SHORT_NS = 20_000


class Turns(Lines):
    def __init__(self, library, fail):
        super().__init__(fail)
        self.library = library
        self.turn = None        # what stands for the turn that runs
        self.ident = None       # its thread
        self.at = (None, 0)
        self.since = 0
        self.first = False      # its first line is not told yet

    def begin(self, turn, name, begun_ns, frame):
        """One at a time: a loader inside another's turn is lines of that one."""
        if self.turn is not None or not name.startswith(LOADER):
            return
        self.turn, self.ident = turn, _thread.get_ident()
        self.at, self.since, self.first = (None, 0), begun_ns, True
        if name.startswith(WITHOUT_WORKERS):
            self.start(frame)
        else:
            self.back_to(frame)

    def end(self, turn, now):
        if self.turn is None or turn is not self.turn:
            return
        self.stop()
        self.tell(now)
        self.forget()

    def forget(self):
        """Nothing more is told of the turn."""
        self.turn, self.at = None, (None, 0)

    def note(self, code, line):
        if self.turn is None or _thread.get_ident() != self.ident:
            return
        if self.at[0] is code and self.at[1] == line:
            return
        now = time.monotonic_ns()
        # the first is told whatever its length: calls that follow are within the turn
        if self.at[0] is None:
            self.since = self.since if self.first else now
        elif self.first or now - self.since >= SHORT_NS:
            self.tell(now)
            self.since, self.first = now, False
        self.at = (code, line)

    def tell(self, end_ns):
        code, line = self.at
        if code is not None and end_ns > self.since:
            name = getattr(code, "co_qualname", code.co_name)
            self.library.range(FRAME, utf8(name), self.since, end_ns,
                               utf8(code.co_filename), line or code.co_firstlineno)

    def on_call(self, frame, event, arg):
        # the turn was ended by another thread, which cannot switch this one's off
        return super().on_call(frame, event, arg) if self.turn is not None else None


def utf8(text):
    return text.encode("utf-8", "replace")
