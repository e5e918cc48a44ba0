"""As sim.py, a job on a CUDA that computes nothing.  `slow`: the device has work left
at each wait for it; `two`: two devices of eight have; `hangs`: what it waits for is
this thread's to do, at the end."""
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
    if sys.argv[1] == "hangs":
        done.wait()
    else:
        time.sleep(0.2)
    waits.append("device %s" % device)


torch.cuda.synchronize, torch.cuda.current_device = synchronize, lambda: 3
if sys.argv[1] == "two":
    torch.cuda.device_count = lambda: 8
    torch._C._cuda_hasPrimaryContext = lambda device: device in (3, 5)
if sys.argv[1] == "hangs" and "tp_hook.native" in sys.modules:
    sys.modules["tp_hook.native"].DRAIN_S = 0.3


class SGD(torch.optim.optimizer.Optimizer):
    def update(self):
        cuda.sim_launch(b"update_kernel", 7, 30000)


opt = SGD()
for step in range(6):
    opt.step()
    while waits:
        print(step, waits.pop(0))
done.set()
print("done")
