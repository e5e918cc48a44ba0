"""As sim.py, of a job that waits for its input: `sim_loader.py WORKERS`."""
import ctypes
import sys
import time

import torch

cuda = ctypes.CDLL("libcuda.so.1")
cuda.sim_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_int64]
cuda.cuInit(0)


class Images:
    def __len__(self):
        return 12

    def __getitem__(self, i):
        image = self.read(i)
        cuda.sim_launch(b"copy_kernel", 7, 20000)
        return image

    def read(self, i):
        time.sleep(0.01)
        return i


def main(workers):
    for image in torch.utils.data.DataLoader(Images(), num_workers=workers):
        for _ in range(3):
            cuda.sim_launch(b"first_kernel", 7, 20000)
    print("done", sys.gettrace())


main(int(sys.argv[1]))
