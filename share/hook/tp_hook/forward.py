"""Steps of a job without an optimizer: the outermost module call.

The first module called from outside any other leads: each of its calls begins
a step.  Where net.forward(x) is called directly every layer looks outermost;
then the function `forward` around it leads.  Another module takes the lead
when it is called RIVAL times without the leader (warm-up calls come before the
real loop), and those calls count as steps after the fact."""
import sys
import time
import weakref

RIVAL = 8
STABLE = 8  # turns of the leader after which no rival is looked for


class Forward:
    def __init__(self, steps):
        self.steps = steps
        self.taps = steps.taps
        module = steps.hook.torch.nn.Module
        self.inner_codes = {f.__code__ for f in (
            module.__dict__.get("_wrapped_call_impl"), module.__dict__.get("_call_impl"))
            if hasattr(f, "__code__")}
        self.module = module
        self.leader = None        # id of a module, or a code object
        self.leader_ref = None    # so that a dead leader can be replaced
        self.leader_words = None
        self.turns = 0            # of this leader
        self.rivals = {}          # key -> times
        self.tap = None
        self.any_tap = self.taps.add(module, "__call__", self.told_any)

    def off(self):
        self.taps.drop(self.any_tap)
        self.taps.drop(self.tap)

    def outer(self, frame):
        """(is outermost, code of the outermost direct forward around it)."""
        direct = None
        while frame is not None:
            code = frame.f_code
            if code in self.inner_codes:
                return False, None
            if code.co_name == "forward" and code.co_varnames[:1] == ("self",):
                direct = code
            frame = frame.f_back
        return True, direct

    def told_any(self, obj):
        if self.steps.busy or id(obj) == self.leader:
            return
        frame = sys._getframe(2)
        if merely_looked_up(frame):
            return
        outer, direct = self.outer(frame)
        if not outer or (direct is not None and direct is self.leader):
            return
        self.steps.guard(self.outermost, obj, direct)

    def outermost(self, obj, direct):
        now = time.monotonic_ns()
        key = direct or id(obj)
        if self.leader is None:
            self.lead(key, obj, direct)
            self.turn(now)
            return
        times = self.rivals.setdefault(key, [])
        times.append(now)
        if len(self.rivals) > 64:
            self.rivals.clear()
        if len(times) >= RIVAL or (self.leader_ref and self.leader_ref() is None):
            self.lead(key, obj, direct)
            for at_ns in times[:-1]:
                self.turn(at_ns, late=True)
            self.turn(now)

    def lead(self, key, obj, direct):
        self.taps.drop(self.tap)
        self.leader, self.turns = key, 0
        self.leader_ref = None
        cls = type(obj)
        if direct is not None:
            cls = class_of(self.module, direct)
            self.tap = self.taps.add(cls, "forward", self.told_direct)
        else:
            try:
                self.leader_ref = weakref.ref(obj)
            except TypeError:
                pass
            self.tap = self.taps.add(cls, "__call__", self.told_leader)
        self.leader_words = getattr(cls, "__qualname__", "?")

    def told_leader(self, obj):
        if self.steps.busy or (id(obj) != self.leader and self.leader_ref
                               and self.leader_ref() is not None):
            return
        frame = sys._getframe(2)
        if self.outer(frame)[0] and not merely_looked_up(frame):
            self.steps.guard(self.turn, time.monotonic_ns())

    def told_direct(self, obj):
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code is self.leader:
                return
            frame = frame.f_back
        self.steps.guard(self.turn, time.monotonic_ns())

    def turn(self, now, late=False):
        self.turns += 1
        self.rivals.clear()
        if self.turns == STABLE:
            self.taps.drop(self.any_tap)
        self.steps.forward_turn(now, late)


def class_of(module, code):
    """The module class whose own forward is this code."""
    todo = [module]
    while todo:
        cls = todo.pop()
        if getattr(cls.__dict__.get("forward"), "__code__", None) is code:
            return cls
        todo.extend(cls.__subclasses__())
    return None


_LOOKUPS = None


def merely_looked_up(frame):
    """model.__call__ taken without being called, as torch.compile does; our
    own super().__call__(...) is a look-up too, but stands in a __call__."""
    global _LOOKUPS
    if _LOOKUPS is None:
        import opcode
        _LOOKUPS = {opcode.opmap.get(n) for n in ("LOAD_ATTR", "LOAD_METHOD")}
    code = frame.f_code
    if code.co_name == "__call__" or frame.f_lasti < 0:
        return False
    return code.co_code[frame.f_lasti] in _LOOKUPS
