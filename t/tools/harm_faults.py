"""What goes wrong in harm.py: a function each, that is given a Run."""
import ast
import errno
import fcntl
import glob
import os
import shutil
import signal
import socket
import subprocess
import time

import hurt

CASES = {}
NOT_RUN = ["the fault shim within the capture library alone: it knows programs, and the"
           " job's own calls must not fail"]
PIPE_SZ = 1031  # F_SETPIPE_SZ


def case(name, starters=None):
    def add(fn):
        fn.starters = starters
        CASES[name] = fn
        return fn
    return add


@case("nothing")
def nothing(run):
    run.start().end()


# --- who reads us, and we ------------------------------------------------------------

def to_pipe(run):
    run.stream = run.text = True
    r, w = os.pipe()
    fcntl.fcntl(w, PIPE_SZ, 4096)
    run.stdout = w
    run.start()
    os.close(w)
    return r


@case("the reader goes")
def reader_goes(run):
    r = to_pipe(run)
    run.moment()
    os.close(r)
    run.end()


@case("the reader stalls")
def reader_stalls(run):
    # more than a socket holds (engine torch sends nothing as it goes)
    run.steps = {"tp-time": 20000, "torch": 60, "cupti": 1000}[run.starter]
    run.c_options = ["-n", "3000"]
    r = to_pipe(run)
    run.until(run.pid)
    run.job_over()
    # then it reads on
    while os.read(r, 65536):
        pass
    os.close(r)
    run.extra_s = 5.0
    run.end()


@case("the starter is killed")
def starter_killed(run):
    run.start()
    run.moment()
    run.process.kill()
    run.end_alone()


@case("the starter is stopped")
def starter_stopped(run):
    run.start()
    run.moment()
    if run.process.poll() is None:
        run.process.send_signal(signal.SIGSTOP)
        if run.number % 3:
            run.job_over()
        else:
            run.moment()
        run.process.send_signal(signal.SIGCONT)
    run.extra_s = 5.0
    run.end()


# --- signals to the job -----------------------------------------------------------------

def signalled(run, number, ready=None):
    """To the job's process, or through us."""
    run.start()
    if not run.until(lambda: run.pid() and (not ready or run.job_file(ready))):
        run.end()
        return
    run.moment(0.8)
    run.may_cut, run.ends = True, (128 + number,) + run.ends
    run.extra_s = 5.0
    try:
        if number != signal.SIGKILL and run.rng.random() < 0.5:
            run.process.send_signal(number)
        else:
            os.kill(run.pid(), number)
    except ProcessLookupError:
        pass
    run.end()


@case("SIGKILL to the job")
def job_killed(run):
    signalled(run, signal.SIGKILL)


@case("SIGTERM to the job")
def job_terminated(run):
    signalled(run, signal.SIGTERM)


@case("SIGINT to the job")
def job_interrupted(run):
    run.how, run.also_files = "int", ("finally",)
    signalled(run, signal.SIGINT, None if run.c else "ready")


@case("SIGTERM to a handler of the job's")
def job_handles(run):
    run.how, run.c = "handler", False
    run.ends, run.also_files = (7,), ("term", "finally")
    run.late_files = ("term",)  # it may run when all else is over, where Python ignores it
    run.beside = rb"Exception ignored in: <module 'threading' .*\n(?:.*\n)*?SystemExit: 7\n"
    signalled(run, signal.SIGTERM, "ready")
    if run.result and run.result.status == 7 and \
            not {"term", "finally"} <= set(run.result.files):
        run.words.append("status 7, and its handler's files are not there")


# --- no room ------------------------------------------------------------------------------

class Small:
    """A file system with hardly any room, of this run's own."""

    def __init__(self, path, size, inodes):
        self.path = path
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d,nr_inodes=%d" % (size, inodes),
                        "none", path], check=True, capture_output=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for _ in range(100):
            if subprocess.run(["umount", self.path], check=False, capture_output=True).returncode == 0:
                return
            time.sleep(0.05)
        raise OSError("umount " + self.path)


def can_mount():
    try:
        with Small(os.path.abspath("mount-%d" % os.getpid()), 4096, 4):
            return True
    except (OSError, subprocess.CalledProcessError):
        NOT_RUN.append("a full TMPDIR, a full disk for -o and -d: no right to mount")
        return False


MOUNTS = can_mount()


@case("TMPDIR is full")
def tmp_full(run):
    if not MOUNTS:
        return
    run.may_refuse = True
    run.tmp = os.path.join(run.at, "small")
    run.want = run.plain()
    with Small(run.tmp, 4096 * run.rng.randint(1, 4), run.rng.randint(1, 9)):
        run.start().end()


@case("TMPDIR is no place")
def tmp_nowhere(run):
    run.may_refuse = True
    kind = run.number % 7
    base = os.path.join(run.at, "tmp")
    run.tmp = [base + "/none", base + "/file", "/proc", "", "relative",
               base + "/co:lon", base + "/" + "long" * 40][kind]
    run.want = run.plain()
    prepare = run.prepare

    def prepared():
        prepare()
        if kind == 1:
            with open(base + "/file", "wb"):
                pass
        if kind in (5, 6):
            os.mkdir(run.tmp)
    run.prepare = prepared
    run.start()
    # where it took another place: that is left as it was, too
    run.until(run.pid)
    for word in environ(run.pid()):
        if word.startswith(b"TP_HOOK="):
            run.folders.add(word[8:].decode())
    run.tmp = os.path.join(base, "none")
    run.end()


def environ(pid):
    try:
        with open("/proc/%d/environ" % pid, "rb") as f:
            return f.read().split(b"\0")
    except (OSError, TypeError):
        return []


@case("the disk for -o or -d is full")
def out_full(run):
    if run.number % 4 == 3:
        run.may_refuse = run.stream = True
        with open("/dev/full", "wb") as full:
            run.stdout = full.fileno()
            run.start().end()
        return
    if not MOUNTS:
        return
    run.may_refuse, run.stream, run.out = True, False, "small"
    run.want = run.plain()
    with Small(os.path.join(run.at, "small"), 4096 * run.rng.randint(1, 6), run.rng.randint(1, 8)):
        run.start().end()


# --- the link -------------------------------------------------------------------------------

@case("the link is broken")
def link_broken(run):
    run.may_refuse = True
    run.start()
    if not run.until(run.private):
        run.end()
        return
    run.moment(0.6)
    how, folder = run.rng.randrange(5), run.private()
    try:
        if how == 4:
            shutil.rmtree(folder, ignore_errors=True)
            # Python had just seen our sitecustomize there, of which nothing ran
            run.beside = rb"Error in sitecustomize; .*\nFileNotFoundError: .*/tp-\w+/sitecustomize.py'\n"
        for name in ("s", "c") if how < 4 and folder else ():
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                continue
            os.unlink(path)
            if how == 1:
                with open(path, "wb") as f:
                    f.write(b"no socket")
            if how == 2:
                os.mkdir(path)
            if how == 3:  # who listens there takes nobody
                other = socket.socket(socket.AF_UNIX)
                other.bind(path)
                other.listen(0)
                run.other = getattr(run, "other", []) + [other]
    except (OSError, TypeError):
        pass  # it had ended
    run.extra_s = 3.0
    run.end()


# --- CUDA -----------------------------------------------------------------------------------

def prefix(run, lib="whole", hook=None):
    """Our programs installed elsewhere, in part."""
    top = os.path.join(run.at, "prefix")
    shutil.rmtree(top, ignore_errors=True)
    os.makedirs(top + "/bin")
    os.makedirs(top + "/lib")
    os.makedirs(top + "/share/tp")
    for name in ("tp-time", "tp-capture"):
        os.link(os.path.realpath(os.path.join(hurt.BUILD, "bin", name)), top + "/bin/" + name)
    real = os.path.join(hurt.BUILD, "lib/libtpcapture.so")
    if lib == "whole" and os.path.exists(real):
        os.symlink(real, top + "/lib/libtpcapture.so")
    elif lib == "none it is":
        with open(top + "/lib/libtpcapture.so", "wb") as f:
            f.write(b"not a library")
    for n in os.listdir(os.path.join(hurt.TOP, "share")):
        if n != "hook":
            os.symlink(os.path.join(hurt.TOP, "share", n), top + "/share/tp/" + n)
    if hook is None:
        os.symlink(os.path.join(hurt.TOP, "share/hook"), top + "/share/tp/hook")
    else:
        shutil.copytree(os.path.join(hurt.TOP, "share/hook"), top + "/share/tp/hook",
                        ignore=shutil.ignore_patterns("__pycache__"))
        hook(top + "/share/tp/hook")
    run.bin = top + "/bin"


def bad_cupti(run):
    folder = os.path.join(run.at, "cuda")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(hurt.BUILD, "t/cuda/libcuda.so.1"), folder)
    for n in ("libcupti.so.13", "libcupti.so.12"):
        with open(os.path.join(folder, n), "wb") as f:
            f.write(b"not a library")
    run.env["LD_LIBRARY_PATH"] = folder


CUDA = [
    lambda run: prefix(run, lib="none"),
    lambda run: prefix(run, lib="none it is"),
    bad_cupti,
    lambda run: run.env.update(SIM_TAKEN="1"),
    lambda run: run.env.update(SIM_CUPTI="17"),
    lambda run: run.env.update(LD_LIBRARY_PATH="", HARM_CUDA=None),
    lambda run: run.env.update(CUDA_INJECTION64_PATH="/nonexistent/tool.so"),
    lambda run: run.env.update(NVTX_INJECTION64_PATH="/nonexistent/tool.so"),
    lambda run: run.env.update(SIM_FLUSH_MS="20", SIM_DISABLE_MS="20"),
    lambda run: run.env.update(SIM_READ_MS="20"),
    lambda run: run.c_options.extend(["-P", "5:20"]),
    lambda run: run.env.update(SIM_FAIL="%s=%d" % (run.rng.choice(CUPTI_FUNCTIONS),
                                                   run.rng.choice([1, 15, 35, 999]))),
]
CUPTI_FUNCTIONS = [
    "cuptiSubscribe", "cuptiActivityRegisterTimestampCallback", "cuptiActivityRegisterCallbacks",
    "cuptiGetCallbackName", "cuptiActivityEnable", "cuptiActivityFlushAll",
    "cuptiActivityGetNextRecord", "cuptiEnableCallback", "cuptiActivityGetNumDroppedRecords",
    "cuptiActivitySetAttribute", "cuptiActivityDisable", "cuptiUnsubscribe"]


def cuda_case(at, name):
    @case(name, ("cupti",))
    def fault(run):
        run.may_refuse = True
        CUDA[at](run)
        run.start().end()


for _at, _name in enumerate((
        "the library is missing", "the library is none", "no libcupti", "CUPTI is taken",
        "CUPTI 11", "no CUDA", "another tool of CUDA's", "another tool of NVTX's",
        "CUPTI is slow", "CUPTI reads late", "a profiler of the job's own",
        "a function of CUPTI's fails")):
    cuda_case(_at, _name)


# --- how the job ends -------------------------------------------------------------------------

C_ENDS = {"exit": ["-e", "exit"], "_exit": ["-e", "_exit"], "abort": ["-e", "abort"],
          "segv": ["-e", "kill"], "raise": ["-e", "return", "-S"], "exec": ["-e", "_exit", "-S"],
          "close": ["-X"], "fork": ["-F", "_exit"]}


def ends(how, name):
    @case(name)
    def fault(run):
        run.how = how
        run.c_options = run.c_options + C_ENDS[how]
        if how == "fork" and run.number % 4 == 1:
            run.c_options[-1] = "exit"
            run.env["SIM_FORK_HANGS"] = "1"
        run.start().end()


for _how, _name in (
        ("exit", "the job exits"), ("_exit", "the job ends by _exit"), ("abort", "the job aborts"),
        ("segv", "the job crashes"), ("raise", "the job fails halfway"),
        ("exec", "the job becomes another program"), ("close", "the job closes its descriptors"),
        ("fork", "the job forks and runs programs")):
    ends(_how, _name)


@case("64 descriptors")
def few_descriptors(run):
    run.limits = "ulimit -n 64; "
    run.how = run.rng.choice(["plain", "fork", "close"])
    run.start().end()


@case("little address space")
def little_space(run):
    """What the job itself takes, and 16 to 80 MiB more; in Python 160 to 240: what a
    thread allocates first reserves 64 MiB, and there are two of ours."""
    least = 16384 if run.c else 163840
    run.limits = "ulimit -v %d; " % (run.need_kib() + least + run.rng.randrange(65536))
    run.start().end()


# --- in Python ----------------------------------------------------------------------------------

# What the job calls, and what does not fail in itself before it calls what is guarded.
CALLED_BARE = {"chain", "optimizer_begins", "optimizer_ends", "quiet_step", "_nothing",
               "_initializing", "__set__", "__delete__", "save", "events", "__getattr__",
               "experimental_event_tree"}


def break_a_function(run, folder):
    """A function of the hook raises from its first, second or third call on; one that
    guards what it calls, within that guard."""
    names = [n for n in glob.glob(folder + "/**/*.py", recursive=True)
             if not n.endswith("__init__.py")]
    path = run.rng.choice(sorted(names))
    with open(path, encoding="utf-8") as f:
        source = f.read()
    functions = [n for n in ast.walk(ast.parse(source))
                 if isinstance(n, ast.FunctionDef) and n.name not in CALLED_BARE and
                 n.body[0].lineno > n.lineno]
    if not functions:
        run.broke = "nothing"
        return
    fn = run.rng.choice(functions)
    body = next((n.body for n in fn.body if isinstance(n, ast.Try) and any(
        isinstance(h.type, ast.Name) and h.type.id in ("Exception", "BaseException")
        for h in n.handlers)), fn.body)
    error = run.rng.choice(["RuntimeError", "OSError", "MemoryError", "KeyError"])
    at = body[0].lineno - 1
    lines = source.split("\n")
    indent = " " * body[0].col_offset
    lines.insert(at, "%sglobals()['_harm'] = globals().get('_harm', 0) + 1\n"
                 "%sif globals()['_harm'] >= %d: raise %s('harm')" % (
                     indent, indent, run.rng.randint(1, 3), error))
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    run.broke = "%s, %s: %s" % (os.path.basename(path), fn.name, error)


@case("a function of the hook raises")
def hook_raises(run):
    run.c, run.python = False, run.rng.choice(PYTHONS)
    run.how = run.rng.choice(["plain", "fork", "raise", "exit"])
    prefix(run, hook=lambda folder: break_a_function(run, folder))
    run.start().end()
    run.words = ["%s: %s" % (run.broke, w) for w in run.words]


@case("the hook is broken")
def hook_broken(run):
    run.c = False

    def spoil(folder):
        how = run.rng.randrange(5)
        path = run.rng.choice(sorted(glob.glob(folder + "/tp_hook/*.py")))
        if how == 0:
            os.unlink(folder + "/sitecustomize.py")
            run.may_refuse = True
        elif how == 1:
            shutil.rmtree(folder + "/tp_hook")
        elif how == 2:
            os.unlink(path)
        else:
            with open(path, "r+b") as f:
                f.seek(run.rng.randrange(os.path.getsize(path)))
                f.write([b"(((\n", b"\0\xff\0", b""][how - 3])
                f.truncate()
        run.broke = "%d, %s" % (how, os.path.basename(path))
    prefix(run, hook=spoil)
    run.start().end()
    run.words = ["%s: %s" % (run.broke, w) for w in run.words]


TORCHES = [
    "raise ImportError('this torch is broken')",
    "this is no Python",
    "import os; raise KeyError('x')",
    "__version__ = None",
    "import sys; sys.modules['torch.nn'] = sys.modules['torch.optim'] = sys; nn = optim = sys",
    "class Odd:\n    def __getattr__(self, name): raise ValueError(name)\n"
    "import sys; sys.modules[__name__] = Odd()",
    "import sys; sys.modules['torch.optim.optimizer'] = None",
    "def __getattr__(name): return None",
    "raise SystemExit(11)",
    None,  # a folder without an __init__
]


@case("torch is broken")
def torch_broken(run):
    run.c, run.how = False, run.rng.choice(["optional", "plain"])
    folder = os.path.join(run.at, "broken")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/torch")
    which = run.number % len(TORCHES)
    if TORCHES[which] is not None:
        with open(folder + "/torch/__init__.py", "w", encoding="ascii") as f:
            f.write(TORCHES[which] + "\n")
    run.env["PYTHONPATH"] = folder
    run.env["HARM_TORCH_NO"] = str(which)  # each has a plain run of its own
    run.start().end()
    run.words = ["torch %d: %s" % (which, w) for w in run.words]


# the hook has ways of its own for some of them
PYTHONS = os.environ.get("HARM_PYTHONS", "python3").split()


SITES = [
    "import os, sys; os.environ['MINE'] = '1'; print('mine', [p for p in sys.path if 'tp-' in p])",
    "raise RuntimeError('mine')",
    "raise SystemExit(12)",
    "this is no Python",
    "import sys; sys.setprofile(lambda *a: None); sys.settrace(lambda *a: None)",
    "import torch; print(torch.__version__)",
    "import sys; sys.meta_path.clear()",
    "import builtins; real = builtins.__import__\n"
    "def mine(*a, **k): return real(*a, **k)\nbuiltins.__import__ = mine",
]


@case("a sitecustomize that is there")
def site_there(run):
    run.c, run.how = False, run.rng.choice(["plain", "fork", "raise"])
    folder = os.path.join(run.at, "site")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    which = run.number % len(SITES)
    with open(folder + "/sitecustomize.py", "w", encoding="ascii") as f:
        f.write(SITES[which] + "\n")
    run.env["PYTHONPATH"] = folder + ":" + os.path.join(hurt.TOP, "t/mock/site-packages")
    run.env["HARM_SITE_NO"] = str(which)
    run.start().end()
    run.words = ["sitecustomize %d: %s" % (which, w) for w in run.words]


# --- calls of the starter that fail -------------------------------------------------------------

ERRORS = {"read": errno.EIO, "write": errno.ENOSPC, "open": errno.EMFILE, "close": errno.EIO,
          "rename": errno.EACCES, "fsync": errno.EIO, "malloc": errno.ENOMEM,
          "mmap": errno.ENOMEM, "fork": errno.EAGAIN}
calls = {}  # how many there are: by starter and kind of output


@case("a call of the starter's fails")
def call_fails(run):
    if hurt.ASAN:
        return
    state = hurt.State(os.path.join(run.at + ".state"))
    run.env.update(LD_PRELOAD=hurt.preload(), TP_FAULT_STATE=state.path, TP_FAULT="any:0:5",
                   TP_FAULT_PROG="tp-capture" if run.starter != "tp-time" else "tp-time")
    run.how = run.rng.choice(["plain", "exit", "segv"])
    run.c_options = run.c_options + ["-e", {"exit": "abort", "segv": "kill"}.get(run.how, "exit")]
    key = (run.starter, run.c, run.stream)
    if key not in calls:
        run.start().end()
        calls[key] = state.calls()
        if run.words:
            return
    kinds = [k for k in ERRORS if calls[key][k]]
    kind = run.rng.choice(kinds)
    run.env["TP_FAULT"] = "%s:%d%s:%d" % (kind, run.rng.randint(1, calls[key][kind]),
                                          run.rng.choice(["", "+"]), ERRORS[kind])
    run.may_refuse = True
    state.clear()
    run.start().end()
    run.words = ["%s: %s" % (run.env["TP_FAULT"], w) for w in run.words]


# --- the real torch, fewer times ----------------------------------------------------------------

@case("the starter is killed (torch)", ("tp-time", "torch"))
def starter_killed_torch(run):
    starter_killed(run)


@case("some of it (torch)", ("tp-time", "torch"))
def real_torch(run):
    run.how = ["plain", "raise", "fork", "exit", "_exit"][run.number % 5]
    run.start().end()
