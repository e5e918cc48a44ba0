"""A job on a CUDA that computes nothing (t/cuda/sim.h), in a Python without torch
(t/mock/site-packages): its lines are known."""
import ctypes
import sys

import torch

cuda = ctypes.CDLL("libcuda.so.1")
cuda.sim_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_int64]
libc = ctypes.CDLL(None)
cuda.cuInit(0)


def engine(a, b):
    # a thread of C, that has no frames of Python
    thread = ctypes.c_void_p()
    libc.pthread_create(ctypes.byref(thread), None,
                        ctypes.cast(cuda.sim_sync, ctypes.c_void_p), None)
    libc.pthread_join(thread, None)
    return a


class Net(torch.nn.Module):
    def forward(self, n):
        for _ in range(n):
            cuda.sim_launch(b"first_kernel", 7, 20000)
        return [cuda.sim_launch(b"second_kernel", 7, 20000) for _ in range(n)]


class SGD(torch.optim.optimizer.Optimizer):
    def update(self):
        cuda.sim_launch(b"update_kernel", 7, 30000)


def clip(value):
    return cuda.sim_copy(
        2, value, 7, 0)


def main(turns):
    net, opt = Net(), SGD()
    for _ in range(turns):
        net(3)
        torch.autograd.backward(engine)
        clip(
            4096)
        opt.step()
    print("done")


main(int(sys.argv[1]))
