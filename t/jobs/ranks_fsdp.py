"""Fully sharded: argv[1] steps; argv[2] prefetch, or none: each layer's parameters
are fetched when it is reached, and not before."""
import sys

import torch
from torch.distributed.fsdp import BackwardPrefetch, FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

import ranks_common as common


def main(steps, prefetch):
    device = common.start()
    model = FullyShardedDataParallel(
        common.blocks(device), auto_wrap_policy=ModuleWrapPolicy({common.Block}),
        device_id=device if common.CUDA else None, forward_prefetch=prefetch,
        backward_prefetch=BackwardPrefetch.BACKWARD_PRE if prefetch else None,
        limit_all_gathers=True, use_orig_params=True)
    opt = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(steps):
        opt.zero_grad()
        model(common.batch(device)).square().mean().backward()
        opt.step()
    common.end()


main(int(sys.argv[1]), sys.argv[2] == "prefetch")
