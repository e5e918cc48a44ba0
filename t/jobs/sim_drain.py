"""As sim.py, a job on a CUDA that computes nothing.  `slow`: the device has work left
at each wait for it; `hangs`: what it waits for is this thread's to do, at the end."""
import ctypes
import sys
import threading
import time

import torch

cuda = ctypes.CDLL("libcuda.so.1")
cuda.sim_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_int64]
cuda.cuInit(0)
done = threading.Event()
waits = []


def synchronize(device=None):
    if sys.argv[1] == "slow":
        time.sleep(0.2)
    else:
        done.wait()
    waits.append("device %s" % device)


torch.cuda.synchronize, torch.cuda.current_device = synchronize, lambda: 3
if sys.argv[1] == "hangs" and "tp_hook.native" in sys.modules:
    sys.modules["tp_hook.native"].DRAIN_S = 0.3


class SGD(torch.optim.optimizer.Optimizer):
    def update(self):
        cuda.sim_launch(b"update_kernel", 7, 30000)


opt = SGD()
for step in range(6):
    opt.step()
    if waits:
        print(step, waits.pop())
done.set()
print("done")
