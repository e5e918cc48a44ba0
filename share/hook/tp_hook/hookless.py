"""Optimizers whose hooks torch took away: before 2.4 torch.compile replaces each
class's step by one that runs no hooks.  There a turn is the look-up of the
method for a call; the hooks are believed as soon as one of them runs."""
import opcode
import sys
import time


def needed(torch):
    try:
        return tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4)
    except ValueError:
        return False


class Hookless:
    def __init__(self, steps):
        self.steps = steps
        self.taps = {}
        self.first_ns = None  # of the first look-up: only the second can tell

    def off(self):
        for tap in self.taps.values():
            self.steps.taps.drop(tap)
        self.taps.clear()

    def watch(self, cls):
        if cls not in self.taps:
            self.taps[cls] = self.steps.taps.add(cls, "step", self.told)

    def told(self, optimizer):
        if for_a_call(sys._getframe(2)):
            self.steps.guard(self.turn, optimizer)

    def turn(self, optimizer):
        steps, now = self.steps, time.monotonic_ns()
        if not steps.leads(optimizer):
            return
        if self.first_ns is None:
            self.first_ns = now
            return
        if self.first_ns:
            steps.turn("optimizer", self.first_ns)
            self.first_ns = 0
        steps.turn("optimizer", now)


def for_a_call(frame):
    """A scheduler takes optimizer.step as a value; a call looks it up as a method."""
    code, at = frame.f_code.co_code, frame.f_lasti
    name = opcode.opname[code[at]]
    return name == "LOAD_METHOD" or (
        name == "LOAD_ATTR" and sys.version_info >= (3, 12) and code[at + 1] & 1)
