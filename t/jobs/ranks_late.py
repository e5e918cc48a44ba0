"""Data parallel, and rank 1 is late: it sleeps argv[2] ms in each of argv[1] steps."""
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import ranks_common as common


def load(device, late_ms):
    if dist.get_rank() == 1:
        time.sleep(late_ms / 1000)  # the late line
    return common.batch(device)


def main(steps, late_ms):
    device = common.start()
    model = DistributedDataParallel(common.blocks(device))
    opt = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(steps):
        x = load(device, late_ms)
        opt.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        opt.step()
        loss.item()  # no rank runs ahead: lateness of a step is that step's
    common.end()


main(int(sys.argv[1]), float(sys.argv[2]))
