"""The stack that pyframes reads against sys._getframe's: frames.py LIBRARY [ask].

A line a check: "ok NAME" or "not ok NAME: what differs".  Works with every
Python from 3.8 on."""
import asyncio
import ctypes
import os
import sys
import threading

lib = ctypes.CDLL(sys.argv[1])
held = ctypes.PyDLL(sys.argv[1])   # the same functions, the GIL held
lib.frames_take.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
lib.frames_take.restype = ctypes.c_int64
lib.frames_time.restype = ctypes.c_int64
lib.frames_sent.restype = ctypes.c_uint64
lib.frames_note.restype = ctypes.c_char_p
lib.frames_line.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
SIZE = 1 << 16
take = lib.frames_take
DEPTH = 128
bad = 0


def say(good, name, why=""):
    global bad
    bad += not good
    print("ok %s" % name if good else "not ok %s: %s" % (name, why), flush=True)


def room():
    return ctypes.create_string_buffer(SIZE)


def want(frame):
    lines = []
    while frame is not None and len(lines) < DEPTH:
        code = frame.f_code
        lines.append("%s\t%s\t%s\t%d" % (
            code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name),
            code.co_firstlineno))
        frame = frame.f_back
    return lines


class Check:
    """c(take(c.buf, SIZE), sys._getframe()): one line of code, one moment."""

    def __init__(self, name):
        self.name, self.buf, self.why, self.n = name, room(), "", 0

    def __call__(self, n, frame):
        self.n += 1
        got = self.buf.value.decode("utf-8", "replace").splitlines() if n > 0 else n
        told = want(frame)
        if got != told and not self.why:
            if isinstance(got, list):
                pairs = [p for p in zip(got, told) if p[0] != p[1]]
                self.why = "%d frames for %d, %r" % (len(got), len(told), pairs[:1])
            else:
                self.why = "%r" % got

    def done(self, n=1):
        if not self.why and self.n < n:
            self.why = "tried %d times" % self.n
        say(not self.why, self.name, self.why)


def nested():
    c = Check("nested functions, a line over several lines")

    def outer(f):
        def inner(x):
            c(take(c.buf, SIZE), sys._getframe()); return x
        return (inner(1) +
                inner(2) +
                f(
                    inner))
    outer(lambda g: g(3))
    for _ in range(3):
        outer(lambda g: (
            g(4)))
    c.done(12)


def comprehensions():
    c = Check("comprehensions, generators, lambdas")

    def gen(n):
        for i in range(n):
            c(take(c.buf, SIZE), sys._getframe())
            yield i
            c(take(c.buf, SIZE), sys._getframe())

    def chained(n):
        yield from gen(n)

    [c(take(c.buf, SIZE), sys._getframe()) for _ in range(3)]
    {i: c(take(c.buf, SIZE), sys._getframe()) for i in range(3)}
    list(c(take(c.buf, SIZE), sys._getframe()) for _ in range(3))
    list(chained(3))
    sorted([2, 1], key=lambda x: c(take(c.buf, SIZE), sys._getframe()) or x)
    list(map(lambda x: c(take(c.buf, SIZE), sys._getframe()), gen(2)))
    c.done(22)


def recursion():
    c = Check("a recursion of 1000: the innermost 128")

    def down(n):
        if n == 0:
            c(take(c.buf, SIZE), sys._getframe())
            return 0
        return 1 + down(n - 1)
    old = sys.getrecursionlimit()
    sys.setrecursionlimit(3000)
    down(1000)
    down(3)
    sys.setrecursionlimit(old)
    c.done(2)


def through_c():
    c = Check("frames of C in between")
    proto = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)

    @proto
    def back(n):
        c(take(c.buf, SIZE), sys._getframe())
        return lib.frames_through(back, n - 1) if n > 0 else 7

    class Odd:
        def __len__(self):
            c(take(c.buf, SIZE), sys._getframe())
            return 3

        def __enter__(self):
            c(take(c.buf, SIZE), sys._getframe())

        def __exit__(self, *e):
            c(take(c.buf, SIZE), sys._getframe())

        def __del__(self):
            c(take(c.buf, SIZE), sys._getframe())

        @property
        def prop(self):
            c(take(c.buf, SIZE), sys._getframe())
            return 1

    lib.frames_through(back, 5)
    odd = Odd()
    len(odd)
    with odd:
        odd.prop
    del odd
    eval("exec('c(take(c.buf, SIZE), sys._getframe())', globals(), {'c': c})",
         globals(), {"c": c})
    c.done(12)


def with_the_gil():
    c = Check("the GIL held at the call")
    fn = held.frames_take
    fn.argtypes, fn.restype = [ctypes.c_char_p, ctypes.c_size_t], ctypes.c_int64
    c(fn(c.buf, SIZE), sys._getframe())
    c.done()


def raising():
    c = Check("handlers, finally, with")

    def throw():
        try:
            c(take(c.buf, SIZE), sys._getframe())
            raise ValueError
        finally:
            c(take(c.buf, SIZE), sys._getframe())
    try:
        throw()
    except ValueError:
        c(take(c.buf, SIZE), sys._getframe())
    c.done(3)


def threads():
    checks = [Check("thread") for _ in range(8)]

    def work(c, n):
        if n:
            return work(c, n - 1)
        for _ in range(300):
            c(take(c.buf, SIZE), sys._getframe())
            (lambda:
                c(take(c.buf, SIZE), sys._getframe()))()
    team = [threading.Thread(target=work, args=(c, i)) for i, c in enumerate(checks)]
    for t in team:
        t.start()
    for t in team:
        t.join()
    whys = [c.why for c in checks if c.why or c.n != 600]
    say(not whys, "eight threads at once", whys[:1])


def coroutines():
    c = Check("async functions and generators")

    async def ticks(n):
        for i in range(n):
            c(take(c.buf, SIZE), sys._getframe())
            yield i
            await asyncio.sleep(0)

    async def one(n):
        async for _ in ticks(n):
            c(take(c.buf, SIZE), sys._getframe())
        return [c(take(c.buf, SIZE), sys._getframe()) async for _ in ticks(2)]

    async def all_of_them():
        await asyncio.gather(*(one(3) for _ in range(3)))
    asyncio.run(all_of_them())
    c.done(30)


def names(asked):
    c = Check("names that are not ASCII")
    for name in ("caf\u00e9", "\u6f22\u5b57", "\U0001d4b3_\u00e9", "plain",
                 "long_" + "x" * 3000, "\u00e9" * 1500):
        source = "def %s(c):\n\n    c(take(c.buf, SIZE), sys._getframe())\n" % name
        space = dict(globals())
        exec(compile(source, "/tmp/%s/\u03b1\u03b2.py" % name[:400], "exec"), space)
        # identifiers are normalised: the letters may be others
        space[[k for k in space if k not in globals() and k != "__builtins__"][0]](c)
    c.done(6)
    if asked:
        return  # Python has no UTF-8 for what follows
    # bytes of a file name that are no characters
    space = dict(globals())
    exec(compile("def f(c):\n  return take(c.buf, SIZE)\n", "bad\udcff.py", "exec"), space)
    buf = Check("")
    n = space["f"](buf)
    say(n > 0 and buf.buf.value.startswith("bad\ufffd.py\t2\t".encode()),
        "a file name that is no text", buf.buf.value[:40])


def reuse(asked):
    """Code objects that die, so that the next lies in the same memory."""
    c = Check("code objects that are gone")
    places = {}
    for i in range(600):
        # one thing differs a time: the name, the file, the line, the table
        kind, n = i % 4, i // 4
        name = "f%04d" % n if kind == 0 else "f"
        file = "<generated %04d>" % n if kind == 1 else "<generated>"
        first = n if kind == 2 else 1
        gap = "\n" * (n % 9) if kind == 3 else ""
        source = "%sdef %s(c):\n  1;%s\n  c(take(c.buf, SIZE), sys._getframe())\n" % (
            "\n" * first, name, gap)
        space = dict(globals())
        exec(compile(source, file, "exec"), space)
        code = space[name].__code__
        places[id(code)] = places.get(id(code), 0) + 1
        space[name](c)
        del code, space
    # where Python was asked they are kept
    if (max(places.values()) < 2) != asked:
        c.why = "%d objects in %d places" % (600, len(places))
    c.done(600)


def no_frames():
    """A thread that C made and Python never saw."""
    fn = ctypes.CDLL(None).pthread_create
    join = ctypes.CDLL(None).pthread_join
    join.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]
    place, thread, out = room(), ctypes.c_void_p(), ctypes.c_void_p(1)
    entry = ctypes.cast(lib.frames_no_launch, ctypes.c_void_p)
    if fn(ctypes.byref(thread), None, entry, place) == 0:
        join(thread, ctypes.byref(out))
    say(not out.value, "a thread of C has none", out.value)


def tables():
    """Every line of every instruction of some modules, by Python's own table."""
    import ast
    import dis
    import inspect
    todo, tried, wrong = [], 0, None
    for module in (ast, dis, inspect, asyncio.events, threading, argparse_module()):
        with open(module.__file__, encoding="utf-8") as f:
            todo.append(compile(f.read(), module.__file__, "exec"))
    todo.append(compile("def f(x):\n" + "\n" * 300 + "  y = (x +\n" + "\n" * 200
                        + "    x)\n  return y if x else (\n  f)\n", "far.py", "exec"))
    todo.append(compile("x = [\n" + "  f(1, 2),\n" * 3000 + "]\n", "long.py", "exec"))
    while todo:
        code = todo.pop()
        todo += [c for c in code.co_consts if hasattr(c, "co_code")]
        for at, line in instructions(code):
            got = lib.frames_line(sys.hexversion, id(code), at)
            tried += 1
            if got != line and wrong is None:
                wrong = (code.co_filename, code.co_name, at, got, line)
    say(wrong is None and tried > 20000, "the tables of lines, %d instructions" %
        (tried // 1000 * 1000), (wrong, tried))


def argparse_module():
    import argparse
    return argparse


def instructions(code):
    """(offset, line) of each unit; those without a line are left out."""
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            if line is not None:
                for at in range(start, end, 2):
                    yield at, line
        return
    import dis
    starts = dict(dis.findlinestarts(code))
    line = None
    for at in range(0, len(code.co_code), 2):
        line = starts.get(at, line)
        if line is not None:
            yield at, line


def once():
    c = Check("")

    def f():
        return take(c.buf, SIZE)
    f()
    n = lib.frames_sent()
    for _ in range(50):
        f()
    say(lib.frames_sent() - n <= 1, "a stack is sent once", lib.frames_sent() - n)


def no_room():
    c = Check("after there was no room, all of a stack is sent")

    def fresh(n):
        space = dict(globals())
        exec(compile("\n" * n + "def full(c):\n\n  return take(c.buf, SIZE)", "full.py",
                     "exec"), space)
        return space["full"]
    whys = []
    for k in range(1, 7):
        f, d = fresh(k), Check("")
        lib.frames_refuse(k)
        tries = [f(d) for _ in range(8)]
        lib.frames_refuse(0)
        tries.append(f(d))
        if min(tries) < 0 or tries[0] != 0 or tries[-1] <= 0:
            whys.append(tries)
    say(not whys, c.name, whys[:1])


def full():
    """Stacks without end: the tables are, and say so."""
    source = ["def inner(n, c, lib, size):\n"]
    source += ["  if n == %d: return lib.frames_take(c.buf, size)\n" % i for i in range(200)]
    source += ["def outer(m, n, c, lib, size):\n"]
    source += ["  if m == %d: return inner(n, c, lib, size)\n" % i for i in range(200)]
    space = {}
    exec(compile("".join(source), "many.py", "exec"), space)
    outer, c = space["outer"], Check("")
    first, got, none = [], 0, 0
    for turn in range(2):
        first.append(outer(0, 0, c, lib, SIZE))
        for m in range(200 if turn == 0 else 0):
            for n in range(200):
                if outer(m, n, c, lib, SIZE) > 0:
                    got += 1
                else:
                    none += 1
    say(got > 32000 and none > 7000 and 0 < first[0] == first[1],
        "when the tables are full, what is in them is found", (first, got, none))
    say(lib.frames_note().startswith(b"more than 32768 different Python stacks"),
        "and it is told", lib.frames_note())


def speed(asked):
    N = 2000

    def deep(n):
        return deep(n - 1) if n else min(lib.frames_time(N) / N for _ in range(5))
    depth, f = 0, sys._getframe()
    while f is not None:
        depth, f = depth + 1, f.f_back
    ns = deep(12 - depth - 1)
    print("# %d.%d: %.0f ns for a stack of 12 frames that was seen before" %
          (sys.version_info[0], sys.version_info[1], ns))
    # far from what is measured, for a machine that is busy; asking takes 10 us
    say(asked or ns < 10000, "a known stack is quick", ns)


def off():
    held.tp_capture_python(0)
    b = room()
    say(take(b, SIZE) == 0, "off, nothing is read")


def main():
    asked = len(sys.argv) > 2
    b = room()
    say(take(b, SIZE) == 0, "nothing is read before the proof")
    if asked:
        how = held.tp_capture_python(0x030f00f0)
        say(how == -1 and take(b, SIZE) == 0, "of an unknown version there are no stacks", how)
        os.environ["TP_PYTHON_ASK"] = "1"
    # unless Python may be asked, at launches
    how = held.tp_capture_python(0x030f00f0 if asked else sys.hexversion)
    say(how == (1 if asked else 0), "tp_capture_python", how)
    say((lib.frames_no_launch() == 0) == asked, "the GIL is taken at launches alone")
    for check in (nested, comprehensions, recursion, through_c, raising, threads,
                  coroutines, no_frames, once, no_room):
        check()
    names(asked)
    reuse(asked)
    if not asked:
        with_the_gil()
        tables()
    speed(asked)
    if not asked:
        full()
    off()


main()
sys.stdout.flush()
sys.exit(bad > 0)
