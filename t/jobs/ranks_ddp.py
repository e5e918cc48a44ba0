"""Data parallel: argv[1] steps, buckets of argv[2] MB."""
import sys

import torch
from torch.nn.parallel import DistributedDataParallel

import ranks_common as common


def main(steps, bucket_mb):
    device = common.start()
    model = DistributedDataParallel(common.blocks(device), bucket_cap_mb=bucket_mb)
    opt = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(steps):
        opt.zero_grad()
        model(common.batch(device)).square().mean().backward()
        opt.step()
    common.end()


main(int(sys.argv[1]), float(sys.argv[2]))
