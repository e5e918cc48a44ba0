"""A data loader with worker processes, started as argv[1] says, a child that is
forked by hand, and one that is a fresh Python."""
import os
import subprocess
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, i):
        return torch.full((4,), float(i))


def main():
    model = torch.nn.Linear(4, 2)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    n = 0
    for x in DataLoader(Numbers(), batch_size=8, num_workers=2,
                        multiprocessing_context=sys.argv[1]):
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()
        n += 1
    pid = os.fork()
    if pid == 0:
        opt.step()
        os._exit(0)
    os.waitpid(pid, 0)
    subprocess.run([sys.executable, "-c", "print('child')"], check=True)
    print("done", n)


if __name__ == "__main__":
    main()
