"""Where the time before the end of the first step went.

The main thread is sampled every 10 ms; the time since the last look goes to
the phase and the user's line seen now.  A stretch in which the interpreter was
held (a library being loaded) is longer than 10 ms and goes to what follows it
at once.  Only the start of CUDA is timed exactly, through the callback that
torch runs at its end."""
import sys
import time

from .scope import is_user, user_frame

KEYS_MAX = 1000     # distinct (phase, file, line); beyond: by phase alone
RECORDS_MAX = 64    # records written, the longest; the rest is one of "other"
SHORT_NS = 5_000_000

# The innermost frame that one of these knows names the phase:
# (part of the file's name, function or None for any, phase)
PHASES = (
    ("<frozen importlib", None, "imports"),
    ("/torch/_dynamo/", None, "compile"),
    ("/torch/_inductor/", None, "compile"),
    ("/torch/_functorch/", None, "compile"),
    ("/triton/", None, "compile"),
    ("/torch/utils/cpp_extension.py", None, "compile"),
    ("/torch/cuda/__init__.py", "_lazy_init", "cuda_start"),
    ("/torch/utils/data/dataloader.py", "__next__", "first_batch"),
    ("/torch/utils/data/", None, "loader"),
    ("/torch/serialization.py", None, "checkpoint_load"),
    ("/safetensors/", None, "checkpoint_load"),
    ("/torch/nn/modules/module.py", "_apply", "model_to_device"),
    ("/torch/distributed/", None, "distributed"),
)


def phase_rule(filename, func):
    for part, name, phase in PHASES:
        if part in filename and (name is None or name == func):
            return phase
    return None


class Startup:
    def __init__(self, hook, start_ns, imports):
        self.hook = hook
        self.open = True
        self.spent = {}   # (phase, file, line, code) -> [first start, ns]
        self.of_code = {} # code -> phase or None
        self.first_step_ns = None
        self.last_ns = hook.epoch_ns
        self.add("interpreter", None, 0, start_ns)
        # before torch each stretch belongs to the import statement it began
        # with; what came before the first has no line
        phase, code, line = "interpreter", None, 0
        for at_ns, next_code, next_line in imports:
            if is_user(next_code.co_filename):
                self.add(phase, code, line, at_ns)
                phase, code, line = "imports", next_code, next_line
        self.add(phase, code, line, time.monotonic_ns())

    def add(self, phase, code, line, now):
        spent = now - self.last_ns
        if spent <= 0:
            return
        key = (phase, code, line)
        row = self.spent.get(key)
        if row is None:
            if len(self.spent) >= KEYS_MAX:
                key = (phase, None, 0)
            row = self.spent.setdefault(key, [self.last_ns, 0])
        row[1] += spent
        self.last_ns = now

    def sample(self, frame, now):
        phase = code = None
        line = 0
        while frame is not None and (phase is None or code is None):
            c = frame.f_code
            if not is_user(c.co_filename):
                phase, frame = self.library_phase(frame, phase)
                continue
            if code is None:
                code, line = c, frame.f_lineno
            frame = frame.f_back
        if phase is None:
            phase = "first_step" if self.first_step_ns else "code"
        self.add(phase, code, line, now)

    def library_phase(self, frame, phase):
        """The phase of a stretch of library frames, and the frame around it.
        Its innermost frame that is known decides, but all work of an import is
        imports, whatever the library imported."""
        while frame is not None and not is_user(frame.f_code.co_filename):
            got = self.phase_of(frame.f_code)
            if phase is None or got == "imports":
                phase = got
            frame = frame.f_back
        return phase, frame

    def phase_of(self, code):
        try:
            return self.of_code[code]
        except KeyError:
            got = self.of_code[code] = phase_rule(code.co_filename, code.co_name)
            return got

    def attach(self, torch):
        try:
            if not torch.cuda.is_initialized():
                torch.cuda._lazy_call(self.cuda_started)
        except Exception:
            pass

    def cuda_started(self):
        try:
            if self.open and self.hook.alive:
                frame = user_frame(sys._getframe(1))
                self.add("cuda_start", frame.f_code if frame else None,
                         frame.f_lineno if frame else 0, time.monotonic_ns())
        except Exception:
            self.hook.fail("startup")

    def records(self, now):
        """Step 1 has ended: close the book."""
        self.open = False
        self.add("first_step", None, 0, now)
        data_sets = data_set_codes()
        rows, other = [], {}
        for (phase, code, line), (start, ns) in list(self.spent.items()):
            if phase == "code" and code in data_sets:
                phase = "data_set"
            if ns < SHORT_NS and code is not None:
                was = other.setdefault(phase, [start, 0])
                was[0], was[1] = min(was[0], start), was[1] + ns
            else:
                rows.append([phase, code, line, start, ns])
        rows += [[phase, None, 0, start, ns] for phase, (start, ns) in other.items()]
        rows.sort(key=lambda r: -r[4])
        if len(rows) > RECORDS_MAX:
            rest = rows[RECORDS_MAX - 1:]
            rows[RECORDS_MAX - 1:] = [["other", None, 0, min(r[3] for r in rest),
                                       sum(r[4] for r in rest)]]
        rows.sort(key=lambda r: r[3])
        self.spent.clear()
        self.of_code.clear()
        return [self.record(*row) for row in rows]

    def record(self, phase, code, line, start, ns):
        got = {"kind": "startup", "rank": self.hook.rank, "phase": phase,
               "start_ns": self.hook.rel(start), "dur_ns": ns}
        if code is not None:
            got.update(file=code.co_filename, line=line, func=code.co_name)
        return got


def data_set_codes():
    """The code of each Dataset's __init__, to tell a data set's construction
    from other code of the user's."""
    data = sys.modules.get("torch.utils.data.dataset")
    todo = [getattr(data, "Dataset", None)] if data else []
    codes = set()
    while todo and len(codes) < 10000:
        cls = todo.pop()
        if cls is None:
            continue
        code = getattr(cls.__dict__.get("__init__"), "__code__", None)
        if code is not None:
            codes.add(code)
        todo.extend(cls.__subclasses__())
    return codes
