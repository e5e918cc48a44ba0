"""A job whose every byte is known: what it says, what it writes, how it ends.

	harm.py HOW [STEPS]

As quick to start as Python is, with the stand-in for torch (t/mock/site-packages)
or with the real one; with HARM_CUDA on the CUDA that computes nothing (t/cuda)."""
import os
import signal
import sys
import time

HOW = sys.argv[1]
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 12

if HOW == "optional":
    try:
        import torch
    except Exception as e:
        print("torch cannot be had: %s" % type(e).__name__)
        sys.exit(5)
else:
    import torch

cuda = None
if "HARM_CUDA" in os.environ:
    import ctypes
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.sim_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_int64]
    cuda.cuInit(0)


def make_real():
    torch.manual_seed(7)
    net = torch.nn.Linear(16, 16)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(k):
        opt.zero_grad()
        loss = net(torch.full((4, 16), 0.01 * k)).square().sum()
        loss.backward()
        opt.step()
        return "%.9f" % loss.item()
    return step


def make_mock():
    class Net(torch.nn.Module):
        def forward(self, k):
            if cuda:
                for _ in range(3):
                    cuda.sim_launch(b"a_kernel", 7, 20000)
            if STEPS < 100:
                time.sleep(0.001)
            return k * k

    class SGD(torch.optim.optimizer.Optimizer):
        def update(self):
            if cuda:
                cuda.sim_launch(b"update_kernel", 7, 30000)

    net, opt = Net(), SGD()

    def step(k):
        got = net(k)
        opt.step()
        return got
    return step


def on_term(number, frame):
    with open("term", "w", encoding="ascii") as f:
        f.write("%d\n" % number)
    raise SystemExit(7)


def train(step, steps, name):
    with open(name, "w", encoding="ascii") as log:
        for k in range(1, steps + 1):
            log.write("step %d: %s, fd %d\n" % (k, step(k), log.fileno()))
            log.flush()
            print("step", k)
            if k % 4 == 0:
                print("halfway %d" % k, file=sys.stderr, flush=True)
            if HOW == "raise" and k == steps // 2:
                raise ValueError("half of the steps are enough")
            if HOW == "fork" and k == 3:
                children(step)


def children(step):
    """One that trains on and ends as Python does, one that is gone at once, and a
    program."""
    sys.stdout.flush()
    if os.fork() == 0:
        train(step, 2, "child.log")
        sys.exit(6)
    print("child ended with", os.waitstatus_to_exitcode(os.wait()[1]))
    sys.stdout.flush()
    if os.fork() == 0:
        os._exit(8)
    print("child ended with", os.waitstatus_to_exitcode(os.wait()[1]))
    sys.stdout.flush()
    print("program ended with", os.waitstatus_to_exitcode(os.system("echo program; exit 3")))


def end():
    sys.stdout.flush()
    sys.stderr.flush()
    if HOW == "exit":
        sys.exit(3)
    if HOW == "_exit":
        os._exit(4)
    if HOW == "abort":
        os.abort()
    if HOW == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    if HOW == "exec":
        os.execv("/bin/sh", ["sh", "-c", "echo another program; exit 9"])


def main():
    if HOW == "handler":
        signal.signal(signal.SIGTERM, on_term)
    if HOW == "close":
        os.closerange(3, 4096)
    try:
        with open("ready", "w", encoding="ascii"):
            pass
        step = make_real() if hasattr(torch, "manual_seed") else make_mock()
        train(step, STEPS, "log")
        with open("model", "wb") as f:
            f.write(bytes(range(256)) * 64)
        end()
    finally:
        with open("finally", "w", encoding="ascii") as f:
            f.write("ran\n")


main()
