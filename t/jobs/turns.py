"""What is told of a loader's turns: `turns.py WORKERS`.  Its data set computes, and
waits at a line that is known."""
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        x = torch.ones(4)
        time.sleep(0.02)
        return x


def main(workers):
    model = torch.nn.Linear(4, 4)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for x in DataLoader(Images(), batch_size=2, num_workers=workers):
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()
    print(sys.gettrace(), sys.getprofile())


if __name__ == "__main__":
    main(int(sys.argv[1]))
